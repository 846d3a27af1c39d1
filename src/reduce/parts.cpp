#include "reduce/parts.h"

#include <algorithm>
#include <map>
#include <set>

namespace verilocc::reduce {

using namespace problem;
using assignment::Assignment;
using assignment::Case;
using assignment::Edit;

namespace {

/// The same with other instructions: each old one stays, at most once, in its block, or goes. `operand_gone` by index
/// into Problem::operands.
Case rebuild(const Case &from, const Gone &inst_gone, const Gone &operand_gone) {
  const Problem &p = from.problem;
  const Assignment &a = *from.assignment;
  Case to = from;
  Problem &q = to.problem;
  Assignment &b = *to.assignment;
  q.insts.clear();
  q.operands.clear();
  b.units.clear();
  b.deleted.clear();
  std::vector<InstId> new_id(p.insts.size() + 1); // of the first one at or behind it that stays
  for (InstId i = 0; i < p.insts.size(); ++i) {
    new_id[i] = static_cast<InstId>(q.insts.size());
    if (!inst_gone.empty() && inst_gone[i])
      continue;
    Inst inst = p.insts[i];
    inst.first_operand = static_cast<uint32_t>(q.operands.size());
    inst.num_operands = 0;
    std::vector<int> new_index(p.insts[i].num_operands, -1);
    for (unsigned o = 0; o < p.insts[i].num_operands; ++o)
      if (operand_gone.empty() || !operand_gone[p.insts[i].first_operand + o])
        new_index[o] = inst.num_operands++;
    for (unsigned o = 0; o < p.insts[i].num_operands; ++o) {
      if (new_index[o] < 0)
        continue;
      Operand operand = p.operands[p.insts[i].first_operand + o];
      if (operand.tied_to >= 0)
        operand.tied_to = static_cast<int8_t>(new_index[static_cast<size_t>(operand.tied_to)]);
      q.operands.push_back(operand);
      b.units.push_back(a.units[p.insts[i].first_operand + o]);
    }
    q.insts.push_back(inst);
    b.deleted.push_back(a.deleted[i]);
  }
  new_id[p.insts.size()] = static_cast<InstId>(q.insts.size());
  for (Block &block : q.blocks) {
    block.first = new_id[block.first];
    block.last = new_id[block.last];
  }
  for (Edit &edit : b.edits)
    edit.before = new_id[edit.before];
  return to;
}

void rebuildPredecessors(Problem &problem) {
  for (Block &block : problem.blocks) {
    std::vector<BlockId> unique;
    for (BlockId succ : block.succs)
      if (std::find(unique.begin(), unique.end(), succ) == unique.end())
        unique.push_back(succ);
    block.succs = std::move(unique);
    if (std::find(block.succs.begin(), block.succs.end(), block.empty_succ) == block.succs.end())
      block.empty_succ = problem::no_block;
    block.preds.clear();
  }
  for (BlockId b = 0; b < problem.blocks.size(); ++b)
    for (BlockId succ : problem.blocks[b].succs)
      problem.blocks[succ].preds.push_back(b);
}

/// Blocks that stay move together; successors must all stay.
void dropBlocks(Case &c, const Gone &gone) {
  std::vector<BlockId> number(gone.size());
  std::vector<Block> blocks;
  for (BlockId b = 0; b < gone.size(); ++b) {
    number[b] = static_cast<BlockId>(blocks.size());
    if (!gone[b])
      blocks.push_back(c.problem.blocks[b]);
  }
  for (Block &block : blocks) {
    for (BlockId &succ : block.succs)
      succ = number[succ];
    if (block.empty_succ != problem::no_block)
      block.empty_succ = number[block.empty_succ];
  }
  c.problem.blocks = std::move(blocks);
  for (Edit &edit : c.assignment->edits)
    edit.block = number[edit.block];
  rebuildPredecessors(c.problem);
}

} // namespace

Case withoutInsts(const Case &from, const Gone &insts) {
  return rebuild(from, insts, {});
}

Case withoutEdits(const Case &from, const Gone &edits) {
  Case to = from;
  Assignment &a = *to.assignment;
  a.edits.clear();
  a.edit_operands.clear();
  for (size_t e = 0; e < from.assignment->edits.size(); ++e) {
    if (edits[e])
      continue;
    Edit edit = from.assignment->edits[e];
    auto operands = from.assignment->operandsOf(edit);
    edit.inst.first_operand = static_cast<uint32_t>(a.edit_operands.size());
    a.edit_operands.insert(a.edit_operands.end(), operands.begin(), operands.end());
    a.edits.push_back(std::move(edit));
  }
  return to;
}

Case withoutDeletions(const Case &from, const Gone &insts) {
  Case to = from;
  for (size_t i = 0; i < insts.size(); ++i)
    if (insts[i])
      to.assignment->deleted[i] = 0;
  return to;
}

Case withoutOperands(const Case &from, const Gone &operands) {
  std::map<uint64_t, unsigned> count;
  for (const Inst &inst : from.problem.insts)
    ++count[inst.signature];
  for (const Edit &edit : from.assignment->edits)
    ++count[edit.inst.signature];
  Gone gone = operands;
  for (const Inst &inst : from.problem.insts) {
    const bool may_go = count[inst.signature] == 1 && inst.kind != InstKind::Copy;
    for (unsigned o = 0; o < inst.num_operands; ++o) {
      const Operand &operand = from.problem.operands[inst.first_operand + o];
      bool goes = may_go && gone[inst.first_operand + o];
      // A use without the definition that it is tied to would mean something else.
      if (operand.isUse() && operand.tied_to >= 0)
        goes = goes || (may_go && gone[inst.first_operand + static_cast<unsigned>(operand.tied_to)]);
      gone[inst.first_operand + o] = goes;
    }
  }
  return rebuild(from, {}, gone);
}

Case withoutBlocks(const Case &from, const Gone &blocks) {
  const Problem &p = from.problem;
  Gone inst_gone(p.insts.size()), edit_gone(from.assignment->edits.size());
  for (BlockId b = 1; b < p.blocks.size(); ++b)
    for (InstId i = p.blocks[b].first; blocks[b] && i < p.blocks[b].last; ++i)
      inst_gone[i] = true;
  for (size_t e = 0; e < edit_gone.size(); ++e)
    edit_gone[e] = from.assignment->edits[e].block && blocks[from.assignment->edits[e].block];
  Case to = withoutInsts(withoutEdits(from, edit_gone), inst_gone);
  // Where a block leads once those that go are skipped.
  auto reached = [&](BlockId start) {
    std::vector<BlockId> found, work{start};
    std::set<BlockId> seen{start};
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (!b || !blocks[b]) {
        found.push_back(b);
        continue;
      }
      for (BlockId succ : p.blocks[b].succs)
        if (seen.insert(succ).second)
          work.push_back(succ);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  for (Block &block : to.problem.blocks) {
    std::vector<BlockId> succs;
    bool is_same = true;
    for (BlockId succ : block.succs)
      for (BlockId b : reached(succ)) {
        succs.push_back(b);
        is_same &= b == succ;
      }
    block.succs = std::move(succs);
    if (!is_same)
      block.empty_succ = problem::no_block;
  }
  Gone gone = blocks;
  gone[0] = false;
  dropBlocks(to, gone);
  return to;
}

Case withoutBorders(const Case &from, const Gone &blocks) {
  Case to = from;
  std::vector<Block> &list = to.problem.blocks;
  Gone joined(list.size());
  BlockId whole = 0; // which the blocks before this one became part of
  std::vector<BlockId> part_of(list.size());
  for (BlockId b = 1; b < list.size(); ++b) {
    const bool is_plain = list[b].preds == std::vector<BlockId>{b - 1} && list[whole].succs == std::vector<BlockId>{b};
    joined[b] = blocks[b] && is_plain;
    if (joined[b]) {
      list[whole].last = list[b].last;
      list[whole].succs = list[b].succs;
      list[whole].empty_succ = list[b].empty_succ;
    } else {
      whole = b;
    }
    part_of[b] = whole;
  }
  for (Edit &edit : to.assignment->edits)
    edit.block = part_of[edit.block];
  dropBlocks(to, joined);
  return to;
}

size_t countEdges(const Problem &problem) {
  size_t count = 0;
  for (const Block &block : problem.blocks)
    count += block.succs.size();
  return count;
}

Case withoutEdges(const Case &from, const Gone &edges) {
  Case to = from;
  size_t next = 0;
  for (Block &block : to.problem.blocks) {
    std::vector<BlockId> succs;
    for (BlockId succ : block.succs)
      if (!edges[next++])
        succs.push_back(succ);
    block.succs = std::move(succs);
  }
  rebuildPredecessors(to.problem);
  return to;
}

Case withoutUnused(const Case &from) {
  // Unreachable blocks, as blocks that go.
  Gone unreachable(from.problem.blocks.size(), true);
  std::vector<BlockId> work{0};
  unreachable[0] = false;
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (BlockId succ : from.problem.blocks[b].succs)
      if (unreachable[succ]) {
        unreachable[succ] = false;
        work.push_back(succ);
      }
  }
  Case to = withoutBlocks(from, unreachable);
  Problem &p = to.problem;
  Assignment &a = *to.assignment;
  for (Block &block : p.blocks) {
    block.frequency = 1;
    block.loop_depth = 0;
  }

  // Numbers in the order of their first use; what has none goes.
  auto renumber = [](auto &list, std::vector<uint32_t> &number) {
    std::remove_reference_t<decltype(list)> kept;
    std::vector<std::pair<uint32_t, uint32_t>> order;
    for (uint32_t i = 0; i < number.size(); ++i)
      if (number[i] != ~0u)
        order.push_back({number[i], i});
    std::sort(order.begin(), order.end());
    for (auto [to_index, from_index] : order)
      kept.push_back(std::move(list[from_index]));
    list = std::move(kept);
  };
  auto use = [](std::vector<uint32_t> &number, uint32_t &count, uint32_t i) {
    if (number[i] == ~0u)
      number[i] = count++;
    return number[i];
  };
  std::vector<uint32_t> vregs(p.vregs.size(), ~0u), opcodes(p.opcodes.size(), ~0u), sets(p.clobber_sets.size(), ~0u);
  std::vector<uint32_t> classes(p.env.classes.size(), ~0u), edit_opcodes(a.opcodes.size(), ~0u);
  uint32_t num_vregs = 0, num_opcodes = 0, num_sets = 0, num_classes = 0, num_edit_opcodes = 0;
  for (Operand &operand : p.operands)
    if (!operand.fixed)
      operand.reg = use(vregs, num_vregs, operand.reg);
  for (Inst &inst : p.insts) {
    inst.opcode = use(opcodes, num_opcodes, inst.opcode);
    if (inst.clobbers >= 0)
      inst.clobbers = static_cast<int32_t>(use(sets, num_sets, static_cast<uint32_t>(inst.clobbers)));
  }
  for (Edit &edit : a.edits)
    edit.inst.opcode = use(edit_opcodes, num_edit_opcodes, edit.inst.opcode);
  renumber(p.vregs, vregs);
  renumber(p.opcodes, opcodes);
  renumber(p.clobber_sets, sets);
  renumber(a.opcodes, edit_opcodes);
  for (ClassId &c : p.vregs)
    c = static_cast<ClassId>(use(classes, num_classes, c));
  for (Operand &operand : p.operands)
    if (operand.constraint != no_class)
      operand.constraint = static_cast<ClassId>(use(classes, num_classes, operand.constraint));
  for (Operand &operand : a.edit_operands)
    operand.constraint = no_class;
  renumber(p.env.classes, classes);
  return to;
}

} // namespace verilocc::reduce
