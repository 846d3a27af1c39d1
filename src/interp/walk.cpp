#include "interp/walk.h"

#include <algorithm>

namespace verilocc::interp {

using problem::BlockId;

Walk::Walk(const problem::Problem &problem, unsigned max_steps)
    : problem(problem), max_steps(max_steps), to_exit(problem.blocks.size(), ~0u), visited(problem.blocks.size(), 0) {
  if (max_steps == 0)
    this->max_steps = std::max<unsigned>(32, 4 * problem.blocks.size());
  uint32_t num_edges = 0;
  std::vector<BlockId> queue;
  for (BlockId b = 0; b < problem.blocks.size(); ++b) {
    first_edge.push_back(num_edges);
    num_edges += problem.blocks[b].succs.size();
    if (problem.blocks[b].succs.empty()) {
      to_exit[b] = 0;
      queue.push_back(b);
    }
  }
  edge_taken.assign(num_edges, 0);
  for (size_t i = 0; i < queue.size(); ++i) {
    for (BlockId pred : problem.blocks[queue[i]].preds) {
      if (to_exit[pred] == ~0u) {
        to_exit[pred] = to_exit[queue[i]] + 1;
        queue.push_back(pred);
      }
    }
  }
}

size_t Walk::choose(BlockId block, support::Rng &random, bool leave) const {
  const std::vector<BlockId> &succs = problem.blocks[block].succs;
  size_t best = random.below(succs.size());
  if (leave) {
    for (size_t i = 0; i < succs.size(); ++i)
      if (to_exit[succs[i]] < to_exit[succs[best]])
        best = i;
  } else if (random.next() & 1) {
    for (size_t i = 0; i < succs.size(); ++i)
      if (edge_taken[first_edge[block] + i] < edge_taken[first_edge[block] + best])
        best = i;
  }
  return best;
}

const std::vector<BlockId> &Walk::next(uint64_t seed) {
  support::Rng random(seed);
  path.clear();
  if (problem.blocks.empty())
    return path;
  BlockId block = 0;
  while (true) {
    path.push_back(block);
    visited[block] = 1;
    const std::vector<BlockId> &succs = problem.blocks[block].succs;
    // A loop without a way out ends after as many blocks again.
    if (succs.empty() || path.size() >= max_steps + std::max<size_t>(max_steps, problem.blocks.size()))
      return path;
    size_t edge = choose(block, random, path.size() >= max_steps);
    ++edge_taken[first_edge[block] + edge];
    block = succs[edge];
  }
}

unsigned Walk::unvisitedBlocks() const {
  return std::count(visited.begin(), visited.end(), 0);
}

} // namespace verilocc::interp
