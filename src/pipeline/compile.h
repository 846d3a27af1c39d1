// From a module to code whose every function is proved: the ways that are tried, and which answer is taken.
#pragma once

#include "pipeline/run.h"

namespace verilocc::pipeline {

struct CompileOptions {
  codegen::CompileOptions compile;
  Allocator allocator = Allocator::Best;
  RecolourOptions recolour = {};
  std::string repro_parent = "."; ///< where a repro folder is made when an allocation of ours is rejected
  std::string command_line = {};  ///< for the repro folder
  std::function<void(problem::Problem &)> tamper =
      {};                      ///< for tests: RunOptions::tamper of the runs that are not LLVM's
  bool always_compare = false; ///< run greedy even where it provably cannot be better
  bool explain = false;        ///< what the final code costs, also where the choice does not need it
};

/// One function of the answer, beside greedy's.
struct FunctionOutcome {
  FunctionRun chosen;
  std::string note;      ///< why it is not what was asked for; empty if it is
  bool compared = false; ///< greedy was run, `greedy` is set
  FunctionRun greedy;
};

struct CompileOutcome {
  codegen::CompiledModule module;
  std::vector<FunctionOutcome> functions;
  std::vector<std::string> repro_folders;
  double seconds = 0; ///< all runs together
  unsigned runs = 0;
};

/// Runs each strategy of the allocator, and greedy wherever that could be better, and takes for each function the best
/// answer that the checker accepted: by isWorse, with the cost if the allocator recolours, and then none that
/// losesAnything to greedy's. Never yields code that the
/// checker rejected. A Failure if LLVM fails with every strategy, or if greedy's own allocation is rejected (an error
/// in LLVM or here; a repro folder says more).
std::variant<CompileOutcome, codegen::Failure> compile(const codegen::Module &module, const CompileOptions &options);

/// More spilled registers; or, if `by_cost`, at equal spills more estimated cycles, which know the waves; or else fewer
/// waves; or, if `by_cost`, more cycles of issue.
bool isWorse(const FunctionRun &a, const FunctionRun &b, bool by_cost);

/// More spilled registers, or fewer waves, or more estimated cycles: what an allocator that recolours never takes in
/// place of greedy's `b`, whatever it wins elsewhere.
bool losesAnything(const FunctionRun &a, const FunctionRun &b);

} // namespace verilocc::pipeline
