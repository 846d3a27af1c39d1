#include "checker/describe.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>

namespace verilocc::checker {

using namespace problem;
using assignment::Assignment;

std::string describe(const Value &value) {
  if (value.fixed)
    return unitName(static_cast<RegUnit>(value.reg));
  return value.reg == ~0u ? std::string("a constant") : fmt::format("%{}[{}]", value.reg, value.lane);
}

std::string describe(const Location &location) {
  switch (location.kind) {
  case Location::Kind::Unit:
    return unitName(static_cast<RegUnit>(location.index));
  case Location::Kind::Slot:
    return fmt::format("slot {} dword {}", location.index, location.part);
  case Location::Kind::UnitLane:
    return fmt::format("lane {} of {}", location.part, unitName(static_cast<RegUnit>(location.index)));
  case Location::Kind::SlotLane:
    return fmt::format("lane {} of slot {}", location.part, location.index);
  case Location::Kind::Own:
    return fmt::format("%{}'s own storage", location.index);
  }
  return {};
}

namespace {

std::string operandText(const Operand &operand) {
  std::string text = operand.isDef() ? "def " : "";
  if (operand.fixed)
    return text + tupleName(static_cast<RegUnit>(operand.reg), operand.num_lanes);
  if (operand.num_lanes == 1)
    return text + fmt::format("%{}[{}]", operand.reg, operand.first_lane);
  return text + fmt::format("%{}[{}:{}]", operand.reg, operand.first_lane, operand.first_lane + operand.num_lanes - 1);
}

/// The instruction with its vregs, and with the registers given to them.
std::string instText(const Problem &problem, InstId id) {
  const Inst &inst = problem.insts[id];
  std::string text = problem.opcodes[inst.opcode];
  const char *separator = " ";
  for (const Operand &operand : problem.operandsOf(inst))
    text += separator + operandText(operand), separator = ", ";
  return text;
}

std::string allocatedText(const Problem &problem, const Assignment &assignment, InstId id) {
  const Inst &inst = problem.insts[id];
  if (assignment.deleted[id])
    return "(none: deleted)";
  std::string text = problem.opcodes[inst.opcode];
  const char *separator = " ";
  for (uint32_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o) {
    const Operand &operand = problem.operands[o];
    RegUnit unit = assignment.units[o];
    text += separator + std::string(operand.isDef() ? "def " : "") +
            (unit == no_unit ? operandText(operand) : tupleName(unit, operand.num_lanes));
    separator = ", ";
  }
  return text;
}

std::string editText(const Assignment &assignment, const assignment::Edit &edit) {
  std::string text = assignment.opcodes[edit.inst.opcode];
  const char *separator = " ";
  for (const Operand &operand : assignment.operandsOf(edit))
    text += separator + operandText(operand), separator = ", ";
  if (edit.inst.slot != no_slot)
    text += fmt::format(" slot {}", edit.inst.slot);
  return text;
}

} // namespace

std::vector<BlockId> pathTo(const Problem &problem, BlockId block) {
  std::vector<BlockId> from(problem.blocks.size(), ~0u);
  std::deque<BlockId> queue{0};
  from[0] = 0;
  while (!queue.empty() && from[block] == ~0u) {
    BlockId b = queue.front();
    queue.pop_front();
    for (BlockId succ : problem.blocks[b].succs)
      if (from[succ] == ~0u) {
        from[succ] = b;
        queue.push_back(succ);
      }
  }
  std::vector<BlockId> path{block};
  while (path.back() != 0 && from[path.back()] != ~0u)
    path.push_back(from[path.back()]);
  std::reverse(path.begin(), path.end());
  return path;
}

std::string describe(const CheckerError &error, const Problem &problem, const Assignment &assignment) {
  std::string text = fmt::format("{} in block {}: {}\n", name(error.kind), error.block, explain(error.kind));
  if (error.edit >= 0) {
    text += fmt::format("  inserted: {}\n", editText(assignment, assignment.edits[static_cast<size_t>(error.edit)]));
  } else {
    text += fmt::format("  before:   {} (instruction {})\n", instText(problem, error.inst), error.inst);
    text += fmt::format("  after:    {}\n", allocatedText(problem, assignment, error.inst));
  }
  if (error.operand >= 0 && error.edit < 0)
    text += fmt::format("  operand {}: {} in {}\n", error.operand, describe(error.expected), describe(error.location));
  if (error.kind == ErrorKind::LostValue || error.kind == ErrorKind::EarlyClobber) {
    text += "  there is: ";
    for (size_t i = 0; i < error.found.size(); ++i)
      text += (i ? ", " : "") + describe(error.found[i]);
    text += error.found.empty() ? "nothing known\n" : "\n";
  }
  text += "  a path:   ";
  std::vector<BlockId> path = pathTo(problem, error.block);
  for (size_t i = 0; i < path.size(); ++i)
    text += fmt::format("{}{}", i ? " > " : "", path[i]);
  return text + "\n";
}

std::string describe(const Doubt &doubt, const Problem &problem) {
  if (doubt.kind == Doubt::Kind::ClaimedUndefined)
    return fmt::format("{} in block {}: {} reads through operand {} a lane whose value is lost, and which LLVM's live "
                       "intervals call undefined\n",
                       name(doubt.kind), doubt.block, instText(problem, doubt.inst), doubt.operand);
  return fmt::format("{} in block {}: {} reads threads outside EXEC through operand {}, where a value may be lost\n",
                     name(doubt.kind), doubt.block, instText(problem, doubt.inst), doubt.operand);
}

} // namespace verilocc::checker
