#include "allocators/space.h"

#include "cost/occupancy.h"

#include <algorithm>

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

namespace {

std::vector<uint8_t> usedVectors(const Problem &problem, const analysis::Choices &choices) {
  std::vector<uint8_t> used(problem.vregs.size());
  for (VReg v = 0; v < used.size(); ++v)
    used[v] = choices.isUsed(v) && choices.isVector(v);
  return used;
}

} // namespace

Space::Space(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules, const Limits &limits,
             std::span<const uint8_t> whole)
    : problem(problem),
      choices(problem),
      places(
          problem, live, choices, usedVectors(problem, choices),
          [&](RegUnit base, unsigned width) {
            return base + width <= (base < first_agpr ? first_vgpr + limits.vgprs : first_agpr + limits.agprs);
          },
          whole),
      placement(problem, live, rules),
      homes(placement.homes()) {
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    if (takesPart(v))
      members.push_back(v);
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
  free.clear();
  const bool is_tied = isTied(v);
  places.free(v, homes).forEach([&](RegUnit base) {
    if (!is_tied || tiesAllow(v, base))
      free.push_back(base);
  });
}

bool Space::fits(VReg v, RegUnit base) const {
  if (!allows(v, base) || (isTied(v) && !tiesAllow(v, base)))
    return false;
  const auto edges = places.conflicts.of(v);
  return std::none_of(edges.begin(), edges.end(), [&](const analysis::Edge &edge) {
    return edge.meets(base, problem.widthOf(v), home(edge.other));
  });
}

void Space::inTheWay(VReg v, RegUnit base, std::vector<VReg> &owners) const {
  owners.clear();
  places.forInTheWay(v, base, homes, [&](VReg owner) { owners.push_back(owner); });
}

void Space::blockedBases(VReg v, std::vector<Blocked> &bases) const {
  std::array<uint16_t, analysis::num_vector_units> lanes{};
  places.forBlocked(v, homes, [&](RegUnit base, VReg owner) {
    lanes[base] = static_cast<uint16_t>(lanes[base] + problem.widthOf(owner));
  });
  bases.clear();
  places.allowed(v).forEach([&](RegUnit base) { bases.push_back({base, lanes[base]}); });
}

} // namespace verilocc::allocators
