#include "assignment/assignment.h"

#include <fmt/format.h>

namespace verilocc::assignment {

using problem::Operand;

Assignment fromHomes(const problem::Problem &problem, const Homes &homes) {
  assert(homes.size() == problem.vregs.size());
  Assignment result;
  result.units.reserve(problem.operands.size());
  for (const Operand &op : problem.operands) {
    RegUnit unit = op.fixed ? RegUnit(op.reg) : homes[op.reg];
    if (!op.fixed && unit != problem::no_unit)
      unit = RegUnit(unit + op.first_lane);
    result.units.push_back(unit);
  }
  result.deleted.assign(problem.insts.size(), 0);
  return result;
}

support::Status wellFormed(const problem::Problem &problem, const Assignment &a) {
  const auto fail = [](std::string message) { return support::InputError{std::move(message)}; };
  if (a.units.size() != problem.operands.size())
    return fail(fmt::format("{} units for {} operands", a.units.size(), problem.operands.size()));
  if (a.deleted.size() != problem.insts.size())
    return fail(fmt::format("{} deletion marks for {} instructions", a.deleted.size(), problem.insts.size()));
  for (problem::InstId i = 0; i < problem.insts.size(); ++i) {
    const problem::Inst &inst = problem.insts[i];
    if (a.deleted[i] > 1)
      return fail(fmt::format("instruction {}: deletion mark {}", i, a.deleted[i]));
    for (unsigned o = 0; o < inst.num_operands; ++o) {
      const Operand &op = problem.operandsOf(inst)[o];
      const RegUnit unit = a.units[inst.first_operand + o];
      if (op.fixed && unit != op.reg)
        return fail(fmt::format("instruction {}, operand {}: fixed to unit {}, but assigned {}", i, o, op.reg, unit));
      if (unit != problem::no_unit && unit + op.num_lanes > problem::num_units)
        return fail(
            fmt::format("instruction {}, operand {}: units [{}, {}) do not exist", i, o, unit, unit + op.num_lanes));
    }
  }
  for (size_t e = 0; e < a.edits.size(); ++e) {
    const Edit &edit = a.edits[e];
    if (edit.block >= problem.blocks.size())
      return fail(fmt::format("edit {}: block {} does not exist", e, edit.block));
    const problem::Block &block = problem.blocks[edit.block];
    if (edit.before < block.first || edit.before > block.last)
      return fail(fmt::format("edit {}: instruction {} is not in block {}", e, edit.before, edit.block));
    if (e > 0 && std::pair(a.edits[e - 1].block, a.edits[e - 1].before) > std::pair(edit.block, edit.before))
      return fail(fmt::format("edit {}: out of program order", e));
    if (edit.inst.opcode >= a.opcodes.size())
      return fail(fmt::format("edit {}: opcode number {} of {}", e, edit.inst.opcode, a.opcodes.size()));
    if (edit.inst.first_operand > a.edit_operands.size() ||
        a.edit_operands.size() - edit.inst.first_operand < edit.inst.num_operands)
      return fail(fmt::format("edit {}: its operands do not exist", e));
    for (const Operand &op : a.operandsOf(edit)) {
      if (!op.fixed || op.num_lanes < 1 || op.reg >= problem::num_units || op.reg + op.num_lanes > problem::num_units ||
          op.first_lane != 0)
        return fail(fmt::format("edit {}: an operand is not a fixed register", e));
      if (problem::isPerThread(RegUnit(op.reg)) != problem::isPerThread(RegUnit(op.reg + op.num_lanes - 1)))
        return fail(fmt::format("edit {}: an operand reaches from vector into scalar registers", e));
    }
  }
  return support::Ok{};
}

} // namespace verilocc::assignment
