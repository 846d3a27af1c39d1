// One run of LLVM's pipeline with one allocator, every function checked on the way.
#pragma once

#include "checker/checker.h"
#include "codegen/compile.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace verilocc::pipeline {

enum class Allocator { Greedy, Basic, Fast, FirstFit };
const char *name(Allocator allocator); ///< "first-fit"
support::Result<Allocator> parseAllocator(const std::string &text);

struct RunOptions {
  codegen::CompileOptions compile; ///< its allocators are set by `allocator`
  Allocator allocator = Allocator::Greedy;
  std::set<std::string> leave_to_greedy; ///< functions that `allocator` does not touch
  bool check = true;
  /// For tests: falsifies the code that is read again after allocation, as a broken rewriter would.
  std::function<void(problem::Problem &)> tamper;
};

/// What became of one function.
struct FunctionRun {
  std::string name;
  checker::CheckResult check;        ///< of the code after virtregrewriter against the code before allocation
  problem::Problem before;           ///< kept if the check did not accept
  assignment::Assignment assignment; ///< likewise
  unsigned vregs = 0;      ///< to be placed
  unsigned placed = 0;     ///< by us; the rest fell to greedy
  unsigned copies = 0;     ///< moves between registers left after allocation
  unsigned pressure = 0;   ///< vector registers (v and a) live at once, at most: no allocation without splits needs fewer
  codegen::FunctionStatistics statistics;
  double check_seconds = 0, allocate_seconds = 0;
};

struct Run {
  codegen::CompiledModule module;
  std::vector<FunctionRun> functions; ///< in the module's order
};

/// Runs the pipeline once. A Failure is LLVM's or the reader's; a rejected allocation is not: look at the checks.
std::variant<Run, codegen::Failure> run(const codegen::Module &module, const RunOptions &options);

} // namespace verilocc::pipeline
