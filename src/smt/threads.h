// What one thread of the wave goes through: a finite automaton over its bits in the lane masks that reach EXEC.
//
// A thread sees of a mask one bit. Operations on masks act on these bits exactly; a comparison may put the thread in or
// not, if it is active; a mask of unknown origin holds any bit. So a thread's way through a function is a path through
// pairs of a segment and the bits at its start, where a segment is a stretch of a block that ends behind an instruction
// that writes a mask (or at the block's end). Bits of masks that are not read again are 0.
#pragma once

#include "problem/problem.h"

#include <map>
#include <string>
#include <vector>

namespace verilocc::smt {

/// Bit m: the thread is in mask m; mask 0 is EXEC.
using Bits = uint64_t;

struct Segment {
  problem::BlockId block = 0;
  problem::InstId first = 0, last = 0;
  std::vector<uint32_t> succs, preds; ///< segments
  Bits live = 1;                      ///< masks that may be read from its start on
};

struct ThreadState {
  uint32_t segment = 0;
  Bits bits = 0;
  std::vector<uint32_t> preds; ///< states
  bool isActive() const { return bits & 1; }
};

class Threads {
public:
  /// Follows what is reachable from the entry. `failure()` tells if it was given up.
  Threads(const problem::Problem &problem, size_t max_states);

  const std::vector<Segment> &segments() const { return all_segments; }
  bool isReached(uint32_t segment) const { return reached[segment]; }
  const std::vector<ThreadState> &states() const { return all_states; }
  /// The states that a thread can have where the function begins are those of segment 0 without a predecessor, and
  /// perhaps others: isEntry tells.
  bool isEntry(uint32_t state) const { return state < num_entries; }
  const std::string &failure() const { return why_not; }

private:
  /// Where a mask operation takes an operand from.
  struct Source {
    enum class Kind : uint8_t { None, Mask, Constant, Unknown } kind = Kind::None;
    unsigned mask = 0;
    bool bit = false;
  };
  struct Effect {
    problem::InstId inst = 0;
    Source a, b;
    int def = -1;
    bool writes_exec = false;
    Bits any = 0; ///< masks that are overwritten with something unknown
  };

  void nameMasks();
  void findEffects();
  void cutSegments();
  void findLive();
  void explore(size_t max_states);
  void after(const Effect &effect, Bits bits, std::vector<Bits> &out) const;
  const Effect *effectAt(problem::InstId inst) const;

  const problem::Problem &problem;
  const unsigned words; ///< of a mask
  std::map<uint64_t, unsigned> masks;
  std::vector<Effect> effects; ///< in order of instructions
  std::vector<Segment> all_segments;
  std::vector<bool> reached;
  std::vector<ThreadState> all_states;
  uint32_t num_entries = 0;
  std::string why_not;
};

} // namespace verilocc::smt
