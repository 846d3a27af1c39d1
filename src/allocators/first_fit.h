// First-fit: the baseline allocator. It takes the vregs in some order and gives each the first register that is free
// wherever it is live, lane by lane; registers that would make a copy superfluous are tried first.
//
// One order rarely suits every function, so it runs several (by start, by width, by weight, by area), each again with
// what did not fit moved to the front, and keeps the run with the fewest vregs left over, then the fewest registers,
// then the cheapest copies. Vector and scalar registers are independent and each keep their own best run.
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
  /// After each order, so often again with the vregs left over at the front.
  unsigned restarts = 3;
  /// Numbers of registers count as equal up to the next multiple of this, so that copies decide between them.
  unsigned granule = 8;
  /// If everything fits, try again within fewer registers, down to what the pressure demands.
  bool tighten = true;
};

/// A home for each vreg that found one (size: Problem::vregs). Vregs without operands have none. `live` must be that of
/// `problem`. Deterministic.
assignment::Homes firstFit(const problem::Problem &problem, const analysis::LiveRanges &live,
                           const FirstFitOptions &options = {});

} // namespace verilocc::allocators
