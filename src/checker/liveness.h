// Which vregs the reference program may still read, so that the checker can forget the others: relations then hold what
// is alive, not all that was ever written.
//
// A vector instruction writes the threads inside EXEC only, so each vreg has two livenesses: of the threads inside EXEC
// at a place, and of those outside, for which no write counts until they are inside again. Backwards, a write of EXEC
// that takes threads out makes alive inside what is alive outside behind it, one that brings threads in the other way
// round; where no mask is in use that could bring a thread in, nothing is alive outside. Physical registers, and inputs
// of computations that are repeated, are taken to be alive everywhere.
//
// No proof rests on it: a vreg forgotten too early is lost, never thought to be anywhere.
//
// Idea: the dataflow of 64 vregs at a time, by a work list of the blocks they reach, so that time and space follow the
// size of the answer and not blocks times vregs.
#pragma once

#include "checker/exec_masks.h"
#include "checker/places.h"

#include <span>

namespace verilocc::checker {

class Liveness {
public:
  Liveness(const problem::Problem &problem, const Places &places, const ExecMasks &masks);

  /// Cells of vregs that are alive no more: for threads inside EXEC, or outside. Of scalars both.
  struct Death {
    Cell first = 0;
    uint32_t count = 0;
    bool per_thread = false, inside = false, outside = false;
  };
  /// Alive at the block's start or within it, and not at its end.
  std::span<const Death> deathsIn(problem::BlockId block) const { return in_block.of(block); }
  /// Alive at the end of a predecessor (index into Block::preds), for another successor, and not at the block's start.
  std::span<const Death> deathsOnEdge(problem::BlockId block, size_t pred) const {
    return on_edge.of(first_edge[block] + static_cast<uint32_t>(pred));
  }
  /// Vregs that may be read before any instruction writes them: undefined then.
  const std::vector<problem::VReg> &aliveAtEntry() const { return at_entry; }

private:
  /// Lists by number, one behind the other; neighbouring cells as one.
  struct Lists {
    std::vector<Death> deaths;
    std::vector<uint32_t> first; ///< by number, and one more
    std::span<const Death> of(uint32_t number) const {
      return {deaths.data() + first[number], first[number + 1] - first[number]};
    }
    void set(uint32_t count, const std::vector<std::pair<uint32_t, Death>> &numbered);
  };
  Lists in_block, on_edge;
  std::vector<uint32_t> first_edge; ///< by block: the number of the edge from its first predecessor
  std::vector<problem::VReg> at_entry;
};

} // namespace verilocc::checker
