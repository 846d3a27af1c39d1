// First-fit: the baseline allocator. It takes the vregs in some order and gives each the first register that is free
// wherever it is live, lane by lane; registers that would make a copy superfluous are tried first.
//
// One order rarely suits every function, so it tries several (by start, by width, by weight, by area) and keeps the one
// with the fewest vregs left over, then the fewest register steps (those that cost occupancy), then the cheapest
// copies. Where vregs are left over, and where one step fewer may do, it tries that order again with ejections: a vreg
// that fits nowhere takes the place of those that are cheapest to move, and these are placed anew. Vector and scalar
// registers are independent.
//
// It never splits or spills. A vreg that fits nowhere has no home in the answer and is left to another allocator. What
// it answers is judged by the checker, with which it shares nothing.
#pragma once

#include "analysis/live_ranges.h"
#include "assignment/assignment.h"

namespace verilocc::allocators {

struct FirstFitOptions {
  bool vectors = true; ///< place vregs of v and a registers
  bool scalars = true; ///< place vregs of s registers
  /// Homes that are given: empty, or by vreg, no_unit where free. They stay, whatever `vectors` and `scalars` say,
  /// except that one which meets a fixed register or an earlier given home while live is dropped.
  assignment::Homes given;
  /// How many vregs may be ejected in one run; 0: none are.
  unsigned ejections = 500;
  /// Numbers of vector registers count as equal up to the next multiple of this, so that copies decide between them. 0:
  /// the step at which occupancy changes on the architecture.
  unsigned step = 0;
};

/// A home for each vreg that found one (size: Problem::vregs). Vregs without operands have none. `live` must be that of
/// `problem`. Deterministic.
assignment::Homes firstFit(const problem::Problem &problem, const analysis::LiveRanges &live,
                           const FirstFitOptions &options = {});

} // namespace verilocc::allocators
