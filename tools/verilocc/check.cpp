// verilocc check: a case file against the checker, and against what it expects.
#include "inputs.h"

#include "assignment/case.h"
#include "checker/describe.h"
#include "codegen/tools.h"

#include <fmt/format.h>

namespace verilocc::tool {

namespace {

int check(const std::string &path) {
  auto text = codegen::readFile(path);
  if (!text) {
    printError(text.error());
    return bad_input;
  }
  auto contents = assignment::parseCase(*text, path);
  if (!contents) {
    printError(contents.error());
    return bad_input;
  }
  if (!contents->assignment) {
    printError({"there is no assignment to check", path});
    return bad_input;
  }
  auto result = checker::check(contents->problem, *contents->assignment);
  fmt::print("{}: {}\n", path, name(result.verdict));
  if (!result.invalid_reason.empty())
    fmt::print("  {}\n", result.invalid_reason);
  for (const checker::CheckerError &error : result.errors)
    fmt::print("{}", describe(error, contents->problem, *contents->assignment));
  for (const checker::Doubt &doubt : result.doubts)
    fmt::print("{}", describe(doubt, contents->problem));

  if (!contents->expectation)
    return result.verdict == checker::Verdict::Accepted ? done : bad_input;
  const assignment::Expectation &expected = *contents->expectation;
  bool met = CLI::detail::to_lower(expected.verdict) == CLI::detail::to_lower(name(result.verdict));
  if (met && !expected.kind.empty()) {
    met = !result.errors.empty() && expected.kind == name(result.errors.front().kind);
    if (met) {
      const checker::CheckerError &first = result.errors.front();
      met = expected.inst.value_or(first.inst) == first.inst &&
            static_cast<int>(expected.edit.value_or(static_cast<uint32_t>(first.edit))) == first.edit &&
            static_cast<int>(expected.operand.value_or(static_cast<uint32_t>(first.operand))) == first.operand &&
            expected.lane.value_or(first.lane) == first.lane;
    }
  }
  if (!met)
    fmt::print("  this is not what the case expects: {} {}\n", expected.verdict, expected.kind);
  return met ? done : bad_input;
}

} // namespace

void addCheck(CLI::App &app, Session &session) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App *command = app.add_subcommand("check", "check .ra case files; with EXPECT, against what they expect");
  command->add_option("CASE", *paths, ".ra files")->required();
  command->callback([paths, &session] {
    for (const std::string &path : *paths)
      session.exit_code = std::max(session.exit_code, check(path));
  });
}

} // namespace verilocc::tool
