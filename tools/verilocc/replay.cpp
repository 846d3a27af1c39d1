// verilocc replay: a repro folder gives the verdict that it was written for.
#include "inputs.h"

#include "assignment/case.h"
#include "checker/describe.h"
#include "codegen/tools.h"

#include <filesystem>
#include <fmt/format.h>

namespace verilocc::tool {

namespace {

/// The part of verdict.txt that the checker wrote; the first line says why the folder was made.
std::string checkersPart(const std::string &verdict) {
  const size_t end = verdict.find('\n');
  return end == std::string::npos ? "" : verdict.substr(end + 1);
}

int replay(const std::string &folder) {
  namespace fs = std::filesystem;
  const std::string case_path = (fs::path(folder) / "case.ra").string();
  const std::string verdict_path = (fs::path(folder) / "verdict.txt").string();
  auto verdict = codegen::readFile(verdict_path);
  if (!verdict) {
    printError(verdict.error());
    return bad_input;
  }
  std::error_code ignored;
  if (!fs::exists(case_path, ignored)) {
    printError({"the folder holds no case.ra: run the command in its command.txt", folder});
    return bad_input;
  }
  auto text = codegen::readFile(case_path);
  auto contents = text ? assignment::parseCase(*text, case_path) : support::Result<assignment::Case>(text.error());
  if (!contents) {
    printError(contents.error());
    return bad_input;
  }
  if (!contents->assignment) {
    printError({"there is no assignment to check", case_path});
    return bad_input;
  }
  const auto result = checker::check(contents->problem, *contents->assignment);
  std::string again;
  if (!result.invalid_reason.empty())
    again += result.invalid_reason + "\n";
  for (const checker::CheckerError &error : result.errors)
    again += describe(error, contents->problem, *contents->assignment);
  for (const checker::Doubt &doubt : result.doubts)
    again += describe(doubt, contents->problem);
  const bool is_same = again == checkersPart(*verdict);
  fmt::print("{}: {}, {}\n", folder, name(result.verdict),
             is_same ? "as recorded" : "which is not what the folder records");
  if (!is_same)
    fmt::print("{}", again);
  return is_same ? done : bad_input;
}

} // namespace

void addReplay(CLI::App &app, Session &session) {
  auto folders = std::make_shared<std::vector<std::string>>();
  CLI::App *command =
      app.add_subcommand("replay", "check the case of a repro folder again and compare with its record");
  command->add_option("DIR", *folders, "folders that verilocc wrote (repro-...)")->required();
  command->callback([folders, &session] {
    for (const std::string &folder : *folders)
      session.exit_code = std::max(session.exit_code, replay(folder));
  });
}

} // namespace verilocc::tool
