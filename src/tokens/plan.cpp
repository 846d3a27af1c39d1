#include "tokens/plan.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace verilocc::tokens {

using namespace problem;
using analysis::Choices;

namespace {

/// Vregs that may lose their place to one decision before the plan counts as broken.
constexpr unsigned most_moves = 8;
/// The same for one that has no place when the plan is made.
constexpr unsigned most_moves_at_start = 64;

} // namespace

Plan::Plan(const Problem &problem, const analysis::LiveRanges &live, const Choices &choices, const cost::Rules &rules,
           const UnitSet &within, const assignment::Homes &start, const std::vector<uint8_t> &takes_part)
    : problem(problem),
      places(problem, live, choices, takes_part,
             [&](RegUnit base, unsigned width) { return within[base] && within[base + width - 1]; }),
      placement(problem, live, rules),
      homes(problem.vregs.size(), no_unit),
      decided(problem.vregs.size(), 0),
      stamp(problem.vregs.size(), 0) {
  std::vector<VReg> waiting;
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    if (takesPart(v))
      waiting.push_back(v);
  homeless = static_cast<unsigned>(waiting.size());
  std::erase_if(waiting, [&](VReg v) {
    if (start[v] == no_unit || !freeBases(v).test(start[v]))
      return false;
    move(v, start[v]);
    return true;
  });
  // The wide ones first: they find room most hardly.
  std::stable_sort(waiting.begin(), waiting.end(),
                   [&](VReg a, VReg b) { return problem.widthOf(a) > problem.widthOf(b); });
  for (VReg v : waiting) {
    ++now;
    const size_t before = journal.size();
    pending.assign(1, v);
    if (!placePending(most_moves_at_start))
      undo(before);
  }
  journal.clear();
  placement.rematch();
}

void Plan::move(VReg v, RegUnit base) {
  journal.push_back({v, homes[v]});
  homeless += base == no_unit;
  homeless -= homes[v] == no_unit;
  homes[v] = base;
  placement.place(v, base);
}

void Plan::undo(size_t size) {
  while (journal.size() > size) {
    const Moved last = journal.back();
    move(last.vreg, last.old);
    journal.pop_back();
    journal.pop_back();
  }
}

/// Puts `v` at `base` and takes out what lies there; false if something there must stay.
bool Plan::makeRoom(VReg v, RegUnit base) {
  const size_t first = pending.size();
  bool is_held = false;
  places.forInTheWay(v, base, homes, [&](VReg other) {
    is_held |= stays(other);
    pending.push_back(other);
  });
  if (is_held) {
    pending.resize(first);
    return false;
  }
  for (size_t i = first; i < pending.size(); ++i) {
    stamp[pending[i]] = now;
    move(pending[i], no_unit);
  }
  move(v, base);
  return true;
}

/// Where `v`, which has no home, costs least among what is free, and lies lowest among equals.
RegUnit Plan::cheapestFree(VReg v) {
  free_bases.clear();
  freeBases(v).forEach([&](RegUnit base) { free_bases.push_back(base); });
  if (free_bases.empty())
    return no_unit;
  placement.added(v, free_bases, costs);
  constexpr double alike = 1e-6; // the order in which doubles were added must not show
  size_t best = 0;
  for (size_t b = 1; b < free_bases.size(); ++b)
    if (costs[b] < costs[best] - alike)
      best = b;
  return free_bases[best];
}

/// Finds places for what is pending, and for those that it takes them from, in turn.
bool Plan::placePending(unsigned budget) {
  while (!pending.empty()) {
    // The wide ones first, here too.
    const auto widest = std::max_element(pending.begin(), pending.end(), [&](VReg a, VReg b) {
      return std::pair(problem.widthOf(a), b) < std::pair(problem.widthOf(b), a);
    });
    const VReg v = *widest;
    *widest = pending.back();
    pending.pop_back();
    stamp[v] = now;
    RegUnit found = cheapestFree(v);
    if (found != no_unit) {
      move(v, found);
      continue;
    }
    if (budget == 0 || places.isTied(v)) {
      pending.clear();
      return false;
    }
    --budget;
    // Where the fewest registers' worth of vregs is in the way, all of which may move.
    constexpr uint32_t forbidden = 1u << 30;
    std::array<uint32_t, analysis::num_vector_units> lanes{};
    places.forBlocked(v, homes, [&](RegUnit base, VReg other) {
      lanes[base] = stays(other) ? lanes[base] | forbidden : lanes[base] + problem.widthOf(other);
    });
    uint32_t least = forbidden;
    places.allowed(v).forEach([&](RegUnit base) {
      if (lanes[base] < least) {
        least = lanes[base];
        found = base;
      }
    });
    if (found == no_unit || !makeRoom(v, found)) {
      pending.clear();
      return false;
    }
  }
  return true;
}

Plan::Effect Plan::put(VReg v, RegUnit base) {
  ++now;
  pending.clear();
  const unsigned before = homeless + (homes[v] != no_unit);
  if (homes[v] == base)
    return Effect::Keeps;
  if (homes[v] != no_unit)
    move(v, no_unit);
  stamp[v] = now;
  if (!makeRoom(v, base)) {
    // A tied vreg is in the way: it is placed when its time comes, or not at all.
    places.forInTheWay(v, base, homes, [&](VReg other) {
      assert(!decided[other]);
      move(other, no_unit);
    });
    move(v, base);
    return Effect::Breaks;
  }
  if (pending.empty())
    return Effect::Keeps;
  placePending(most_moves);
  return homeless >= before ? Effect::Breaks : Effect::Moves;
}

Plan::Effect Plan::effect(VReg v, RegUnit base, double *dearer) {
  assert(takesPart(v) && !decided[v]);
  const size_t before = journal.size();
  const double cost = placement.total();
  const Effect result = put(v, base);
  if (dearer)
    *dearer = placement.total() - cost;
  undo(before);
  return result;
}

double Plan::dearerSettled(VReg v, RegUnit base) {
  assert(takesPart(v) && !decided[v]);
  if (!settled_cost)
    settled_cost = placement.settled();
  const size_t before = journal.size();
  put(v, base);
  const double dearer = placement.settled() - *settled_cost;
  undo(before);
  return dearer;
}

void Plan::settle(VReg v, RegUnit base) {
  assert(!decided[v]);
  settled_cost.reset();
  frames.push_back(journal.size());
  settled.push_back(v);
  if (takesPart(v))
    put(v, base);
  else
    placement.place(v, base);
  decided[v] = 1;
}

void Plan::unsettle() {
  const VReg v = settled.back();
  settled_cost.reset();
  decided[v] = 0;
  if (!takesPart(v))
    placement.place(v, no_unit);
  undo(frames.back());
  settled.pop_back();
  frames.pop_back();
}

} // namespace verilocc::tokens
