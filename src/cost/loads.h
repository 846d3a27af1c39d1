// How early a load could be issued, and what keeps it from that.
//
// A load wants to be issued its latency before its first reader. The code fixes how far up it may go at all: not above
// what computes its address, a store or a barrier, or the start of its block. Within that the allocation decides: a
// load cannot go above the last access to a register that it writes. Source: hardware.md, "Latency and reuse";
// distances count instructions as a cycle each. An estimate, not a hardware fact.
#pragma once

#include "cost/rules.h"
#include "cost/shape.h"

namespace verilocc::cost {

struct LoadWish {
  problem::InstId inst;
  uint32_t def;    ///< operand
  uint32_t wanted; ///< instructions it would like to go up, and could; > 0
};

/// In program order; only loads with something to win.
std::vector<LoadWish> loadWishes(const problem::Problem &problem, const std::vector<Shape> &shapes, const Rules &rules);

} // namespace verilocc::cost
