#include "checker/exec_masks.h"

#include <algorithm>
#include <bit>

namespace verilocc::checker {

using namespace problem;

namespace {

/// A mask's name: a physical register or a vreg lane, at which a run of wave_size / 32 dwords starts.
uint64_t keyOf(const Operand &operand) {
  return operand.fixed ? uint64_t(1) << 63 | operand.reg : uint64_t(operand.reg) << 8 | operand.first_lane;
}

constexpr uint64_t exec_key = uint64_t(1) << 63 | exec_lo;

bool isSave(MaskOp op) {
  return op == MaskOp::AndSave || op == MaskOp::OrSave || op == MaskOp::XorSave || op == MaskOp::AndNotSave ||
         op == MaskOp::NotAndSave || op == MaskOp::UnknownSave;
}

template <typename Function> void forBits(const MaskBits &bits, Function &&function) {
  for (size_t w = 0; w < bits.size(); ++w)
    for (uint64_t rest = bits[w]; rest; rest &= rest - 1)
      function(static_cast<unsigned>(w * 64) + static_cast<unsigned>(std::countr_zero(rest)));
}

bool isModelled(MaskOp op) {
  return op != MaskOp::None && op != MaskOp::Unknown;
}

/// The register operands of one instruction as a mask operation sees them.
struct MaskOperands {
  const Operand *def = nullptr; ///< first explicit definition of mask width
  const Operand *a = nullptr, *b = nullptr;
  bool touches_exec = false; ///< any definition of an EXEC unit
  bool defines_exec = false; ///< `def` is EXEC
};

MaskOperands maskOperands(const Problem &problem, const Inst &inst) {
  const unsigned words = problem.env.wave_size / 32;
  MaskOperands result;
  for (const Operand &operand : problem.operandsOf(inst)) {
    bool is_exec = operand.fixed && overlapsExec(operand.reg, operand.num_lanes);
    if (operand.isDef()) {
      if (is_exec && !(words == 1 && operand.reg == exec_hi))
        result.touches_exec = true;
      if (!result.def && !operand.has(operand_flag::Implicit) && operand.num_lanes == words)
        result.def = &operand;
    } else if (!operand.has(operand_flag::Implicit)) {
      (result.a ? result.b : result.a) = &operand;
    }
  }
  result.defines_exec = result.def && keyOf(*result.def) == exec_key;
  return result;
}

} // namespace

ExecMasks::ExecMasks(const Problem &problem) : effect_of(problem.insts.size(), -1) {
  const unsigned words = problem.env.wave_size / 32;

  // Which masks reach EXEC: from EXEC backwards through mask operations, over the whole function at once.
  std::unordered_map<uint64_t, unsigned> index{{exec_key, exec_mask}};
  std::vector<InstId> mask_insts;
  for (InstId i = 0; i < problem.insts.size(); ++i)
    if (isModelled(problem.insts[i].mask_op))
      mask_insts.push_back(i);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = mask_insts.rbegin(); it != mask_insts.rend(); ++it) {
      const Inst &inst = problem.insts[*it];
      MaskOperands ops = maskOperands(problem, inst);
      bool feeds_exec = ops.defines_exec || isSave(inst.mask_op) || (ops.def && index.contains(keyOf(*ops.def)));
      if (!feeds_exec || inst.mask_op == MaskOp::Compare || inst.mask_op == MaskOp::CompareExec)
        continue;
      for (const Operand *source : {ops.a, ops.b})
        if (source && source->num_lanes == words && !(source->fixed && isPerThread(static_cast<RegUnit>(source->reg))))
          changed |= index.try_emplace(keyOf(*source), static_cast<unsigned>(index.size())).second;
    }
  }
  num_masks = static_cast<unsigned>(index.size());

  // By register, the masks that overlap it, to see what an instruction overwrites.
  auto forOverlapping = [&](const Operand &operand, auto &&function) {
    for (int start = -static_cast<int>(words) + 1; start < operand.num_lanes; ++start) {
      int at = static_cast<int>(operand.fixed ? operand.reg : operand.first_lane) + start;
      if (at < 0)
        continue;
      Operand probe = operand;
      if (operand.fixed)
        probe.reg = static_cast<uint32_t>(at);
      else
        probe.first_lane = static_cast<uint8_t>(at);
      if (auto it = index.find(keyOf(probe)); it != index.end())
        function(it->second);
    }
  };
  auto sourceOf = [&](const Operand *operand, const Inst &inst) -> Source {
    if (!operand)
      return inst.mask_has_constant ? Source{Source::Kind::Constant, 0, inst.mask_constant} : Source{};
    if (operand->num_lanes == words)
      if (auto it = index.find(keyOf(*operand)); it != index.end())
        return {Source::Kind::Mask, it->second, 0};
    return {Source::Kind::Unknown, 0, 0};
  };

  for (InstId i = 0; i < problem.insts.size(); ++i) {
    const Inst &inst = problem.insts[i];
    MaskOperands ops = maskOperands(problem, inst);
    Effect effect;
    effect.op = inst.mask_op;
    // A mask that may have any value is taken to be empty: no program with a meaning lets EXEC depend on it.
    effect.undefined = inst.kind == InstKind::ImplicitDef;
    bool modelled = isModelled(inst.mask_op);
    if (ops.def)
      if (auto it = index.find(keyOf(*ops.def)); it != index.end())
        effect.def = static_cast<int>(it->second);
    // An implicit definition of EXEC on a plain mask operation only orders it; the value stays (llvm: the copy that
    // saves EXEC has one).
    effect.writes_exec = ops.touches_exec && !ops.defines_exec &&
                         (!modelled || isSave(inst.mask_op) || inst.mask_op == MaskOp::CompareExec);
    for (const Operand &operand : problem.operandsOf(inst)) {
      if (!operand.isDef())
        continue;
      forOverlapping(operand, [&](unsigned mask) {
        if (mask != exec_mask && static_cast<int>(mask) != effect.def)
          effect.unknown.push_back(mask);
      });
    }
    if (inst.clobbers >= 0)
      for (auto [key, mask] : index)
        if (key >> 63 && mask != exec_mask) {
          auto unit = static_cast<RegUnit>(key);
          for (unsigned w = 0; w < words; ++w)
            if (problem.clobber_sets[inst.clobbers].test(unit + w)) {
              effect.unknown.push_back(mask);
              break;
            }
        }
    if (effect.def < 0 && !effect.writes_exec && effect.unknown.empty())
      continue;
    effect.a = sourceOf(ops.a, inst);
    if (ops.a)
      effect.b = sourceOf(ops.b, inst);
    effect_of[i] = static_cast<int32_t>(effects.size());
    effects.push_back(std::move(effect));
  }

  // Liveness of the followed masks, backwards.
  auto markUses = [&](const Effect &effect, MaskBits &live) {
    for (const Source &source : {effect.a, effect.b})
      if (source.kind == Source::Kind::Mask)
        setBit(live, source.mask, true);
    setBit(live, exec_mask, true);
  };
  live_after.assign(effects.size(), MaskBits(numWords(), 0));
  live_in.assign(problem.blocks.size(), MaskBits(numWords(), 0));
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId b = static_cast<BlockId>(problem.blocks.size()); b-- > 0;) {
      const Block &block = problem.blocks[b];
      MaskBits live(numWords(), 0);
      setBit(live, exec_mask, true);
      for (BlockId succ : block.succs)
        for (unsigned w = 0; w < numWords(); ++w)
          live[w] |= live_in[succ][w];
      for (InstId i = block.last; i-- > block.first;) {
        if (effect_of[i] < 0)
          continue;
        const Effect &effect = effects[effect_of[i]];
        live_after[effect_of[i]] = live;
        if (effect.def > 0)
          setBit(live, effect.def, false);
        for (unsigned mask : effect.unknown)
          setBit(live, mask, false);
        markUses(effect, live);
      }
      if (live != live_in[b]) {
        live_in[b] = live;
        changed = true;
      }
    }
  }
  shareNumbers();
}

/// Masks of which one is written while the other is live need numbers of their own; others can share one. A function
/// has thousands of masks and few at a time.
void ExecMasks::shareNumbers() {
  std::vector<std::vector<unsigned>> apart(num_masks);
  std::vector<unsigned> order; // as they are first written; those that never are, before
  std::vector<bool> is_written(num_masks);
  for (size_t e = 0; e < effects.size(); ++e) {
    std::vector<unsigned> writes = effects[e].unknown;
    if (effects[e].def > static_cast<int>(exec_mask))
      writes.push_back(static_cast<unsigned>(effects[e].def));
    for (unsigned mask : writes) {
      if (!is_written[mask])
        order.push_back(mask);
      is_written[mask] = true;
      auto keepApart = [&](unsigned other) {
        if (other != mask) {
          apart[mask].push_back(other);
          apart[other].push_back(mask);
        }
      };
      for (unsigned other : writes)
        keepApart(other);
      forBits(live_after[e], keepApart);
    }
  }
  // What is live into the entry holds something there.
  std::vector<unsigned> at_entry;
  forBits(live_in[0], [&](unsigned mask) { at_entry.push_back(mask); });
  for (unsigned mask : at_entry)
    for (unsigned other : at_entry)
      if (other != mask)
        apart[mask].push_back(other);
  for (unsigned mask = 1; mask < num_masks; ++mask)
    if (!is_written[mask])
      order.insert(order.begin(), mask);

  constexpr unsigned none = ~0u;
  std::vector<unsigned> number(num_masks, none);
  number[exec_mask] = exec_mask;
  unsigned count = 1;
  std::vector<unsigned> taken_by; // by number: the last mask that must not have it
  for (unsigned mask : order) {
    taken_by.resize(count + 1, none);
    taken_by[exec_mask] = mask;
    for (unsigned other : apart[mask])
      if (number[other] != none)
        taken_by[number[other]] = mask;
    unsigned chosen = 1;
    while (chosen < count && taken_by[chosen] == mask)
      ++chosen;
    number[mask] = chosen;
    count = std::max(count, chosen + 1);
  }

  for (Effect &effect : effects) {
    if (effect.def >= 0)
      effect.def = static_cast<int>(number[effect.def]);
    for (Source *source : {&effect.a, &effect.b})
      if (source->kind == Source::Kind::Mask)
        source->mask = number[source->mask];
    for (unsigned &mask : effect.unknown)
      mask = number[mask];
  }
  num_masks = count;
  for (std::vector<MaskBits> *sets : {&live_after, &live_in})
    for (MaskBits &set : *sets) {
      MaskBits shared(numWords(), 0);
      forBits(set, [&](unsigned mask) { setBit(shared, number[mask], true); });
      set = std::move(shared);
    }
}

std::vector<ThreadClass> ExecMasks::entryClasses() const {
  std::vector<ThreadClass> classes(2);
  for (ThreadClass &c : classes)
    c.member.assign(2 * numWords(), 0);
  setBit(classes[1].member, exec_mask, true);
  for (unsigned mask = 1; mask < num_masks; ++mask)
    forget(mask, classes);
  return classes;
}

void ExecMasks::split(unsigned mask, bool active_only, std::vector<ThreadClass> &classes) const {
  size_t count = classes.size();
  for (size_t i = 0; i < count; ++i) {
    setKnown(classes[i], mask, false);
    if (active_only && !classes[i].isActive())
      continue;
    classes.push_back(classes[i]);
    setKnown(classes.back(), mask, true);
  }
}

void ExecMasks::forget(unsigned mask, std::vector<ThreadClass> &classes, bool active_only) const {
  for (ThreadClass &c : classes) {
    if (active_only && !c.isActive())
      continue;
    setBit(c.member, mask, false);
    setBit(c.member, mask + 64 * numWords(), true);
  }
}

void ExecMasks::generalise(ThreadClass &to, const ThreadClass &from) const {
  for (unsigned w = 0; w < numWords(); ++w) {
    uint64_t &unknown = to.member[w + numWords()];
    unknown |= from.member[w + numWords()] | (to.member[w] ^ from.member[w]);
    to.member[w] &= ~unknown;
  }
}

void ExecMasks::restrict(ThreadClass &thread_class, const MaskBits &live) const {
  for (unsigned w = 0; w < numWords(); ++w) {
    thread_class.member[w] &= live[w];
    thread_class.member[w + numWords()] &= live[w];
  }
}

unsigned ExecMasks::resolve(const Source &source, std::vector<ThreadClass> &classes) const {
  if (source.kind != Source::Kind::Mask)
    return 0;
  unsigned met = 0;
  size_t count = classes.size();
  for (size_t i = 0; i < count; ++i)
    if (isUnknown(classes[i], source.mask)) {
      setKnown(classes[i], source.mask, false);
      classes.push_back(classes[i]);
      setKnown(classes.back(), source.mask, true);
      met = 1;
    }
  return met;
}

unsigned ExecMasks::apply(InstId inst, std::vector<ThreadClass> &classes) const {
  const Effect &effect = effects[effect_of[inst]];
  unsigned met_unknown = 0;
  const bool exec_result = effect.def == static_cast<int>(exec_mask);
  const bool needed = effect.def >= 0 || effect.writes_exec;
  if (needed) {
    met_unknown += resolve(effect.a, classes);
    met_unknown += resolve(effect.b, classes);
  }

  // The value of a source for one class; false in `known` if it has none.
  bool known = true;
  auto value = [&](const Source &source, const ThreadClass &c) {
    switch (source.kind) {
    case Source::Kind::Mask:
      return testBit(c.member, source.mask);
    case Source::Kind::Constant:
      known &= source.constant == 0 || source.constant == -1;
      return source.constant == -1;
    default:
      known = false;
      return false;
    }
  };
  // What the operation yields: `saved` for d, `exec` for EXEC, `result` for d of the plain ones.
  auto evaluate = [&](const ThreadClass &c) -> bool {
    if (effect.undefined)
      return false;
    const bool exec = c.isActive();
    // Both are read, so that an unknown one is noticed whatever the other is.
    const bool a = effect.a.kind != Source::Kind::None && value(effect.a, c);
    const bool b = effect.b.kind != Source::Kind::None && value(effect.b, c);
    switch (effect.op) {
    case MaskOp::Move:
      known &= effect.a.kind != Source::Kind::None;
      return a;
    case MaskOp::And:
      known &= effect.b.kind != Source::Kind::None;
      return a && b;
    case MaskOp::Or:
      known &= effect.b.kind != Source::Kind::None;
      return a || b;
    case MaskOp::Xor:
      known &= effect.b.kind != Source::Kind::None;
      return a != b;
    case MaskOp::AndNot:
      known &= effect.b.kind != Source::Kind::None;
      return a && !b;
    case MaskOp::OrNot:
      known &= effect.b.kind != Source::Kind::None;
      return a || !b;
    case MaskOp::AndSave:
      return exec && a;
    case MaskOp::OrSave:
      return exec || a;
    case MaskOp::XorSave:
      return exec != a;
    case MaskOp::AndNotSave:
      return a && !exec;
    case MaskOp::NotAndSave:
      return !a && exec;
    default:
      known = false;
      return false;
    }
  };

  if (needed) {
    if (effect.op == MaskOp::Compare && !effect.writes_exec) {
      split(static_cast<unsigned>(effect.def), true, classes);
    } else if (effect.op == MaskOp::CompareExec) {
      size_t count = classes.size();
      for (size_t i = 0; i < count; ++i)
        if (testBit(classes[i].member, exec_mask)) {
          classes.push_back(classes[i]);
          setBit(classes.back().member, exec_mask, false);
        }
      if (effect.def > 0)
        forget(static_cast<unsigned>(effect.def), classes);
    } else {
      std::vector<bool> results(classes.size());
      for (size_t i = 0; i < classes.size(); ++i)
        results[i] = evaluate(classes[i]);
      const bool is_save = isSave(effect.op);
      const bool writes_exec = effect.writes_exec || exec_result;
      if (is_save && effect.def > 0)
        for (ThreadClass &c : classes)
          setKnown(c, static_cast<unsigned>(effect.def), c.isActive());
      if (writes_exec) {
        if (known) {
          for (size_t i = 0; i < classes.size(); ++i)
            setBit(classes[i].member, exec_mask, results[i]);
        } else {
          split(exec_mask, false, classes);
          ++met_unknown;
        }
      }
      if (!is_save && effect.def > 0) {
        if (known)
          for (size_t i = 0; i < classes.size(); ++i)
            setKnown(classes[i], static_cast<unsigned>(effect.def), results[i]);
        else
          forget(static_cast<unsigned>(effect.def), classes);
      }
    }
  }
  for (unsigned mask : effect.unknown)
    forget(mask, classes);
  return met_unknown;
}

} // namespace verilocc::checker
