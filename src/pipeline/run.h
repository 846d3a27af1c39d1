// One run of LLVM's pipeline with one allocation, every function checked on the way.
#pragma once

#include "checker/checker.h"
#include "codegen/compile.h"
#include "cost/explain.h"
#include "pipeline/recolour.h"
#include "pipeline/strategy.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace verilocc::pipeline {

struct RunOptions {
  codegen::CompileOptions compile; ///< its allocators are set by `strategy`
  Strategy strategy;
  /// Functions that are treated otherwise. Basic and fast are LLVM's for a whole module: neither here nor beside these.
  std::map<std::string, Strategy> exceptions = {};
  RecolourOptions recolour = {};
  std::map<std::string, unsigned> waves = {}; ///< by function: RecolourOptions::waves
  bool check = true;
  bool explain = true; ///< what the final code costs
  bool keep = false;   ///< keep FunctionRun::before, with frequencies, and its assignment also where the check accepts
  /// For tests: falsifies the code that is read again after allocation, as a broken rewriter would.
  std::function<void(problem::Problem &)> tamper = {};

  const Strategy &strategyOf(const std::string &function) const {
    auto it = exceptions.find(function);
    return it == exceptions.end() ? strategy : it->second;
  }
};

/// What became of one function.
struct FunctionRun {
  std::string name;
  Strategy strategy;
  checker::CheckResult check;        ///< of the code after virtregrewriter against the code before allocation
  problem::Problem before;           ///< kept if the check did not accept, or if asked for
  assignment::Assignment assignment; ///< likewise
  unsigned vregs = 0;                ///< to be placed
  unsigned placed = 0;               ///< by us; the rest fell to greedy
  unsigned recoloured = 0;           ///< vector vregs that moved after allocation
  unsigned copies = 0;               ///< moves between registers left after allocation
  unsigned pressure = 0; ///< vector registers (v and a) live at once, at most: no allocation without splits needs fewer
  codegen::FunctionStatistics statistics;
  cost::Explanation cost; ///< of the final code, without its charges; zero if RunOptions::explain is false
  RecolourReport recolour;
  double check_seconds = 0, allocate_seconds = 0;
};

struct Run {
  codegen::CompiledModule module;
  std::vector<FunctionRun> functions; ///< in the module's order
};

/// Runs the pipeline once. A Failure is LLVM's or the reader's; a rejected allocation is not: look at the checks.
std::variant<Run, codegen::Failure> run(const codegen::Module &module, const RunOptions &options);

} // namespace verilocc::pipeline
