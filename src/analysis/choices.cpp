#include "analysis/choices.h"

#include <algorithm>
#include <map>

namespace verilocc::analysis {

using namespace problem;

namespace {

/// The units that may be handed out: not reserved, within the limits of the function.
UnitSet availableUnits(const MachineEnv &env) {
  UnitSet units;
  for (unsigned u = 0; u < num_units; ++u)
    units[u] = !(u < first_agpr   ? u >= first_vgpr + env.max_vgprs
                 : u < first_sgpr ? u >= first_agpr + env.max_agprs
                                  : u < vcc_lo && u >= first_sgpr + env.max_sgprs);
  return units & ~env.reserved;
}

bool isEither(const UnitSet &bases) {
  return bases._Find_first() < first_agpr && bases._Find_next(first_agpr - 1) < first_sgpr;
}

} // namespace

Choices::Choices(const Problem &problem) {
  collectConstraints(problem);
  collectLinks(problem);
  preferFiles(problem);
  sortHints(problem);
}

void Choices::collectConstraints(const Problem &problem) {
  const UnitSet available = availableUnits(problem.env);
  // What demands something of a vreg: its class, and (constraint, first lane) of its operands.
  using Demand = std::pair<ClassId, uint8_t>;
  std::vector<std::vector<Demand>> demands(problem.vregs.size());
  use_count.assign(problem.vregs.size(), 0);
  for (const Block &block : problem.blocks)
    for (InstId i = block.first; i < block.last; ++i)
      for (const Operand &op : problem.operandsOf(problem.insts[i])) {
        if (op.fixed)
          continue;
        use_count[op.reg] += block.frequency;
        std::vector<Demand> &own = demands[op.reg];
        if (own.empty())
          own.emplace_back(problem.vregs[op.reg], 0);
        const Demand demand{op.constraint, op.first_lane};
        if (op.constraint != no_class && std::find(own.begin(), own.end(), demand) == own.end())
          own.push_back(demand);
      }

  set_of.assign(problem.vregs.size(), -1);
  vector.assign(problem.vregs.size(), 0);
  std::map<std::vector<Demand>, int32_t> known;
  for (VReg v = 0; v < problem.vregs.size(); ++v) {
    if (demands[v].empty())
      continue;
    vector[v] = problem.classOf(v).bases._Find_first() < first_sgpr;
    std::sort(demands[v].begin() + 1, demands[v].end());
    const auto [place, fresh] = known.try_emplace(demands[v], static_cast<int32_t>(sets.size()));
    set_of[v] = place->second;
    if (!fresh)
      continue;
    Set &set = sets.emplace_back();
    set.allowed = problem.classOf(v).bases;
    for (unsigned lane = 0; lane < problem.widthOf(v); ++lane)
      set.allowed &= available >> lane;
    for (size_t d = 1; d < demands[v].size(); ++d)
      set.allowed &= problem.env.classes[demands[v][d].first].bases >> demands[v][d].second;
    for (size_t u = set.allowed._Find_first(); u < num_units; u = set.allowed._Find_next(u))
      set.ordered.push_back(static_cast<RegUnit>(u));
  }
}

void Choices::collectLinks(const Problem &problem) {
  const auto link = [&](const Operand &def, const Operand &use, double weight, std::vector<CopyLink> &out) {
    const unsigned lanes = std::min(def.num_lanes, use.num_lanes);
    if (def.fixed && use.fixed)
      return;
    if (!def.fixed && !use.fixed && def.reg == use.reg)
      return;
    if (lanes == 0)
      return;
    CopyLink entry;
    entry.weight = weight;
    if (def.fixed || use.fixed) {
      const Operand &moving = def.fixed ? use : def, &standing = def.fixed ? def : use;
      entry.fixed = true;
      entry.target = moving.reg;
      entry.source = standing.reg;
      entry.offset = static_cast<int16_t>(-moving.first_lane);
    } else {
      entry.target = def.reg;
      entry.source = use.reg;
      entry.offset = static_cast<int16_t>(use.first_lane - def.first_lane);
    }
    out.push_back(entry);
  };
  for (const Block &block : problem.blocks)
    for (InstId i = block.first; i < block.last; ++i) {
      const Inst &inst = problem.insts[i];
      const auto operands = problem.operandsOf(inst);
      if (inst.kind == InstKind::Copy && operands.size() >= 2 && operands[0].isDef() && operands[1].isUse())
        link(operands[0], operands[1], block.frequency, links);
      for (const Operand &op : operands)
        if (op.isUse() && op.tied_to >= 0)
          link(operands[op.tied_to], op, block.frequency, ties);
    }
}

/// An AV vreg goes to the file of those it is copied from and to, weighed by executions; what it is not copied with, or
/// evenly, to VGPRs. AV neighbours count with their own preference so far, so that a preference spreads along copies.
void Choices::preferFiles(const Problem &problem) {
  const size_t num_vregs = problem.vregs.size();
  std::vector<int8_t> side(num_vregs, 0); // +1 VGPR, -1 AGPR, 0 undecided
  std::vector<uint8_t> either(num_vregs, 0);
  bool any = false;
  for (VReg v = 0; v < num_vregs; ++v) {
    if (!isUsed(v) || !isVector(v))
      continue;
    const UnitSet &allowed = sets[set_of[v]].allowed;
    either[v] = isEither(allowed);
    any |= either[v];
    if (!either[v])
      side[v] = allowed._Find_first() < first_agpr ? 1 : -1;
  }
  if (!any)
    return;
  std::vector<double> pull(num_vregs);
  constexpr int rounds = 16; // a preference travels one copy a round; chains of copies are short
  for (int round = 0; round < rounds; ++round) {
    std::fill(pull.begin(), pull.end(), 0.0);
    for (const std::vector<CopyLink> *list : {&links, &ties})
      for (const CopyLink &link : *list) {
        if (link.fixed) {
          pull[link.target] += link.weight * (link.source < first_agpr ? 1 : -1);
          continue;
        }
        pull[link.target] += link.weight * side[link.source];
        pull[link.source] += link.weight * side[link.target];
      }
    bool changed = false;
    for (VReg v = 0; v < num_vregs; ++v) {
      if (!either[v] || pull[v] == 0)
        continue;
      const int8_t wanted = pull[v] > 0 ? 1 : -1;
      changed |= side[v] != wanted;
      side[v] = wanted;
    }
    if (!changed)
      break;
  }
  std::map<int32_t, int32_t> accum_first;
  for (VReg v = 0; v < num_vregs; ++v) {
    if (!either[v] || side[v] >= 0)
      continue;
    const auto [place, fresh] = accum_first.try_emplace(set_of[v], static_cast<int32_t>(sets.size()));
    if (fresh) {
      Set set = sets[set_of[v]];
      const auto agprs = std::lower_bound(set.ordered.begin(), set.ordered.end(), first_agpr);
      std::rotate(set.ordered.begin(), agprs, set.ordered.end());
      sets.push_back(std::move(set));
    }
    set_of[v] = place->second;
  }
}

void Choices::sortHints(const Problem &problem) {
  std::vector<std::vector<Hint>> hints(problem.vregs.size());
  for (const std::vector<CopyLink> *list : {&links, &ties})
    for (const CopyLink &link : *list) {
      Hint hint;
      hint.hard = list == &ties;
      hint.weight = link.weight;
      if (link.fixed) {
        const int home = int(link.source) + link.offset;
        if (home < 0 || home >= int(num_units))
          continue;
        hint.fixed = true;
        hint.unit = static_cast<RegUnit>(home);
        hints[link.target].push_back(hint);
        continue;
      }
      hint.vreg = link.source;
      hint.offset = link.offset;
      hints[link.target].push_back(hint);
      hint.vreg = link.target;
      hint.offset = static_cast<int16_t>(-link.offset);
      hints[link.source].push_back(hint);
    }
  first_hint.push_back(0);
  for (const std::vector<Hint> &own : hints) {
    all_hints.insert(all_hints.end(), own.begin(), own.end());
    first_hint.push_back(static_cast<uint32_t>(all_hints.size()));
  }
}

bool Choices::placesVectors(std::span<const RegUnit> homes) const {
  for (VReg v = 0; v < homes.size(); ++v)
    if (homes[v] == no_unit && isUsed(v) && isVector(v))
      return false;
  return true;
}

} // namespace verilocc::analysis
