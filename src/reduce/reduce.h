// Shrinks a case while it keeps what is interesting about it.
//
// The problem: an allocation that goes wrong somewhere in 20,000 instructions is no bug report and no test. The idea is
// delta debugging (Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002): leave out large
// parts, then ever smaller ones, as long as the rest is well-formed and still interesting. Parts are blocks (their
// predecessors go on to their successors), edges, instructions, inserted instructions, deletion marks and operands;
// vregs, classes and names that nothing mentions any more go by themselves.
#pragma once

#include "assignment/case.h"

#include <functional>

namespace verilocc::reduce {

/// Whether a smaller case is still interesting. It is only asked about well-formed cases with an Assignment.
using Keeps = std::function<bool(const assignment::Case &)>;

struct ReduceStatistics {
  size_t questions = 0; ///< put to `keeps`
  size_t rounds = 0;
};

/// A case of which no part can be left out alone. `start` must have an Assignment, be well-formed and interesting.
/// Comments stay; the expectation, which names places, is dropped.
assignment::Case reduceCase(const assignment::Case &start, const Keeps &keeps, ReduceStatistics *statistics = nullptr);

} // namespace verilocc::reduce
