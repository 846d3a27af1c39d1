// Allocations with splits, right by construction: from homes, some vregs are moved elsewhere for a stretch of a block
// and back, in every way that an allocator has: copies, spills and reloads, lanes of a vector register, exchanges,
// whole-wave moves, rematerialisation. Tests need them because first-fit never splits.
#pragma once

#include "assignment/assignment.h"

namespace verilocc::tests {

struct DetourOptions {
  uint64_t seed = 1;
  unsigned count = 8; ///< how many are tried; not each finds a place
};

/// `homes` must be a right allocation. New places are registers that neither `homes` nor a fixed operand names, within
/// the function's limits, and new slots. Same arguments, same answer.
assignment::Assignment withDetours(const problem::Problem &problem, const assignment::Homes &homes,
                                   const DetourOptions &options);

} // namespace verilocc::tests
