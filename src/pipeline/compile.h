// From a module to code whose every function is proved: the stages in order, and which answer is taken.
#pragma once

#include "pipeline/run.h"

namespace verilocc::pipeline {

struct CompileOptions {
  codegen::CompileOptions compile;
  Allocator allocator = Allocator::FirstFit;
  std::string repro_parent = "."; ///< where a repro folder is made when an allocation of ours is rejected
  std::string command_line;       ///< for the repro folder
  std::function<void(problem::Problem &)> tamper; ///< for tests: RunOptions::tamper of the runs that are not greedy's
  bool always_compare = false;    ///< run greedy even where it provably cannot be better
};

/// One function of the answer, beside greedy's.
struct FunctionOutcome {
  FunctionRun chosen;
  Allocator allocator = Allocator::Greedy; ///< whose allocation `chosen` is
  std::string note;                        ///< why it is not the one asked for; empty if it is
  bool compared = false;                   ///< greedy was run, `greedy` is set
  codegen::FunctionStatistics greedy;
  checker::CheckResult greedy_check;
};

struct CompileOutcome {
  codegen::CompiledModule module;
  std::vector<FunctionOutcome> functions;
  std::vector<std::string> repro_folders;
  double seconds = 0; ///< all runs together
  unsigned runs = 0;
};

/// Never yields code that the checker rejected: where an allocation of ours is rejected or undecided, or worse than
/// greedy's (more spills, or fewer waves), the function gets greedy's. A Failure if LLVM fails, or if greedy's own
/// allocation is rejected too (an error in LLVM or here; a repro folder says more).
std::variant<CompileOutcome, codegen::Failure> compile(const codegen::Module &module, const CompileOptions &options);

/// More spilled registers, or fewer waves at equal spills.
bool isWorse(const codegen::FunctionStatistics &a, const codegen::FunctionStatistics &b);

} // namespace verilocc::pipeline
