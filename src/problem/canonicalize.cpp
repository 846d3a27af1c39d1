#include "problem/canonicalize.h"

#include "support/hash.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace verilocc::problem {

namespace {

constexpr VReg unnumbered = ~0u;

/// Numbers by first mention.
class ByMention {
public:
  explicit ByMention(size_t count) : number(count, unnumbered) {}
  uint32_t operator()(uint32_t old) {
    if (number[old] == unnumbered) {
      number[old] = static_cast<uint32_t>(order.size());
      order.push_back(old);
    }
    return number[old];
  }
  /// Those never mentioned, behind the others.
  void finish() {
    for (uint32_t old = 0; old < number.size(); ++old)
      (*this)(old);
  }
  std::vector<uint32_t> number, order;
};

double roundedFrequency(double frequency) {
  return frequency > 0 ? std::exp2(std::round(std::log2(frequency))) : 0;
}

} // namespace

Canonical canonicalize(const Problem &problem) {
  Canonical result;
  Problem &out = result.problem;
  out = problem;
  out.name.clear();
  out.opcodes.clear();

  ByMention vregs(problem.vregs.size()), clobbers(problem.clobber_sets.size());
  // Classes that hold the same are one, whatever their names.
  std::map<std::pair<unsigned, std::string>, ClassId> known;
  std::vector<RegClass> classes;
  std::vector<ClassId> class_number(problem.env.classes.size(), no_class);
  const auto classOf = [&](ClassId old) {
    if (old == no_class)
      return old;
    if (class_number[old] == no_class) {
      const RegClass &cls = problem.env.classes[old];
      const auto [place, fresh] =
          known.try_emplace({cls.width, cls.bases.to_string()}, static_cast<ClassId>(classes.size()));
      if (fresh)
        classes.push_back({"c" + std::to_string(classes.size()), cls.width, cls.bases});
      class_number[old] = place->second;
    }
    return class_number[old];
  };

  std::map<InstKind, uint32_t> opcode_of; // one name a kind
  for (Inst &inst : out.insts) {
    const auto [place, fresh] = opcode_of.try_emplace(inst.kind, static_cast<uint32_t>(out.opcodes.size()));
    if (fresh)
      out.opcodes.push_back(problem::name(inst.kind));
    inst.opcode = place->second;
    inst.signature = 0;
    inst.mask_constant = 0;
    if (inst.clobbers >= 0)
      inst.clobbers = static_cast<int32_t>(clobbers(static_cast<uint32_t>(inst.clobbers)));
    for (uint32_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o) {
      Operand &op = out.operands[o];
      if (!op.fixed)
        op.reg = vregs(op.reg);
    }
  }
  vregs.finish();
  clobbers.finish();
  for (size_t v = 0; v < vregs.order.size(); ++v)
    out.vregs[v] = classOf(problem.vregs[vregs.order[v]]);
  for (Operand &op : out.operands)
    op.constraint = classOf(op.constraint);
  for (size_t c = 0; c < clobbers.order.size(); ++c)
    out.clobber_sets[c] = problem.clobber_sets[clobbers.order[c]];
  out.env.classes = std::move(classes);
  for (Block &block : out.blocks)
    block.frequency = roundedFrequency(block.frequency);
  result.renaming = {std::move(vregs.order), std::move(vregs.number)};
  return result;
}

uint64_t canonicalHash(const Problem &problem) {
  const Canonical canonical = canonicalize(problem);
  const Problem &p = canonical.problem;
  support::Hash hash;
  hash.add(uint64_t(p.env.wave_size)).add(p.env.reserved.to_string());
  for (const RegClass &cls : p.env.classes)
    hash.add(uint64_t(cls.width)).add(cls.bases.to_string());
  for (ClassId cls : p.vregs)
    hash.add(uint64_t(cls));
  for (const Block &block : p.blocks) {
    hash.add(uint64_t(block.first)).add(uint64_t(block.loop_depth));
    hash.add(block.frequency > 0 ? static_cast<uint64_t>(int64_t(std::log2(block.frequency))) : ~uint64_t(0));
    for (BlockId succ : block.succs)
      hash.add(uint64_t(succ));
  }
  for (const Inst &inst : p.insts)
    hash.add(uint64_t(inst.kind) | uint64_t(inst.flags) << 8 | uint64_t(inst.latency) << 32)
        .add(uint64_t(inst.num_operands) | uint64_t(static_cast<uint32_t>(inst.clobbers)) << 32);
  for (const Operand &op : p.operands)
    hash.add(uint64_t(op.reg) | uint64_t(op.fixed) << 32 | uint64_t(op.access) << 33 | uint64_t(op.flags) << 40 |
             uint64_t(static_cast<uint8_t>(op.tied_to)) << 48)
        .add(uint64_t(op.first_lane) | uint64_t(op.num_lanes) << 8 | uint64_t(op.constraint) << 16);
  for (const UnitSet &set : p.clobber_sets)
    hash.add(set.to_string());
  return hash.add(p.live_in.to_string()).value();
}

} // namespace verilocc::problem
