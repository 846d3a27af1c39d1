// Random valid Problems, by construction: structured control flow (branches and loops, uniform and divergent, with the
// EXEC code that LLVM writes for them), lanes, tied and early-clobber operands, fixed registers, calls. Every vreg lane
// that is read was written on every path, unless RandomOptions::undefined says otherwise. Same options, same Problem.
#pragma once

#include "problem/problem.h"

namespace verilocc::tests {

struct RandomOptions {
  uint64_t seed = 1;
  unsigned insts = 60;       ///< rough number of instructions
  unsigned depth = 3;        ///< of nested branches and loops
  unsigned vector_pool = 12; ///< vregs of vector classes that straight code draws from
  unsigned scalar_pool = 6;
  unsigned wave_size = 32;
  unsigned max_vgprs = 64, max_agprs = 0, max_sgprs = 64;
  bool aligned = false;   ///< tuples start at even registers, AV classes where max_agprs > 0 (gfx90a, gfx942)
  bool divergence = true; ///< branches and loops that change EXEC
  bool calls = true;
  /// Calls under a narrowed EXEC too. What they clobber, inactive threads keep by the ABI, and LLVM counts on it.
  bool divergent_calls = false;
  bool fixed = true;    ///< copies from and to physical registers, VCC and SCC as operands
  double undefined = 0; ///< share of uses that may read lanes which no path or only some paths wrote
};

problem::Problem randomProblem(const RandomOptions &options);

/// Options drawn from a seed: sizes, architectures and features vary. For tests that loop over seeds.
RandomOptions randomOptions(uint64_t seed);

} // namespace verilocc::tests
