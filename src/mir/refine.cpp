#include "mir/refine.h"

#include "llvm/CodeGen/MachineOperand.h"

#include <algorithm>

namespace verilocc::mir {

namespace {

using llvm::MachineInstr;
using llvm::MachineOperand;
using problem::Inst;
using problem::InstKind;
using problem::MaskOp;
using problem::Operand;
using problem::Problem;
using problem::RegUnit;
namespace inst_flag = problem::inst_flag;
namespace operand_flag = problem::operand_flag;

/// A unit that tells the operand's register file: classes hold vector registers or scalar ones, never both.
RegUnit firstUnitOf(const Problem &problem, const Operand &operand) {
  return operand.fixed ? static_cast<RegUnit>(operand.reg)
                       : static_cast<RegUnit>(problem.classOf(operand.reg).bases._Find_first());
}

/// True if LLVM can give a VOP3 instruction its short encoding after allocation: no modifiers, a second source in a
/// vector register (or a first one, if they commute), and for V_CNDMASK its mask in VCC, where the scalars' allocation
/// has put it or not. Operands of VOP3: results, then each source after its modifiers if it has any, then clamp and
/// output scale.
bool canShrink(const MachineInstr &mi, const Problem &problem, const Inst &inst) {
  constexpr unsigned with_modifiers = 6; // explicit operands of V_CNDMASK, which has the fewest
  const unsigned count = mi.getNumExplicitOperands();
  const bool has_modifiers = count >= with_modifiers;
  const auto isVector = [&](unsigned index) {
    if (index >= count || !mi.getOperand(index).isReg())
      return false;
    // Operands of the Problem are those of the instruction that are registers.
    unsigned at = 0;
    for (unsigned i = 0; i < index; ++i)
      at += mi.getOperand(i).isReg() && mi.getOperand(i).getReg();
    return at < inst.num_operands && problem.isPerThread(problem.operandsOf(inst)[at]);
  };
  if (!has_modifiers) {
    // LLVM calls a shift commutable for the sake of a twin that GPUs before gfx8 had.
    const bool commutes = mi.isCommutable() && !problem.opcodes[inst.opcode].starts_with("V_LSHLREV");
    return count < 3 || isVector(2) || (isVector(1) && commutes);
  }
  constexpr unsigned first = 2, second = 4, third = 6; // sources
  for (unsigned i = 1; i < count; ++i)
    if (i != first && i != second && mi.getOperand(i).isImm() && mi.getOperand(i).getImm() != 0 && i != third)
      return false;
  if (count == with_modifiers) {
    const auto operands = problem.operandsOf(inst);
    const bool mask_in_vcc = std::any_of(operands.begin(), operands.end(), [](const Operand &operand) {
      return operand.isUse() && operand.fixed && operand.reg == problem::vcc_lo;
    });
    return mask_in_vcc && isVector(second);
  }
  return isVector(second) || (isVector(first) && mi.isCommutable());
}

void refineFlags(const MachineInstr &mi, const OpcodeFacts &facts, const Problem &problem, bool has_dual_issue,
                 Inst &inst) {
  switch (inst.kind) {
  case InstKind::Copy:
    // A COPY moves threads' values if either side is a vector register; whole-wave copies say so already.
    if (!inst.has(inst_flag::AllThreads))
      for (const Operand &operand : problem.operandsOf(inst).first(std::min<size_t>(2, inst.num_operands)))
        if (problem::isPerThread(firstUnitOf(problem, operand)))
          inst.flags |= inst_flag::PerThread;
    break;
  case InstKind::InlineAsm:
    if (mi.hasUnmodeledSideEffects() || mi.mayStore())
      inst.flags |= inst_flag::SideEffect;
    if (mi.mayLoad())
      inst.flags |= inst_flag::Load;
    inst.flags |= inst_flag::PerThread;
    break;
  case InstKind::VectorAlu:
    if (facts.fetches_inactive && mi.getNumExplicitOperands() > 1 && mi.getOperand(1).isImm() &&
        mi.getOperand(1).getImm() & 4)
      inst.flags |= inst_flag::CrossLane;
    if (facts.dual_issue && has_dual_issue && (!facts.long_encoding || canShrink(mi, problem, inst)))
      inst.kind = InstKind::DualIssue;
    break;
  case InstKind::Nop: // S_NOP n waits n + 1 states; V_NOP has no operand
    inst.latency = static_cast<uint8_t>(
        1 + (mi.getNumExplicitOperands() > 0 && mi.getOperand(0).isImm() ? mi.getOperand(0).getImm() & 0xf : 0));
    break;
  default:
    break;
  }
  // What a vector instruction writes to a scalar (a comparison's mask) depends on EXEC, and so on the place.
  if (inst.has(inst_flag::Pure) && inst.has(inst_flag::PerThread))
    for (const Operand &operand : problem.operandsOf(inst))
      if (operand.isDef() && !operand.has(operand_flag::Implicit) &&
          !problem::isPerThread(firstUnitOf(problem, operand)))
        inst.flags &= static_cast<uint16_t>(~inst_flag::Pure);
  if (inst.has(inst_flag::Load) && !inst.has(inst_flag::SideEffect)) {
    if (mi.isDereferenceableInvariantLoad())
      inst.flags |= inst_flag::Pure;
    else if (mi.hasOrderedMemoryRef())
      inst.flags |= inst_flag::SideEffect;
  }
}

/// Keeps the opcode's mask operation only if it is one for this wave size, and finds its immediate.
void refineMask(const MachineInstr &mi, const OpcodeFacts &facts, const Problem &problem, Inst &inst) {
  auto operands = problem.operandsOf(inst);
  bool writes_exec = std::any_of(operands.begin(), operands.end(), [&](const Operand &operand) {
    return operand.isDef() && operand.fixed && problem::overlapsExec(operand.reg, operand.num_lanes);
  });
  unsigned width = problem.env.wave_size;
  unsigned lanes = width / 32;
  inst.mask_op = facts.mask_op;
  bool right_width = facts.mask_width == 0 || facts.mask_width == width;

  switch (facts.mask_op) {
  case MaskOp::None:
  case MaskOp::Unknown:
  case MaskOp::Compare:
  case MaskOp::CompareExec:
    break;
  default: {
    bool scalar = inst.num_operands > 0 && !inst.has(inst_flag::PerThread | inst_flag::AllThreads) &&
                  operands[0].isDef() && operands[0].num_lanes == lanes && !operands[0].has(operand_flag::HalfDword);
    if (!right_width || !scalar)
      inst.mask_op = MaskOp::None;
  }
  }

  // Sources in order; the immediate must be the last one, so that a reader knows which source it is.
  if (inst.mask_op != MaskOp::None && facts.mask_width) {
    unsigned sources = mi.getNumExplicitOperands() - mi.getNumExplicitDefs();
    for (unsigned i = 0; i < sources; ++i) {
      const MachineOperand &mo = mi.getOperand(mi.getNumExplicitDefs() + i);
      if (mo.isReg())
        continue;
      bool commutes = inst.mask_op == MaskOp::And || inst.mask_op == MaskOp::Or || inst.mask_op == MaskOp::Xor;
      if (!mo.isImm() || inst.mask_has_constant || (i + 1 < sources && !commutes)) {
        inst.mask_op = MaskOp::None;
        inst.mask_has_constant = false;
        inst.mask_constant = 0;
        break;
      }
      inst.mask_has_constant = true;
      inst.mask_constant = mo.getImm();
    }
    // S_NOT: d = a ^ -1.
    if (sources == 1 && inst.mask_op == MaskOp::Xor && !inst.mask_has_constant) {
      inst.mask_has_constant = true;
      inst.mask_constant = -1;
    } else if (sources == 1 && inst.mask_op == MaskOp::Xor) {
      inst.mask_op = MaskOp::Move;
      inst.mask_constant = ~inst.mask_constant;
    }
  }
  if (inst.mask_op == MaskOp::OrSave && !facts.mask_width) {
    inst.mask_has_constant = true;
    inst.mask_constant = -1;
  }
  if (writes_exec && inst.mask_op == MaskOp::None)
    inst.mask_op = MaskOp::Unknown;
  if (inst.mask_op == MaskOp::Unknown && !writes_exec)
    inst.mask_op = MaskOp::None;
}

/// LaneWrite and LaneRead need a scalar register and a known lane; other forms are plain vector operations.
void refineLanes(const MachineInstr &mi, const Problem &problem, Inst &inst) {
  const MachineOperand *lane = mi.getNumExplicitOperands() > 2 ? &mi.getOperand(2) : nullptr;
  const MachineOperand *value = mi.getNumExplicitOperands() > 1 ? &mi.getOperand(1) : nullptr;
  if (lane && lane->isImm() && value->isReg()) {
    // The hardware uses as many bits as the wave has threads.
    inst.lane = static_cast<uint8_t>(lane->getImm() & (problem.env.wave_size - 1));
    return;
  }
  inst.kind = InstKind::VectorAlu;
}

} // namespace

void refine(const MachineInstr &mi, const OpcodeFacts &facts, const Problem &problem, bool has_dual_issue, Inst &inst) {
  refineFlags(mi, facts, problem, has_dual_issue, inst);
  refineMask(mi, facts, problem, inst);
  if (inst.kind == InstKind::LaneWrite || inst.kind == InstKind::LaneRead)
    refineLanes(mi, problem, inst);
}

} // namespace verilocc::mir
