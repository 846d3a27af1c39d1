// Random paths through the blocks, from the entry to an exit.
//
// Half of the steps take the successor whose edge was taken least often so far, so that few paths visit much; the
// others are random, so that loops run various numbers of times. After `max_steps` blocks a path takes the shortest way
// out.
#pragma once

#include "problem/problem.h"
#include "support/rng.h"

#include <vector>

namespace verilocc::interp {

class Walk {
public:
  Walk(const problem::Problem &problem, unsigned max_steps);

  /// The next path. The sequence of paths depends on the Problem and on the seeds given, on nothing else.
  const std::vector<problem::BlockId> &next(uint64_t seed);
  unsigned unvisitedBlocks() const;

private:
  size_t choose(problem::BlockId block, support::Rng &random, bool leave) const;

  const problem::Problem &problem;
  unsigned max_steps;
  std::vector<uint32_t> to_exit;    ///< blocks on the shortest way to an exit; ~0 if there is none
  std::vector<uint32_t> first_edge; ///< a block's place in edge_taken
  std::vector<uint32_t> edge_taken;
  std::vector<uint8_t> visited;
  std::vector<problem::BlockId> path;
};

} // namespace verilocc::interp
