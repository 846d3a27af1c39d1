#include "interp/machine.h"

#include <algorithm>
#include <cassert>

namespace verilocc::interp {

using namespace problem;

namespace {

/// Calls `body` with each thread in the set.
template <typename Body> void forEach(uint64_t threads, Body body) {
  for (; threads; threads &= threads - 1)
    body(static_cast<unsigned>(__builtin_ctzll(threads)));
}

/// A dword of a mask constant, repeated in both halves of a word (hashing.h).
/// Each four bits all ones if one of them is.
uint64_t wholeQuads(uint64_t bits) {
  bits |= bits >> 1;
  bits |= bits >> 2;
  return (bits & 0x1111'1111'1111'1111) * 0xf;
}

uint64_t constantMask(int64_t constant, unsigned dword) {
  uint64_t bits = static_cast<uint64_t>(constant) >> (32 * (dword & 1)) & 0xffffffff;
  return bits | bits << 32;
}

} // namespace

template <bool Traced>
Machine<Traced>::Machine(const Problem &problem, const Code &code, bool strict)
    : problem(problem), code(code), strict(strict) {}

// ---- state

template <bool Traced> uint64_t Machine<Traced>::activeOf(const std::vector<uint64_t> &memory) const {
  uint64_t active = 0;
  for (unsigned t = 0; t < code.threads(); ++t) {
    const unsigned lane = code.lanes[t];
    active |= (memory[exec.base + lane / 32] >> (lane % 32) & 1) << t;
  }
  return active;
}

template <bool Traced> void Machine<Traced>::updateExec() {
  ref_active = activeOf(ref);
  alloc_active = activeOf(alloc);
  exec_differs = false;
  for (unsigned i = 0; i < problem.env.wave_size / 32; ++i)
    exec_differs |= ref[exec.base + i] != alloc[exec.base + i];
}

template <bool Traced> void Machine<Traced>::enter(uint64_t seed, unsigned path) {
  path_seed = hashOf(seed, path);
  mask_density = path % 3 == 2 ? 4 : path % 3 + 1;
  effects = 0;
  exec = code.unit(exec_lo);
  all_threads = code.threads() == 64 ? ~0ull : (1ull << code.threads()) - 1;
  ref.assign(code.words, undefined_value);
  alloc.assign(code.words, garbage_value);
  if constexpr (Traced) {
    ref_writer.assign(code.words, Writer{});
    alloc_writer.assign(code.words, Writer{});
  }
  now = {Writer::Kind::Entry, 0, 0};
  for (RegUnit unit : code.entry_units) {
    const Place place = code.unit(unit);
    for (unsigned t = 0; t < (place.isVector() ? code.threads() : 1); ++t) {
      const uint64_t value = hashOf(path_seed, unit, place.isVector() ? code.lanes[t] : 0);
      put<Side::Ref>(place.at(0, t), value);
      put<Side::Alloc>(place.at(0, t), value);
    }
  }
  // The first path starts with all threads, as most kernels do; the others with a random choice, one at least.
  const unsigned forced = path == 0 ? 0 : code.lanes[hashOf(path_seed, 1) % code.threads()];
  for (unsigned i = 0; i < problem.env.wave_size / 32; ++i) {
    uint64_t bits = path == 0 ? ~0ull : ref[exec.base + i];
    if (forced / 32 == i)
      bits |= 1ull << (forced % 32);
    put<Side::Ref>(exec.base + i, bits);
    put<Side::Alloc>(exec.base + i, bits);
  }
  updateExec();
}

template <bool Traced>
bool Machine<Traced>::run(std::span<const BlockId> blocks, uint64_t seed, unsigned path, Difference &result) {
  difference = &result;
  enter(seed, path);
  for (uint32_t step = 0; step < blocks.size(); ++step) {
    bool skips = false; // a branch was taken: what was inserted behind it does not run
    for (uint32_t i = code.block_first[blocks[step]]; i < code.block_first[blocks[step] + 1]; ++i) {
      const CodeInst &inst = code.insts[i];
      now = {inst.is_edit ? Writer::Kind::Edit : Writer::Kind::Inst, inst.id, step};
      ++num_instructions;
      if (inst.is_edit && inst.is_after_branch && skips)
        continue;
      if (inst.is_edit ? !runEdit(inst) : !runInst(inst)) {
        if constexpr (Traced)
          result.blocks.assign(blocks.begin(), blocks.begin() + step + 1);
        return false;
      }
      if (!inst.is_edit && inst.inst->kind == InstKind::Branch)
        skips |= hashOf(path_seed, step, inst.id) & 1;
    }
    // The path ends where it would go on with threads on an edge that is taken only with EXEC empty.
    if (step + 1 < blocks.size() && problem.blocks[blocks[step]].empty_succ == blocks[step + 1] && ref_active)
      break;
  }
  return true;
}

// ---- reading and writing

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::put(uint32_t word, uint64_t value) {
  memoryOf<S>()[word] = value;
  if constexpr (Traced)
    (S == Side::Ref ? ref_writer : alloc_writer)[word] = now;
}

/// What a place holds, undefined or not.
template <bool Traced>
template <typename Machine<Traced>::Side S>
uint64_t Machine<Traced>::raw(const CodeOperand &op, unsigned lane, unsigned thread) {
  const Place &place = placeOf<S>(op);
  return place.lost ? garbage_value : memoryOf<S>()[place.at(lane, thread)];
}

/// What an operation computes with: an undefined input is the same `any_value` on both sides.
template <bool Traced>
template <typename Machine<Traced>::Side S>
uint64_t Machine<Traced>::input(const CodeOperand &op, unsigned lane, unsigned thread) {
  if (op.has(operand_flag::Undef))
    return any_value;
  const uint64_t value = raw<S>(op, lane, thread);
  const bool early = lane < 32 && (op.early_lanes >> lane & 1);
  if constexpr (S == Side::Ref)
    return value == undefined_value ? any_value : value;
  else if constexpr (S == Side::Alloc)
    return ref[op.ref.at(lane, thread)] == undefined_value ? any_value : early ? garbage_value : value;
  else
    return value == garbage_value && !early ? any_value : early ? garbage_value : value;
}

/// Of `threads`, those that read operand `o`: an instruction that sets inactive threads reads its first explicit use in
/// the active ones, its second in the others.
template <bool Traced>
uint64_t Machine<Traced>::readersOf(const CodeInst &inst, unsigned o, uint64_t threads, uint64_t active) const {
  auto isExplicitUse = [&](unsigned i) {
    const CodeOperand &op = code.operands[inst.first + i];
    return op.is_use && !op.has(operand_flag::Implicit);
  };
  if (!inst.inst->has(inst_flag::SetsInactive) || !isExplicitUse(o))
    return threads;
  unsigned before = 0;
  for (unsigned i = 0; i < o; ++i)
    before += isExplicitUse(i);
  return threads & (before ? ~active : active);
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::gather(const CodeInst &inst, uint64_t threads, Inputs &inputs) {
  uint64_t scalars = mix(path_seed, inst.inst->signature);
  // A load sees what was stored before; a pure one reads memory that nobody writes.
  if (inst.inst->has(inst_flag::Load) && !inst.inst->has(inst_flag::Pure))
    scalars = mix(scalars, effects);
  inputs.has_vectors = false;
  for (unsigned o = 0; o < inst.count; ++o) {
    const CodeOperand &op = code.operands[inst.first + o];
    if (!op.is_use || op.is_exec_guard)
      continue;
    if (!op.is_vector) {
      for (unsigned lane = 0; lane < op.lanes; ++lane)
        if (op.takes(lane))
          scalars = mix(scalars, input<S>(op, lane, 0));
      continue;
    }
    if (!inputs.has_vectors)
      forEach(threads, [&](unsigned t) { inputs.threads[t] = 0; });
    inputs.has_vectors = true;
    const uint64_t readers = readersOf(inst, o, threads, activeOf(memoryOf<S>()));
    for (unsigned lane = 0; lane < op.lanes; ++lane)
      if (op.takes(lane))
        forEach(readers, [&](unsigned t) { inputs.threads[t] = mix(inputs.threads[t], input<S>(op, lane, t)); });
  }
  inputs.scalars = scalars;
}

/// Depends on what every thread taking part reads.
template <bool Traced> uint64_t Machine<Traced>::scalarResult(const Inputs &inputs, uint64_t threads) const {
  uint64_t hash = inputs.scalars;
  if (inputs.has_vectors)
    forEach(threads, [&](unsigned t) { hash = mix(mix(hash, t), inputs.threads[t]); });
  return hash;
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::writeDefs(const CodeInst &inst, uint64_t threads, const Inputs &inputs, const Masks *masks) {
  const bool crosses = inst.inst->has(inst_flag::CrossLane) || inst.inst->kind == InstKind::Matrix;
  const uint64_t scalar = scalarResult(inputs, threads);
  unsigned ordinal = 0;
  for (unsigned o = 0; o < inst.count; ++o) {
    const CodeOperand &op = code.operands[inst.first + o];
    if (op.is_use)
      continue;
    ++ordinal;
    const Place &place = placeOf<S>(op);
    if (place.lost) {
      for (unsigned lane = 0; lane < op.lanes; ++lane)
        for (unsigned t = 0; t < (place.isVector() ? code.threads() : 1); ++t)
          if (place.at(lane, t) < code.words)
            put<S>(place.at(lane, t), garbage_value);
      continue;
    }
    const bool is_mask = masks && static_cast<int>(o) == inst.def;
    if (op.is_covered || (masks && masks->writes_exec && op.is_exec))
      continue;
    const bool overlapped = S != Side::Ref && op.is_overlapped;
    const auto write = [&](unsigned lane, unsigned t, uint64_t value) {
      const uint32_t word = place.at(lane, t);
      if (op.has(operand_flag::HalfDword) && !op.has(operand_flag::Undef)) {
        uint64_t old = memoryOf<S>()[word];
        // The reference is written after the allocated program: it still holds the old value.
        const bool undefined = S == Side::Edit ? old == garbage_value : ref[op.ref.at(lane, t)] == undefined_value;
        value = mix(value, undefined ? any_value : old);
      }
      put<S>(word, overlapped ? garbage_value : value);
    };
    for (unsigned lane = 0; lane < op.lanes; ++lane) {
      const uint64_t salt = ordinal * 0x100000001ull + lane * 0x10001ull;
      if (!op.is_vector)
        write(lane, 0, is_mask && lane < 32 ? masks->def[lane] : finish(scalar + salt));
      else if (crosses)
        forEach(threads, [&](unsigned t) { write(lane, t, finish(mix(scalar, t) + salt)); });
      else if (!inputs.has_vectors)
        forEach(threads, [&, value = finish(mix(inputs.scalars, 0) + salt)](unsigned t) { write(lane, t, value); });
      else
        forEach(threads, [&](unsigned t) { write(lane, t, finish(mix(inputs.scalars, inputs.threads[t]) + salt)); });
    }
  }
  if (masks && masks->writes_exec)
    for (unsigned i = 0; i < problem.env.wave_size / 32; ++i)
      put<S>(exec.base + i, masks->exec[i]);
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::computeMasks(const CodeInst &inst, uint64_t scalar, Masks &masks) {
  const Inst &source = *inst.inst;
  const auto operand = [&](int i) { return i < 0 ? nullptr : &code.operands[inst.first + i]; };
  const CodeOperand *a = operand(inst.use), *b = operand(inst.use2);
  const bool a_is_constant = source.mask_has_constant && !a;
  const bool b_is_constant = source.mask_has_constant && a && !b;
  const auto value = [&](const CodeOperand *op, bool is_constant, unsigned i) -> uint64_t {
    if (is_constant)
      return constantMask(source.mask_constant, i);
    if (!op || op->is_vector || i >= op->lanes)
      return finish(mix(scalar, 0xabcd + i));
    // A mask that may be anything is taken to be empty: no program with a meaning lets EXEC depend on it.
    const uint64_t bits = input<S>(*op, i, 0);
    return bits == any_value ? 0 : bits;
  };
  const unsigned exec_dwords = problem.env.wave_size / 32;
  const CodeOperand *def = operand(inst.def);
  const unsigned dwords = std::max<unsigned>(def ? std::min<unsigned>(def->lanes, 32) : 0, exec_dwords);
  masks.writes_exec = source.mask_op >= MaskOp::AndSave && source.mask_op != MaskOp::Compare;
  for (unsigned i = 0; i < dwords; ++i) {
    const uint64_t old = memoryOf<S>()[exec.base + std::min(i, exec_dwords - 1)];
    const uint64_t x = value(a, a_is_constant, i), y = value(b, b_is_constant, i);
    uint64_t chosen = 0;
    for (unsigned k = 0; k < mask_density; ++k)
      chosen |= finish(mix(mix(scalar, path_seed + k), i));
    uint64_t d = old, e = old;
    switch (source.mask_op) {
    case MaskOp::Move:
      d = x;
      break;
    case MaskOp::And:
      d = x & y;
      break;
    case MaskOp::Or:
      d = x | y;
      break;
    case MaskOp::Xor:
      d = x ^ y;
      break;
    case MaskOp::AndNot:
      d = x & ~y;
      break;
    case MaskOp::OrNot:
      d = x | ~y;
      break;
    case MaskOp::WholeQuad:
      d = wholeQuads(x);
      break;
    case MaskOp::WholeQuadSave:
      e = wholeQuads(old);
      break;
    case MaskOp::AndSave:
      e = old & x;
      break;
    case MaskOp::OrSave:
      e = old | x;
      break;
    case MaskOp::XorSave:
      e = old ^ x;
      break;
    case MaskOp::AndNotSave:
      e = x & ~old;
      break;
    case MaskOp::NotAndSave:
      e = ~x & old;
      break;
    case MaskOp::UnknownSave:
      e = chosen;
      break;
    case MaskOp::Compare:
      d = chosen & old;
      break;
    case MaskOp::CompareExec:
      d = e = chosen & old;
      break;
    case MaskOp::None:
    case MaskOp::Unknown:
      assert(false && "no mask operation");
    }
    masks.def[i] = d;
    if (i < 2)
      masks.exec[i] = e;
  }
}

// ---- moves: they carry undefined values along

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::copy(const CodeInst &inst, uint64_t threads) {
  const CodeOperand &def = code.operands[inst.first + inst.def], &use = code.operands[inst.first + inst.use];
  const Place &to = placeOf<S>(def);
  if (to.lost)
    return;
  const unsigned num_threads = code.threads();
  buffer.resize(inst.move_lanes * num_threads);
  const bool broadcasts = !use.is_vector, reads_first = use.is_vector && !def.is_vector;
  for (unsigned lane = 0; lane < inst.move_lanes; ++lane) {
    if (broadcasts || reads_first)
      std::fill_n(buffer.begin() + lane * num_threads, num_threads,
                  broadcasts ? raw<S>(use, lane, 0)
                  : threads  ? raw<S>(use, lane, __builtin_ctzll(threads))
                             : hashOf(path_seed, inst.id, lane));
    else
      forEach(threads, [&](unsigned t) { buffer[lane * num_threads + t] = raw<S>(use, lane, t); });
  }
  for (unsigned lane = 0; lane < inst.move_lanes; ++lane) {
    if (!to.isVector())
      put<S>(to.at(lane, 0), buffer[lane * num_threads]);
    else
      forEach(threads, [&](unsigned t) { put<S>(to.at(lane, t), buffer[lane * num_threads + t]); });
  }
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::exchange(const CodeInst &inst, uint64_t threads) {
  const CodeOperand &first = code.operands[inst.first + inst.def], &second = code.operands[inst.first + inst.def2];
  const Place &to_first = placeOf<S>(first), &to_second = placeOf<S>(second);
  if (to_first.lost || to_second.lost)
    return;
  // The machine swaps two registers. In the reference the uses say what the definitions receive, unless they name the
  // same two storages straight.
  const CodeOperand *from_first = &second, *from_second = &first;
  if (S == Side::Ref && inst.use >= 0 && inst.use2 >= 0) {
    const CodeOperand &a = code.operands[inst.first + inst.use], &b = code.operands[inst.first + inst.use2];
    const bool straight = a.ref.base == first.ref.base && b.ref.base == second.ref.base;
    if (!straight && a.lanes == first.lanes && b.lanes == second.lanes && a.is_vector == first.is_vector &&
        b.is_vector == second.is_vector) {
      from_first = &a;
      from_second = &b;
    }
  }
  for (unsigned lane = 0; lane < inst.move_lanes; ++lane)
    forEach(first.is_vector ? threads : 1, [&](unsigned t) {
      const uint64_t a = raw<S>(*from_first, lane, t), b = raw<S>(*from_second, lane, t);
      put<S>(to_first.at(lane, t), a);
      put<S>(to_second.at(lane, t), b);
    });
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::spill(const CodeInst &inst, uint64_t threads) {
  const CodeOperand &use = code.operands[inst.first + inst.use];
  const unsigned num_threads = code.threads();
  for (unsigned lane = 0; lane < inst.move_lanes; ++lane) {
    const uint32_t dword = inst.slot_base + lane * num_threads;
    if (use.is_vector)
      forEach(threads, [&](unsigned t) { put<S>(dword + t, raw<S>(use, lane, t)); });
    else
      forEach(all_threads, [&](unsigned t) { put<S>(dword + t, raw<S>(use, lane, 0)); });
  }
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::reload(const CodeInst &inst, uint64_t threads) {
  const CodeOperand &def = code.operands[inst.first + inst.def];
  const Place &to = placeOf<S>(def);
  if (to.lost)
    return;
  const std::vector<uint64_t> &memory = memoryOf<S>();
  for (unsigned lane = 0; lane < inst.move_lanes; ++lane) {
    const uint32_t dword = inst.slot_base + lane * code.threads();
    if (def.is_vector) {
      forEach(threads, [&](unsigned t) { put<S>(to.at(lane, t), memory[dword + t]); });
      continue;
    }
    // A scalar's dword holds the same word for every thread, unless a vector spill went there.
    bool same = true;
    for (unsigned t = 1; t < code.threads(); ++t)
      same &= memory[dword + t] == memory[dword];
    put<S>(to.at(lane, 0), same ? memory[dword] : S == Side::Ref ? undefined_value : garbage_value);
  }
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::writeLane(const CodeInst &inst) {
  const CodeOperand &def = code.operands[inst.first + inst.def], &use = code.operands[inst.first + inst.use];
  if (placeOf<S>(def).lost)
    return;
  const uint64_t value = raw<S>(use, 0, 0);
  if constexpr (S == Side::Ref) // the other lanes come from the vector operand
    for (unsigned o = 0; o < inst.count; ++o) {
      const CodeOperand &old = code.operands[inst.first + o];
      if (old.is_use && old.is_vector && old.ref.base != def.ref.base && !old.has(operand_flag::Undef))
        forEach(all_threads, [&](unsigned t) { put<S>(def.ref.at(0, t), raw<S>(old, 0, t)); });
    }
  put<S>(placeOf<S>(def).at(0, inst.lane_thread), value);
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::readLane(const CodeInst &inst) {
  const CodeOperand &def = code.operands[inst.first + inst.def], &use = code.operands[inst.first + inst.use];
  if (!placeOf<S>(def).lost)
    put<S>(placeOf<S>(def).at(0, 0), raw<S>(use, 0, inst.lane_thread));
}

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::move(const CodeInst &inst, uint64_t threads) {
  switch (inst.action) {
  case Action::Copy:
    copy<S>(inst, threads);
    break;
  case Action::Exchange:
    exchange<S>(inst, threads);
    break;
  case Action::Spill:
    spill<S>(inst, threads);
    break;
  case Action::Reload:
    reload<S>(inst, threads);
    break;
  case Action::LaneWrite:
    writeLane<S>(inst);
    break;
  case Action::LaneRead:
    readLane<S>(inst);
    break;
  default:
    assert(false && "not a move");
  }
  // What else it writes. Of an edit: only what has no part in a tuple, such as SCC.
  for (unsigned o = 0; o < inst.count; ++o) {
    const CodeOperand &op = code.operands[inst.first + o];
    if (op.is_use || op.is_covered || !op.has(operand_flag::Implicit) || op.is_vector || placeOf<S>(op).lost)
      continue;
    if (S == Side::Edit && op.alloc.base < code.unit(vcc_lo).base)
      continue;
    for (unsigned lane = 0; lane < op.lanes; ++lane)
      put<S>(placeOf<S>(op).at(lane, 0),
             S == Side::Edit ? garbage_value : hashOf(path_seed ^ inst.id, op.index, lane, num_instructions));
  }
}

// ---- whole instructions

template <bool Traced>
template <typename Machine<Traced>::Side S>
void Machine<Traced>::clobber(const CodeInst &inst, uint64_t threads) {
  if (inst.inst->clobbers < 0)
    return;
  const UnitSet &set = problem.clobber_sets[inst.inst->clobbers];
  for (size_t unit = set._Find_first(); unit < num_units; unit = set._Find_next(unit)) {
    if (unit == exec_lo || unit == exec_hi)
      continue;
    const Place place = code.unit(static_cast<RegUnit>(unit));
    // A callee leaves the registers of inactive threads alone (LLVM, AMDGPUUsage, calling convention).
    forEach(place.isVector() ? threads : 1,
            [&](unsigned t) { put<S>(place.at(0, t), hashOf(path_seed, effects, unit, t)); });
  }
}

/// The reference's lanes beside an `undef` definition.
template <bool Traced> void Machine<Traced>::startUndefined(const CodeInst &inst, uint64_t threads) {
  for (unsigned o = 0; o < inst.count; ++o) {
    const CodeOperand &op = code.operands[inst.first + o];
    if (!op.starts_undefined)
      continue;
    for (unsigned lane = 0; lane < op.width; ++lane)
      if (lane < op.first_lane || lane >= op.first_lane + op.lanes)
        forEach(op.is_vector ? threads : 1, [&](unsigned t) {
          put<Side::Ref>(op.ref.base + (int(lane) - op.first_lane) * op.ref.lane_step + t * op.ref.thread_step,
                         undefined_value);
        });
  }
}

template <bool Traced> void Machine<Traced>::undefine(const CodeInst &inst, uint64_t threads) {
  for (unsigned o = 0; o < inst.count; ++o) {
    const CodeOperand &op = code.operands[inst.first + o];
    if (op.is_use)
      continue;
    for (unsigned lane = 0; lane < op.lanes; ++lane)
      forEach(op.is_vector ? threads : 1, [&](unsigned t) { put<Side::Ref>(op.ref.at(lane, t), undefined_value); });
  }
}

template <bool Traced> bool Machine<Traced>::runEdit(const CodeInst &inst) {
  const uint64_t threads = threadsOf(inst, alloc_active);
  switch (inst.action) {
  case Action::Nothing:
  case Action::Undefine:
    return true; // no machine code
  case Action::Compute:
    if (inst.inst->has(inst_flag::SideEffect)) {
      explain(inst, Difference::Kind::ExtraEffect);
      return false;
    }
    [[fallthrough]];
  case Action::Mask: {
    Inputs inputs;
    gather<Side::Edit>(inst, threads, inputs);
    Masks masks;
    if (inst.action == Action::Mask)
      computeMasks<Side::Edit>(inst, scalarResult(inputs, threads), masks);
    writeDefs<Side::Edit>(inst, threads, inputs, inst.action == Action::Mask ? &masks : nullptr);
    break;
  }
  default:
    move<Side::Edit>(inst, threads);
  }
  if (inst.writes_alloc_exec)
    updateExec();
  return true;
}

template <bool Traced> bool Machine<Traced>::runInst(const CodeInst &inst) {
  const bool kept = !inst.is_deleted;
  if (inst.is_deleted && inst.has_effect) {
    explain(inst, Difference::Kind::MissingEffect);
    return false;
  }
  bool same = true; // so far the programs agree at this instruction
  if (kept && (!compareExec(inst, same) || !compareInputs(inst, same)))
    return false;

  const uint64_t ref_threads = threadsOf(inst, ref_active), alloc_threads = threadsOf(inst, alloc_active);
  switch (inst.action) {
  case Action::Nothing:
    break;
  case Action::Undefine:
    startUndefined(inst, ref_threads);
    undefine(inst, ref_threads);
    break;
  case Action::Compute:
  case Action::Mask: {
    Inputs of_ref, of_alloc;
    Masks ref_masks, alloc_masks;
    const bool is_mask = inst.action == Action::Mask;
    same &= !exec_differs;
    gather<Side::Ref>(inst, ref_threads, of_ref);
    if (is_mask)
      computeMasks<Side::Ref>(inst, scalarResult(of_ref, ref_threads), ref_masks);
    if (kept) {
      const Inputs *inputs = &of_ref;
      const Masks *masks = &ref_masks;
      if (!same) {
        gather<Side::Alloc>(inst, alloc_threads, of_alloc);
        inputs = &of_alloc;
        if (is_mask)
          computeMasks<Side::Alloc>(inst, scalarResult(of_alloc, alloc_threads), alloc_masks);
        masks = &alloc_masks;
      }
      clobber<Side::Alloc>(inst, alloc_threads);
      writeDefs<Side::Alloc>(inst, alloc_threads, *inputs, is_mask ? masks : nullptr);
    }
    clobber<Side::Ref>(inst, ref_threads);
    startUndefined(inst, ref_threads);
    writeDefs<Side::Ref>(inst, ref_threads, of_ref, is_mask ? &ref_masks : nullptr);
    break;
  }
  default:
    // An `undef` definition forgets lanes that the move does not read: those that it does were carried before.
    if (kept)
      move<Side::Alloc>(inst, alloc_threads);
    move<Side::Ref>(inst, ref_threads);
    startUndefined(inst, ref_threads);
  }
  if (inst.inst->has(inst_flag::SideEffect))
    ++effects;

  if (inst.writes_ref_exec || (kept && inst.writes_alloc_exec)) {
    for (unsigned i = 0; i < problem.env.wave_size / 32; ++i)
      if (ref[exec.base + i] == undefined_value) {
        put<Side::Ref>(exec.base + i, 0);
        if (kept)
          put<Side::Alloc>(exec.base + i, 0);
      }
    updateExec();
    if (kept && exec_differs) {
      explain(inst, Difference::Kind::Exec);
      return false;
    }
  }
  return true;
}

// ---- comparing

template <bool Traced> bool Machine<Traced>::compareExec(const CodeInst &inst, bool &same) {
  if (!exec_differs)
    return true;
  bool reads = inst.inst->has(inst_flag::PerThread);
  for (unsigned o = 0; o < inst.count && !reads; ++o)
    reads = code.operands[inst.first + o].is_exec_guard;
  if (!reads)
    return true;
  same = false;
  if (!strict && !inst.has_effect)
    return true;
  explain(inst, Difference::Kind::Exec);
  return false;
}

template <bool Traced> bool Machine<Traced>::compareInputs(const CodeInst &inst, bool &same) {
  if (inst.action == Action::Nothing || inst.action == Action::Undefine)
    return true;
  const bool matters = strict || inst.has_effect;
  // What a whole-wave move carries for an inactive thread is judged where that thread uses it.
  const bool computes = inst.action == Action::Compute || inst.action == Action::Mask;
  const uint64_t threads = computes ? threadsOf(inst, ref_active) : ref_active;
  for (unsigned o = 0; o < inst.count; ++o) {
    const CodeOperand &op = code.operands[inst.first + o];
    if (!op.is_use || op.has(operand_flag::Undef) || op.is_exec_guard)
      continue;
    if (op.is_tie_broken && strict) {
      explain(inst, Difference::Kind::BrokenTie);
      difference->operand = op.index;
      return false;
    }
    uint64_t readers = op.is_vector ? readersOf(inst, o, threads, ref_active) : 1;
    if (op.is_vector && inst.action == Action::LaneWrite)
      continue;
    if (op.is_vector && inst.action == Action::LaneRead)
      readers = 1ull << inst.lane_thread;
    for (unsigned lane = 0; lane < op.lanes; ++lane) {
      if (!op.takes(lane))
        continue;
      const uint32_t ref_word = op.ref.base + lane * op.ref.lane_step;
      const uint32_t alloc_word = op.alloc.base + lane * op.alloc.lane_step;
      const bool lost = op.alloc.lost || (lane < 32 && (op.early_lanes >> lane & 1));
      for (uint64_t rest = readers; rest; rest &= rest - 1) {
        const unsigned t = __builtin_ctzll(rest);
        const uint64_t expected = ref[ref_word + t];
        if (expected == undefined_value || (!lost && expected == alloc[alloc_word + t]))
          continue;
        same = false;
        if (!matters)
          return true;
        explainInput(inst, op, lane, op.is_vector ? static_cast<int>(t) : -1);
        return false;
      }
    }
  }
  return true;
}

// ---- explaining

template <bool Traced> void Machine<Traced>::explain(const CodeInst &inst, Difference::Kind kind) {
  if constexpr (Traced) {
    difference->kind = kind;
    if (inst.is_edit)
      difference->edit = static_cast<int>(inst.id);
    else
      difference->inst = inst.id;
    if (kind == Difference::Kind::Exec)
      for (unsigned i = problem.env.wave_size / 32; i-- > 0;) {
        const uint32_t word = exec.base + i;
        if (ref[word] == alloc[word])
          continue;
        difference->lane = i;
        difference->location = static_cast<RegUnit>(exec_lo + i);
        difference->cell = {true, static_cast<uint32_t>(exec_lo + i), 0};
        difference->expected = ref[word];
        difference->found = alloc[word];
        difference->expected_from = ref_writer[word];
        difference->found_from = alloc_writer[word];
      }
  }
}

template <bool Traced>
void Machine<Traced>::explainInput(const CodeInst &inst, const CodeOperand &op, unsigned lane, int thread) {
  if constexpr (Traced) {
    explain(inst, Difference::Kind::Input);
    const Operand &operand = problem.operandsOf(*inst.inst)[op.index];
    const unsigned t = thread < 0 ? 0 : thread;
    difference->operand = op.index;
    difference->lane = lane;
    difference->thread = thread < 0 ? -1 : code.lanes[t];
    difference->active = thread < 0 || (ref_active >> t & 1);
    difference->cell = {operand.fixed, operand.fixed ? operand.reg + lane : operand.reg,
                        static_cast<uint8_t>(operand.fixed ? 0 : operand.first_lane + lane)};
    difference->expected = ref[op.ref.at(lane, t)];
    difference->expected_from = ref_writer[op.ref.at(lane, t)];
    difference->found = input<Side::Alloc>(op, lane, t);
    if (!op.alloc.lost)
      difference->found_from = alloc_writer[op.alloc.at(lane, t)];
    difference->found_undefined = difference->found == garbage_value;
    if (!difference->found_undefined)
      findHolder(difference->found, thread);
  }
}

/// Which cell of the reference holds the value that was found, if any does.
template <bool Traced> void Machine<Traced>::findHolder(uint64_t value, int thread) {
  const auto holds = [&](const Place &place, unsigned lane) {
    return ref[place.at(lane, thread < 0 || !place.isVector() ? 0 : thread)] == value;
  };
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    for (unsigned lane = 0; lane < problem.widthOf(v); ++lane)
      if (holds(code.vregs[v], lane)) {
        difference->found_is = Cell{false, v, static_cast<uint8_t>(lane)};
        return;
      }
  for (RegUnit unit : code.entry_units)
    if (holds(code.unit(unit), 0)) {
      difference->found_is = Cell{true, unit, 0};
      return;
    }
}

template class Machine<false>;
template class Machine<true>;

} // namespace verilocc::interp
