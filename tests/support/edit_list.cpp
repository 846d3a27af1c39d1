#include "tests/support/edit_list.h"

#include "problem/inst_text.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace verilocc::tests {

using namespace problem;
using assignment::Assignment;

std::vector<EditItem> unpackEdits(const Assignment &assignment) {
  std::vector<EditItem> items;
  for (const auto &edit : assignment.edits) {
    const auto operands = assignment.operandsOf(edit);
    items.push_back({edit, {operands.begin(), operands.end()}});
  }
  return items;
}

void packEdits(std::vector<EditItem> items, Assignment &assignment) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tie(items[a].edit.block, items[a].edit.before, a) <
           std::tie(items[b].edit.block, items[b].edit.before, b);
  });
  assignment.edits.clear();
  assignment.edit_operands.clear();
  for (size_t i : order) {
    EditItem &item = items[i];
    item.edit.inst.first_operand = static_cast<uint32_t>(assignment.edit_operands.size());
    item.edit.inst.num_operands = static_cast<uint16_t>(item.operands.size());
    assignment.edits.push_back(item.edit);
    assignment.edit_operands.insert(assignment.edit_operands.end(), item.operands.begin(), item.operands.end());
  }
}

Operand EditMaker::def(RegUnit unit, unsigned lanes, uint8_t flags) {
  Operand op = use(unit, lanes, flags);
  op.access = Access::Def;
  return op;
}

Operand EditMaker::use(RegUnit unit, unsigned lanes, uint8_t flags) {
  Operand op;
  op.reg = unit;
  op.fixed = true;
  op.num_lanes = static_cast<uint8_t>(lanes);
  op.flags = flags;
  return op;
}

EditItem EditMaker::make(const std::string &opcode, InstKind kind, uint16_t flags, std::vector<Operand> operands) {
  EditItem item;
  item.edit.inst.signature = defaultSignature(opcode);
  item.edit.inst.kind = kind;
  item.edit.inst.flags = flags;
  auto at = std::find(assignment.opcodes.begin(), assignment.opcodes.end(), opcode);
  item.edit.inst.opcode = static_cast<uint32_t>(at - assignment.opcodes.begin());
  if (at == assignment.opcodes.end())
    assignment.opcodes.push_back(opcode);
  item.operands = std::move(operands);
  return item;
}

EditItem EditMaker::copy(RegUnit to, RegUnit from, unsigned lanes, uint16_t flags) {
  return make("COPY", InstKind::Copy, flags, {def(to, lanes), use(from, lanes)});
}

EditItem EditMaker::spill(uint32_t slot, RegUnit from, unsigned lanes, uint16_t flags) {
  EditItem item = make("SPILL", InstKind::Spill, flags, {use(from, lanes)});
  item.edit.inst.slot = slot;
  return item;
}

EditItem EditMaker::reload(RegUnit to, uint32_t slot, unsigned lanes, uint16_t flags) {
  EditItem item = make("RELOAD", InstKind::Reload, flags, {def(to, lanes)});
  item.edit.inst.slot = slot;
  return item;
}

EditItem EditMaker::writeLane(RegUnit vector, unsigned lane, RegUnit scalar) {
  Operand old = use(vector);
  old.tied_to = 0;
  EditItem item = make("V_WRITELANE", InstKind::LaneWrite, inst_flag::AllThreads | inst_flag::CrossLane,
                       {def(vector), use(scalar), old});
  item.edit.inst.lane = static_cast<uint8_t>(lane);
  return item;
}

EditItem EditMaker::readLane(RegUnit scalar, RegUnit vector, unsigned lane) {
  EditItem item =
      make("V_READLANE", InstKind::LaneRead, inst_flag::AllThreads | inst_flag::CrossLane, {def(scalar), use(vector)});
  item.edit.inst.lane = static_cast<uint8_t>(lane);
  return item;
}

EditItem EditMaker::exchange(RegUnit a, RegUnit b, unsigned lanes) {
  Operand from_b = use(b, lanes), from_a = use(a, lanes);
  from_b.tied_to = 1;
  from_a.tied_to = 0;
  return make("V_SWAP", InstKind::Exchange, inst_flag::PerThread, {def(a, lanes), def(b, lanes), from_b, from_a});
}

EditItem EditMaker::saveExec(RegUnit to, unsigned dwords) {
  EditItem item = make("S_OR_SAVEEXEC", InstKind::ScalarAlu, 0,
                       {def(to, dwords), def(exec_lo, dwords, operand_flag::Implicit),
                        def(scc, 1, operand_flag::Implicit), use(exec_lo, dwords, operand_flag::Implicit)});
  item.edit.inst.mask_op = MaskOp::OrSave;
  item.edit.inst.mask_has_constant = true;
  item.edit.inst.mask_constant = -1;
  return item;
}

EditItem EditMaker::restoreExec(RegUnit from, unsigned dwords) {
  EditItem item = make("S_MOV_EXEC", InstKind::ScalarAlu, 0, {def(exec_lo, dwords), use(from, dwords)});
  item.edit.inst.mask_op = MaskOp::Move;
  return item;
}

} // namespace verilocc::tests
