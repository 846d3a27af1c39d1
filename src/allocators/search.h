// Search: takes an assignment, anyone's, and makes it cheaper within the registers it is given.
//
// The problem: what an assignment costs (src/cost) depends on many vregs at once, and where registers are scarce nearly
// every good place is taken. The idea: annealing whose single step is a choice among all places of one vreg at once,
// taken by price and a temperature that falls to nothing; what stands on a better place is ejected, and moved to where
// it costs least itself. Temperatures are in units of the vreg's own frequency, so that cold code settles as hot code
// does. An assignment made from nothing by cheapest's patterns (fragments of matrix instructions in bank classes, which
// single moves do not find) competes with the given one as the place to start from.
//
// Invariants: never above the limits; the answer never leaves more unplaced than the start, and at equal numbers never
// costs more; the same arguments give the same answer on any machine. Budget in moves, not seconds.
#pragma once

#include "allocators/space.h"

namespace verilocc::allocators {

struct SearchOptions {
  uint64_t seed = 1;
  /// Of the annealing, where places priced for one vreg count as one; and again as many places at most are tried at its
  /// end. 0: in proportion to the vregs (moves_per_vreg), and where WMMA fragments still conflict after that, more, up
  /// to 400,000.
  uint64_t moves = 0;
  uint64_t moves_per_vreg = 20;
  /// Registers of each file that may be used. A start above them keeps only what lies below.
  Limits limits;
  /// Empty, or by vreg: 1 where the lanes of a vreg count as live together. For homes that LLVM is to take: it tracks
  /// no lanes of an interval without subranges, and refuses tuples that overlap it in a dead lane.
  std::vector<uint8_t> whole = {};
};

struct SearchResult {
  assignment::Homes homes;     ///< of vector vregs; no_unit for all others
  unsigned unplaced = 0;       ///< vector vregs without a home
  double cost = 0;             ///< Placement::settled()
  unsigned start_unplaced = 0; ///< the same of the start
  double start_cost = 0;
  uint64_t moves = 0; ///< spent, starting points included
};

/// `start`: by vreg; may be partial or empty; homes of scalars are ignored, and so are those that meet others.
SearchResult search(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                    const assignment::Homes &start, const SearchOptions &options = {});

} // namespace verilocc::allocators
