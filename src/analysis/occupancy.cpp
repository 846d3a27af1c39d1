#include "analysis/occupancy.h"

#include <algorithm>

namespace verilocc::analysis {

using namespace problem;

Occupancy::Occupancy(const Problem &problem, const LiveRanges &live) : problem(problem), live(live), units(num_units) {
  for (unsigned u = 0; u < num_units; ++u)
    for (const Segment &segment : live.unit(static_cast<RegUnit>(u)))
      units[u].push_back({segment, fixed_owner});
}

template <typename Function> void Occupancy::forTaken(RegUnit unit, Segments segments, Function found) const {
  const std::vector<Taken> &taken = units[unit];
  auto next = taken.begin();
  for (const Segment &segment : segments) {
    next = std::upper_bound(next, taken.end(), segment.start,
                            [](Point point, const Taken &other) { return point < other.segment.end; });
    if (next == taken.end())
      return;
    for (auto hit = next; hit != taken.end() && hit->segment.start < segment.end; ++hit)
      if (!found(hit->owner))
        return;
  }
}

Conflict Occupancy::conflict(VReg v, RegUnit base) const {
  Conflict result;
  const unsigned width = problem.widthOf(v);
  for (unsigned lane = 0; lane < width && result.kind == Interference::None; ++lane) {
    const auto unit = static_cast<RegUnit>(base + lane);
    forTaken(unit, live.lane(v, lane), [&](VReg owner) {
      result = {owner == fixed_owner ? Interference::Fixed : Interference::VReg, owner, unit};
      return false;
    });
  }
  return result;
}

std::optional<std::vector<VReg>> Occupancy::vregsInTheWay(VReg v, RegUnit base) const {
  std::vector<VReg> owners;
  bool fixed = false;
  for (unsigned lane = 0; lane < problem.widthOf(v) && !fixed; ++lane)
    forTaken(static_cast<RegUnit>(base + lane), live.lane(v, lane), [&](VReg owner) {
      fixed |= owner == fixed_owner;
      owners.push_back(owner);
      return !fixed;
    });
  if (fixed)
    return std::nullopt;
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  return owners;
}

void Occupancy::add(VReg v, RegUnit base) {
  for (unsigned lane = 0; lane < problem.widthOf(v); ++lane) {
    std::vector<Taken> &taken = units[base + lane];
    const Segments segments = live.lane(v, lane);
    // Both are sorted: merge from the back, in place.
    size_t old = taken.size(), own = segments.size();
    taken.resize(old + own);
    for (size_t next = taken.size(); own > 0;) {
      const bool take_own = old == 0 || taken[old - 1].segment.start < segments[own - 1].start;
      taken[--next] = take_own ? Taken{segments[--own], v} : taken[--old];
    }
  }
}

void Occupancy::remove(VReg v, RegUnit base) {
  for (unsigned lane = 0; lane < problem.widthOf(v); ++lane)
    std::erase_if(units[base + lane], [v](const Taken &taken) { return taken.owner == v; });
}

} // namespace verilocc::analysis
