// What each AMDGPU opcode is to register allocation.
//
// LLVM knows thousands of opcodes and its AMDGPU headers are private. What is public suffices: the instruction
// description (defs, uses, memory, side effects), its target flags (TSFlags), and the name. An opcode is classified the
// first time it is met and remembered, so reading a function costs one look-up an instruction.
//
// What threads an instruction reads and writes, by its flags:
//   PerThread               reads and writes the threads active in EXEC
//   PerThread, CrossLane    writes the active threads, may read every thread (v_permlane16 with fetch-inactive)
//   AllThreads              reads and writes every thread, each its own (whole-wave copies and spills)
//   AllThreads, CrossLane   ignores EXEC, and threads meet each other (MFMA, v_readlane, v_writelane)
// Instructions that read registers of other *active* threads only (DPP, ds_bpermute, v_readfirstlane; WMMA, which needs
// EXEC to be all ones) are PerThread: what holds for the active threads holds for all that they read. Inline assembly
// is trusted to touch the active threads only, as LLVM's own contract for its operands says.
// Source: SIDefines.h and the instruction descriptions of LLVM 19; the ISA references for what ignores EXEC.
#pragma once

#include "problem/problem.h"

#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/MC/MCInstrDesc.h"

#include <deque>
#include <vector>

namespace verilocc::mir {

/// Which dwords of a 64-bit source an instruction takes nothing from, by its immediates.
enum class LaneRule : uint8_t {
  All,        ///< takes both
  ShiftLeft,  ///< by 32 or more: nothing from the upper
  ShiftRight, ///< by 32 or more: nothing from the lower
  Packed      ///< two 32-bit operations; source modifiers choose the dword of each
};

struct OpcodeFacts {
  uint64_t name_hash = 0;
  problem::InstKind kind = problem::InstKind::Other;
  problem::MaskOp mask_op = problem::MaskOp::None; ///< holds only if the wave has mask_width threads
  uint8_t mask_width = 0;                          ///< 32 or 64; 0 = either
  uint16_t flags = 0;                              ///< inst_flag that hold for every instance
  bool no_code = false;    ///< markers of LLVM that are neither instruction nor register operation: not read
  bool dual_issue = false;    ///< has a VOPD form on gfx11 and gfx12
  bool long_encoding = false; ///< VOP3: VOPD takes it only after LLVM has shrunk it
  LaneRule lane_rule = LaneRule::All;
  bool has_passes = false;       ///< MFMA: the scheduling model knows the number of passes
  bool fetches_inactive = false; ///< by bit 2 of the first source modifier (v_permlane16)
};

class OpcodeTable {
public:
  OpcodeTable(const llvm::TargetInstrInfo &tii, const llvm::TargetRegisterInfo &tri);

  /// This thread's table for the AMDGPU target; opcodes mean the same for all its subtargets.
  static OpcodeTable &of(const llvm::TargetInstrInfo &tii, const llvm::TargetRegisterInfo &tri);

  const OpcodeFacts &operator[](unsigned opcode) {
    if (slots[opcode] == unknown)
      classify(opcode);
    return facts[slots[opcode]];
  }

private:
  void classify(unsigned opcode);

  const llvm::TargetInstrInfo *tii;
  llvm::MCRegister exec, mode;
  std::vector<uint16_t> slots;   // by opcode: index into facts
  std::deque<OpcodeFacts> facts; // of the opcodes met so far; a deque, so that references stay
  static constexpr uint16_t unknown = 0xffff;
};

/// The classification itself, without a table.
OpcodeFacts classifyOpcode(const llvm::MCInstrDesc &desc, llvm::StringRef name, llvm::MCRegister exec,
                           llvm::MCRegister mode);

} // namespace verilocc::mir
