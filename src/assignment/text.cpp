#include "assignment/text.h"

#include "problem/inst_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace verilocc::assignment {

using problem::BlockId;
using problem::InstId;
using problem::no_unit;
using problem::Operand;
using problem::VReg;
using support::quotedName;
using support::TextReader;

namespace {

std::string placeName(RegUnit unit, unsigned size) {
  return unit == no_unit ? "none" : problem::tupleName(unit, size);
}

/// The unit of an operand whose vreg lies at `home`.
RegUnit atHome(const Operand &op, RegUnit home) {
  if (op.fixed)
    return static_cast<RegUnit>(op.reg);
  return home == no_unit ? no_unit : static_cast<RegUnit>(home + op.first_lane);
}

bool opcodesInOrderOfUse(const Assignment &a) {
  uint32_t next = 0;
  for (const Edit &edit : a.edits) {
    if (edit.inst.opcode > next)
      return false;
    next += edit.inst.opcode == next;
  }
  return next == a.opcodes.size();
}

class AssignmentParser {
public:
  AssignmentParser(TextReader &reader, const problem::Problem &problem)
      : reader(reader), problem(problem), vregs(no_vregs), homes(problem.vregs.size(), no_unit) {}

  support::Result<Assignment> parse() {
    if (!reader.nextLine() || !reader.takeWord("assignment"))
      reader.fail("expected 'assignment'");
    reader.endOfLine();
    // Homes come first, because the other lines say what differs from them.
    bool at_homes = true;
    while (reader.nextLine()) {
      if (at_homes && reader.takeWord("home")) {
        if (!homeLine())
          break;
        continue;
      }
      if (at_homes)
        result = fromHomes(problem, homes);
      at_homes = false;
      if (!line() || !reader.endOfLine())
        break;
    }
    if (at_homes)
      result = fromHomes(problem, homes);
    if (reader.failed())
      return reader.error();
    result.opcodes = std::move(opcodes.names);
    if (auto status = wellFormed(problem, result); !status) {
      reader.failWhole("the assignment is not well-formed: " + status.error().message);
      return reader.error();
    }
    return std::move(result);
  }

private:
  bool homeLine() {
    do {
      VReg vreg = 0;
      if (!reader.expect("%") || !number(vreg, "a virtual register", problem.vregs.size()) || !reader.expect("="))
        return false;
      if (!place(homes[vreg], problem.widthOf(vreg)))
        return false;
    } while (reader.take(","));
    return reader.endOfLine();
  }

  /// A number below `count`.
  template <typename T> bool number(T &out, std::string_view what, size_t count) {
    return count ? reader.number(out, fmt::format("the number of {}", what), 0, count - 1)
                 : reader.fail(fmt::format("expected {}, but there is none", what));
  }

  bool place(RegUnit &out, unsigned size) {
    if (reader.takeWord("none")) {
      out = no_unit;
      return true;
    }
    const size_t column = reader.column();
    std::string_view text;
    if (!reader.tuple(text, "a register, or 'none'"))
      return false;
    const auto range = problem::parseTuple(text);
    if (!range)
      return reader.failAt(column, fmt::format("unknown register '{}'", text));
    if (range->size != size)
      return reader.failAt(column, fmt::format("'{}' has {} units, expected {}", text, range->size, size));
    out = range->first;
    return true;
  }

  bool line() {
    if (reader.takeWord("at"))
      return atLine();
    if (reader.takeWord("delete")) {
      InstId inst = 0;
      do {
        if (!number(inst, "an instruction", problem.insts.size()))
          return false;
        result.deleted[inst] = 1;
      } while (reader.take(","));
      return true;
    }
    if (reader.takeWord("edit"))
      return editLine();
    if (reader.takeWord("edit-opcodes")) {
      while (!reader.failed() && !reader.atEnd()) {
        std::string opcode;
        if (reader.name(opcode, "an opcode"))
          opcodes.intern(opcode);
      }
      return true;
    }
    return reader.fail("expected 'at', 'delete', 'edit', 'edit-opcodes', or, before those, 'home'");
  }

  bool atLine() {
    InstId id = 0;
    if (!number(id, "an instruction", problem.insts.size()) || !reader.expect(":"))
      return false;
    const problem::Inst &inst = problem.insts[id];
    do {
      unsigned o = 0;
      if (!number(o, "an operand", inst.num_operands) || !reader.expect("="))
        return false;
      if (!place(result.units[inst.first_operand + o], problem.operandsOf(inst)[o].num_lanes))
        return false;
    } while (reader.take(","));
    return true;
  }

  bool editLine() {
    Edit edit;
    const size_t column = reader.column();
    if (reader.takeWord("end")) {
      if (!number(edit.block, "a block", problem.blocks.size()))
        return false;
      edit.before = problem.blocks[edit.block].last;
    } else {
      if (!number(edit.before, "an instruction", problem.insts.size()))
        return false;
      edit.block = problem.blockOf(edit.before);
    }
    if (!result.edits.empty() &&
        std::pair(result.edits.back().block, result.edits.back().before) > std::pair(edit.block, edit.before))
      return reader.failAt(column, "edits stand in program order");
    if (!reader.expect(":"))
      return false;
    edit.inst.first_operand = static_cast<uint32_t>(result.edit_operands.size());
    if (!problem::parseInst(reader, problem.env, vregs, opcodes, edit.inst, result.edit_operands))
      return false;
    result.edits.push_back(edit);
    return true;
  }

  TextReader &reader;
  const problem::Problem &problem;
  const problem::MachineEnv no_vregs; ///< an edit that names a vreg finds no class for it
  problem::VRegTable vregs;
  problem::Interner opcodes;
  Homes homes;
  Assignment result;
};

} // namespace

Homes mainHomes(const problem::Problem &problem, const Assignment &a) {
  struct Vote {
    VReg vreg;
    RegUnit home;
    bool operator<(const Vote &other) const { return std::tie(vreg, home) < std::tie(other.vreg, other.home); }
  };
  std::vector<Vote> votes;
  for (size_t o = 0; o < problem.operands.size(); ++o) {
    const Operand &op = problem.operands[o];
    if (op.fixed || a.units[o] == no_unit || a.units[o] < op.first_lane)
      continue;
    const auto home = static_cast<RegUnit>(a.units[o] - op.first_lane);
    if (home + problem.widthOf(op.reg) <= problem::num_units)
      votes.push_back({op.reg, home});
  }
  std::sort(votes.begin(), votes.end());
  Homes homes(problem.vregs.size(), no_unit);
  for (size_t i = 0, best = 0; i < votes.size();) {
    size_t end = i;
    while (end < votes.size() && !(votes[i] < votes[end]))
      ++end;
    if (i == 0 || votes[i - 1].vreg != votes[i].vreg)
      best = 0;
    if (end - i > best) {
      best = end - i;
      homes[votes[i].vreg] = votes[i].home;
    }
    i = end;
  }
  return homes;
}

std::string print(const problem::Problem &problem, const Assignment &a) {
  std::string out = "assignment\n";
  const Homes homes = mainHomes(problem, a);
  for (VReg v = 0; v < homes.size(); ++v)
    if (homes[v] != no_unit)
      out += fmt::format("home %{} = {}\n", v, placeName(homes[v], problem.widthOf(v)));
  for (InstId i = 0; i < problem.insts.size(); ++i) {
    const problem::Inst &inst = problem.insts[i];
    std::string differing;
    for (unsigned o = 0; o < inst.num_operands; ++o) {
      const Operand &op = problem.operandsOf(inst)[o];
      const RegUnit unit = a.units[inst.first_operand + o];
      if (unit != atHome(op, op.fixed ? no_unit : homes[op.reg]))
        differing += fmt::format("{} {} = {}", differing.empty() ? "" : ",", o, placeName(unit, op.num_lanes));
    }
    if (!differing.empty())
      out += fmt::format("at {}:{}\n", i, differing);
  }
  for (InstId i = 0; i < problem.insts.size(); ++i)
    if (a.deleted[i])
      out += fmt::format("delete {}\n", i);
  if (!opcodesInOrderOfUse(a)) {
    out += "edit-opcodes";
    for (const std::string &opcode : a.opcodes)
      out += " " + quotedName(opcode);
    out += "\n";
  }
  problem::InstPrinter printer{problem.env, problem.vregs, {}};
  for (const Edit &edit : a.edits) {
    const bool at_end = edit.before == problem.blocks[edit.block].last;
    const std::string place = at_end ? fmt::format("end {}", edit.block) : fmt::format("{}", edit.before);
    out +=
        fmt::format("edit {}: {}\n", place, printer.print(edit.inst, a.operandsOf(edit), a.opcodes[edit.inst.opcode]));
  }
  return out;
}

support::Result<Assignment> parseAssignment(TextReader &reader, const problem::Problem &problem) {
  return AssignmentParser(reader, problem).parse();
}

} // namespace verilocc::assignment
