// Which VOPD pairs LLVM makes of assigned code.
//
// The problem: pairs are made after allocation, by LLVM's post-RA scheduler and a pass that joins neighbours, and
// registers decide which. pairing.h asks of two instructions alone whether they might pair; but what a scheduler brings
// together depends on all the others. The idea: do what it does. It takes the candidates of a region in order, ties
// each to the first later one that fits, and then takes instructions from the top: what need not wait first, then the
// second half of the pair just begun, then what the longest chain of latencies hangs on (LLVM 19: MachineScheduler.cpp,
// PostGenericScheduler; GCNVOPDUtils.cpp; SIPostRABundler.cpp; latencies of SISchedule.td for gfx11).
//
// Not seen here: addresses, by which LLVM clusters loads and tells stores apart, and the passes between allocation and
// scheduling that change instructions. So the count is above LLVM's, but assignments are ranked much as LLVM's final
// code ranks them. Time: about linear in the code, some microseconds an instruction. Not for two threads at once.
#pragma once

#include "cost/shape.h"

#include <memory>

namespace verilocc::cost {

class PostSchedule {
public:
  /// Both must outlive it.
  PostSchedule(const problem::Problem &problem, const std::vector<Shape> &shapes);
  ~PostSchedule();

  /// Partner by instruction, or no_partner (pairing.h); symmetric. Operands without a home are left out.
  std::vector<problem::InstId> pairs(const Locator &where) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace verilocc::cost
