#include "problem/problem.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_set>

namespace verilocc::problem {

namespace {

constexpr const char *inst_kind_names[] = {
#define INST_KIND(name, text) text,
#include "problem/kinds.def"
};
constexpr const char *mask_op_names[] = {
#define MASK_OP(name, text) text,
#include "problem/kinds.def"
};
constexpr const char *inst_flag_names[] = {
#define INST_FLAG(name, text) text,
#include "problem/kinds.def"
};
constexpr const char *operand_flag_names[] = {
#define OPERAND_FLAG(name, text) text,
#include "problem/kinds.def"
};

/// One pass over a Problem; stops at the first thing that is wrong.
class WellFormedness {
public:
  explicit WellFormedness(const Problem &problem) : p(problem) {}

  support::Status check() {
    if (environment() && layout() && edges() && instructions())
      return support::Ok{};
    return support::InputError{message};
  }

private:
  template <typename... Args> bool fail(fmt::format_string<Args...> format, Args &&...args) {
    message = fmt::format(format, std::forward<Args>(args)...);
    return false;
  }

  bool environment() {
    if (p.env.wave_size != 32 && p.env.wave_size != 64)
      return fail("wave size {} is neither 32 nor 64", p.env.wave_size);
    if (p.env.max_vgprs > 256 || p.env.max_agprs > 256 || p.env.max_sgprs > 106)
      return fail("register limits {} v, {} a, {} s are beyond the register files", p.env.max_vgprs, p.env.max_agprs,
                  p.env.max_sgprs);
    if (p.env.classes.size() >= no_class)
      return fail("too many register classes");
    std::unordered_set<std::string_view> names;
    for (const RegClass &cls : p.env.classes) {
      if (!names.insert(cls.name).second)
        return fail("two register classes are named '{}'", cls.name);
      if (cls.width < 1 || cls.width > 32)
        return fail("register class '{}' has a width of {} units, expected 1 to 32", cls.name, cls.width);
      for (size_t base = cls.bases._Find_first(); base < num_units; base = cls.bases._Find_next(base)) {
        const size_t last = base + cls.width - 1;
        if (last >= num_units || fileOf(RegUnit(base)) != fileOf(RegUnit(last)))
          return fail("register class '{}': a tuple at {} leaves its register file", cls.name, unitName(RegUnit(base)));
      }
    }
    names.clear();
    for (const std::string &opcode : p.opcodes)
      if (!names.insert(opcode).second)
        return fail("opcode '{}' is interned twice", opcode);
    for (VReg v = 0; v < p.vregs.size(); ++v)
      if (p.vregs[v] >= p.env.classes.size())
        return fail("%{} has class number {}, but there are {} classes", v, p.vregs[v], p.env.classes.size());
    return true;
  }

  bool layout() {
    if (p.blocks.empty())
      return fail("there is no block");
    InstId next = 0;
    for (BlockId b = 0; b < p.blocks.size(); ++b) {
      const Block &block = p.blocks[b];
      if (block.first != next || block.last < block.first)
        return fail("block {} holds instructions [{}, {}), expected to start at {}", b, block.first, block.last, next);
      if (!std::isfinite(block.frequency) || block.frequency < 0)
        return fail("block {} has frequency {}", b, block.frequency);
      next = block.last;
    }
    if (next != p.insts.size())
      return fail("the blocks hold {} instructions, but there are {}", next, p.insts.size());
    return true;
  }

  bool edges() {
    size_t num_succs = 0, num_preds = 0;
    for (BlockId b = 0; b < p.blocks.size(); ++b) {
      num_succs += p.blocks[b].succs.size();
      num_preds += p.blocks[b].preds.size();
      for (const auto *list : {&p.blocks[b].succs, &p.blocks[b].preds}) {
        std::vector<BlockId> sorted = *list;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
          return fail("block {} names a neighbour twice", b);
        if (!sorted.empty() && sorted.back() >= p.blocks.size())
          return fail("block {} has an edge to block {}, which does not exist", b, sorted.back());
      }
    }
    for (BlockId b = 0; b < p.blocks.size(); ++b) {
      const Block &block = p.blocks[b];
      if (block.empty_succ != no_block &&
          std::find(block.succs.begin(), block.succs.end(), block.empty_succ) == block.succs.end())
        return fail("block {} enters block {} with EXEC empty, but does not go there", b, block.empty_succ);
    }
    if (num_succs != num_preds)
      return fail("there are {} successors but {} predecessors", num_succs, num_preds);
    // Lists without repetition of the same total length agree if one lies in the other.
    std::unordered_set<uint64_t> edges;
    for (BlockId b = 0; b < p.blocks.size(); ++b)
      for (BlockId succ : p.blocks[b].succs)
        edges.insert(uint64_t(b) << 32 | succ);
    for (BlockId b = 0; b < p.blocks.size(); ++b)
      for (BlockId pred : p.blocks[b].preds)
        if (!edges.count(uint64_t(pred) << 32 | b))
          return fail("block {} names predecessor {}, which does not name it as successor", b, pred);
    return true;
  }

  bool instructions() {
    constexpr unsigned inst_flags = (1u << std::size(inst_flag_names)) - 1;
    size_t next = 0;
    for (InstId i = 0; i < p.insts.size(); ++i) {
      const Inst &inst = p.insts[i];
      if (inst.opcode >= p.opcodes.size())
        return fail("instruction {}: opcode number {} of {}", i, inst.opcode, p.opcodes.size());
      if (size_t(inst.kind) >= std::size(inst_kind_names) || size_t(inst.mask_op) >= std::size(mask_op_names) ||
          (inst.flags & ~inst_flags))
        return fail("instruction {}: unknown kind, mask operation or flag", i);
      if (!inst.mask_has_constant && inst.mask_constant != 0)
        return fail("instruction {}: a mask constant that it is said not to have", i);
      if (inst.lane >= 64)
        return fail("instruction {}: lane {} of a vector register", i, inst.lane);
      if (inst.clobbers < -1 || inst.clobbers >= int64_t(p.clobber_sets.size()))
        return fail("instruction {}: clobber set {} of {}", i, inst.clobbers, p.clobber_sets.size());
      if (inst.first_operand != next || p.operands.size() - next < inst.num_operands)
        return fail("instruction {}: its operands start at {}, expected {}", i, inst.first_operand, next);
      for (unsigned o = 0; o < inst.num_operands; ++o)
        if (!operand(i, o))
          return false;
      next += inst.num_operands;
    }
    if (next != p.operands.size())
      return fail("the instructions have {} operands, but there are {}", next, p.operands.size());
    return true;
  }

  bool operand(InstId i, unsigned o) {
    constexpr unsigned operand_flags = (1u << std::size(operand_flag_names)) - 1;
    const auto operands = p.operandsOf(p.insts[i]);
    const Operand &op = operands[o];
    const auto bad = [&](std::string what) { return fail("instruction {}, operand {}: {}", i, o, what); };
    if (op.access != Access::Use && op.access != Access::Def)
      return bad("neither use nor def");
    if (op.num_lanes < 1)
      return bad("no lanes");
    if (op.fixed) {
      if (op.reg >= num_units || op.reg + op.num_lanes > num_units)
        return bad(fmt::format("units [{}, {}) do not exist", op.reg, uint64_t(op.reg) + op.num_lanes));
      if (op.first_lane != 0)
        return bad("a fixed operand has first lane 0");
    } else {
      if (op.reg >= p.vregs.size())
        return bad(fmt::format("%{} does not exist", op.reg));
      if (op.first_lane + op.num_lanes > int(p.widthOf(op.reg)))
        return bad(fmt::format("lanes [{}:{}] of %{}, which has {}", op.first_lane, op.first_lane + op.num_lanes - 1,
                               op.reg, p.widthOf(op.reg)));
    }
    if (op.flags & ~operand_flags)
      return bad("unknown flag");
    if (op.has(operand_flag::HalfDword) && op.num_lanes != 1)
      return bad("half of a dword, but several lanes");
    if (op.constraint != no_class) {
      if (op.constraint >= p.env.classes.size())
        return bad(fmt::format("constraint to class number {} of {}", op.constraint, p.env.classes.size()));
      if (p.env.classes[op.constraint].width != op.num_lanes)
        return bad(fmt::format("{} lanes constrained to class '{}' of width {}", op.num_lanes,
                               p.env.classes[op.constraint].name, p.env.classes[op.constraint].width));
    }
    for (uint32_t lanes : {op.unread, op.claimed_undefined})
      if (lanes && (op.isDef() || op.num_lanes > 32 || lanes >> (op.num_lanes - 1) > 1))
        return bad("says of lanes which it does not name that they are unread or undefined");
    if (op.tied_to != -1) {
      if (op.tied_to < 0 || op.tied_to >= int(operands.size()) || !op.isUse() || !operands[op.tied_to].isDef())
        return bad(fmt::format("tied to operand {}, expected a use tied to a def", op.tied_to));
      if (operands[op.tied_to].num_lanes != op.num_lanes)
        return bad(fmt::format("tied to operand {}, which has another number of lanes", op.tied_to));
    }
    return true;
  }

  const Problem &p;
  std::string message;
};

} // namespace

BlockId Problem::blockOf(InstId inst) const {
  assert(inst < insts.size());
  // Of blocks with the same first instruction all but the last are empty.
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), inst,
                                      [](InstId id, const Block &block) { return id < block.first; });
  return BlockId(after - blocks.begin()) - 1;
}

support::Status wellFormed(const Problem &problem) {
  return WellFormedness(problem).check();
}

const char *name(InstKind kind) {
  return inst_kind_names[size_t(kind)];
}
const char *name(MaskOp op) {
  return mask_op_names[size_t(op)];
}
const char *instFlagName(InstFlagIndex flag) {
  return inst_flag_names[size_t(flag)];
}
const char *operandFlagName(OperandFlagIndex flag) {
  return operand_flag_names[size_t(flag)];
}

} // namespace verilocc::problem
