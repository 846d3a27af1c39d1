#include "tests/support/random_problem.h"

#include "problem/inst_text.h"
#include "support/hash.h"
#include "support/rng.h"

#include <algorithm>
#include <map>

namespace verilocc::tests {

using namespace problem;

namespace {

using LaneBits = uint32_t;

class Builder {
public:
  explicit Builder(const RandomOptions &options) : options(options), rng(options.seed) {}

  Problem build() {
    environment();
    newBlock();
    entry();
    region(options.depth, options.insts);
    // Keep some values alive to the end, so that pressure is real.
    for (unsigned i = 0; i < 3; ++i)
      store();
    emit("S_ENDPGM", InstKind::Return, inst_flag::SideEffect | inst_flag::Terminator, {});
    closeBlock();
    for (BlockId b = 0; b < p.blocks.size(); ++b)
      for (BlockId succ : p.blocks[b].succs)
        p.blocks[succ].preds.push_back(b);
    p.opcodes = opcodes.names;
    return std::move(p);
  }

private:
  // -- environment

  ClassId addClass(const char *name, unsigned width, std::vector<std::pair<unsigned, unsigned>> ranges,
                   unsigned step = 1) {
    RegClass cls{name, static_cast<uint8_t>(width), {}};
    for (auto [first, count] : ranges)
      for (unsigned u = 0; u + width <= count; u += step)
        cls.bases.set(first + u);
    p.env.classes.push_back(cls);
    return static_cast<ClassId>(p.env.classes.size() - 1);
  }

  void environment() {
    p.name = "random" + std::to_string(options.seed);
    p.env.arch = options.aligned ? "gfx90a" : "gfx1100";
    p.env.wave_size = options.wave_size;
    p.env.max_vgprs = options.max_vgprs;
    p.env.max_agprs = options.max_agprs;
    p.env.max_sgprs = options.max_sgprs;
    for (RegUnit unit : {exec_lo, exec_hi, m0, sgpr_null, mode, scc, flat_scr_lo, flat_scr_hi})
      p.env.reserved.set(unit);
    p.env.reserved.set(first_sgpr + 32); // stack pointer
    const unsigned step = options.aligned ? 2 : 1;
    const std::pair<unsigned, unsigned> v{first_vgpr, 256}, a{first_agpr, 256}, s{first_sgpr, 106}, vcc{vcc_lo, 2};
    vector_classes = {{1, {addClass("vgpr_32", 1, {v})}},
                      {2, {addClass("vreg_64", 2, {v}, step)}},
                      {3, {addClass("vreg_96", 3, {v}, step)}},
                      {4, {addClass("vreg_128", 4, {v}, step)}},
                      {8, {addClass("vreg_256", 8, {v}, step)}}};
    if (options.max_agprs) {
      vector_classes[4].push_back(addClass("areg_128", 4, {a}, step));
      vector_classes[1].push_back(addClass("agpr_32", 1, {a}));
      if (options.aligned) {
        vector_classes[1].push_back(addClass("av_32", 1, {v, a}));
        vector_classes[2].push_back(addClass("av_64", 2, {v, a}, step));
        vector_classes[4].push_back(addClass("av_128", 4, {v, a}, step));
      }
    }
    scalar_classes = {{1, {addClass("sreg_32", 1, {s, vcc})}},
                      {2, {addClass("sreg_64", 2, {s, vcc}, 2)}},
                      {4, {addClass("sgpr_128", 4, {s}, 4)}}};
    p.clobber_sets.emplace_back();
    for (unsigned u = 0; u < 16; ++u)
      p.clobber_sets[0].set(first_vgpr + u).set(first_sgpr + u);
    p.clobber_sets[0].set(vcc_lo).set(vcc_hi).set(scc);
    const unsigned mask_width = options.wave_size / 32;
    mask_class = addClass("sreg_mask", mask_width, {s}, mask_width);
  }

  // -- operands

  struct Scope {
    std::vector<VReg> vectors, scalars;
    std::map<VReg, LaneBits> defined;
  };

  bool isVector(VReg v) const { return isPerThread(static_cast<RegUnit>(p.classOf(v).bases._Find_first())); }
  static LaneBits laneBits(unsigned first, unsigned count) {
    return static_cast<LaneBits>(((uint64_t(1) << count) - 1) << first);
  }

  VReg newVReg(ClassId cls) {
    p.vregs.push_back(cls);
    return static_cast<VReg>(p.vregs.size() - 1);
  }
  VReg newMask() { return newVReg(mask_class); }

  Operand whole(VReg v, Access access, uint8_t flags = 0) const {
    Operand op;
    op.reg = v;
    op.access = access;
    op.num_lanes = static_cast<uint8_t>(p.widthOf(v));
    op.flags = flags;
    return op;
  }
  static Operand unitOperand(RegUnit unit, Access access, unsigned count = 1, uint8_t flags = 0) {
    Operand op;
    op.reg = unit;
    op.fixed = true;
    op.access = access;
    op.num_lanes = static_cast<uint8_t>(count);
    op.flags = flags;
    return op;
  }
  Operand exec(Access access, uint8_t flags = 0) const {
    return unitOperand(exec_lo, access, options.wave_size / 32, flags);
  }
  Operand implicitExec() const { return exec(Access::Use, operand_flag::Implicit); }

  Inst &emit(const std::string &opcode, InstKind kind, uint16_t flags, std::vector<Operand> operands,
             MaskOp mask_op = MaskOp::None) {
    Inst inst;
    inst.opcode = opcodes.intern(opcode);
    inst.kind = kind;
    inst.flags = flags;
    inst.mask_op = mask_op;
    inst.signature = support::Hash().add(opcode).add(rng.below(4)).value();
    inst.first_operand = static_cast<uint32_t>(p.operands.size());
    inst.num_operands = static_cast<uint16_t>(operands.size());
    p.operands.insert(p.operands.end(), operands.begin(), operands.end());
    p.insts.push_back(inst);
    for (const Operand &op : operands)
      if (op.isDef() && !op.fixed) {
        LaneBits &lanes = scope.defined[op.reg];
        if (op.has(operand_flag::Undef))
          lanes = 0;
        lanes |= laneBits(op.first_lane, op.num_lanes);
        std::vector<VReg> &list = isVector(op.reg) ? scope.vectors : scope.scalars;
        if (p.vregs[op.reg] != mask_class && std::find(list.begin(), list.end(), op.reg) == list.end())
          list.push_back(op.reg);
      }
    return p.insts.back();
  }

  /// A use of `count` consecutive lanes of some vreg of `vector` or scalar kind, all of them written. `constrain`: the
  /// class that these lanes must lie in is that of the vreg, cut to the lanes.
  Operand use(bool vector, unsigned count) {
    std::vector<VReg> &list = vector ? scope.vectors : scope.scalars;
    for (unsigned attempt = 0; attempt < 12 && !list.empty(); ++attempt) {
      const VReg v = rng.pick(list);
      const unsigned width = p.widthOf(v);
      if (width < count)
        continue;
      unsigned first = static_cast<unsigned>(rng.below(width - count + 1));
      if (count > 1 && options.aligned)
        first &= ~1u;
      Operand op = whole(v, Access::Use);
      op.first_lane = static_cast<uint8_t>(first);
      op.num_lanes = static_cast<uint8_t>(count);
      const LaneBits lanes = laneBits(first, count);
      if ((scope.defined[v] & lanes) != lanes && !rng.chance(options.undefined))
        continue;
      return op;
    }
    // Nothing fits: make a value.
    auto &classes = (vector ? vector_classes : scalar_classes).lower_bound(count)->second;
    const VReg v = newVReg(classes[0]);
    if (vector)
      emit("V_MOV_B32", InstKind::VectorAlu, inst_flag::PerThread | inst_flag::Pure,
           {whole(v, Access::Def), implicitExec()});
    else
      emit("S_MOV_B32", InstKind::ScalarAlu, inst_flag::Pure, {whole(v, Access::Def)});
    Operand op = whole(v, Access::Use);
    op.num_lanes = static_cast<uint8_t>(count);
    return op;
  }
  /// The class of the first listed kind with this width: as instructions that want VGPRs demand it.
  Operand constrained(Operand op) {
    if (rng.chance(0.5))
      for (ClassId cls : {p.vregs[op.reg]})
        if (p.env.classes[cls].width == op.num_lanes)
          op.constraint = cls;
    return op;
  }

  /// A definition: a new vreg, a redefinition, or some lanes of one.
  Operand def(bool vector, unsigned count) {
    auto &classes = (vector ? vector_classes : scalar_classes).find(count)->second;
    std::vector<VReg> &list = vector ? scope.vectors : scope.scalars;
    const unsigned pool = vector ? options.vector_pool : options.scalar_pool;
    if (!list.empty() && rng.chance(list.size() >= pool ? 0.8 : 0.25))
      for (unsigned attempt = 0; attempt < 6; ++attempt) {
        const VReg v = rng.pick(list);
        const unsigned width = p.widthOf(v);
        if (width < count)
          continue;
        Operand op = whole(v, Access::Def);
        op.num_lanes = static_cast<uint8_t>(count);
        op.first_lane = static_cast<uint8_t>(rng.below(width - count + 1));
        if (count > 1 && options.aligned)
          op.first_lane &= ~1u;
        if (count < width && rng.chance(0.2))
          op.flags |= operand_flag::Undef;
        return op;
      }
    if (vector && count < 8 && rng.chance(0.2)) { // the first lanes of a wider tuple
      const VReg v = newVReg(rng.pick(vector_classes.upper_bound(count)->second));
      Operand op = whole(v, Access::Def, operand_flag::Undef);
      op.num_lanes = static_cast<uint8_t>(count);
      return op;
    }
    return whole(newVReg(rng.pick(classes)), Access::Def);
  }

  // -- instructions

  void statement() {
    constexpr uint16_t vector_flags = inst_flag::PerThread | inst_flag::Pure;
    const unsigned widths[] = {1, 1, 1, 2, 2, 4};
    const unsigned width = rng.pick(widths);
    switch (rng.below(16)) {
    case 0:
    case 1:
    case 2: {
      const Operand a = use(true, width), b = use(true, width);
      emit("V_ADD", InstKind::VectorAlu, vector_flags,
           {def(true, width), constrained(a), constrained(b), implicitExec()});
      return;
    }
    case 3: { // the sum in place
      Operand d = use(true, 1);
      Operand tied = d;
      const Operand a = use(true, 1), b = use(true, 1);
      d.access = Access::Def;
      tied.tied_to = 0;
      emit("V_FMAC_F32", InstKind::DualIssue, vector_flags, {d, a, b, tied, implicitExec()});
      return;
    }
    case 4: {
      const Operand a = use(true, 4), b = use(true, 4);
      Operand d = use(true, 4), c = d;
      d.access = Access::Def;
      if (rng.chance(0.5)) {
        d = whole(newVReg(vector_classes[4][0]), Access::Def, operand_flag::EarlyClobber);
      } else {
        d.flags |= operand_flag::EarlyClobber;
        c.tied_to = 0;
      }
      // A tied early-clobber definition may hold a use of the same lanes only if it is the tied one.
      const auto apart = [&](const Operand &op) { return op.reg != d.reg; };
      if (!apart(a) || !apart(b))
        return;
      // A matrix instruction ignores EXEC, so that under a narrowed one it would overwrite what other threads keep in a
      // register that is free by the control flow graph: compilers keep them out of divergent code.
      if (divergent_depth)
        emit("V_MQSAD_U32", InstKind::VectorAlu, vector_flags, {d, a, b, c, implicitExec()});
      else
        emit("V_WMMA", InstKind::Matrix, inst_flag::AllThreads | inst_flag::Pure, {d, a, b, c}).latency = 8;
      return;
    }
    case 5: {
      const Operand address = use(true, 2);
      emit("GLOBAL_LOAD", InstKind::VectorLoad, inst_flag::PerThread | inst_flag::Load,
           {def(true, width), address, implicitExec()});
      return;
    }
    case 6:
      store();
      return;
    case 7:
    case 8: {
      const Operand source = use(true, width);
      emit("COPY", InstKind::Copy, vector_flags, {def(true, width), source});
      return;
    }
    case 9: {
      const Operand source = use(false, 1);
      emit("COPY", InstKind::Copy, inst_flag::Pure, {def(false, 1), source});
      return;
    }
    case 10:
    case 11: {
      const Operand a = use(false, 1), b = use(false, 1);
      emit("S_ADD", InstKind::ScalarAlu, inst_flag::Pure,
           {def(false, 1), a, b, unitOperand(scc, Access::Def, 1, operand_flag::Implicit | operand_flag::Dead)});
      return;
    }
    case 12: {
      const Operand base = use(false, 2);
      emit("S_LOAD", InstKind::ScalarLoad, inst_flag::Load, {def(false, rng.chance(0.3) ? 4 : 2), base});
      return;
    }
    case 13: {
      const Operand source = use(true, 1);
      emit("V_READFIRSTLANE_B32", InstKind::VectorAlu, inst_flag::PerThread, {def(false, 1), source, implicitExec()});
      return;
    }
    case 14:
      if (options.fixed) { // carry through VCC
        const Operand a = use(true, 1), b = use(true, 1);
        const Operand low = def(true, 1);
        emit("V_ADD_CO", InstKind::VectorAlu, inst_flag::PerThread,
             {low, unitOperand(vcc_lo, Access::Def, options.wave_size / 32, operand_flag::Implicit), a, b,
              implicitExec()});
        const Operand c = use(true, 1);
        emit("V_ADDC", InstKind::VectorAlu, inst_flag::PerThread,
             {def(true, 1), c, unitOperand(vcc_lo, Access::Use, options.wave_size / 32, operand_flag::Implicit),
              implicitExec()});
      }
      return;
    default:
      if (options.calls && (!divergent_depth || options.divergent_calls) && rng.chance(0.3)) {
        call();
        return;
      }
      if (rng.chance(0.3)) {
        const VReg v = newVReg(vector_classes[2][0]);
        emit("IMPLICIT_DEF", InstKind::ImplicitDef, 0, {whole(v, Access::Def)});
        return;
      }
      const Operand source = use(false, 1);
      emit("V_MOV_B32", InstKind::VectorAlu, vector_flags, {def(true, 1), source, implicitExec()});
    }
  }

  void store() {
    const unsigned width = rng.chance(0.5) ? 1 : 2;
    const Operand address = use(true, 2), value = use(true, width);
    emit("GLOBAL_STORE", InstKind::VectorStore, inst_flag::PerThread | inst_flag::SideEffect,
         {address, value, implicitExec()});
  }

  void call() {
    const Operand a = use(true, 1), b = use(false, 1);
    emit("COPY", InstKind::Copy, inst_flag::PerThread | inst_flag::Pure, {unitOperand(first_vgpr, Access::Def), a});
    emit("COPY", InstKind::Copy, inst_flag::Pure, {unitOperand(first_sgpr + 4, Access::Def), b});
    Inst &inst = emit("SI_CALL", InstKind::Call, inst_flag::SideEffect,
                      {unitOperand(first_vgpr, Access::Use, 1, operand_flag::Implicit),
                       unitOperand(first_sgpr + 4, Access::Use, 1, operand_flag::Implicit),
                       unitOperand(first_vgpr, Access::Def, 1, operand_flag::Implicit)});
    inst.clobbers = 0;
    emit("COPY", InstKind::Copy, inst_flag::PerThread | inst_flag::Pure,
         {def(true, 1), unitOperand(first_vgpr, Access::Use)});
  }

  void entry() {
    if (options.fixed)
      for (unsigned i = 0; i < 2; ++i) {
        p.live_in.set(first_vgpr + i).set(first_sgpr + 2 * i).set(first_sgpr + 2 * i + 1);
        emit("COPY", InstKind::Copy, inst_flag::PerThread | inst_flag::Pure,
             {whole(newVReg(vector_classes[1][0]), Access::Def), unitOperand(RegUnit(first_vgpr + i), Access::Use)});
        emit("COPY", InstKind::Copy, inst_flag::Pure,
             {whole(newVReg(scalar_classes[2][0]), Access::Def),
              unitOperand(RegUnit(first_sgpr + 2 * i), Access::Use, 2)});
      }
    p.live_in.set(exec_lo);
    if (options.wave_size == 64)
      p.live_in.set(exec_hi);
    for (unsigned width : {2u, 4u, 1u, 1u}) {
      const Operand base = use(false, 2);
      emit("V_LOAD", InstKind::VectorLoad, inst_flag::PerThread | inst_flag::Load,
           {whole(newVReg(rng.pick(vector_classes[width])), Access::Def), base, implicitExec()});
    }
  }

  // -- control flow

  BlockId newBlock() {
    closeBlock();
    Block block;
    block.first = block.last = static_cast<InstId>(p.insts.size());
    block.frequency = frequency;
    block.loop_depth = loop_depth;
    p.blocks.push_back(block);
    return current();
  }
  void closeBlock() {
    if (!p.blocks.empty())
      p.blocks.back().last = static_cast<InstId>(p.insts.size());
  }
  BlockId current() const { return static_cast<BlockId>(p.blocks.size() - 1); }
  void edge(BlockId from, BlockId to) { p.blocks[from].succs.push_back(to); }

  void branch(const char *opcode, std::vector<Operand> operands) {
    emit(opcode, InstKind::Branch, inst_flag::SideEffect | inst_flag::Terminator, std::move(operands));
  }
  void scalarBranch() {
    const Operand a = use(false, 1), b = use(false, 1);
    emit("S_CMP_LT", InstKind::ScalarAlu, 0, {unitOperand(scc, Access::Def, 1, operand_flag::Implicit), a, b});
    branch("S_CBRANCH_SCC1", {unitOperand(scc, Access::Use, 1, operand_flag::Implicit)});
  }
  VReg compare() {
    const VReg mask = newMask();
    const Operand a = use(true, 1), b = use(true, 1);
    emit("V_CMP_LT_F32", InstKind::Compare, inst_flag::PerThread, {whole(mask, Access::Def), a, b, implicitExec()},
         MaskOp::Compare);
    return mask;
  }
  Operand deadScc() const { return unitOperand(scc, Access::Def, 1, operand_flag::Implicit | operand_flag::Dead); }
  void maskInst(const char *opcode, InstKind kind, MaskOp op, Operand d, std::vector<Operand> sources,
                uint16_t flags = 0) {
    std::vector<Operand> operands{d};
    operands.insert(operands.end(), sources.begin(), sources.end());
    if (op != MaskOp::Move)
      operands.push_back(deadScc());
    emit(opcode, kind, flags, operands, op);
  }
  Operand d(VReg v) const { return whole(v, Access::Def); }
  Operand u(VReg v) const { return whole(v, Access::Use); }

  /// Code whose definitions are not certain to have happened afterwards.
  template <typename Body> void conditional(double probability, Body body) {
    const Scope before = scope;
    const double outer = frequency;
    frequency *= probability;
    newBlock();
    body();
    scope = before;
    frequency = outer;
  }

  void region(unsigned depth, unsigned budget) {
    while (budget > 0) {
      const unsigned part =
          depth && budget >= 12 && rng.chance(0.2) ? static_cast<unsigned>(rng.between(6, budget / 2)) : 0;
      if (!part) {
        statement();
        --budget;
        continue;
      }
      budget -= part;
      switch (rng.below(options.divergence ? 5 : 3)) {
      case 0:
        uniformIf(depth - 1, part, false);
        break;
      case 1:
        uniformIf(depth - 1, part, true);
        break;
      case 2:
        uniformLoop(depth - 1, part);
        break;
      case 3:
        divergentIf(depth - 1, part, rng.chance(0.5));
        break;
      default:
        divergentLoop(depth - 1, part);
      }
    }
  }

  void uniformIf(unsigned depth, unsigned budget, bool with_else) {
    scalarBranch();
    const BlockId head = current();
    BlockId then_end = 0, else_end = 0;
    conditional(0.5, [&] {
      edge(head, current());
      region(depth, with_else ? budget / 2 : budget);
      if (with_else)
        branch("S_BRANCH", {});
      then_end = current();
    });
    if (with_else)
      conditional(0.5, [&] {
        edge(head, current());
        region(depth, budget / 2);
        else_end = current();
      });
    const BlockId end = newBlock();
    edge(then_end, end);
    edge(with_else ? else_end : head, end);
  }

  /// Runs `body` in a loop of its own first block; `latch` emits the branch back.
  template <typename Body, typename Latch> void loop(Body body, Latch latch) {
    const BlockId before = current();
    const double outer = frequency;
    frequency *= 8;
    ++loop_depth;
    const BlockId header = newBlock();
    edge(before, header);
    body();
    latch();
    edge(current(), header);
    frequency = outer;
    --loop_depth;
    const BlockId latch_block = current();
    edge(latch_block, newBlock());
  }

  void uniformLoop(unsigned depth, unsigned budget) {
    const VReg counter = newVReg(scalar_classes[1][0]);
    emit("S_MOV_B32", InstKind::ScalarAlu, inst_flag::Pure, {d(counter)});
    // The counter must survive the body, so the body may not draw it for redefinition.
    std::erase(scope.scalars, counter);
    loop([&] { region(depth, budget); },
         [&] {
           emit("S_ADD_I32", InstKind::ScalarAlu, inst_flag::Pure, {d(counter), u(counter), deadScc()});
           std::erase(scope.scalars, counter);
           emit("S_CMP_LT", InstKind::ScalarAlu, 0,
                {unitOperand(scc, Access::Def, 1, operand_flag::Implicit), u(counter)});
           branch("S_CBRANCH_SCC1", {unitOperand(scc, Access::Use, 1, operand_flag::Implicit)});
         });
  }

  void divergentIf(unsigned depth, unsigned budget, bool with_else) {
    ++divergent_depth;
    const VReg condition = compare();
    const VReg saved = newMask(), taken = newMask(), others = newMask();
    // The newest LLVM forms are S_AND_SAVEEXEC; the older COPY, S_AND, S_MOV_term reach the allocator.
    if (!with_else && rng.chance(0.4)) {
      emit("S_AND_SAVEEXEC", InstKind::ScalarAlu, 0,
           {d(saved), u(condition), exec(Access::Def, operand_flag::Implicit), deadScc(), implicitExec()},
           MaskOp::AndSave);
    } else {
      emit("COPY", InstKind::Copy, 0, {d(saved), exec(Access::Use)}, MaskOp::Move);
      maskInst("S_AND", InstKind::ScalarAlu, MaskOp::And, d(taken), {u(saved), u(condition)});
      if (with_else)
        maskInst("S_XOR", InstKind::ScalarAlu, MaskOp::Xor, d(others), {u(taken), u(saved)});
      maskInst("S_MOV_term", InstKind::ScalarAlu, MaskOp::Move, exec(Access::Def), {u(taken)}, inst_flag::Terminator);
    }
    branch("S_CBRANCH_EXECZ", {implicitExec()});
    const BlockId head = current();
    BlockId then_end = 0, else_end = 0;
    conditional(0.5, [&] {
      edge(head, current());
      region(depth, with_else ? budget / 2 : budget);
      then_end = current();
    });
    if (!with_else) {
      const BlockId end = newBlock();
      edge(then_end, end);
      edge(head, end);
      maskInst("S_OR", InstKind::ScalarAlu, MaskOp::Or, exec(Access::Def), {exec(Access::Use), u(saved)});
      --divergent_depth;
      return;
    }
    const VReg done = newMask();
    const BlockId flow = newBlock();
    edge(then_end, flow);
    edge(head, flow);
    emit("S_OR_SAVEEXEC", InstKind::ScalarAlu, 0,
         {d(done), u(others), exec(Access::Def, operand_flag::Implicit), deadScc(), implicitExec()}, MaskOp::OrSave);
    maskInst("S_XOR_term", InstKind::ScalarAlu, MaskOp::Xor, exec(Access::Def), {exec(Access::Use), u(done)},
             inst_flag::Terminator);
    branch("S_CBRANCH_EXECZ", {implicitExec()});
    conditional(0.5, [&] {
      edge(flow, current());
      region(depth, budget / 2);
      else_end = current();
    });
    const BlockId end = newBlock();
    edge(else_end, end);
    edge(flow, end);
    maskInst("S_OR", InstKind::ScalarAlu, MaskOp::Or, exec(Access::Def), {exec(Access::Use), u(done)});
    --divergent_depth;
  }

  void divergentLoop(unsigned depth, unsigned budget) {
    ++divergent_depth;
    const VReg left = newMask(); // threads that have left the loop
    Inst &zero = emit("S_MOV", InstKind::ScalarAlu, inst_flag::Pure, {d(left)}, MaskOp::Move);
    zero.mask_has_constant = true;
    loop([&] { region(depth, budget); },
         [&] {
           const VReg leaving = compare();
           maskInst("S_OR", InstKind::ScalarAlu, MaskOp::Or, d(left), {u(leaving), u(left)});
           maskInst("S_ANDN2_term", InstKind::ScalarAlu, MaskOp::AndNot, exec(Access::Def),
                    {exec(Access::Use), u(left)}, inst_flag::Terminator);
           branch("S_CBRANCH_EXECNZ", {implicitExec()});
         });
    maskInst("S_OR", InstKind::ScalarAlu, MaskOp::Or, exec(Access::Def), {exec(Access::Use), u(left)});
    --divergent_depth;
  }

  const RandomOptions options;
  support::Rng rng;
  Problem p;
  Interner opcodes;
  std::map<unsigned, std::vector<ClassId>> vector_classes, scalar_classes; ///< by width
  ClassId mask_class = 0;
  Scope scope;
  double frequency = 1;
  uint16_t loop_depth = 0;
  unsigned divergent_depth = 0; ///< regions around that change EXEC
};

} // namespace

Problem randomProblem(const RandomOptions &options) {
  return Builder(options).build();
}

RandomOptions randomOptions(uint64_t seed) {
  support::Rng rng(seed ^ 0x5eed);
  RandomOptions options;
  options.seed = seed;
  options.insts = static_cast<unsigned>(rng.between(5, 120));
  options.depth = static_cast<unsigned>(rng.between(0, 4));
  options.vector_pool = static_cast<unsigned>(rng.between(3, 30));
  options.scalar_pool = static_cast<unsigned>(rng.between(2, 12));
  options.wave_size = rng.chance(0.5) ? 32 : 64;
  options.aligned = rng.chance(0.4);
  options.max_vgprs = static_cast<unsigned>(rng.between(40, 256));
  options.max_agprs = options.aligned ? static_cast<unsigned>(rng.between(16, 128)) : 0;
  options.max_sgprs = static_cast<unsigned>(rng.between(48, 106));
  options.divergence = rng.chance(0.8);
  options.calls = rng.chance(0.3);
  options.fixed = rng.chance(0.7);
  options.undefined = rng.chance(0.3) ? 0.2 : 0;
  return options;
}

} // namespace verilocc::tests
