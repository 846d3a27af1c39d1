#include "allocators/space.h"

#include "cost/occupancy.h"

#include <algorithm>
#include <map>

namespace verilocc::allocators {

using namespace problem;

Limits registersOf(const Problem &problem, const assignment::Homes &homes) {
  Limits used{0, 0};
  const auto count = [&](unsigned base, unsigned width) {
    if (base < first_agpr)
      used.vgprs = std::max(used.vgprs, base + width);
    else if (base < first_sgpr)
      used.agprs = std::max(used.agprs, base + width - first_agpr);
  };
  for (const Operand &op : problem.operands)
    if (op.fixed)
      count(op.reg, op.num_lanes);
  for (VReg v = 0; v < homes.size(); ++v)
    if (homes[v] != no_unit)
      count(homes[v], problem.widthOf(v));
  return used;
}

Limits sameWaves(const MachineEnv &env, const Limits &used, unsigned waves_anyway) {
  const bool separate = env.arch == "gfx908"; // AGPRs for the asking
  const auto waves = [&](unsigned vgprs, unsigned agprs) {
    return cost::wavesByVgprs(env.arch, env.wave_size, cost::countedRegisters(env.arch, vgprs, agprs));
  };
  Limits limits = used;
  unsigned wanted = waves(used.vgprs, used.agprs);
  if (wanted && waves_anyway)
    wanted = std::min(wanted, waves_anyway);
  while (wanted && limits.vgprs < 256 && waves(limits.vgprs + 1, limits.agprs) >= wanted)
    ++limits.vgprs;
  while (wanted && separate && limits.agprs < 256 && waves(limits.vgprs, limits.agprs + 1) >= wanted)
    ++limits.agprs;
  return limits;
}

Space::Space(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules, const Limits &limits,
             std::span<const uint8_t> whole)
    : problem(problem),
      choices(problem),
      conflicts(problem, live, whole),
      placement(problem, live, rules),
      homes(placement.homes()) {
  set_of.assign(problem.vregs.size(), none);
  tied.assign(problem.vregs.size(), 0);
  std::map<std::pair<const RegUnit *, unsigned>, uint32_t> known; // vregs of one set share its storage
  for (VReg v = 0; v < problem.vregs.size(); ++v) {
    if (!choices.isUsed(v) || !choices.isVector(v))
      continue;
    members.push_back(v);
    const auto candidates = choices.candidates(v);
    const unsigned width = problem.widthOf(v);
    const auto [place, fresh] = known.try_emplace({candidates.data(), width}, static_cast<uint32_t>(sets.size()));
    set_of[v] = place->second;
    if (fresh) {
      VectorUnits &set = sets.emplace_back();
      for (RegUnit base : candidates)
        if (base + width <= (base < first_agpr ? first_vgpr + limits.vgprs : first_agpr + limits.agprs))
          set.set(base);
    }
    for (const analysis::Hint &hint : choices.hints(v))
      tied[v] |= hint.hard;
  }
}

bool Space::tiesAllow(VReg v, RegUnit base) const {
  for (const analysis::Hint &hint : choices.hints(v)) {
    if (!hint.hard)
      continue;
    const int wanted = hint.fixed                   ? int(hint.unit)
                       : home(hint.vreg) == no_unit ? int(base)
                                                    : home(hint.vreg) + hint.offset;
    if (wanted != base)
      return false;
  }
  return true;
}

void Space::freeBases(VReg v, std::vector<RegUnit> &free) const {
  VectorUnits bases = sets[set_of[v]];
  bases.remove(conflicts.fixed(v));
  VectorUnits blocked;
  for (const Edge &edge : conflicts.of(v))
    if (const RegUnit other = home(edge.other); other != no_unit)
      blocked.addShifted(edge.distances, int(other) + 1 - int(problem.widthOf(v)));
  bases.remove(blocked);
  free.clear();
  bases.forEach([&](RegUnit base) {
    if (!tied[v] || tiesAllow(v, base))
      free.push_back(base);
  });
}

bool Space::fits(VReg v, RegUnit base) const {
  if (!allows(v, base) || (tied[v] && !tiesAllow(v, base)))
    return false;
  for (const Edge &edge : conflicts.of(v))
    if (const RegUnit other = home(edge.other); other != no_unit) {
      const int bit = int(base) - int(other) + int(problem.widthOf(v)) - 1;
      if (bit >= 0 && bit < 64 && edge.distances >> bit & 1)
        return false;
    }
  return true;
}

void Space::inTheWay(VReg v, RegUnit base, std::vector<VReg> &owners) const {
  owners.clear();
  for (const Edge &edge : conflicts.of(v))
    if (const RegUnit other = home(edge.other); other != no_unit) {
      const int bit = int(base) - int(other) + int(problem.widthOf(v)) - 1;
      if (bit >= 0 && bit < 64 && edge.distances >> bit & 1)
        owners.push_back(edge.other);
    }
}

void Space::blockedBases(VReg v, std::vector<Blocked> &bases) const {
  std::array<uint16_t, num_vector_units> lanes{};
  for (const Edge &edge : conflicts.of(v))
    if (const RegUnit other = home(edge.other); other != no_unit) {
      const unsigned width = problem.widthOf(edge.other);
      const int first = int(other) + 1 - int(problem.widthOf(v));
      for (uint64_t rest = edge.distances; rest; rest &= rest - 1) {
        const int base = first + __builtin_ctzll(rest);
        if (base >= 0 && base < int(num_vector_units))
          lanes[static_cast<size_t>(base)] = static_cast<uint16_t>(lanes[static_cast<size_t>(base)] + width);
      }
    }
  bases.clear();
  VectorUnits allowed = sets[set_of[v]];
  allowed.remove(conflicts.fixed(v));
  allowed.forEach([&](RegUnit base) { bases.push_back({base, lanes[base]}); });
}

} // namespace verilocc::allocators
