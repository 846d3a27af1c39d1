#include "problem/inst_text.h"

#include "support/hash.h"

#include <fmt/format.h>
#include <limits>

namespace verilocc::problem {

using support::quotedName;
using support::TextReader;

namespace {

constexpr unsigned num_inst_kinds = 0
#define INST_KIND(name, text) +1
#include "problem/kinds.def"
    ;
constexpr unsigned num_mask_ops = 0
#define MASK_OP(name, text) +1
#include "problem/kinds.def"
    ;
constexpr unsigned num_inst_flags = 0
#define INST_FLAG(name, text) +1
#include "problem/kinds.def"
    ;
constexpr unsigned num_operand_flags = 0
#define OPERAND_FLAG(name, text) +1
#include "problem/kinds.def"
    ;

bool parseRegister(TextReader &reader, VRegTable &vregs, const MachineEnv &env, Operand &op) {
  const size_t column = reader.column();
  if (!reader.take("%")) {
    std::string_view text;
    if (!reader.tuple(text, "a register (%3, v[4:5]) or a flag"))
      return false;
    const auto range = parseTuple(text);
    if (!range)
      return reader.failAt(column, fmt::format("unknown register '{}'", text));
    if (range->size > 255)
      return reader.failAt(column, fmt::format("'{}' has more than 255 units", text));
    op.fixed = true;
    op.reg = range->first;
    op.num_lanes = static_cast<uint8_t>(range->size);
    return true;
  }
  if (!vregs.parse(reader, op.reg))
    return false;
  const unsigned width = env.classes[vregs.classOf(op.reg)].width;
  op.num_lanes = static_cast<uint8_t>(width);
  if (!reader.take("["))
    return true;
  if (!reader.number(op.first_lane, "a lane", 0, width - 1))
    return false;
  unsigned last = op.first_lane;
  if (reader.take(":") && !reader.number(last, "the last lane", op.first_lane, width - 1))
    return false;
  op.num_lanes = static_cast<uint8_t>(last - op.first_lane + 1);
  return reader.expect("]");
}

bool parseOperand(TextReader &reader, VRegTable &vregs, const MachineEnv &env, Access access, Operand &op) {
  op.access = access;
  for (bool more = true; more;) {
    more = false;
    for (unsigned f = 0; f < num_operand_flags; ++f)
      if (reader.takeWord(operandFlagName(static_cast<OperandFlagIndex>(f)))) {
        op.flags |= 1u << f;
        more = true;
      }
    if (reader.takeWord("def")) {
      op.access = Access::Def;
      more = true;
    }
  }
  if (!parseRegister(reader, vregs, env, op))
    return false;
  const size_t column = reader.column();
  if (reader.takeWord("in")) {
    if (!parseClass(reader, env, op.constraint))
      return false;
    if (env.classes[op.constraint].width != op.num_lanes)
      return reader.failAt(column, fmt::format("{} lanes cannot lie in class '{}' of width {}", op.num_lanes,
                                               env.classes[op.constraint].name, env.classes[op.constraint].width));
  }
  const auto lanes = [&](uint32_t &out) {
    const size_t at = reader.column();
    uint64_t set = 0;
    if (!reader.hex(set, "a set of lanes"))
      return false;
    out = static_cast<uint32_t>(set);
    return set == out || reader.failAt(at, "more than 32 lanes");
  };
  if (reader.takeWord("unread") && !lanes(op.unread))
    return false;
  if (reader.takeWord("claimed-undefined") && !lanes(op.claimed_undefined))
    return false;
  if (reader.takeWord("tied") && !reader.number(op.tied_to, "the index of an operand", 0, 127))
    return false;
  return true;
}

bool parseAttributes(TextReader &reader, Inst &inst) {
  while (!reader.failed() && !reader.atEnd()) {
    const size_t column = reader.column();
    std::string_view word;
    if (!reader.word(word, "an attribute"))
      return false;
    bool known = false;
    for (unsigned k = 0; k < num_inst_kinds; ++k)
      if (word == name(static_cast<InstKind>(k))) {
        inst.kind = static_cast<InstKind>(k);
        known = true;
      }
    for (unsigned f = 0; f < num_inst_flags; ++f)
      if (word == instFlagName(static_cast<InstFlagIndex>(f))) {
        inst.flags |= 1u << f;
        known = true;
      }
    if (known)
      continue;
    if (word == "sig") {
      if (!reader.hex(inst.signature, "a signature"))
        return false;
    } else if (word == "mask") {
      const size_t op_column = reader.column();
      if (!reader.word(word, "a mask operation"))
        return false;
      unsigned op = 0;
      while (op < num_mask_ops && word != name(static_cast<MaskOp>(op)))
        ++op;
      if (op == num_mask_ops)
        return reader.failAt(op_column, fmt::format("unknown mask operation '{}'", word));
      inst.mask_op = static_cast<MaskOp>(op);
    } else if (word == "constant") {
      inst.mask_has_constant = true;
      if (!reader.number(inst.mask_constant, "a constant", std::numeric_limits<int64_t>::min(),
                         std::numeric_limits<int64_t>::max()))
        return false;
    } else if (word == "latency") {
      if (!reader.number(inst.latency, "a latency", 0, 255))
        return false;
    } else if (word == "lane") {
      if (!reader.number(inst.lane, "a lane of a wave", 0, 63))
        return false;
    } else if (word == "slot") {
      if (!reader.number(inst.slot, "a stack slot", 0, no_slot - 1))
        return false;
    } else if (word == "clobbers") {
      if (!reader.number(inst.clobbers, "the number of a clobber set", 0, std::numeric_limits<int32_t>::max()))
        return false;
    } else {
      return reader.failAt(column, fmt::format("unknown attribute '{}'", word));
    }
  }
  return !reader.failed();
}

} // namespace

std::string printUnitSet(const UnitSet &set) {
  std::vector<RegUnit> units;
  for (size_t u = set._Find_first(); u < num_units; u = set._Find_next(u))
    units.push_back(static_cast<RegUnit>(u));
  std::string out;
  for (size_t i = 0; i < units.size();) {
    size_t last = i;
    const unsigned step = i + 1 < units.size() ? units[i + 1] - units[i] : 1;
    while (last + 1 < units.size() && units[last + 1] - units[last] == int(step))
      ++last;
    // Two units far apart are no progression worth a "step".
    if (step != 1 && last - i < 2)
      last = i;
    out += fmt::format("{}{}", out.empty() ? "" : " ", unitName(units[i]));
    if (last > i)
      out += "-" + unitName(units[last]);
    if (last > i && step != 1)
      out += fmt::format(" step {}", step);
    i = last + 1;
  }
  return out;
}

bool parseUnitSet(TextReader &reader, UnitSet &out) {
  const auto unit = [&](UnitRange &range) {
    const size_t column = reader.column();
    std::string_view text;
    if (!reader.tuple(text, "a register"))
      return false;
    const auto parsed = parseTuple(text);
    if (!parsed)
      return reader.failAt(column, fmt::format("unknown register '{}'", text));
    range = *parsed;
    return true;
  };
  while (!reader.failed() && !reader.atEnd()) {
    UnitRange range{};
    if (!unit(range))
      return false;
    unsigned last = range.first + range.size - 1, step = 1;
    const size_t column = reader.column();
    if (reader.take("-")) {
      UnitRange end{};
      if (!unit(end))
        return false;
      if (end.first <= range.first || range.size != 1 || end.size != 1)
        return reader.failAt(column, "a range goes from one register up to another");
      last = end.first;
      if (reader.takeWord("step") && !reader.number(step, "a step", 1, num_units))
        return false;
    }
    for (unsigned u = range.first; u <= last; u += step)
      out.set(u);
  }
  return !reader.failed();
}

bool parseClass(TextReader &reader, const MachineEnv &env, ClassId &out) {
  const size_t column = reader.column();
  std::string text;
  if (!reader.name(text, "the name of a register class"))
    return false;
  for (ClassId c = 0; c < env.classes.size(); ++c)
    if (env.classes[c].name == text) {
      out = c;
      return true;
    }
  return reader.failAt(column, fmt::format("unknown register class '{}'", text));
}

bool VRegTable::parse(TextReader &reader, VReg &out) {
  const size_t column = reader.column();
  if (!reader.number(out, "the number of a virtual register", 0, std::numeric_limits<uint32_t>::max()))
    return false;
  const auto known = classes.find(out);
  if (!reader.take(":")) {
    return known != classes.end() ||
           reader.failAt(column, fmt::format("the first mention of %{} needs its class, as in %{}:{}", out, out,
                                             env.classes.empty() ? "vgpr_32" : env.classes[0].name));
  }
  const size_t class_column = reader.column();
  ClassId cls = no_class;
  if (!parseClass(reader, env, cls))
    return false;
  if (known != classes.end() && known->second != cls)
    return reader.failAt(class_column, fmt::format("%{} has class '{}' already", out, env.classes[known->second].name));
  classes[out] = cls;
  return true;
}

std::optional<std::vector<ClassId>> VRegTable::dense(TextReader &reader) const {
  std::vector<ClassId> result(classes.size());
  for (const auto &[vreg, cls] : classes) {
    if (vreg >= classes.size()) {
      reader.failWhole(fmt::format("%{} is used, but only {} virtual registers are declared: number them from 0 "
                                   "without gaps",
                                   vreg, classes.size()));
      return std::nullopt;
    }
    result[vreg] = cls;
  }
  return result;
}

uint32_t Interner::intern(const std::string &name) {
  const auto [place, fresh] = index.try_emplace(name, static_cast<uint32_t>(names.size()));
  if (fresh)
    names.push_back(name);
  return place->second;
}

uint64_t defaultSignature(std::string_view opcode) {
  return support::Hash().add(opcode).value();
}

std::string InstPrinter::print(const Inst &inst, std::span<const Operand> operands, const std::string &opcode) {
  const auto operandText = [&](const Operand &op, bool left) {
    std::string out;
    for (unsigned f = 0; f < num_operand_flags; ++f)
      if (op.flags & (1u << f))
        out += fmt::format("{} ", operandFlagName(static_cast<OperandFlagIndex>(f)));
    if (op.isDef() && !left)
      out += "def ";
    if (op.fixed) {
      out += tupleName(static_cast<RegUnit>(op.reg), op.num_lanes);
    } else {
      out += fmt::format("%{}", op.reg);
      const RegClass &cls = env.classes[vregs[op.reg]];
      if (!declared[op.reg])
        out += ":" + quotedName(cls.name);
      declared[op.reg] = true;
      if (op.num_lanes == 1 && cls.width != 1)
        out += fmt::format("[{}]", op.first_lane);
      else if (op.num_lanes != cls.width)
        out += fmt::format("[{}:{}]", op.first_lane, op.first_lane + op.num_lanes - 1);
    }
    if (op.constraint != no_class)
      out += " in " + quotedName(env.classes[op.constraint].name);
    if (op.unread)
      out += fmt::format(" unread {:#x}", op.unread);
    if (op.claimed_undefined)
      out += fmt::format(" claimed-undefined {:#x}", op.claimed_undefined);
    if (op.tied_to >= 0)
      out += fmt::format(" tied {}", op.tied_to);
    return out;
  };

  std::string out;
  size_t o = 0;
  for (; o < operands.size() && operands[o].isDef(); ++o)
    out += (o ? ", " : "") + operandText(operands[o], true);
  if (o)
    out += " = ";
  // A line that begins with one of these words would be read as something else.
  const bool reserved_word = o == 0 && (opcode == "block" || opcode == "assignment");
  out += reserved_word ? '"' + opcode + '"' : quotedName(opcode);
  for (bool first = true; o < operands.size(); ++o, first = false)
    out += (first ? " " : ", ") + operandText(operands[o], false);

  std::string attributes;
  if (inst.kind != InstKind::Other)
    attributes += fmt::format(" {}", name(inst.kind));
  for (unsigned f = 0; f < num_inst_flags; ++f)
    if (inst.flags & (1u << f))
      attributes += fmt::format(" {}", instFlagName(static_cast<InstFlagIndex>(f)));
  if (inst.mask_op != MaskOp::None)
    attributes += fmt::format(" mask {}", name(inst.mask_op));
  if (inst.mask_has_constant)
    attributes += fmt::format(" constant {}", inst.mask_constant);
  if (inst.latency)
    attributes += fmt::format(" latency {}", inst.latency);
  if (inst.lane)
    attributes += fmt::format(" lane {}", inst.lane);
  if (inst.slot != no_slot)
    attributes += fmt::format(" slot {}", inst.slot);
  if (inst.clobbers >= 0)
    attributes += fmt::format(" clobbers {}", inst.clobbers);
  if (inst.signature != defaultSignature(opcode))
    attributes += fmt::format(" sig {:#x}", inst.signature);
  if (!attributes.empty())
    out += " |" + attributes;
  return out;
}

bool parseInst(TextReader &reader, const MachineEnv &env, VRegTable &vregs, Interner &opcodes, Inst &out,
               std::vector<Operand> &operands) {
  const size_t first = operands.size();
  const auto list = [&](Access access) {
    do {
      Operand op;
      if (!parseOperand(reader, vregs, env, access, op))
        return false;
      operands.push_back(op);
    } while (reader.take(","));
    return true;
  };
  if (reader.restHas('=') && !(list(Access::Def) && reader.expect("=")))
    return false;
  std::string opcode;
  if (!reader.name(opcode, "an opcode"))
    return false;
  out.opcode = opcodes.intern(opcode);
  out.signature = defaultSignature(opcode);
  const bool bare = reader.atEnd() || reader.take("|");
  if (!bare && !(list(Access::Use) && (reader.atEnd() || reader.expect("|"))))
    return false;
  if (operands.size() - first > std::numeric_limits<uint16_t>::max())
    return reader.fail("an instruction has more than 65535 operands");
  out.num_operands = static_cast<uint16_t>(operands.size() - first);
  return parseAttributes(reader, out) && reader.endOfLine();
}

} // namespace verilocc::problem
