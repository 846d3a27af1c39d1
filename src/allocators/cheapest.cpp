#include "allocators/cheapest.h"

#include "cost/shape.h"

#include <algorithm>
#include <map>

namespace verilocc::allocators {

using namespace problem;
using assignment::Homes;

std::vector<uint8_t> fragmentBanks(const Problem &problem) {
  constexpr uint8_t none = 0xff;
  std::vector<uint8_t> banks(problem.vregs.size(), none);
  // A fragment: a vreg and the lane at which the instruction begins to read it. Two of one instruction must not meet.
  struct Rival {
    VReg other;
    int shift; ///< bank(v) == (bank(other) + shift) mod 4 would be a conflict
    double weight;
  };
  std::map<VReg, std::vector<Rival>> rivals;
  std::map<VReg, std::array<double, 3>> roles;
  std::map<VReg, double> weights;
  const std::vector<cost::Shape> shapes = cost::shapesOf(problem);
  for (const Block &block : problem.blocks)
    for (InstId i = block.first; i < block.last; ++i) {
      const cost::Shape &shape = shapes[i];
      if (shape.kind != cost::ShapeKind::Wmma || shape.num_sources < 2)
        continue;
      const uint32_t parts[3] = {shape.sources[0], shape.sources[1],
                                 shape.num_sources > 2 ? shape.sources[2] : shape.def};
      for (unsigned p = 0; p < 3; ++p) {
        if (parts[p] == cost::no_operand || problem.operands[parts[p]].fixed)
          continue;
        const Operand &op = problem.operands[parts[p]];
        roles[op.reg][p] += block.frequency;
        weights[op.reg] += block.frequency;
        for (unsigned q = 0; q < 3; ++q) {
          if (q == p || parts[q] == cost::no_operand || problem.operands[parts[q]].fixed)
            continue;
          const Operand &rival = problem.operands[parts[q]];
          if (rival.reg != op.reg)
            rivals[op.reg].push_back({rival.reg, int(rival.first_lane) - int(op.first_lane), block.frequency});
        }
      }
    }
  std::vector<std::pair<double, VReg>> order;
  for (const auto &[v, weight] : weights)
    order.emplace_back(-weight, v);
  std::sort(order.begin(), order.end());
  for (const auto &[weight, v] : order) {
    // The class with the fewest conflicts; the one of its usual role (A 0, B 1, C 2) among equals.
    std::array<double, 4> conflicts{};
    for (const Rival &rival : rivals[v])
      if (banks[rival.other] != none)
        conflicts[static_cast<unsigned>(banks[rival.other] + rival.shift + 256) % 4] += rival.weight;
    const auto &role = roles[v];
    const auto usual = static_cast<unsigned>(std::max_element(role.begin(), role.end()) - role.begin());
    unsigned best = usual;
    for (unsigned bank = 0; bank < 4; ++bank)
      if (conflicts[bank] < conflicts[best])
        best = bank;
    banks[v] = static_cast<uint8_t>(best);
  }
  return banks;
}

unsigned placeCheapest(Space &space, std::span<const VReg> order, const std::vector<uint8_t> &banks,
                       double bank_weight) {
  // Exact prices of places near matrix instructions are asked for so many of the cheapest ones.
  constexpr size_t asked = 6;
  unsigned left = 0;
  std::vector<RegUnit> free;
  std::vector<double> costs;
  for (VReg v : order) {
    if (space.home(v) != no_unit)
      continue;
    space.freeBases(v, free);
    if (free.empty()) {
      ++left;
      continue;
    }
    space.placement.added(v, free, costs);
    if (banks[v] != 0xff)
      for (size_t b = 0; b < free.size(); ++b)
        if (free[b] % 4 != banks[v])
          costs[b] += bank_weight * space.choices.uses(v);
    size_t best = static_cast<size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    if (!space.placement.isExact(v)) {
      std::vector<std::pair<double, size_t>> cheap;
      for (size_t b = 0; b < free.size(); ++b)
        cheap.emplace_back(costs[b], b);
      const size_t count = std::min(asked, cheap.size());
      std::partial_sort(cheap.begin(), cheap.begin() + static_cast<std::ptrdiff_t>(count), cheap.end());
      double least = 0;
      for (size_t c = 0; c < count; ++c) {
        const double exact = space.placement.delta(v, free[cheap[c].second]);
        if (c == 0 || exact < least) {
          least = exact;
          best = cheap[c].second;
        }
      }
    }
    space.put(v, free[best]);
  }
  return left;
}

std::vector<VReg> definitionOrder(const Space &space, const analysis::LiveRanges &live, bool wide_first) {
  std::vector<VReg> order = space.vregs();
  std::stable_sort(order.begin(), order.end(), [&](VReg a, VReg b) {
    const unsigned wide_a = wide_first ? space.problem.widthOf(a) : 0,
                   wide_b = wide_first ? space.problem.widthOf(b) : 0;
    return std::pair(-int(wide_a), live.hull(a).start) < std::pair(-int(wide_b), live.hull(b).start);
  });
  return order;
}

Homes cheapest(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
               const CheapestOptions &options) {
  const std::vector<uint8_t> banks =
      rules.wmma_banks ? fragmentBanks(problem) : std::vector<uint8_t>(problem.vregs.size(), 0xff);
  Space space(problem, live, rules, options.limits, options.whole);
  Homes best;
  unsigned fewest_left = 0;
  double least = 0;
  for (bool wide_first : {false, true}) {
    for (VReg v : space.vregs())
      space.take(v);
    const unsigned left = placeCheapest(space, definitionOrder(space, live, wide_first), banks, rules.wmma_conflict);
    space.placement.rematch();
    if (best.empty() || std::pair(left, space.total()) < std::pair(fewest_left, least)) {
      best = space.placement.homes();
      fewest_left = left;
      least = space.total();
    }
  }
  return best;
}

} // namespace verilocc::allocators
