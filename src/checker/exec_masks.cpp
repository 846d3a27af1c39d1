#include "checker/exec_masks.h"

#include <algorithm>
#include <unordered_map>

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
         op == MaskOp::NotAndSave || op == MaskOp::WholeQuadSave || op == MaskOp::UnknownSave;
}

bool makesQuads(MaskOp op) {
  return op == MaskOp::WholeQuad || op == MaskOp::WholeQuadSave;
}

void setBit(std::vector<uint64_t> &bits, unsigned i, bool value) {
  const uint64_t bit = uint64_t(1) << (i % 64);
  bits[i / 64] = value ? bits[i / 64] | bit : bits[i / 64] & ~bit;
}

template <typename Function> void forBits(const std::vector<uint64_t> &bits, Function &&function) {
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
  // Whole quads of mask m are mask m + first_quads.
  const bool has_quads = std::any_of(mask_insts.begin(), mask_insts.end(),
                                     [&](InstId id) { return makesQuads(problem.insts[id].mask_op); });
  const auto first_quads = static_cast<int>(num_masks);
  if (has_quads) {
    exec_quads = first_quads + static_cast<int>(exec_mask);
    num_masks *= 2;
  }

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
      return inst.mask_has_constant ? Source{Source::Kind::Constant, 0, -1, inst.mask_constant} : Source{};
    if (operand->num_lanes == words)
      if (auto it = index.find(keyOf(*operand)); it != index.end())
        return {Source::Kind::Mask, it->second, has_quads ? first_quads + static_cast<int>(it->second) : -1, 0};
    return {Source::Kind::Unknown};
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
    if (has_quads && effect.def > static_cast<int>(exec_mask))
      effect.def_quads = first_quads + effect.def;
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
    for (size_t u = 0, count = has_quads ? effect.unknown.size() : 0; u < count; ++u)
      effect.unknown.push_back(effect.unknown[u] + static_cast<unsigned>(first_quads));
    effect.a = sourceOf(ops.a, inst);
    if (ops.a)
      effect.b = sourceOf(ops.b, inst);
    effect_of[i] = static_cast<int32_t>(effects.size());
    effects.push_back(std::move(effect));
  }

  findLive(problem);
  findChanges(problem);
}

/// Calls function(index of the effect, masks live after it) from the block's end to its start; `live` is what is live
/// at its end, and becomes what is live at its start.
template <typename Function>
void ExecMasks::forEffectsBackwards(const Block &block, WideBits &live, Function &&function) const {
  for (InstId i = block.last; i-- > block.first;) {
    if (effect_of[i] < 0)
      continue;
    const Effect &effect = effects[effect_of[i]];
    function(static_cast<size_t>(effect_of[i]), std::as_const(live));
    effect.forWritten([&](unsigned mask) { setBit(live, mask, false); });
    for (const Source &source : {effect.a, effect.b})
      if (source.kind == Source::Kind::Mask) {
        setBit(live, source.mask, true);
        if (source.quads >= 0)
          setBit(live, static_cast<unsigned>(source.quads), true);
      }
    setBit(live, exec_mask, true);
  }
}

/// Liveness of the followed masks. Masks of which one is written while the other is live need numbers of their own;
/// others can share one: a function has thousands of masks and few at a time.
void ExecMasks::findLive(const Problem &problem) {
  WideBits none_but_exec((num_masks + 63) / 64, 0);
  setBit(none_but_exec, exec_mask, true);
  if (exec_quads >= 0)
    setBit(none_but_exec, static_cast<unsigned>(exec_quads), true);
  std::vector<WideBits> wide_in(problem.blocks.size(), none_but_exec);
  WideBits live;
  auto liveAtEnd = [&](const Block &block) {
    live = none_but_exec;
    for (BlockId succ : block.succs)
      for (size_t w = 0; w < live.size(); ++w)
        live[w] |= wide_in[succ][w];
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId b = static_cast<BlockId>(problem.blocks.size()); b-- > 0;) {
      liveAtEnd(problem.blocks[b]);
      forEffectsBackwards(problem.blocks[b], live, [](size_t, const WideBits &) {});
      if (live != wide_in[b]) {
        wide_in[b] = live;
        changed = true;
      }
    }
  }

  std::vector<std::vector<unsigned>> apart(num_masks);
  for (const Block &block : problem.blocks) {
    liveAtEnd(block);
    forEffectsBackwards(block, live, [&](size_t e, const WideBits &after) {
      auto write = [&](unsigned mask) {
        auto keepApart = [&](unsigned other) {
          if (other != mask) {
            apart[mask].push_back(other);
            apart[other].push_back(mask);
          }
        };
        forBits(after, keepApart);
        effects[e].forWritten(keepApart);
      };
      effects[e].forWritten(write);
    });
  }
  const std::vector<unsigned> number = sharedNumbers(apart, wide_in[0]);

  auto narrow = [&](const WideBits &bits) {
    MaskBits shared;
    forBits(bits, [&](unsigned mask) {
      if (number[mask] < MaskBits::size)
        shared.set(number[mask]);
    });
    return shared;
  };
  live_in.resize(problem.blocks.size());
  live_after.resize(effects.size());
  for (BlockId b = 0; b < problem.blocks.size(); ++b) {
    live_in[b] = narrow(wide_in[b]);
    liveAtEnd(problem.blocks[b]);
    forEffectsBackwards(problem.blocks[b], live,
                        [&](size_t e, const WideBits &after) { live_after[e] = narrow(after); });
  }
  auto renumber = [&](int &mask) {
    if (mask >= 0)
      mask = number[mask] < MaskBits::size ? static_cast<int>(number[mask]) : -1;
  };
  renumber(exec_quads);
  for (Effect &effect : effects) {
    renumber(effect.def);
    renumber(effect.def_quads);
    for (Source *source : {&effect.a, &effect.b})
      if (source->kind == Source::Kind::Mask) {
        source->mask = number[source->mask];
        renumber(source->quads);
        if (source->mask >= MaskBits::size)
          source->kind = Source::Kind::Unknown;
      }
    for (unsigned &mask : effect.unknown)
      mask = number[mask];
    std::erase_if(effect.unknown, [](unsigned mask) { return mask >= MaskBits::size; });
  }
}

/// A number for each mask; those apart have different ones. Sets num_masks.
std::vector<unsigned> ExecMasks::sharedNumbers(const std::vector<std::vector<unsigned>> &apart,
                                               const WideBits &at_entry) {
  std::vector<unsigned> order; // as they are first written; those that never are, before
  std::vector<bool> is_written(num_masks), is_at_entry(num_masks);
  forBits(at_entry, [&](unsigned mask) { is_at_entry[mask] = true; });
  auto write = [&](unsigned mask) {
    if (mask != exec_mask && !is_written[mask])
      order.push_back(mask);
    is_written[mask] = true;
  };
  for (const Effect &effect : effects)
    effect.forWritten(write);
  for (unsigned mask = 1; mask < num_masks; ++mask)
    if (!is_written[mask])
      order.insert(order.begin(), mask);

  constexpr unsigned none = ~0u;
  std::vector<unsigned> number(num_masks, none);
  number[exec_mask] = exec_mask;
  unsigned count = 1;
  std::vector<unsigned> taken_by; // by number: the last mask that must not have it
  std::vector<unsigned> numbered_at_entry;
  for (unsigned mask : order) {
    taken_by.resize(count + 1, none);
    taken_by[exec_mask] = mask;
    for (unsigned other : apart[mask])
      if (number[other] != none)
        taken_by[number[other]] = mask;
    if (is_at_entry[mask])
      for (unsigned other : numbered_at_entry)
        taken_by[other] = mask;
    unsigned chosen = 1;
    while (chosen < count && taken_by[chosen] == mask)
      ++chosen;
    number[mask] = chosen;
    count = std::max(count, chosen + 1);
    if (is_at_entry[mask])
      numbered_at_entry.push_back(chosen);
  }
  num_masks = std::min(count, MaskBits::size);
  return number;
}

/// Which writes of EXEC take threads out of it or bring some in, as far as the block itself tells.
void ExecMasks::findChanges(const Problem &problem) {
  only_exec.set(exec_mask);
  for (const Block &block : problem.blocks) {
    MaskBits within; // masks that lie within EXEC
    within.set(exec_mask);
    for (InstId i = block.first; i < block.last; ++i) {
      if (effect_of[i] < 0)
        continue;
      Effect &effect = effects[effect_of[i]];
      auto isWithin = [&](const Source &source) {
        return source.kind == Source::Kind::Mask && within.test(source.mask);
      };
      auto isExec = [](const Source &source) { return source.kind == Source::Kind::Mask && source.mask == exec_mask; };
      const bool a = isWithin(effect.a), b = isWithin(effect.b);
      const bool narrows = effect.undefined || (effect.op == MaskOp::Move && a) ||
                           (effect.op == MaskOp::And && (a || b)) || (effect.op == MaskOp::AndNot && a) ||
                           ((effect.op == MaskOp::Or || effect.op == MaskOp::Xor) && a && b) ||
                           effect.op == MaskOp::Compare;
      if (effect.def == static_cast<int>(exec_mask)) {
        const bool widens = (effect.op == MaskOp::Or && (isExec(effect.a) || isExec(effect.b))) ||
                            (effect.op == MaskOp::WholeQuad && isExec(effect.a));
        effect.change = narrows ? ExecChange::Narrows : widens ? ExecChange::Widens : ExecChange::Any;
      } else if (effect.writes_exec) {
        switch (effect.op) {
        case MaskOp::AndSave:
        case MaskOp::NotAndSave:
        case MaskOp::CompareExec:
          effect.change = ExecChange::Narrows;
          break;
        case MaskOp::OrSave:
        case MaskOp::WholeQuadSave:
          effect.change = ExecChange::Widens;
          break;
        default:
          effect.change = ExecChange::Any;
        }
      }
      if (effect.change == ExecChange::Widens || effect.change == ExecChange::Any)
        for (const Source &source : {effect.a, effect.b})
          names_all_threads |= makesQuads(effect.op) || source.kind == Source::Kind::Unknown ||
                               (source.kind == Source::Kind::Constant && source.constant != 0);
      if (effect.change == ExecChange::Narrows || effect.change == ExecChange::Any) {
        within = MaskBits();
        within.set(exec_mask);
        if (effect.op == MaskOp::Move && effect.a.kind == Source::Kind::Mask)
          within.set(effect.a.mask);
      }
      if (effect.def > static_cast<int>(exec_mask))
        within.set(static_cast<unsigned>(effect.def),
                   effect.change == ExecChange::Widens || (effect.change == ExecChange::None && narrows));
      for (unsigned mask : effect.unknown)
        within.set(mask, false);
    }
  }
}

std::vector<ThreadClass> ExecMasks::entryClasses() const {
  std::vector<ThreadClass> classes(2);
  for (ThreadClass &c : classes)
    for (unsigned mask = 1; mask < num_masks; ++mask)
      c.member.forget(mask);
  classes[1].member.set(exec_mask, true);
  if (exec_quads >= 0)
    classes[1].member.set(static_cast<unsigned>(exec_quads), true);
  return classes;
}

void ExecMasks::split(unsigned mask, bool active_only, std::vector<ThreadClass> &classes) {
  size_t count = classes.size();
  for (size_t i = 0; i < count; ++i) {
    classes[i].member.set(mask, false);
    if (active_only && !classes[i].isActive())
      continue;
    classes.push_back(classes[i]);
    classes.back().member.set(mask, true);
  }
}

void ExecMasks::forget(unsigned mask, std::vector<ThreadClass> &classes, bool active_only) {
  for (ThreadClass &c : classes)
    if (!active_only || c.isActive())
      c.member.forget(mask);
}

unsigned ExecMasks::resolve(const Source &source, std::vector<ThreadClass> &classes) {
  if (source.kind != Source::Kind::Mask)
    return 0;
  unsigned met = 0;
  size_t count = classes.size();
  for (size_t i = 0; i < count; ++i)
    if (classes[i].member.unknown.test(source.mask)) {
      classes[i].member.set(source.mask, false);
      classes.push_back(classes[i]);
      classes.back().member.set(source.mask, true);
      met = 1;
    }
  return met;
}

/// Of whole quads not yet known: known, by telling threads apart.
void ExecMasks::resolveQuads(unsigned mask, int quads, std::vector<ThreadClass> &classes) {
  if (quads < 0)
    return;
  size_t count = classes.size();
  for (size_t i = 0; i < count; ++i)
    if (classes[i].member.unknown.test(static_cast<unsigned>(quads))) {
      classes[i].member.set(static_cast<unsigned>(quads), true);
      if (classes[i].member.in.test(mask))
        continue;
      classes.push_back(classes[i]);
      classes.back().member.set(static_cast<unsigned>(quads), false);
    }
}

ExecMasks::QuadBounds ExecMasks::quadsOf(const Source &source, const ThreadClass &c) {
  QuadBounds bounds;
  switch (source.kind) {
  case Source::Kind::Constant:
    return {source.constant == 0, source.constant == -1};
  case Source::Kind::Mask:
    if (source.quads >= 0 && !c.member.unknown.test(static_cast<unsigned>(source.quads))) {
      bounds.some = c.member.in.test(static_cast<unsigned>(source.quads));
      bounds.none = !bounds.some;
    }
    return bounds;
  default:
    return bounds;
  }
}

/// What is known of the quads of an operation's result (of EXEC, where it saves EXEC), other than by the result itself.
ExecMasks::QuadBounds ExecMasks::resultQuads(const Effect &effect, const ThreadClass &c) const {
  const QuadBounds a = quadsOf(effect.a, c), b = quadsOf(effect.b, c), exec = quadsOf(execSource(), c);
  if (effect.undefined)
    return {true, false};
  switch (effect.op) {
  case MaskOp::Move:
  case MaskOp::WholeQuad:
    return a;
  case MaskOp::And:
    return {a.none || b.none, false};
  case MaskOp::Or:
    return {a.none && b.none, a.some || b.some};
  case MaskOp::Xor:
    return {a.none && b.none, false};
  case MaskOp::AndNot:
  case MaskOp::AndNotSave:
    return {a.none, false};
  case MaskOp::AndSave:
    return {a.none || exec.none, false};
  case MaskOp::OrSave:
    return {a.none && exec.none, a.some || exec.some};
  case MaskOp::XorSave:
    return {a.none && exec.none, false};
  case MaskOp::WholeQuadSave:
    return exec;
  case MaskOp::NotAndSave:
  case MaskOp::Compare:
  case MaskOp::CompareExec:
    return {exec.none, false};
  default:
    return {};
  }
}

/// Takes over what is known of the quads of a mask; `is_in`: the mask names the thread itself.
void ExecMasks::setQuads(int quads, QuadBounds bounds, bool is_in, ThreadClass &c) {
  if (quads < 0)
    return;
  if (is_in || bounds.some || bounds.none)
    c.member.set(static_cast<unsigned>(quads), is_in || bounds.some);
  else
    c.member.forget(static_cast<unsigned>(quads));
}

unsigned ExecMasks::apply(InstId inst, std::vector<ThreadClass> &classes) const {
  const Effect &effect = effects[effect_of[inst]];
  unsigned met_unknown = 0;
  const bool exec_result = effect.def == static_cast<int>(exec_mask);
  const bool needed = effect.def >= 0 || effect.writes_exec;
  if (needed) {
    met_unknown += resolve(effect.a, classes);
    met_unknown += resolve(effect.b, classes);
    if (effect.op == MaskOp::WholeQuad && effect.a.kind == Source::Kind::Mask)
      resolveQuads(effect.a.mask, effect.a.quads, classes);
    if (effect.op == MaskOp::WholeQuadSave)
      resolveQuads(exec_mask, exec_quads, classes);
  }

  // The value of a source for one class; false in `known` if it has none.
  bool known = true;
  auto value = [&](const Source &source, const ThreadClass &c) {
    switch (source.kind) {
    case Source::Kind::Mask:
      return c.member.in.test(source.mask);
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
    case MaskOp::WholeQuad:
      if (effect.a.kind != Source::Kind::Mask) {
        known &= effect.a.kind != Source::Kind::None;
        return a;
      }
      known &= effect.a.quads >= 0;
      return known && c.member.in.test(static_cast<unsigned>(effect.a.quads));
    case MaskOp::WholeQuadSave:
      known &= exec_quads >= 0;
      return known && c.member.in.test(static_cast<unsigned>(exec_quads));
    default:
      known = false;
      return false;
    }
  };

  if (needed) {
    if (effect.op == MaskOp::Compare && !effect.writes_exec) {
      split(static_cast<unsigned>(effect.def), true, classes);
      for (ThreadClass &c : classes)
        setQuads(effect.def_quads, resultQuads(effect, c), c.member.in.test(static_cast<unsigned>(effect.def)), c);
    } else if (effect.op == MaskOp::CompareExec) {
      size_t count = classes.size();
      for (size_t i = 0; i < count; ++i)
        if (classes[i].isActive()) {
          classes.push_back(classes[i]);
          classes.back().member.set(exec_mask, false);
        }
      for (ThreadClass &c : classes)
        setQuads(exec_quads, resultQuads(effect, c), c.isActive(), c);
      if (effect.def > 0)
        forget(static_cast<unsigned>(effect.def), classes);
      if (effect.def_quads > 0)
        forget(static_cast<unsigned>(effect.def_quads), classes);
    } else {
      std::vector<bool> results(classes.size());
      for (size_t i = 0; i < classes.size(); ++i)
        results[i] = evaluate(classes[i]);
      const bool is_save = isSave(effect.op);
      const bool writes_exec = effect.writes_exec || exec_result;
      std::vector<QuadBounds> quads; // of the results
      for (size_t i = 0; exec_quads >= 0 && i < classes.size(); ++i)
        quads.push_back(known ? resultQuads(effect, classes[i]) : QuadBounds());
      for (size_t i = 0; is_save && i < classes.size(); ++i) {
        const bool exec = classes[i].isActive();
        if (effect.def > 0)
          classes[i].member.set(static_cast<unsigned>(effect.def), exec);
        setQuads(effect.def_quads, quadsOf(execSource(), classes[i]), exec, classes[i]);
      }
      if (writes_exec && known) {
        for (size_t i = 0; i < classes.size(); ++i)
          classes[i].member.set(exec_mask, results[i]);
        for (size_t i = 0; i < quads.size(); ++i)
          setQuads(exec_quads, quads[i], results[i], classes[i]);
      } else if (writes_exec) {
        split(exec_mask, false, classes);
        ++met_unknown;
        for (ThreadClass &c : classes)
          setQuads(exec_quads, {}, c.isActive(), c);
      }
      if (!is_save && effect.def > 0) {
        if (known)
          for (size_t i = 0; i < classes.size(); ++i)
            classes[i].member.set(static_cast<unsigned>(effect.def), results[i]);
        else
          forget(static_cast<unsigned>(effect.def), classes);
      }
      for (size_t i = 0; !is_save && effect.def_quads >= 0 && i < quads.size(); ++i)
        setQuads(effect.def_quads, quads[i], known && results[i], classes[i]);
    }
  }
  for (unsigned mask : effect.unknown)
    forget(mask, classes);
  return met_unknown;
}

} // namespace verilocc::checker
