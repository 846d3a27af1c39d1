#include "checker/places.h"

#include "checker/constants.h"

#include <algorithm>
#include <set>

namespace verilocc::checker {

using namespace problem;

namespace {

/// A copy between a scalar and a vector register computes (a broadcast); one within a file moves.
bool crossesFiles(std::span<const Operand> fixed_operands) {
  bool seen[2] = {false, false};
  for (const Operand &operand : fixed_operands)
    if (!operand.has(operand_flag::Implicit))
      seen[isPerThread(static_cast<RegUnit>(operand.reg))] = true;
  return seen[0] && seen[1];
}

bool crossesFiles(const Problem &problem, const std::vector<OperandPlace> &places, const Inst &inst) {
  bool seen[2] = {false, false};
  for (uint32_t i = inst.first_operand; i < inst.first_operand + inst.num_operands; ++i)
    if (!problem.operands[i].has(operand_flag::Implicit))
      seen[places[i].per_thread] = true;
  return seen[0] && seen[1];
}

} // namespace

Loc Places::addLocs(bool per_thread, Location first, unsigned count) {
  Loc loc = num_locs[per_thread];
  num_locs[per_thread] += count;
  for (unsigned i = 0; i < count; ++i, ++first.part)
    locations[per_thread].push_back(first);
  return loc;
}

Places::Places(const Problem &problem, const assignment::Assignment &assignment) {
  // Cells: the lanes of the vregs, then the physical registers.
  vreg_cell.resize(problem.vregs.size());
  vreg_per_thread.resize(problem.vregs.size());
  for (VReg v = 0; v < problem.vregs.size(); ++v) {
    const RegClass &reg_class = problem.classOf(v);
    bool per_thread = reg_class.isPerThread();
    vreg_per_thread[v] = per_thread;
    vreg_cell[v] = num_cells[per_thread];
    num_cells[per_thread] += reg_class.width;
    for (uint8_t lane = 0; lane < reg_class.width; ++lane)
      values[per_thread].push_back({false, v, lane});
  }
  // Locations 0.. are the units, so that unitLoc is plain arithmetic.
  for (RegUnit unit = 0; unit < num_units; ++unit) {
    bool per_thread = isPerThread(unit);
    if (unit == 0 || unit == first_sgpr)
      first_unit_cell[per_thread] = num_cells[per_thread];
    ++num_cells[per_thread];
    values[per_thread].push_back({true, unit, 0});
    addLocs(per_thread, {Location::Kind::Unit, unit, 0}, 1);
  }

  // Operands; storage of its own for each vreg that was left to another allocator.
  std::unordered_map<VReg, Loc> own;
  operands.resize(problem.operands.size());
  for (uint32_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = problem.operands[i];
    OperandPlace &place = operands[i];
    place.count = operand.num_lanes;
    RegUnit unit = assignment.units[i];
    if (operand.fixed) {
      for (unsigned lane = 0; lane < operand.num_lanes; ++lane)
        mentioned.set(operand.reg + lane);
      place.per_thread = isPerThread(static_cast<RegUnit>(operand.reg));
      place.cell = unitCell(static_cast<RegUnit>(operand.reg));
    } else {
      place.per_thread = vreg_per_thread[operand.reg];
      place.cell = vreg_cell[operand.reg] + operand.first_lane;
    }
    if (unit == no_unit) {
      auto [it, is_new] = own.try_emplace(operand.reg, 0);
      if (is_new)
        it->second = addLocs(place.per_thread, {Location::Kind::Own, operand.reg, 0}, problem.widthOf(operand.reg));
      place.loc = it->second + operand.first_lane;
    } else {
      place.loc = unitLoc(unit);
      place.wrong_file = isPerThread(unit) != place.per_thread ||
                         isPerThread(static_cast<RegUnit>(unit + operand.num_lanes - 1)) != place.per_thread;
    }
  }

  // Stack slots, VGPR lanes and repeated computations: only what the edits name.
  unit_lanes.resize(first_sgpr);
  std::set<std::pair<RegUnit, uint8_t>> lanes;
  std::set<uint64_t> repeated;
  bool whole_wave_slots = false;
  for (const assignment::Edit &edit : assignment.edits) {
    auto edit_operands = assignment.operandsOf(edit);
    switch (edit.inst.kind) {
    case InstKind::Spill:
    case InstKind::Reload:
      for (const Operand &operand : edit_operands)
        if (!operand.has(operand_flag::Implicit))
          slots[edit.inst.slot].width = std::max<unsigned>(slots[edit.inst.slot].width, operand.num_lanes);
      whole_wave_slots |= edit.inst.has(inst_flag::AllThreads);
      break;
    case InstKind::LaneWrite:
    case InstKind::LaneRead:
      for (const Operand &operand : edit_operands)
        if (isPerThread(static_cast<RegUnit>(operand.reg)))
          lanes.insert({static_cast<RegUnit>(operand.reg), edit.inst.lane});
      break;
    case InstKind::Copy:
      if (crossesFiles(edit_operands))
        repeated.insert(edit.inst.signature);
      break;
    case InstKind::Exchange:
    case InstKind::ImplicitDef:
    case InstKind::Kill:
      break;
    default:
      repeated.insert(edit.inst.signature);
    }
  }
  // A VGPR that holds spilled scalars may itself be moved or spilled whole: its lanes can then lie anywhere that such a
  // move reaches. Lanes in use anywhere get a location in each VGPR and slot that an edit moves whole.
  std::set<uint8_t> lane_numbers;
  for (auto [unit, lane] : lanes)
    lane_numbers.insert(lane);
  if (!lanes.empty()) {
    for (const assignment::Edit &edit : assignment.edits) {
      bool moves =
          edit.inst.kind == InstKind::Copy || edit.inst.kind == InstKind::Spill || edit.inst.kind == InstKind::Reload;
      if (!moves)
        continue;
      for (const Operand &operand : assignment.operandsOf(edit))
        for (unsigned i = 0; i < operand.num_lanes; ++i)
          if (isPerThread(static_cast<RegUnit>(operand.reg + i)))
            for (uint8_t lane : lane_numbers)
              lanes.insert({static_cast<RegUnit>(operand.reg + i), lane});
    }
  }
  for (auto [unit, lane] : lanes)
    unit_lanes[unit].push_back({lane, addLocs(false, {Location::Kind::UnitLane, unit, lane}, 1)});
  for (auto &[slot, place] : slots)
    for (bool per_thread : {false, true})
      place.loc[per_thread] = addLocs(per_thread, {Location::Kind::Slot, slot, 0}, place.width);
  if (whole_wave_slots)
    for (auto &[slot, place] : slots)
      for (unsigned dword = 0; dword < place.width; ++dword)
        for (uint8_t lane : lane_numbers)
          slot_lanes[uint64_t(slot) << 32 | dword << 8 | lane] =
              addLocs(false, {Location::Kind::SlotLane, slot, lane}, 1);

  // Constants in any case: two vregs that hold the same one may share a register without an edit.
  const std::unordered_set<uint64_t> constant_signatures = constantSignatures(problem);
  constant_at.assign(problem.insts.size(), nullptr);
  for (InstId i = 0; i < problem.insts.size(); ++i) {
    const Inst &inst = problem.insts[i];
    const bool is_constant = constant_signatures.contains(inst.signature);
    if ((!is_constant && !repeated.contains(inst.signature)) || inst.has(inst_flag::SideEffect))
      continue;
    if (inst.kind == InstKind::Copy && !crossesFiles(problem, operands, inst))
      continue;
    Expression expression{i, 0, 0, false};
    unsigned results = 0;
    auto refs = problem.operandsOf(inst);
    for (uint32_t o = 0; o < refs.size(); ++o)
      if (refs[o].isDef()) {
        expression.per_thread |= operands[inst.first_operand + o].per_thread;
        results += refs[o].num_lanes;
      }
    if (!results)
      continue;
    if (is_constant) {
      auto [it, is_new] = constants.try_emplace(inst.signature);
      Constant &constant = it->second;
      if (is_new) {
        constant.per_thread = expression.per_thread;
        constant.count = static_cast<uint8_t>(results);
        constant.cell = num_cells[constant.per_thread];
        constant.loc = addLocs(constant.per_thread, {Location::Kind::Own, ~0u, 0}, results);
        num_cells[constant.per_thread] += results;
        for (uint8_t lane = 0; lane < results; ++lane)
          values[constant.per_thread].push_back({false, ~0u, lane});
      }
      constant_at[i] = &constant;
      continue;
    }
    expression.num_results = results;
    auto index = static_cast<uint32_t>(all_expressions.size());
    expression.first_result = addLocs(expression.per_thread, {Location::Kind::Own, ~0u, 0}, results);
    for (uint32_t o = 0; o < refs.size(); ++o)
      if (refs[o].isUse() && !decidesThreads(refs[o])) {
        const OperandPlace &place = operands[inst.first_operand + o];
        for (unsigned lane = 0; lane < place.count; ++lane)
          readers[place.per_thread][place.cell + lane].push_back(index);
      }
    by_signature[inst.signature].push_back(index);
    by_inst[i] = index;
    all_expressions.push_back(expression);
  }
}

Loc Places::slotLoc(uint32_t slot, bool per_thread) const {
  return slots.at(slot).loc[per_thread];
}

Loc Places::unitLaneLoc(RegUnit unit, unsigned lane) const {
  for (const LaneLoc &entry : unit_lanes[unit])
    if (entry.lane == lane)
      return entry.loc;
  return no_loc;
}

const std::vector<Places::LaneLoc> &Places::unitLanes(RegUnit unit) const {
  return unit_lanes[unit];
}

Loc Places::slotLaneLoc(uint32_t slot, unsigned dword, unsigned lane) const {
  auto it = slot_lanes.find(uint64_t(slot) << 32 | dword << 8 | lane);
  return it == slot_lanes.end() ? no_loc : it->second;
}

const std::vector<uint32_t> *Places::expressionsOf(uint64_t signature) const {
  auto it = by_signature.find(signature);
  return it == by_signature.end() ? nullptr : &it->second;
}

const std::vector<uint32_t> *Places::readersOf(Cell cell, bool per_thread) const {
  auto it = readers[per_thread].find(cell);
  return it == readers[per_thread].end() ? nullptr : &it->second;
}

int Places::expressionAt(InstId inst) const {
  auto it = by_inst.find(inst);
  return it == by_inst.end() ? -1 : static_cast<int>(it->second);
}

const Constant *Places::constantOf(uint64_t signature) const {
  auto it = constants.find(signature);
  return it == constants.end() ? nullptr : &it->second;
}

Value Places::valueOf(Cell cell, bool per_thread) const {
  return values[per_thread][cell];
}
Location Places::locationOf(Loc loc, bool per_thread) const {
  return locations[per_thread][loc];
}

} // namespace verilocc::checker
