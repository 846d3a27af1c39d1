#include "analysis/conflicts.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace verilocc::analysis {

using namespace problem;

void VectorUnits::addShifted(uint64_t mask, int at) {
  if (at < 0) {
    mask = at > -64 ? mask >> -at : 0;
    at = 0;
  }
  const auto word = static_cast<size_t>(at) / 64;
  const unsigned shift = static_cast<unsigned>(at) % 64;
  if (word < words.size())
    words[word] |= mask << shift;
  if (shift && word + 1 < words.size())
    words[word + 1] |= mask >> (64 - shift);
}

namespace {

/// Where any lane of `v` is live.
void unitedSegments(const Problem &problem, const LiveRanges &live, VReg v, std::vector<Segment> &united) {
  united.clear();
  for (unsigned lane = 0; lane < problem.widthOf(v); ++lane)
    united.insert(united.end(), live.lane(v, lane).begin(), live.lane(v, lane).end());
  std::sort(united.begin(), united.end(), [](const Segment &a, const Segment &b) { return a.start < b.start; });
  size_t kept = 0;
  for (const Segment &segment : united)
    if (kept > 0 && segment.start <= united[kept - 1].end)
      united[kept - 1].end = std::max(united[kept - 1].end, segment.end);
    else
      united[kept++] = segment;
  united.resize(kept);
}

} // namespace

Conflicts::Conflicts(const Problem &problem, const LiveRanges &live, std::span<const uint8_t> whole) {
  struct Stretch {
    Segment segment;
    VReg vreg;
    uint8_t lane;
  };
  const size_t num_vregs = problem.vregs.size();
  std::vector<Stretch> stretches;
  blocked.resize(num_vregs);
  std::vector<Segment> united;
  for (VReg v = 0; v < num_vregs; ++v) {
    if (!problem.classOf(v).isPerThread())
      continue;
    assert(problem.widthOf(v) <= max_width);
    if (!whole.empty() && whole[v])
      unitedSegments(problem, live, v, united);
    for (unsigned lane = 0; lane < problem.widthOf(v); ++lane) {
      const Segments segments = !whole.empty() && whole[v] ? Segments(united) : live.lane(v, lane);
      for (const Segment &segment : segments)
        stretches.push_back({segment, v, static_cast<uint8_t>(lane)});
      for (unsigned unit = lane; unit < num_vector_units; ++unit)
        if (const auto used = live.unit(static_cast<RegUnit>(unit)); !used.empty() && overlap(segments, used))
          blocked[v].set(unit - lane);
    }
  }
  std::sort(stretches.begin(), stretches.end(), [](const Stretch &a, const Stretch &b) {
    return std::tuple(a.segment.start, a.vreg, a.lane) < std::tuple(b.segment.start, b.vreg, b.lane);
  });

  // Pairs met by the sweep, at the vreg whose stretch began later; the same pair may come often.
  std::vector<std::vector<Edge>> met(num_vregs);
  const auto bit = [&](VReg v, unsigned lane, unsigned other_lane) {
    // base(v) + lane == base(other) + other_lane
    return 1ull << (other_lane + problem.widthOf(v) - 1 - lane);
  };
  std::vector<Stretch> active;
  for (const Stretch &stretch : stretches) {
    size_t kept = 0;
    std::vector<Edge> &own = met[stretch.vreg];
    for (const Stretch &other : active) {
      if (other.segment.end <= stretch.segment.start)
        continue;
      active[kept++] = other;
      if (other.vreg == stretch.vreg)
        continue;
      const uint64_t distance = bit(stretch.vreg, stretch.lane, other.lane);
      if (!own.empty() && own.back().other == other.vreg)
        own.back().distances |= distance;
      else
        own.push_back({other.vreg, distance});
    }
    active.resize(kept);
    active.push_back(stretch);
  }

  // Both directions, each pair once.
  const auto reversed = [&](VReg v, const Edge &edge) {
    // Bit a - b + width(a) - 1 of one is bit b - a + width(b) - 1 of the other.
    const unsigned top = problem.widthOf(v) + problem.widthOf(edge.other) - 2;
    uint64_t mirrored = 0;
    for (uint64_t rest = edge.distances; rest; rest &= rest - 1)
      mirrored |= 1ull << (top - static_cast<unsigned>(__builtin_ctzll(rest)));
    return Edge{v, mirrored};
  };
  const auto unite = [](std::vector<Edge> &list) {
    std::sort(list.begin(), list.end(), [](const Edge &a, const Edge &b) { return a.other < b.other; });
    size_t kept = 0;
    for (const Edge &edge : list)
      if (kept > 0 && list[kept - 1].other == edge.other)
        list[kept - 1].distances |= edge.distances;
      else
        list[kept++] = edge;
    list.resize(kept);
  };
  std::vector<uint32_t> count(num_vregs, 0);
  for (VReg v = 0; v < num_vregs; ++v) {
    unite(met[v]);
    count[v] += static_cast<uint32_t>(met[v].size());
    for (const Edge &edge : met[v])
      ++count[edge.other];
  }
  std::vector<std::vector<Edge>> all(num_vregs);
  for (VReg v = 0; v < num_vregs; ++v)
    all[v].reserve(count[v]);
  for (VReg v = 0; v < num_vregs; ++v) {
    for (const Edge &edge : met[v]) {
      all[v].push_back(edge);
      all[edge.other].push_back(reversed(v, edge));
    }
    met[v] = {};
  }
  first.assign(num_vregs + 1, 0);
  for (VReg v = 0; v < num_vregs; ++v) {
    unite(all[v]); // a pair may have begun either way
    first[v + 1] = first[v] + static_cast<uint32_t>(all[v].size());
  }
  edges.reserve(first[num_vregs]);
  for (const std::vector<Edge> &list : all)
    edges.insert(edges.end(), list.begin(), list.end());
}

} // namespace verilocc::analysis
