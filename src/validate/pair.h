// Pairs the code after register allocation with the code before it: recovers the Assignment that some allocator made.
//
// Both are Problems: `before` with vregs, `after` with physical registers only. Blocks correspond by number. Within a
// block the instructions that compute something are matched in order by signature; what is only in `before` was deleted,
// what is only in `after` was inserted. Copies, constants and definitions without code are never matched: the reference
// makes its own (they count as deleted), the allocated code makes its own (they count as inserted), and between two
// matched instructions the two kinds commute, so that nothing has to be guessed about which copy came from which.
//
// Where an allocator computes a value again at another place, several instructions of one signature stand in a block and
// the matching may take one for the other. The caller names such signatures as `recomputed`: they are not matched
// either, the allocated code computes them for itself and the checker compares the results.
//
// Pairing is not trusted: a wrong one is rejected by the checker, it cannot hide a wrong allocation.
#pragma once

#include "assignment/assignment.h"

#include <unordered_set>

namespace verilocc::validate {

/// The Assignment against `before`; an InputError that names block and instruction if the two do not belong together.
support::Result<assignment::Assignment> pair(const problem::Problem &before, const problem::Problem &after,
                                             const std::unordered_set<uint64_t> &recomputed = {});

} // namespace verilocc::validate
