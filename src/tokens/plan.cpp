#include "tokens/plan.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

namespace verilocc::tokens {

using namespace problem;
using analysis::Choices;
using analysis::Edge;
using analysis::num_vector_units;
using analysis::VectorUnits;

namespace {

/// Vregs that may lose their place to one decision before the plan counts as broken.
constexpr unsigned most_moves = 8;
/// The same for one that has no place when the plan is made.
constexpr unsigned most_moves_at_start = 64;

} // namespace

Plan::Plan(const Problem &problem, const analysis::LiveRanges &live, const Choices &choices, const UnitSet &within,
           const assignment::Homes &start, std::vector<uint8_t> taking_part)
    : problem(problem),
      conflicts(problem, live),
      homes(problem.vregs.size(), no_unit),
      takes_part(std::move(taking_part)),
      decided(problem.vregs.size(), 0),
      tied(problem.vregs.size(), 0),
      set_of(problem.vregs.size(), 0),
      stamp(problem.vregs.size(), 0) {
  std::map<std::pair<const RegUnit *, unsigned>, uint32_t> known; // vregs of one set share its storage
  std::vector<VReg> waiting;
  for (VReg v = 0; v < problem.vregs.size(); ++v) {
    if (!takes_part[v])
      continue;
    const auto bases = choices.candidates(v);
    const unsigned width = problem.widthOf(v);
    const auto [place, fresh] = known.try_emplace({bases.data(), width}, static_cast<uint32_t>(sets.size()));
    set_of[v] = place->second;
    if (fresh) {
      VectorUnits &set = sets.emplace_back();
      for (RegUnit base : bases)
        if (within[base] && within[base + width - 1])
          set.set(base);
    }
    for (const analysis::Hint &hint : choices.hints(v))
      tied[v] |= hint.hard;
    waiting.push_back(v);
  }
  homeless = static_cast<unsigned>(waiting.size());
  VectorUnits free;
  std::erase_if(waiting, [&](VReg v) {
    if (start[v] == no_unit)
      return false;
    freeBases(v, free);
    if (!free.test(start[v]))
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
}

void Plan::move(VReg v, RegUnit base) {
  journal.push_back({v, homes[v]});
  homeless += base == no_unit;
  homeless -= homes[v] == no_unit;
  homes[v] = base;
}

void Plan::undo(size_t size) {
  while (journal.size() > size) {
    const Moved last = journal.back();
    move(last.vreg, last.old);
    journal.pop_back();
    journal.pop_back();
  }
}

void Plan::freeBases(VReg v, VectorUnits &free) const {
  free = sets[set_of[v]];
  free.remove(conflicts.fixed(v));
  VectorUnits blocked;
  for (const Edge &edge : conflicts.of(v))
    if (const RegUnit other = homes[edge.other]; other != no_unit)
      blocked.addShifted(edge.distances, int(other) + 1 - int(problem.widthOf(v)));
  free.remove(blocked);
}

/// Puts `v` at `base` and takes out what lies there; false if something there must stay.
bool Plan::makeRoom(VReg v, RegUnit base) {
  const size_t first = pending.size();
  for (const Edge &edge : conflicts.of(v)) {
    const RegUnit other = homes[edge.other];
    if (other == no_unit)
      continue;
    const int bit = int(base) - int(other) + int(problem.widthOf(v)) - 1;
    if (bit < 0 || bit >= 64 || !(edge.distances >> bit & 1))
      continue;
    if (decided[edge.other] || tied[edge.other] || stamp[edge.other] == now) {
      pending.resize(first);
      return false;
    }
    pending.push_back(edge.other);
  }
  for (size_t i = first; i < pending.size(); ++i) {
    stamp[pending[i]] = now;
    move(pending[i], no_unit);
  }
  move(v, base);
  return true;
}

/// Finds places for what is pending, and for those that it takes them from, in turn.
bool Plan::placePending(unsigned budget) {
  VectorUnits free;
  while (!pending.empty()) {
    // The wide ones first, here too.
    const auto widest = std::max_element(pending.begin(), pending.end(), [&](VReg a, VReg b) {
      return std::pair(problem.widthOf(a), b) < std::pair(problem.widthOf(b), a);
    });
    const VReg v = *widest;
    *widest = pending.back();
    pending.pop_back();
    stamp[v] = now;
    freeBases(v, free);
    RegUnit found = no_unit;
    free.forEach([&](RegUnit base) { found = found == no_unit ? base : found; });
    if (found != no_unit) {
      move(v, found);
      continue;
    }
    if (budget == 0 || tied[v]) {
      pending.clear();
      return false;
    }
    --budget;
    // Where the fewest registers' worth of vregs is in the way, all of which may move.
    constexpr uint32_t forbidden = 1u << 30;
    std::array<uint32_t, num_vector_units> lanes{};
    for (const Edge &edge : conflicts.of(v))
      if (const RegUnit other = homes[edge.other]; other != no_unit) {
        const bool stays = decided[edge.other] || tied[edge.other] || stamp[edge.other] == now;
        const int first = int(other) + 1 - int(problem.widthOf(v));
        for (uint64_t rest = edge.distances; rest; rest &= rest - 1)
          if (const int base = first + __builtin_ctzll(rest); base >= 0 && base < int(num_vector_units)) {
            uint32_t &count = lanes[static_cast<size_t>(base)];
            count = stays ? count | forbidden : count + problem.widthOf(edge.other);
          }
      }
    VectorUnits allowed = sets[set_of[v]];
    allowed.remove(conflicts.fixed(v));
    uint32_t least = forbidden;
    allowed.forEach([&](RegUnit base) {
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
    for (const Edge &edge : conflicts.of(v))
      if (const RegUnit other = homes[edge.other]; other != no_unit) {
        const int bit = int(base) - int(other) + int(problem.widthOf(v)) - 1;
        if (bit >= 0 && bit < 64 && edge.distances >> bit & 1) {
          assert(!decided[edge.other]);
          move(edge.other, no_unit);
        }
      }
    move(v, base);
    return Effect::Breaks;
  }
  if (pending.empty())
    return Effect::Keeps;
  placePending(most_moves);
  return homeless >= before ? Effect::Breaks : Effect::Moves;
}

Plan::Effect Plan::effect(VReg v, RegUnit base) {
  assert(takes_part[v] && !decided[v]);
  const size_t before = journal.size();
  const Effect result = put(v, base);
  undo(before);
  return result;
}

void Plan::settle(VReg v, RegUnit base) {
  assert(takes_part[v] && !decided[v]);
  frames.push_back(journal.size());
  settled.push_back(v);
  put(v, base);
  decided[v] = 1;
}

void Plan::unsettle() {
  decided[settled.back()] = 0;
  undo(frames.back());
  settled.pop_back();
  frames.pop_back();
}

} // namespace verilocc::tokens
