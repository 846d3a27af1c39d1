// Exact: the cheapest assignment there is, or the best found with a proven lower bound, for functions that fit.
//
// Two sources of bounds, the better one counts. Counting (cost/bounds.h) is valid for functions of any size and is
// often reached. For small functions Z3's optimiser is asked: a Boolean for each place of each vreg, interference as
// clauses, a soft clause for each cycle that can be lost. It decides about bank stalls, WMMA conflicts, copies and AGPR
// moves; VOPD pairs, wait states and the reuse of load registers depend on more than two places at a time and are not
// in it, so bounds and costs here are those under exactRules.
//
// Measured with z3 4.8.12: some 40 vregs of 40 registers close in a second or so; the time grows fast with both.
#pragma once

#include "allocators/space.h"

namespace verilocc::allocators {

/// `rules` without those that exact does not decide.
cost::Rules exactRules(const cost::Rules &rules);

struct ExactOptions {
  Limits limits;
  double seconds = 10;
  /// The solver is not asked beyond so many literals of interference clauses; counting alone answers then.
  size_t max_literals = 3'000'000;
};

struct ExactResult {
  /// The best assignment known, among it the one given; empty if none places every vreg.
  assignment::Homes homes;
  double cost = 0;        ///< of homes, under exactRules
  double lower_bound = 0; ///< no assignment within the limits costs less
  bool solver_asked = false;
  bool proven = false;     ///< homes are optimal: cost equals lower_bound
  bool infeasible = false; ///< proven: no assignment without splits or spills places every vreg within the limits
  double seconds = 0;
};

/// `known`: an assignment to start from, or empty; used if it places every vector vreg within the limits. False
/// `hasExact` means that the solver is not built in: counting only.
ExactResult exact(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                  const assignment::Homes &known, const ExactOptions &options = {});
bool hasExact();

} // namespace verilocc::allocators
