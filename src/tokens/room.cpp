#include "tokens/room.h"

#include <algorithm>
#include <cassert>

namespace verilocc::tokens {

using namespace problem;
using analysis::Point;
using analysis::Segment;
using analysis::Segments;

Room::Room(const Problem &problem, const analysis::LiveRanges &live) : problem(problem), live(live), units(num_units) {
  for (unsigned u = 0; u < num_units; ++u)
    for (const Segment &segment : live.unit(static_cast<RegUnit>(u)))
      units[u].push_back({segment, fixed_owner});
}

bool Room::isFree(RegUnit unit, Segments segments) const {
  const std::vector<Taken> &taken = units[unit];
  if (taken.empty() || segments.empty() || taken.back().segment.end <= segments.front().start)
    return true;
  auto next = taken.begin();
  for (const Segment &segment : segments) {
    next = std::upper_bound(next, taken.end(), segment.start,
                            [](Point point, const Taken &other) { return point < other.segment.end; });
    if (next == taken.end())
      return true;
    if (next->segment.start < segment.end)
      return false;
  }
  return true;
}

UnitSet Room::fits(VReg v, const UnitSet &bases) const {
  const unsigned width = problem.widthOf(v);
  UnitSet result = bases, free;
  // Lanes are mostly born and dead together: one look at the units for all of one life.
  unsigned done = 0;
  static_assert(sizeof(unsigned) * 8 >= 32); // no class is wider than 32
  for (unsigned lane = 0; lane < width && result.any(); ++lane) {
    if (done >> lane & 1)
      continue;
    const Segments segments = live.lane(v, lane);
    UnitSet wanted; // units on which some lane of this life may come to lie
    unsigned alike = 0;
    for (unsigned other = lane; other < width; ++other)
      if (const Segments own = live.lane(v, other);
          own.size() == segments.size() && std::equal(own.begin(), own.end(), segments.begin())) {
        alike |= 1u << other;
        wanted |= result << other;
      }
    done |= alike;
    free.reset();
    for (size_t u = wanted._Find_first(); u < num_units; u = wanted._Find_next(u))
      if (isFree(static_cast<RegUnit>(u), segments))
        free.set(u);
    for (unsigned other = lane; other < width; ++other)
      if (alike >> other & 1)
        result &= free >> other;
  }
  return result;
}

UnitSet Room::freeFor(VReg v, const UnitSet &among) const {
  UnitSet free;
  for (size_t u = among._Find_first(); u < num_units; u = among._Find_next(u))
    if (isFree(static_cast<RegUnit>(u), live.lane(v, 0)))
      free.set(u);
  return free;
}

unsigned Room::idleFor(RegUnit base, unsigned width, Point point) const {
  unsigned least = never;
  for (unsigned lane = 0; lane < width; ++lane) {
    const std::vector<Taken> &taken = units[base + lane];
    const auto next = std::upper_bound(taken.begin(), taken.end(), point,
                                       [](Point p, const Taken &other) { return p < other.segment.start; });
    if (next == taken.begin())
      continue;
    const Point end = std::prev(next)->segment.end;
    least = std::min(least, end >= point ? 0 : (point - end) / 2);
  }
  return least;
}

unsigned Room::gapAround(RegUnit unit, Segment life) const {
  const std::vector<Taken> &taken = units[unit];
  const auto next = std::upper_bound(taken.begin(), taken.end(), life.start,
                                     [](Point p, const Taken &other) { return p < other.segment.start; });
  const Point whole = static_cast<Point>(2 * problem.insts.size());
  const Point left = next == taken.begin() ? 0 : std::min(std::prev(next)->segment.end, life.start);
  const Point right = next == taken.end() ? whole : std::max(next->segment.start, life.end);
  return (life.start - left) + (std::max(right, life.end) - life.end);
}

void Room::add(VReg v, RegUnit base) {
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

void Room::remove(VReg v, RegUnit base) {
  for (unsigned lane = 0; lane < problem.widthOf(v); ++lane) {
    std::vector<Taken> &taken = units[base + lane];
    [[maybe_unused]] const size_t size = taken.size();
    std::erase_if(taken, [v](const Taken &other) { return other.owner == v; });
    assert(size - taken.size() == live.lane(v, lane).size());
  }
}

std::vector<VReg> Room::inTheWay(VReg v, RegUnit base, bool &fixed) const {
  std::vector<VReg> owners;
  fixed = false;
  for (unsigned lane = 0; lane < problem.widthOf(v); ++lane)
    for (const Segment &segment : live.lane(v, lane)) {
      const std::vector<Taken> &taken = units[base + lane];
      auto hit = std::upper_bound(taken.begin(), taken.end(), segment.start,
                                  [](Point point, const Taken &other) { return point < other.segment.end; });
      for (; hit != taken.end() && hit->segment.start < segment.end; ++hit) {
        fixed |= hit->owner == fixed_owner;
        if (hit->owner != fixed_owner)
          owners.push_back(hit->owner);
      }
    }
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  return owners;
}

} // namespace verilocc::tokens
