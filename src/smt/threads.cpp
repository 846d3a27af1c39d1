#include "smt/threads.h"

#include <algorithm>
#include <fmt/format.h>

namespace verilocc::smt {

using namespace problem;

namespace {

/// A run of registers is named by where it begins.
uint64_t keyOf(bool fixed, uint32_t reg, unsigned lane) {
  return fixed ? uint64_t(1) << 63 | (reg + lane) : uint64_t(reg) << 8 | lane;
}
uint64_t keyOf(const Operand &operand) {
  return keyOf(operand.fixed, operand.reg, operand.first_lane);
}
constexpr uint64_t exec_key = uint64_t(1) << 63 | exec_lo;

bool savesExec(MaskOp op) {
  switch (op) {
  case MaskOp::AndSave:
  case MaskOp::OrSave:
  case MaskOp::XorSave:
  case MaskOp::AndNotSave:
  case MaskOp::NotAndSave:
  case MaskOp::WholeQuadSave:
  case MaskOp::UnknownSave:
    return true;
  default:
    return false;
  }
}

bool isOperation(MaskOp op) {
  return op != MaskOp::None && op != MaskOp::Unknown;
}

/// The operands that a mask operation names: its definition and its sources.
struct Named {
  const Operand *def = nullptr, *a = nullptr, *b = nullptr;
};

Named namedOperands(const Problem &problem, const Inst &inst, unsigned words) {
  Named named;
  for (const Operand &operand : problem.operandsOf(inst)) {
    if (operand.has(operand_flag::Implicit))
      continue;
    if (operand.isUse())
      (named.a ? named.b : named.a) = &operand;
    else if (!named.def && operand.num_lanes == words)
      named.def = &operand;
  }
  return named;
}

} // namespace

Threads::Threads(const Problem &problem, size_t max_states) : problem(problem), words(problem.env.wave_size / 32) {
  if (std::any_of(problem.insts.begin(), problem.insts.end(), [](const Inst &inst) {
        return inst.mask_op == MaskOp::WholeQuad || inst.mask_op == MaskOp::WholeQuadSave;
      })) {
    why_not = "whole quads of threads hang together, and a thread is looked at alone";
    return;
  }
  nameMasks();
  if (masks.size() > 64) {
    why_not = fmt::format("{} lane masks reach EXEC; 64 is the limit", masks.size());
    return;
  }
  findEffects();
  cutSegments();
  findLive();
  explore(max_states);
}

/// EXEC, and what an operation that ends in a mask takes its bits from.
void Threads::nameMasks() {
  masks = {{exec_key, 0}};
  for (size_t known = 0; known != masks.size();) {
    known = masks.size();
    for (const Inst &inst : problem.insts) {
      if (!isOperation(inst.mask_op) || inst.mask_op == MaskOp::Compare || inst.mask_op == MaskOp::CompareExec)
        continue;
      const Named named = namedOperands(problem, inst, words);
      if (!savesExec(inst.mask_op) && !(named.def && masks.contains(keyOf(*named.def))))
        continue;
      for (const Operand *source : {named.a, named.b})
        if (source && source->num_lanes == words && !(source->fixed && isPerThread(static_cast<RegUnit>(source->reg))))
          masks.try_emplace(keyOf(*source), static_cast<unsigned>(masks.size()));
    }
  }
}

void Threads::findEffects() {
  auto sourceOf = [&](const Operand *operand, const Inst &inst) -> Source {
    if (!operand && !inst.mask_has_constant)
      return {};
    if (!operand) // only all threads and none are the same for every thread
      return {inst.mask_constant == 0 || inst.mask_constant == -1 ? Source::Kind::Constant : Source::Kind::Unknown, 0,
              inst.mask_constant == -1};
    auto mask = operand->num_lanes == words ? masks.find(keyOf(*operand)) : masks.end();
    return mask == masks.end() ? Source{Source::Kind::Unknown, 0, false}
                               : Source{Source::Kind::Mask, mask->second, false};
  };
  for (InstId id = 0; id < problem.insts.size(); ++id) {
    const Inst &inst = problem.insts[id];
    const Named named = namedOperands(problem, inst, words);
    Effect effect;
    effect.inst = id;
    if (named.def)
      if (auto mask = masks.find(keyOf(*named.def)); mask != masks.end())
        effect.def = static_cast<int>(mask->second);
    effect.a = sourceOf(named.a, inst);
    if (named.a)
      effect.b = sourceOf(named.b, inst);
    bool touches_exec = false;
    auto overwrite = [&](uint64_t key) {
      auto mask = masks.find(key);
      if (mask != masks.end() && mask->second && static_cast<int>(mask->second) != effect.def)
        effect.any |= Bits(1) << mask->second;
    };
    for (const Operand &operand : problem.operandsOf(inst)) {
      if (!operand.isDef())
        continue;
      touches_exec |=
          operand.fixed && overlapsExec(operand.reg, operand.num_lanes) && !(words == 1 && operand.reg == exec_hi);
      // Masks that begin in the operand, or a word before it.
      for (unsigned lane = 0; lane < operand.num_lanes; ++lane)
        overwrite(keyOf(operand.fixed, operand.reg, operand.first_lane + lane));
      if (words == 2 && (operand.fixed ? operand.reg : operand.first_lane) > 0)
        overwrite(operand.fixed ? keyOf(true, operand.reg - 1, 0) : keyOf(false, operand.reg, operand.first_lane - 1u));
    }
    if (inst.clobbers >= 0)
      for (auto [key, mask] : masks)
        for (unsigned word = 0; mask && key >> 63 && word < words; ++word)
          if (problem.clobber_sets[static_cast<size_t>(inst.clobbers)].test((key & 0xffff) + word))
            effect.any |= Bits(1) << mask;
    // An implicit definition of EXEC on an operation whose result is another mask only keeps it in place.
    effect.writes_exec = effect.def == 0 || (touches_exec && (!isOperation(inst.mask_op) || savesExec(inst.mask_op) ||
                                                              inst.mask_op == MaskOp::CompareExec));
    if (effect.def >= 0 || effect.writes_exec || effect.any)
      effects.push_back(effect);
  }
}

const Threads::Effect *Threads::effectAt(InstId inst) const {
  auto it = std::lower_bound(effects.begin(), effects.end(), inst,
                             [](const Effect &effect, InstId wanted) { return effect.inst < wanted; });
  return it != effects.end() && it->inst == inst ? &*it : nullptr;
}

void Threads::cutSegments() {
  std::vector<uint32_t> first_of(problem.blocks.size()), last_of(problem.blocks.size());
  for (BlockId block = 0; block < problem.blocks.size(); ++block) {
    first_of[block] = static_cast<uint32_t>(all_segments.size());
    InstId first = problem.blocks[block].first;
    for (InstId id = first; id < problem.blocks[block].last; ++id)
      if (effectAt(id) && id + 1 < problem.blocks[block].last) {
        all_segments.push_back({block, first, id + 1, {}, {}, 1});
        first = id + 1;
      }
    all_segments.push_back({block, first, problem.blocks[block].last, {}, {}, 1});
    last_of[block] = static_cast<uint32_t>(all_segments.size() - 1);
  }
  auto link = [&](uint32_t from, uint32_t to) {
    all_segments[from].succs.push_back(to);
    all_segments[to].preds.push_back(from);
  };
  for (BlockId block = 0; block < problem.blocks.size(); ++block) {
    for (uint32_t s = first_of[block]; s < last_of[block]; ++s)
      link(s, s + 1);
    for (BlockId succ : problem.blocks[block].succs)
      link(last_of[block], first_of[succ]);
  }
}

void Threads::findLive() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t s = all_segments.size(); s-- > 0;) {
      Segment &segment = all_segments[s];
      Bits live = 1;
      for (uint32_t succ : segment.succs)
        live |= all_segments[succ].live;
      if (const Effect *effect = segment.first < segment.last ? effectAt(segment.last - 1) : nullptr) {
        live &= ~effect->any;
        if (effect->def > 0)
          live &= ~(Bits(1) << effect->def);
        for (const Source &source : {effect->a, effect->b})
          if (source.kind == Source::Kind::Mask)
            live |= Bits(1) << source.mask;
        live |= 1;
      }
      changed |= live != segment.live;
      segment.live = live;
    }
  }
}

/// The bits that a thread can have behind the instruction.
void Threads::after(const Effect &effect, Bits bits, std::vector<Bits> &out) const {
  const Inst &inst = problem.insts[effect.inst];
  const bool exec = bits & 1;
  out.assign(1, bits);
  auto set = [&](unsigned mask, bool may_be_in, bool may_be_out) {
    std::vector<Bits> next;
    for (Bits b : out) {
      if (may_be_in)
        next.push_back(b | Bits(1) << mask);
      if (may_be_out)
        next.push_back(b & ~(Bits(1) << mask));
    }
    out = std::move(next);
  };
  auto setAny = [&](unsigned mask) { set(mask, true, true); };
  auto setBit = [&](unsigned mask, bool bit) { set(mask, bit, !bit); };

  bool is_known = true;
  auto read = [&](const Source &source) {
    is_known &= source.kind == Source::Kind::Mask || source.kind == Source::Kind::Constant;
    return source.kind == Source::Kind::Mask ? bool(bits >> source.mask & 1) : source.bit;
  };
  bool value = false;
  if (inst.mask_op == MaskOp::Compare && !(effect.writes_exec && effect.def != 0)) {
    if (effect.def >= 0)
      set(static_cast<unsigned>(effect.def), exec, true);
  } else if (inst.mask_op == MaskOp::CompareExec) {
    set(0, exec, true);
    if (effect.def > 0)
      setAny(static_cast<unsigned>(effect.def));
  } else if (effect.def >= 0 || effect.writes_exec) {
    switch (inst.mask_op) {
    case MaskOp::Move:
      value = read(effect.a);
      break;
    case MaskOp::And:
      value = read(effect.a) & read(effect.b);
      break;
    case MaskOp::Or:
      value = read(effect.a) | read(effect.b);
      break;
    case MaskOp::Xor:
      value = read(effect.a) ^ read(effect.b);
      break;
    case MaskOp::AndNot:
      value = read(effect.a) & !read(effect.b);
      break;
    case MaskOp::OrNot:
      value = read(effect.a) | !read(effect.b);
      break;
    case MaskOp::AndSave:
      value = read(effect.a) && exec;
      break;
    case MaskOp::OrSave:
      value = read(effect.a) || exec;
      break;
    case MaskOp::XorSave:
      value = read(effect.a) != exec;
      break;
    case MaskOp::AndNotSave:
      value = read(effect.a) && !exec;
      break;
    case MaskOp::NotAndSave:
      value = !read(effect.a) && exec;
      break;
    default: // no operation; an undefined mask is taken to be empty
      is_known = inst.kind == InstKind::ImplicitDef;
    }
    const bool saves = savesExec(inst.mask_op);
    if (saves && effect.def > 0)
      setBit(static_cast<unsigned>(effect.def), exec);
    if (effect.writes_exec)
      is_known ? setBit(0, value) : setAny(0);
    if (!saves && effect.def > 0)
      is_known ? setBit(static_cast<unsigned>(effect.def), value) : setAny(static_cast<unsigned>(effect.def));
  }
  for (unsigned mask = 1; mask < masks.size(); ++mask)
    if (effect.any >> mask & 1)
      setAny(mask);
}

void Threads::explore(size_t max_states) {
  reached.assign(all_segments.size(), false);
  std::map<std::pair<uint32_t, Bits>, uint32_t> numbers;
  auto stateOf = [&](uint32_t segment, Bits bits) {
    auto [it, is_new] = numbers.try_emplace({segment, bits}, static_cast<uint32_t>(all_states.size()));
    if (is_new)
      all_states.push_back({segment, bits, {}});
    return it->second;
  };
  // At the entry a thread may be in any mask.
  const Bits live = all_segments[0].live;
  if (std::bitset<64>(live).count() > 16) {
    why_not = "too many lane masks are read before they are written";
    return;
  }
  for (Bits bits = live;; bits = (bits - 1) & live) {
    stateOf(0, bits);
    if (!bits)
      break;
  }
  num_entries = static_cast<uint32_t>(all_states.size());
  std::vector<Bits> ends;
  for (uint32_t state = 0; state < all_states.size(); ++state) {
    if (all_states.size() > max_states) {
      why_not = fmt::format("a thread can be in more than {} states", max_states);
      return;
    }
    const Segment &segment = all_segments[all_states[state].segment];
    reached[all_states[state].segment] = true;
    ends.assign(1, all_states[state].bits);
    if (const Effect *effect = segment.first < segment.last ? effectAt(segment.last - 1) : nullptr)
      after(*effect, all_states[state].bits, ends);
    const Block &block = problem.blocks[segment.block];
    for (uint32_t succ : segment.succs)
      for (Bits bits : ends) {
        // No active thread goes where EXEC is empty.
        const bool leaves = segment.last == block.last && all_segments[succ].block == block.empty_succ &&
                            all_segments[succ].first == problem.blocks[block.empty_succ].first;
        if (leaves && (bits & 1))
          continue;
        std::vector<uint32_t> &preds = all_states[stateOf(succ, bits & all_segments[succ].live)].preds;
        if (std::find(preds.begin(), preds.end(), state) == preds.end())
          preds.push_back(state);
      }
  }
}

} // namespace verilocc::smt
