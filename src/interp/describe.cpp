#include "interp/interp.h"

#include <fmt/format.h>

namespace verilocc::interp {

using namespace problem;
using assignment::Assignment;

namespace {

std::string textOf(const Cell &cell) {
  return cell.fixed ? unitName(static_cast<RegUnit>(cell.reg)) : fmt::format("%{}[{}]", cell.reg, cell.lane);
}

std::string operandsOf(std::span<const Operand> operands) {
  std::string defs, uses;
  for (const Operand &op : operands) {
    std::string &list = op.isDef() ? defs : uses;
    list += list.empty() ? "" : ", ";
    list += tupleName(static_cast<RegUnit>(op.reg), op.num_lanes);
  }
  return defs.empty() ? uses : fmt::format("{} = {}", defs, uses);
}

std::string instText(const Problem &problem, InstId inst) {
  return fmt::format("instruction {} ({}, block {})", inst, problem.opcodes[problem.insts[inst].opcode],
                     problem.blockOf(inst));
}

std::string editText(const Assignment &assignment, unsigned index) {
  const auto &edit = assignment.edits[index];
  return fmt::format("edit {} ({} {}, block {}, before instruction {})", index, assignment.opcodes[edit.inst.opcode],
                     operandsOf(assignment.operandsOf(edit)), edit.block, edit.before);
}

std::string writerText(const Problem &problem, const Assignment &assignment, const Writer &writer) {
  switch (writer.kind) {
  case Writer::Kind::Nobody:
    return "never written";
  case Writer::Kind::Entry:
    return "there at entry";
  case Writer::Kind::Inst:
    return fmt::format("written by {}, step {}", instText(problem, writer.index), writer.step);
  case Writer::Kind::Edit:
    return fmt::format("written by {}, step {}", editText(assignment, writer.index), writer.step);
  }
  return {};
}

std::string pathText(const std::vector<BlockId> &blocks) {
  std::string text;
  constexpr size_t shown = 40;
  const size_t first = blocks.size() > shown ? blocks.size() - shown : 0;
  if (first > 0)
    text = "...";
  for (size_t i = first; i < blocks.size(); ++i)
    text += fmt::format("{}{}", text.empty() ? "" : " ", blocks[i]);
  return text;
}

} // namespace

std::string describe(const Problem &problem, const Assignment &assignment, const Difference &d) {
  std::string text;
  switch (d.kind) {
  case Difference::Kind::Input:
    text = fmt::format("{}: operand {} reads {} from {}", instText(problem, d.inst), d.operand, textOf(d.cell),
                       d.location == no_unit ? "its own storage" : unitName(d.location));
    if (d.thread >= 0)
      text += fmt::format(", in {} thread {}", d.active ? "the active" : "the inactive", d.thread);
    break;
  case Difference::Kind::Exec:
    text = fmt::format("{}: {} differs", instText(problem, d.inst), textOf(d.cell));
    break;
  case Difference::Kind::MissingEffect:
    text = fmt::format("{}: has a side effect and is missing", instText(problem, d.inst));
    break;
  case Difference::Kind::BrokenTie: {
    const Inst &inst = problem.insts[d.inst];
    const auto unit = [&](int operand) { return unitName(assignment.units[inst.first_operand + operand]); };
    const int def = problem.operandsOf(inst)[d.operand].tied_to;
    text = fmt::format("{}: operand {} at {} is tied to operand {} at {}", instText(problem, d.inst), d.operand,
                       unit(d.operand), def, unit(def));
    break;
  }
  case Difference::Kind::ExtraEffect:
    text = fmt::format("{}: has a side effect that the code did not have", editText(assignment, d.edit));
    break;
  }
  text += fmt::format("\n  path {} of seed {}, blocks {}", d.path, d.seed, pathText(d.blocks));
  if (d.kind == Difference::Kind::Input || d.kind == Difference::Kind::Exec) {
    text += fmt::format("\n  expected {:016x}, {}", d.expected, writerText(problem, assignment, d.expected_from));
    if (d.found_undefined)
      text += "\n  found nothing defined";
    else
      text += fmt::format("\n  found    {:016x}", d.found);
    if (d.found_is)
      text += fmt::format(", the value of {}", textOf(*d.found_is));
    text += fmt::format(", {}", writerText(problem, assignment, d.found_from));
  }
  return text + "\n";
}

} // namespace verilocc::interp
