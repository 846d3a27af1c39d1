#include "checker/constraints.h"

#include <algorithm>

namespace verilocc::checker {

using namespace problem;
using assignment::Assignment;

namespace {

bool overLimit(const MachineEnv &env, RegUnit first, unsigned count) {
  unsigned last = first + count - 1;
  switch (fileOf(first)) {
  case RegFile::Vector:
    return last >= first_vgpr + env.max_vgprs;
  case RegFile::Accum:
    return last >= first_agpr + env.max_agprs;
  case RegFile::Scalar:
    return last < vcc_lo && last >= first_sgpr + env.max_sgprs;
  case RegFile::Special:
    return false;
  }
  return false;
}

} // namespace

std::vector<CheckerError> checkConstraints(const Problem &problem, const Assignment &assignment) {
  std::vector<CheckerError> errors;
  // Class of each vreg as "one value a thread or one a wave".
  std::vector<uint8_t> vreg_per_thread(problem.vregs.size());
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    vreg_per_thread[v] = problem.classOf(v).isPerThread();

  for (BlockId b = 0; b < problem.blocks.size(); ++b)
    for (InstId id = problem.blocks[b].first; id < problem.blocks[b].last; ++id) {
      if (assignment.deleted[id])
        continue;
      const Inst &inst = problem.insts[id];
      if (inst.kind == InstKind::Kill || inst.kind == InstKind::ImplicitDef)
        continue;
      auto operands = problem.operandsOf(inst);
      auto fail = [&](ErrorKind kind, uint32_t operand) {
        CheckerError error;
        error.kind = kind;
        error.block = b;
        error.inst = id;
        error.operand = static_cast<int>(operand);
        const Operand &o = operands[operand];
        error.expected = {o.fixed, o.reg, o.first_lane};
        error.location = {Location::Kind::Unit, assignment.units[inst.first_operand + operand], 0};
        errors.push_back(error);
      };
      for (uint32_t o = 0; o < operands.size(); ++o) {
        const Operand &operand = operands[o];
        RegUnit unit = assignment.units[inst.first_operand + o];
        if (operand.fixed) {
          if (unit != operand.reg)
            fail(ErrorKind::FixedMoved, o);
          continue;
        }
        if (unit == no_unit)
          continue;
        const bool reads_or_writes = operand.isDef() || !operand.has(operand_flag::Undef);
        for (unsigned lane = 0; lane < operand.num_lanes; ++lane)
          if (isPerThread(static_cast<RegUnit>(unit + lane)) != bool(vreg_per_thread[operand.reg])) {
            fail(ErrorKind::WrongFile, o);
            break;
          }
        if (operand.constraint != no_class) {
          const UnitSet &bases = problem.env.classes[operand.constraint].bases;
          if (!bases.test(unit)) {
            bool neighbour = (unit > 0 && bases.test(unit - 1)) || (unit + 1u < num_units && bases.test(unit + 1));
            fail(neighbour ? ErrorKind::Misaligned : ErrorKind::WrongClass, o);
          }
        }
        if (operand.tied_to >= 0 && operand.isUse() &&
            assignment.units[inst.first_operand + static_cast<uint32_t>(operand.tied_to)] != unit)
          fail(ErrorKind::BrokenTie, o);
        if (!reads_or_writes)
          continue;
        for (unsigned lane = 0; lane < operand.num_lanes; ++lane)
          if (problem.env.reserved.test(unit + lane)) {
            fail(ErrorKind::ReservedRegister, o);
            break;
          }
        if (overLimit(problem.env, unit, operand.num_lanes))
          fail(ErrorKind::OverLimit, o);
      }
      // Two definitions may meet in a register only if they write the same lane of the same vreg.
      for (uint32_t x = 0; x < operands.size(); ++x)
        for (uint32_t y = x + 1; y < operands.size(); ++y) {
          const Operand &a = operands[x], &c = operands[y];
          RegUnit ua = assignment.units[inst.first_operand + x], uc = assignment.units[inst.first_operand + y];
          if (!a.isDef() || !c.isDef() || ua == no_unit || uc == no_unit || (a.fixed && c.fixed))
            continue;
          if (ua >= uc + c.num_lanes || uc >= ua + a.num_lanes)
            continue;
          bool same_value = !a.fixed && !c.fixed && a.reg == c.reg && ua - a.first_lane == uc - c.first_lane;
          if (!same_value)
            fail(ErrorKind::DefOverlap, y);
        }
    }

  std::vector<InstId> first_branch(problem.blocks.size());
  for (BlockId b = 0; b < problem.blocks.size(); ++b) {
    InstId id = problem.blocks[b].first;
    while (id < problem.blocks[b].last && (problem.insts[id].kind != InstKind::Branch || assignment.deleted[id]))
      ++id;
    first_branch[b] = id;
  }
  for (size_t e = 0; e < assignment.edits.size(); ++e) {
    const assignment::Edit &edit = assignment.edits[e];
    if (edit.before <= first_branch[edit.block])
      continue;
    CheckerError error;
    error.kind = ErrorKind::EditAfterBranch;
    error.block = edit.block;
    error.inst = edit.before;
    error.edit = static_cast<int>(e);
    errors.push_back(error);
  }
  return errors;
}

} // namespace verilocc::checker
