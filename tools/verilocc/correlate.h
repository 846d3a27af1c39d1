// Does the estimate rank assignments as their final code does? The same kernel with many assignments, good and bad
// ones, each compiled to the end.
#pragma once

#include "pipeline/run.h"

namespace verilocc::tool {

struct Correlation {
  std::string function;
  std::vector<double> estimated; ///< by assignment: cost::settledCost before the rewrite
  std::vector<double> emitted;   ///< by assignment: the same rules on the final code
  /// Spearman's rank correlation, ties by their mean rank; not a number for fewer than three assignments, or if all of
  /// them are alike.
  double rho = 0;
};

/// `assignments` of greedy's vregs for each function: its own, cheapest's, and searches with other seeds and from few
/// to many moves. Where LLVM took the homes back there is one fewer.
std::variant<std::vector<Correlation>, codegen::Failure>
correlate(const codegen::Module &module, const pipeline::RunOptions &options, unsigned assignments);

} // namespace verilocc::tool
