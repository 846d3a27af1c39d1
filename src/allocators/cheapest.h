// Cheapest: the simplest allocator that knows costs, and the baseline that anything else must beat.
//
// One linear pass: vregs in order of definition, each to the free register that costs least given those placed before
// (src/cost); among equals the lowest. Two things need a view beyond the next vreg. The fragments of WMMA instructions
// are given bank classes first, A, B and C of each instruction in three different ones, and a place in another class is
// charged as if the conflict were there already: one fragment at a time cannot know where the other two will lie. And
// where the pass by definition leaves wide tuples without room, a pass with wide ones first is tried.
//
// It never splits or spills. A vreg that fits nowhere below the limits has no home in the answer.
#pragma once

#include "allocators/space.h"

namespace verilocc::allocators {

struct CheapestOptions {
  Limits limits;                   ///< registers of each file that may be used
  std::vector<uint8_t> whole = {}; ///< as SearchOptions::whole
};

/// A home for each vreg of vector files that found one; none for scalars. Deterministic.
assignment::Homes cheapest(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                           const CheapestOptions &options = {});

/// Bank classes for the fragments of WMMA instructions, by vreg: 0 to 3, the bank of its first register; 0xff for vregs
/// that are none.
std::vector<uint8_t> fragmentBanks(const problem::Problem &problem);

/// One pass of cheapest over the vregs of `order` that have no home, in a space that may hold others. Answers how many
/// found none. `banks`: of fragmentBanks.
unsigned placeCheapest(Space &space, std::span<const problem::VReg> order, const std::vector<uint8_t> &banks,
                       double bank_weight);

/// Order of definition; `wide_first`: by width before that.
std::vector<problem::VReg> definitionOrder(const Space &space, const analysis::LiveRanges &live, bool wide_first);

} // namespace verilocc::allocators
