// verilocc check: a case file against the checker, against what it expects, and on request against a solver.
#include "inputs.h"

#include "assignment/case.h"
#include "checker/describe.h"
#include "codegen/tools.h"
#include "interp/interp.h"
#include "smt/solve.h"

#include <fmt/format.h>

namespace verilocc::tool {

namespace {

/// Puts the case to the solver and compares. `file`: where the formula goes; empty: nowhere.
int askSolver(const assignment::Case &contents, const checker::CheckResult &result, const std::string &file) {
  if (result.verdict == checker::Verdict::InvalidInput) {
    fmt::print("  solver: not asked: the case is invalid\n");
    return done;
  }
  const auto formula = smt::formulate(contents.problem, *contents.assignment);
  if (!formula) {
    fmt::print("  solver: not asked: {}\n", formula.error().message);
    return done;
  }
  if (!file.empty())
    if (auto written = codegen::writeFile(file, formula->file()); !written) {
      printError(written.error());
      return bad_input;
    }
  const smt::Answer answer = smt::solve(*formula);
  fmt::print("  solver: {} ({} pairs of value and place){}\n", name(answer.kind), formula->num_pairs,
             answer.reason.empty() ? "" : ": " + answer.reason);
  for (const std::string &demand : answer.core)
    fmt::print("    cannot be met: {}\n", demand);
  if (answer.kind == smt::Answer::Kind::NotSolved || std::string(name(answer.kind)) == name(result.verdict))
    return done;
  fmt::print("  the checker and the solver disagree: one of them is wrong\n");
  return own_fault;
}

/// Runs both programs side by side: a difference proves a rejection right, and an acceptance wrong.
int askInterpreter(const assignment::Case &contents, const checker::CheckResult &result, unsigned paths) {
  if (result.verdict == checker::Verdict::InvalidInput) {
    fmt::print("  interpreter: not asked: the case is invalid\n");
    return done;
  }
  interp::InterpOptions options;
  options.paths = paths;
  const auto run = interp::interpret(contents.problem, *contents.assignment, options);
  fmt::print("  interpreter: {} on {} paths\n", name(run.verdict), run.paths + run.difference.has_value());
  if (run.difference)
    fmt::print("{}", interp::describe(contents.problem, *contents.assignment, *run.difference));
  if (!run.difference || result.verdict != checker::Verdict::Accepted)
    return done;
  fmt::print("  the checker accepts what the interpreter tells apart: one of them is wrong\n");
  return own_fault;
}

/// Who is asked besides the checker.
struct Others {
  std::optional<std::string> smt_file; ///< the solver; the formula goes there unless empty
  unsigned paths = 0;                  ///< the interpreter, on so many paths
};

int check(const std::string &path, const Others &others) {
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
  if (others.smt_file)
    if (int code = askSolver(*contents, result, *others.smt_file); code != done)
      return code;
  if (others.paths)
    if (int code = askInterpreter(*contents, result, others.paths); code != done)
      return code;

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
  auto smt = std::make_shared<std::string>();
  // A flag with a value: `--smt CASE` must not take the case for the file.
  CLI::Option *asks = command->add_flag(
      "--smt{-}", *smt, "ask Z3 too, where the case has no inserted code; --smt=FILE writes the SMT-LIB 2 text there");
  auto others = std::make_shared<Others>();
  command->add_option("--interpret", others->paths, "also run both programs side by side along this many paths");
  command->callback([paths, smt, asks, others, &session] {
    std::optional<std::string> &file = others->smt_file;
    if (asks->count())
      file = *smt == "-" ? "" : *smt;
    if (file && !file->empty() && paths->size() > 1) {
      printError({"--smt=FILE takes one case", *file});
      session.exit_code = wrong_usage;
      return;
    }
    for (const std::string &path : *paths)
      session.exit_code = std::max(session.exit_code, check(path, *others));
  });
}

} // namespace verilocc::tool
