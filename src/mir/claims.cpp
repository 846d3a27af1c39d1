#include "mir/claims.h"

#include "mir/reader.h"
#include "mir/register_table.h"

#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineInstrBundle.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace verilocc::mir {

namespace {

/// LLVM's name of each dword of a register.
std::vector<llvm::LaneBitmask> dwordMasks(const llvm::TargetRegisterInfo &tri, const RegisterTable &registers) {
  std::vector<llvm::LaneBitmask> masks(32);
  for (unsigned index = 1; index < tri.getNumSubRegIndices(); ++index)
    if (const LanePlace &lanes = registers.lanes(index);
        lanes.width == 1 && !lanes.half && lanes.first < masks.size() && masks[lanes.first].none())
      masks[lanes.first] = tri.getSubRegIndexLaneMask(index);
  return masks;
}

} // namespace

void noteClaims(const llvm::MachineFunction &mf, const llvm::LiveIntervals &intervals, const SourceMap &source,
                problem::Problem &problem) {
  const llvm::TargetRegisterInfo &tri = *mf.getSubtarget().getRegisterInfo();
  const std::vector<llvm::LaneBitmask> dwords = dwordMasks(tri, RegisterTable::of(tri));
  for (problem::InstId id = 0; id < problem.insts.size(); ++id) {
    const llvm::MachineInstr &mi = *source.insts[id];
    const problem::Inst &inst = problem.insts[id];
    for (uint32_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o) {
      problem::Operand &operand = problem.operands[o];
      if (operand.fixed || operand.isDef() || operand.has(problem::operand_flag::Undef))
        continue;
      const llvm::Register reg = mi.getOperand(source.operands[o]).getReg();
      if (!intervals.hasInterval(reg))
        continue;
      const llvm::LiveInterval &interval = intervals.getInterval(reg);
      if (!interval.hasSubRanges())
        continue; // where the whole is undefined, LLVM says so in the code
      const llvm::SlotIndex at = intervals.getInstructionIndex(*llvm::getBundleStart(mi.getIterator()));
      llvm::LaneBitmask defined;
      for (const llvm::LiveInterval::SubRange &range : interval.subranges())
        if (range.Query(at).valueIn())
          defined |= range.LaneMask;
      for (unsigned lane = 0; lane < operand.num_lanes; ++lane)
        if ((dwords[operand.first_lane + lane] & defined).none())
          operand.claimed_undefined |= 1u << lane;
    }
  }
}

} // namespace verilocc::mir
