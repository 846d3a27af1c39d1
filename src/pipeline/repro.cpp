#include "pipeline/repro.h"

#include "assignment/case.h"
#include "checker/describe.h"
#include "support/hash.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace verilocc::pipeline {

std::optional<std::string> writeRepro(const std::string &parent, const codegen::Module &module,
                                      const FunctionRun &function, const std::string &why,
                                      const std::string &command_line) {
  namespace fs = std::filesystem;
  std::string verdict = why + "\n";
  if (!function.check.invalid_reason.empty())
    verdict += function.check.invalid_reason + "\n";
  for (const checker::CheckerError &error : function.check.errors)
    verdict += describe(error, function.before, function.assignment);
  for (const checker::Doubt &doubt : function.check.doubts)
    verdict += describe(doubt, function.before);

  std::string case_text;
  if (function.check.verdict != checker::Verdict::InvalidInput) {
    assignment::Case contents;
    contents.comments = {why, "function " + function.name + " of " + module.name};
    contents.problem = function.before;
    contents.assignment = function.assignment;
    assignment::Expectation expectation;
    expectation.verdict = checker::name(function.check.verdict);
    if (!function.check.errors.empty())
      expectation.kind = checker::name(function.check.errors.front().kind);
    contents.expectation = expectation;
    case_text = print(contents);
  }

  const uint64_t hash = support::Hash().add(module.bytes).add(function.name).add(verdict).value();
  const fs::path folder = fs::path(parent) / fmt::format("repro-{:016x}", hash);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return std::nullopt;
  auto write = [&](const char *file, const std::string &text) {
    std::ofstream out(folder / file, std::ios::binary);
    out << text;
    return bool(out.flush());
  };
  const char *input = module.kind == codegen::ModuleKind::Text      ? "input.ll"
                      : module.kind == codegen::ModuleKind::Bitcode ? "input.bc"
                                                                    : "input.mir";
  bool written = write("command.txt", command_line + "\n") && write("verdict.txt", verdict) &&
                 write(input, module.bytes) && (case_text.empty() || write("case.ra", case_text));
  return written ? std::optional(folder.string()) : std::nullopt;
}

} // namespace verilocc::pipeline
