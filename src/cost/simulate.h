// How long one wave takes alone, in order, block by block: an estimate that ranks allocations of one function.
//
// An instruction issues once the registers that it reads or writes are there. Loads from LDS and vector memory take the
// stated latencies of Rules; everything else is there when the next instruction issues. A WMMA holds the issue for its
// cycles, an MFMA holds the matrix unit for its passes. Blocks begin with what their most frequent predecessor left in
// flight and count by their frequency. Not in it: caches, LDS bandwidth and bank conflicts, instruction fetch, scalar
// memory, the latency of the vector ALU, other waves.
#pragma once

#include "cost/rules.h"
#include "cost/shape.h"

namespace verilocc::cost {

struct Timing {
  std::vector<double> issue; ///< by instruction: cycles for which it holds the issue; 0: it is no machine code
  double single = 0;         ///< cycles of one wave, weighted
  double issued = 0;         ///< of `issue`, weighted
  double matrix = 0;         ///< cycles for which MFMAs hold the matrix unit, weighted
};

/// `delay`: by instruction, cycles lost before it (stalls, predicted NOPs).
Timing simulate(const problem::Problem &code, const std::vector<Shape> &shapes, const std::vector<double> &delay,
                const Rules &rules);

} // namespace verilocc::cost
