// Which vregs of vector files may not lie where, relative to one another: the interference graph, lane by lane.
//
// An edge between v and n holds a bit for each distance base(v) - base(n) at which some lane of v and some lane of n
// would share a register while both are live. All places that are free for v are then one pass over its edges, a shift
// and an or each, instead of a question for each place. Building is a sweep over live segments: time and memory
// proportional to the pairs that are live together.
#pragma once

#include "analysis/live_ranges.h"

#include <array>
#include <span>
#include <vector>

namespace verilocc::analysis {

constexpr unsigned num_vector_units = problem::first_sgpr;
constexpr unsigned max_width = 32; ///< of a tuple

/// A set of vector registers, as words.
class VectorUnits {
public:
  bool test(unsigned unit) const { return words[unit / 64] >> (unit % 64) & 1; }
  void set(unsigned unit) { words[unit / 64] |= 1ull << (unit % 64); }
  void clear() { words.fill(0); }
  /// Adds `mask` with its bit 0 at `first`, which may be negative; what falls outside is dropped.
  void addShifted(uint64_t mask, int first);
  void remove(const VectorUnits &other) {
    for (size_t w = 0; w < words.size(); ++w)
      words[w] &= ~other.words[w];
  }
  template <typename Function> void forEach(Function function) const {
    for (size_t w = 0; w < words.size(); ++w)
      for (uint64_t rest = words[w]; rest; rest &= rest - 1)
        function(static_cast<problem::RegUnit>(w * 64 + static_cast<unsigned>(__builtin_ctzll(rest))));
  }
  bool operator==(const VectorUnits &) const = default;

private:
  std::array<uint64_t, num_vector_units / 64> words{};
};

struct Edge {
  problem::VReg other;
  uint64_t distances; ///< bit base(v) - base(other) + width(v) - 1

  /// True if v, so wide, at `base` meets the other at its home, if it has one.
  bool meets(problem::RegUnit base, unsigned width, problem::RegUnit home) const {
    const int bit = int(base) - int(home) + int(width) - 1;
    return home != problem::no_unit && bit >= 0 && bit < 64 && distances >> bit & 1;
  }
};

class Conflicts {
public:
  /// `whole`: empty, or by vreg: 1 where every lane counts as live wherever one is, as for whoever tracks no lanes.
  Conflicts(const problem::Problem &problem, const LiveRanges &live, std::span<const uint8_t> whole = {});

  std::span<const Edge> of(problem::VReg v) const { return {edges.data() + first[v], first[v + 1] - first[v]}; }
  /// Bases of `v` at which a fixed register is live together with one of its lanes.
  const VectorUnits &fixed(problem::VReg v) const { return blocked[v]; }

private:
  std::vector<uint32_t> first;
  std::vector<Edge> edges;
  std::vector<VectorUnits> blocked;
};

} // namespace verilocc::analysis
