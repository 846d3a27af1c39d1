#include "pipeline/compile.h"

#include "cost/occupancy.h"
#include "pipeline/repro.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>

namespace verilocc::pipeline {

using checker::Verdict;
using codegen::Failure;
using codegen::FunctionStatistics;

namespace {

unsigned spills(const FunctionStatistics &s) { return s.vgpr_spills + s.sgpr_spills; }

/// Registers as occupancy counts them: the unified file of gfx90a and later, else the larger of the two files.
unsigned countedVgprs(const FunctionStatistics &s) { return std::max({s.total_vgprs, s.vgprs, s.agprs}); }

/// True if no allocation can have fewer spills or more waves: nothing was spilled or left over, and the waves are bounded
/// by something else (LDS, attributes) or by the values that are live at once.
bool cannotBeBeaten(const FunctionRun &function, const std::string &mcpu) {
  const FunctionStatistics &s = function.statistics;
  if (function.vregs != function.placed || spills(s))
    return false;
  const unsigned wave_size = s.wave_size ? s.wave_size : (mcpu.starts_with("gfx9") ? 64 : 32);
  const unsigned by_registers = cost::wavesByVgprs(mcpu, wave_size, countedVgprs(s));
  const unsigned at_best = cost::wavesByVgprs(mcpu, wave_size, function.pressure);
  return by_registers && (by_registers > s.waves || at_best <= s.waves);
}

FunctionRun *find(Run &run, const std::string &name) {
  auto it = std::find_if(run.functions.begin(), run.functions.end(),
                         [&](const FunctionRun &f) { return f.name == name; });
  return it == run.functions.end() ? nullptr : &*it;
}

class Compilation {
public:
  Compilation(const codegen::Module &module, const CompileOptions &options) : module(module), options(options) {}

  std::variant<CompileOutcome, Failure> compile();

private:
  std::optional<Failure> runOnce(Allocator allocator, const std::set<std::string> &leave_to_greedy, Run &result);
  std::optional<Failure> refuse(const FunctionRun &function);
  void keepRepro(const FunctionRun &function, const std::string &why);

  const codegen::Module &module;
  const CompileOptions &options;
  CompileOutcome outcome;
};

std::optional<Failure> Compilation::runOnce(Allocator allocator, const std::set<std::string> &leave_to_greedy,
                                            Run &result) {
  RunOptions run_options;
  run_options.compile = options.compile;
  run_options.allocator = allocator;
  run_options.leave_to_greedy = leave_to_greedy;
  if (allocator != Allocator::Greedy)
    run_options.tamper = options.tamper;
  ++outcome.runs;
  auto answer = run(module, run_options);
  if (auto *failure = std::get_if<Failure>(&answer))
    return std::move(*failure);
  result = std::move(std::get<Run>(answer));
  return std::nullopt;
}

void Compilation::keepRepro(const FunctionRun &function, const std::string &why) {
  auto folder = writeRepro(options.repro_parent, module, function, why, options.command_line);
  if (folder)
    outcome.repro_folders.push_back(*folder);
}

/// Greedy's own allocation is wrong by the checker: an error of LLVM's or of ours; either way nothing may be emitted.
std::optional<Failure> Compilation::refuse(const FunctionRun &function) {
  if (function.check.verdict == Verdict::Accepted || function.check.verdict == Verdict::Undecided)
    return std::nullopt;
  const std::string why = fmt::format("LLVM's own allocation of '{}' is {}", function.name, name(function.check.verdict));
  keepRepro(function, why);
  std::string where = outcome.repro_folders.empty() ? "" : "; see " + outcome.repro_folders.back();
  return Failure{codegen::FailureKind::Unsupported, {why + where, module.name}};
}

std::variant<CompileOutcome, Failure> Compilation::compile() {
  const auto start = std::chrono::steady_clock::now();
  const bool ours = options.allocator == Allocator::FirstFit;

  // The allocator that was asked for.
  Run answer;
  std::set<std::string> left;
  std::map<std::string, std::string> notes;
  if (auto failure = runOnce(options.allocator, left, answer)) {
    if (!ours || failure->kind == codegen::FailureKind::BadInput)
      return std::move(*failure);
    // Whatever our placement led LLVM into must not cost the user the compile.
    for (const std::string &function : module.functions) {
      left.insert(function);
      notes[function] = "LLVM failed with our allocation (" + failure->error.str() + ")";
    }
    if (auto again = runOnce(Allocator::Greedy, left, answer))
      return std::move(*again);
  }

  // Greedy's, wherever it could be the better one or ours is not proved.
  Run greedy;
  bool compared = false;
  if (ours && left.empty()) {
    for (const FunctionRun &function : answer.functions) {
      if (function.check.verdict == Verdict::Accepted)
        continue;
      left.insert(function.name);
      notes[function.name] = fmt::format("our allocation was {}", name(function.check.verdict));
      if (function.check.verdict != Verdict::Undecided)
        keepRepro(function, notes[function.name]);
    }
    const bool open = std::any_of(answer.functions.begin(), answer.functions.end(), [&](const FunctionRun &function) {
      return left.contains(function.name) || !cannotBeBeaten(function, answer.module.mcpu);
    });
    if (open || options.always_compare) {
      if (auto failure = runOnce(Allocator::Greedy, {}, greedy))
        return std::move(*failure);
      compared = true;
      for (const FunctionRun &function : answer.functions)
        if (FunctionRun *other = find(greedy, function.name);
            other && !left.contains(function.name) && isWorse(function.statistics, other->statistics)) {
          left.insert(function.name);
          notes[function.name] = "greedy alone is better";
        }
    }
    // The module is emitted whole: once more if only some functions go to greedy.
    if (left.size() >= answer.functions.size() && compared) {
      answer = greedy;
    } else if (!left.empty()) {
      if (auto failure = runOnce(Allocator::FirstFit, left, answer))
        return std::move(*failure);
    }
  }

  // Nothing unproved leaves: a rejected function that greedy was to save ends the compile.
  for (const FunctionRun &function : answer.functions)
    if (auto failure = refuse(function))
      return std::move(*failure);

  for (FunctionRun &function : answer.functions) {
    FunctionOutcome result;
    result.allocator = ours && !left.contains(function.name) ? Allocator::FirstFit
                       : ours                                ? Allocator::Greedy
                                                             : options.allocator;
    result.note = notes[function.name];
    if (function.check.verdict == Verdict::Undecided)
      result.note += std::string(result.note.empty() ? "" : "; ") + "the checker cannot decide greedy's either";
    if (compared)
      if (FunctionRun *other = find(greedy, function.name)) {
        result.compared = true;
        result.greedy = other->statistics;
        result.greedy_check = other->check;
      }
    result.chosen = std::move(function);
    outcome.functions.push_back(std::move(result));
  }
  outcome.module = std::move(answer.module);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(outcome);
}

} // namespace

bool isWorse(const FunctionStatistics &a, const FunctionStatistics &b) {
  if (spills(a) != spills(b))
    return spills(a) > spills(b);
  return a.waves < b.waves;
}

std::variant<CompileOutcome, Failure> compile(const codegen::Module &module, const CompileOptions &options) {
  return Compilation(module, options).compile();
}

} // namespace verilocc::pipeline
