#include "mir/reader.h"

#include "mir/claims.h"
#include "mir/environment.h"
#include "mir/frequencies.h"
#include "mir/opcode_table.h"
#include "mir/refine.h"
#include "mir/register_table.h"
#include "mir/signature.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSchedule.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace verilocc::mir {

namespace {

using llvm::MachineInstr;
using llvm::MachineOperand;
using problem::Inst;
using problem::InstKind;
using problem::MaskOp;
using problem::Operand;
using problem::RegUnit;
using support::InputError;
namespace inst_flag = problem::inst_flag;
namespace operand_flag = problem::operand_flag;

class FunctionReader {
public:
  FunctionReader(const llvm::MachineFunction &mf, Reading &out);

  support::Status read(const ReadOptions &options);

private:
  support::Status numberVRegs();
  void numberBlocks();
  void readLiveIns();
  void readEmptyEdges();
  support::Status readInst(const MachineInstr &mi);
  bool isMarker(const OpcodeFacts &facts, const MachineOperand &mo) const;
  void readOperands(const MachineInstr &mi, const OpcodeFacts &facts, Inst &inst);
  Operand readOperand(const MachineInstr &mi, unsigned index);
  problem::ClassId constraintOf(const MachineInstr &mi, unsigned index);
  uint32_t opcodeName(unsigned opcode);
  int32_t clobberSet(const uint32_t *mask);
  uint8_t passesOf(const MachineInstr &mi);
  InputError error(std::string message) const;

  const llvm::MachineFunction &mf;
  const llvm::MachineRegisterInfo &mri;
  const llvm::TargetSubtargetInfo &subtarget;
  const llvm::TargetInstrInfo &tii;
  const llvm::TargetRegisterInfo &tri;
  const RegisterTable &registers;
  OpcodeTable &opcodes;
  problem::Problem &problem;
  SourceMap &source;

  ClassInterner classes;
  BlockIndex block_index;                                 // by MachineBasicBlock::getNumber()
  llvm::DenseMap<unsigned, uint32_t> opcode_index;        // LLVM's opcode to Problem::opcodes
  llvm::DenseMap<uint64_t, problem::ClassId> constraints; // opcode and operand number
  llvm::DenseMap<const uint32_t *, int32_t> clobber_index;
  llvm::TargetSchedModel schedule;
  bool schedule_ready = false;
  bool has_dual_issue = false;
};

FunctionReader::FunctionReader(const llvm::MachineFunction &mf, Reading &out)
    : mf(mf),
      mri(mf.getRegInfo()),
      subtarget(mf.getSubtarget()),
      tii(*subtarget.getInstrInfo()),
      tri(*subtarget.getRegisterInfo()),
      registers(RegisterTable::of(tri)),
      opcodes(OpcodeTable::of(tii, tri)),
      problem(out.problem),
      source(out.source),
      classes(tri, out.problem.env.classes) {}

InputError FunctionReader::error(std::string message) const {
  return {fmt::format("function '{}': {}", mf.getName().str(), message)};
}

support::Status FunctionReader::numberVRegs() {
  source.vreg_numbers.assign(mri.getNumVirtRegs(), SourceMap::no_vreg);
  for (unsigned index = 0; index < mri.getNumVirtRegs(); ++index) {
    llvm::Register reg = llvm::Register::index2VirtReg(index);
    if (mri.reg_nodbg_empty(reg))
      continue;
    const llvm::TargetRegisterClass *rc = mri.getRegClassOrNull(reg);
    if (!rc)
      return error(
          fmt::format("virtual register %{} has no register class (instruction selection is not done)", index));
    problem::ClassId id = classes.intern(rc);
    if (id == problem::no_class)
      return error(fmt::format("virtual register %{} is of class {}, whose registers are not whole dwords", index,
                               tri.getRegClassName(rc)));
    source.vreg_numbers[index] = static_cast<problem::VReg>(source.vregs.size());
    source.vregs.push_back(reg);
    problem.vregs.push_back(id);
  }
  return support::Ok{};
}

void FunctionReader::numberBlocks() {
  block_index.assign(mf.getNumBlockIDs(), 0);
  for (const llvm::MachineBasicBlock &mbb : mf) {
    block_index[mbb.getNumber()] = static_cast<uint32_t>(source.blocks.size());
    source.blocks.push_back(&mbb);
  }
  problem.blocks.resize(source.blocks.size());
  for (size_t i = 0; i < source.blocks.size(); ++i) {
    for (const llvm::MachineBasicBlock *succ : source.blocks[i]->successors())
      problem.blocks[i].succs.push_back(block_index[succ->getNumber()]);
    for (const llvm::MachineBasicBlock *pred : source.blocks[i]->predecessors())
      problem.blocks[i].preds.push_back(block_index[pred->getNumber()]);
  }
}

/// Arguments, and what has a meaning anywhere: EXEC, MODE, reserved scalar registers (stack and frame pointer, scratch
/// resource), and the registers that LLVM calls constant.
void FunctionReader::readLiveIns() {
  auto add = [&](llvm::MCRegister reg) {
    const RegPlace &place = registers.place(reg);
    for (unsigned i = 0; i < place.width; ++i)
      problem.live_in.set(place.first + i);
  };
  for (const auto &live_in : mf.front().liveins())
    add(live_in.PhysReg);
  for (const auto &[reg, vreg] : mri.liveins())
    add(reg);
  problem.live_in.set(problem::exec_lo);
  problem.live_in.set(problem::exec_hi);
  problem.live_in.set(problem::mode);
  for (RegUnit unit = problem::first_sgpr; unit < problem::vcc_lo; ++unit)
    problem.live_in[unit] = problem.live_in[unit] || problem.env.reserved[unit];
  for (const RegisterTable::Dword &dword : registers.dwords())
    if (dword.unit >= problem::m0 && tri.isConstantPhysReg(dword.reg))
      problem.live_in.set(dword.unit);
}

/// S_CBRANCH_EXECZ and S_CBRANCH_EXECNZ tell where EXEC is empty.
void FunctionReader::readEmptyEdges() {
  for (size_t b = 0; b < source.blocks.size(); ++b) {
    const llvm::MachineBasicBlock &mbb = *source.blocks[b];
    std::vector<problem::BlockId> empty, other;
    bool is_empty = false, goes_on = true; // EXEC is empty on the way through the terminators so far
    auto writesExec = [&](const MachineOperand &mo) {
      return mo.isReg() && mo.isDef() && mo.getReg().isPhysical() &&
             problem::overlapsExec(registers.place(mo.getReg()).first, registers.place(mo.getReg()).width);
    };
    auto go = [&](const llvm::MachineBasicBlock *to, bool with_empty) {
      if (to)
        (with_empty ? empty : other).push_back(block_index[to->getNumber()]);
    };
    for (const MachineInstr &mi : mbb.terminators()) {
      const llvm::StringRef name = tii.getName(mi.getOpcode());
      const llvm::MachineBasicBlock *target =
          mi.getNumExplicitOperands() && mi.getOperand(0).isMBB() ? mi.getOperand(0).getMBB() : nullptr;
      if (name == "S_CBRANCH_EXECZ") {
        go(target, true);
      } else if (name == "S_CBRANCH_EXECNZ") {
        go(target, is_empty);
        is_empty = true;
      } else if (mi.isBranch()) {
        go(target, is_empty);
        goes_on &= !mi.isUnconditionalBranch();
        if (!target) // a branch that is not understood may go anywhere
          other.insert(other.end(), problem.blocks[b].succs.begin(), problem.blocks[b].succs.end());
      } else if (llvm::any_of(mi.operands(), writesExec)) {
        is_empty = false;
        empty.clear(); // where it was empty, it may not be at the end
      }
    }
    if (goes_on && b + 1 < source.blocks.size())
      go(source.blocks[b + 1], is_empty);
    for (problem::BlockId succ : problem.blocks[b].succs)
      if (std::find(empty.begin(), empty.end(), succ) != empty.end() &&
          std::find(other.begin(), other.end(), succ) == other.end())
        problem.blocks[b].empty_succ = succ;
  }
}

uint32_t FunctionReader::opcodeName(unsigned opcode) {
  auto [entry, is_new] = opcode_index.try_emplace(opcode, static_cast<uint32_t>(problem.opcodes.size()));
  if (is_new)
    problem.opcodes.push_back(tii.getName(opcode).str());
  return entry->second;
}

/// Reserved registers survive calls whatever the mask says (the stack pointer, EXEC), except for M0, which callees use
/// freely.
int32_t FunctionReader::clobberSet(const uint32_t *mask) {
  auto [entry, is_new] = clobber_index.try_emplace(mask, 0);
  if (!is_new)
    return entry->second;
  problem::UnitSet units;
  for (const RegisterTable::Dword &dword : registers.dwords())
    if (MachineOperand::clobbersPhysReg(mask, dword.reg))
      units.set(dword.unit);
  problem::UnitSet kept = problem.env.reserved;
  kept.reset(problem::m0).reset(problem::scc);
  units &= ~kept;
  auto same = std::find(problem.clobber_sets.begin(), problem.clobber_sets.end(), units);
  entry->second = static_cast<int32_t>(same - problem.clobber_sets.begin());
  if (same == problem.clobber_sets.end())
    problem.clobber_sets.push_back(units);
  return entry->second;
}

uint8_t FunctionReader::passesOf(const MachineInstr &mi) {
  if (!schedule_ready)
    schedule.init(&subtarget);
  schedule_ready = true;
  const llvm::MCSchedClassDesc *sched_class = schedule.resolveSchedClass(&mi);
  if (!sched_class || !sched_class->isValid() ||
      schedule.getWriteProcResBegin(sched_class) == schedule.getWriteProcResEnd(sched_class))
    return 0;
  unsigned cycles = schedule.getWriteProcResBegin(sched_class)->ReleaseAtCycle;
  return static_cast<uint8_t>(std::min(cycles, 255u));
}

/// The class that the accessed lanes must lie in. LLVM demands that the vreg's class have, at the operand's
/// sub-register index, registers of the class in the instruction description: which is to say this.
problem::ClassId FunctionReader::constraintOf(const MachineInstr &mi, unsigned index) {
  if (mi.isInlineAsm())
    return classes.intern(mi.getRegClassConstraint(index, &tii, &tri));
  const llvm::MCInstrDesc &desc = mi.getDesc();
  if (index >= desc.getNumOperands() || desc.operands()[index].RegClass < 0)
    return problem::no_class;
  auto [entry, is_new] = constraints.try_emplace(uint64_t(desc.getOpcode()) << 16 | index, problem::no_class);
  if (is_new)
    entry->second = classes.intern(tii.getRegClass(desc, index, &tri, mf));
  return entry->second;
}

Operand FunctionReader::readOperand(const MachineInstr &mi, unsigned index) {
  const MachineOperand &mo = mi.getOperand(index);
  Operand operand;
  operand.access = mo.isDef() ? problem::Access::Def : problem::Access::Use;
  bool half = false;
  if (mo.getReg().isVirtual()) {
    operand.reg = source.numberOf(mo.getReg());
    if (mo.getSubReg()) {
      const LanePlace &lanes = registers.lanes(mo.getSubReg());
      operand.first_lane = lanes.first;
      operand.num_lanes = lanes.width;
      half = lanes.half;
    } else {
      operand.num_lanes = static_cast<uint8_t>(problem.widthOf(operand.reg));
    }
    operand.constraint = constraintOf(mi, index);
    // Selection has been seen to leave an operand that no register of its vreg's class can satisfy (a vector register
    // for a scalar inline assembly constraint): the input contradicts itself, and no allocator can mend that.
    if (operand.constraint != problem::no_class &&
        ((problem.classOf(operand.reg).bases << operand.first_lane) & problem.env.classes[operand.constraint].bases)
            .none())
      operand.constraint = problem::no_class;
  } else {
    const RegPlace &place = registers.place(mo.getReg());
    operand.reg = place.first;
    operand.fixed = true;
    operand.num_lanes = place.width;
    half = place.half;
  }
  if (mo.isDef() && mo.isEarlyClobber())
    operand.flags |= operand_flag::EarlyClobber;
  // A full definition leaves no lane for `undef` to speak of.
  if (mo.isUndef() && (mo.isUse() || mo.getSubReg()))
    operand.flags |= operand_flag::Undef;
  if (mo.isImplicit())
    operand.flags |= operand_flag::Implicit;
  if (mo.isDef() && mo.isDead())
    operand.flags |= operand_flag::Dead;
  if (half)
    operand.flags |= operand_flag::HalfDword;
  return operand;
}

/// LLVM's control-flow lowering puts `implicit-def $exec` on copies and moves *from* EXEC to keep them in place. They
/// do not write EXEC; those that do name it as their explicit definition.
bool FunctionReader::isMarker(const OpcodeFacts &facts, const MachineOperand &mo) const {
  return facts.mask_op == MaskOp::Move && mo.isImplicit() && mo.isDef() && mo.getReg().isPhysical() &&
         registers.place(mo.getReg()).first == problem::exec_lo;
}

/// Dwords of a 64-bit vector source, or of the value that is shifted, that no result depends on.
static uint32_t unreadLanes(const MachineInstr &mi, LaneRule rule, unsigned index, const Operand &operand) {
  constexpr uint32_t lower = 1, upper = 2;
  if (operand.isDef() || operand.has(operand_flag::Implicit) || operand.num_lanes != 2)
    return 0;
  if (rule == LaneRule::Packed) {
    // SISrcMods: bit 2 for the first result, bit 3 for the second: take the upper dword. Scalar sources have rules of
    // their own.
    const MachineOperand &modifiers = mi.getOperand(index - 1);
    if (!modifiers.isImm() || !mi.getOperand(index).getReg().isVirtual())
      return 0;
    const int64_t choice = modifiers.getImm() >> 2 & 3;
    return choice == 0 ? upper : choice == 3 ? lower : 0;
  }
  for (unsigned other = 1; other < std::min(3u, mi.getNumExplicitOperands()); ++other)
    if (other != index && mi.getOperand(other).isImm() && (mi.getOperand(other).getImm() & 63) >= 32)
      return rule == LaneRule::ShiftLeft ? upper : lower;
  return 0;
}

void FunctionReader::readOperands(const MachineInstr &mi, const OpcodeFacts &facts, Inst &inst) {
  inst.first_operand = static_cast<uint32_t>(problem.operands.size());
  for (unsigned index = 0; index < mi.getNumOperands(); ++index) {
    const MachineOperand &mo = mi.getOperand(index);
    if (mo.isRegMask())
      inst.clobbers = clobberSet(mo.getRegMask());
    if (!mo.isReg() || !mo.getReg() || isMarker(facts, mo))
      continue;
    problem.operands.push_back(readOperand(mi, index));
    if (facts.lane_rule != LaneRule::All &&
        (facts.lane_rule != LaneRule::Packed || problem.isPerThread(problem.operands.back())))
      problem.operands.back().unread = unreadLanes(mi, facts.lane_rule, index, problem.operands.back());
    source.operands.push_back(static_cast<uint16_t>(index));
    unsigned tied_def = 0;
    if (mo.isUse() && mo.isTied() && mi.isRegTiedToDefOperand(index, &tied_def)) {
      auto numbers = source.operands.begin() + inst.first_operand;
      auto def = std::find(numbers, source.operands.end(), tied_def) - numbers;
      assert(def <= std::numeric_limits<int8_t>::max());
      problem.operands.back().tied_to = static_cast<int8_t>(def);
    }
  }
  inst.num_operands = static_cast<uint16_t>(problem.operands.size() - inst.first_operand);
}

support::Status FunctionReader::readInst(const MachineInstr &mi) {
  if (mi.isDebugInstr() || mi.isBundle())
    return support::Ok{};
  const OpcodeFacts &facts = opcodes[mi.getOpcode()];
  if (facts.no_code)
    return support::Ok{};
  if (mi.isPHI())
    return error("it is still in SSA form (it has PHI instructions)");

  Inst inst;
  inst.opcode = opcodeName(mi.getOpcode());
  inst.signature = signatureOf(mi, facts, block_index);
  inst.kind = facts.kind;
  inst.flags = facts.flags;
  readOperands(mi, facts, inst);
  refine(mi, facts, problem, has_dual_issue, inst);
  if (inst.kind == InstKind::Spill || inst.kind == InstKind::Reload)
    for (const MachineOperand &mo : mi.explicit_operands())
      if (mo.isFI())
        inst.slot = static_cast<uint32_t>(mo.getIndex());
  if (facts.has_passes)
    inst.latency = passesOf(mi);
  problem.insts.push_back(inst);
  source.insts.push_back(&mi);
  return support::Ok{};
}

support::Status FunctionReader::read(const ReadOptions &options) {
  problem.name = mf.getName().str();
  problem.env = readEnvironment(mf);
  has_dual_issue = problem.env.wave_size == 32 && (llvm::StringRef(problem.env.arch).starts_with("gfx11") ||
                                                   llvm::StringRef(problem.env.arch).starts_with("gfx12"));
  if (support::Status status = numberVRegs(); !status)
    return status;
  numberBlocks();
  readLiveIns();

  size_t instructions = mf.getInstructionCount();
  problem.insts.reserve(instructions);
  source.insts.reserve(instructions);
  problem.operands.reserve(4 * instructions);
  source.operands.reserve(4 * instructions);
  for (size_t i = 0; i < source.blocks.size(); ++i) {
    problem.blocks[i].first = static_cast<problem::InstId>(problem.insts.size());
    for (const MachineInstr &mi : source.blocks[i]->instrs())
      if (support::Status status = readInst(mi); !status)
        return status;
    problem.blocks[i].last = static_cast<problem::InstId>(problem.insts.size());
  }
  readEmptyEdges();
  if (options.intervals)
    noteClaims(mf, *options.intervals, source, problem);
  if (options.frequencies_wanted)
    fillFrequencies(mf, options.frequencies, options.loops, problem.blocks);
  return support::Ok{};
}

} // namespace

support::Result<Reading> readFunction(const llvm::MachineFunction &mf, const ReadOptions &options) {
  if (!mf.getTarget().getTargetTriple().isAMDGCN())
    return InputError{fmt::format("function '{}': target {} is not amdgcn", mf.getName().str(),
                                  mf.getTarget().getTargetTriple().str())};
  if (mf.empty())
    return InputError{fmt::format("function '{}' has no blocks", mf.getName().str())};
  Reading reading;
  FunctionReader reader(mf, reading);
  if (support::Status status = reader.read(options); !status)
    return status.error();
  return reading;
}

} // namespace verilocc::mir
