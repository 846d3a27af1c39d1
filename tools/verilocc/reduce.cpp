// verilocc reduce: the smallest case that goes wrong in the same way.
#include "inputs.h"

#include "assignment/case.h"
#include "checker/checker.h"
#include "codegen/tools.h"
#include "reduce/reduce.h"

#include <fmt/format.h>

namespace verilocc::tool {

namespace {

struct Arguments {
  std::string path, keep, out = "-";
};

/// What is interesting about a case in one word: the kind of the first error, or the verdict.
std::string wordOf(const checker::CheckResult &result) {
  return result.errors.empty() ? CLI::detail::to_lower(name(result.verdict)) : name(result.errors.front().kind);
}

int reduce(const Arguments &arguments) {
  auto text = codegen::readFile(arguments.path);
  if (!text) {
    printError(text.error());
    return bad_input;
  }
  auto contents = assignment::parseCase(*text, arguments.path);
  if (!contents) {
    printError(contents.error());
    return bad_input;
  }
  if (!contents->assignment) {
    printError({"there is no assignment to check", arguments.path});
    return bad_input;
  }
  auto check = [](const assignment::Case &c) { return checker::check(c.problem, *c.assignment); };
  const std::string found = wordOf(check(*contents));
  const std::string keep = arguments.keep.empty() ? found : CLI::detail::to_lower(arguments.keep);
  if (found != keep) {
    printError({fmt::format("the case is {}, not {}", found, keep), arguments.path});
    return bad_input;
  }
  reduce::ReduceStatistics statistics;
  assignment::Case reduced =
      reduce::reduceCase(*contents, [&](const assignment::Case &c) { return wordOf(check(c)) == keep; }, &statistics);
  const checker::CheckResult result = check(reduced);
  assignment::Expectation expectation;
  expectation.verdict = name(result.verdict);
  if (!result.errors.empty())
    expectation.kind = name(result.errors.front().kind);
  reduced.expectation = expectation;
  if (arguments.out != "-")
    fmt::print("{}: {}: {} instructions of {}, {} blocks of {}, {} cases tried\n", arguments.path, keep,
               reduced.problem.insts.size(), contents->problem.insts.size(), reduced.problem.blocks.size(),
               contents->problem.blocks.size(), statistics.questions);
  return writeOutput(arguments.out, print(reduced)) ? done : bad_input;
}

} // namespace

void addReduce(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("reduce", "shrink a .ra case while the checker answers the same");
  command->add_option("CASE", arguments->path, ".ra file with an assignment")->required();
  command->add_option("--keep", arguments->keep,
                      "kind of the first error (lost-value, ...), or undecided or accepted; "
                      "default: what the case has");
  command->add_option("-o,--output", arguments->out, "the reduced case; - for standard output")->capture_default_str();
  command->callback([arguments, &session] { session.exit_code = reduce(*arguments); });
}

} // namespace verilocc::tool
