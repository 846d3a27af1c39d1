// MachineFunction to Problem.
//
// The problem: everything above this folder must see a function as plain data, at any point from just before the first
// register allocation (virtual registers, out of SSA) to final code (physical registers only), and must be able to come
// back to LLVM's objects. The idea: one walk over the instructions in layout order, everything about opcodes and
// registers from tables; nothing is derived from liveness, kill flags or memory operands' ranges, because the readers
// of a Problem must not trust what an earlier pass may have got wrong. (What live intervals call undefined is read as
// the claim that it is, and no proof rests on it.)
//
// Left out: debug instructions, CFI and lifetime markers, BUNDLE headers (the instructions inside are read).
#pragma once

#include "problem/problem.h"
#include "support/result.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/Register.h"

#include <vector>

namespace llvm {
class LiveIntervals;
class MachineBlockFrequencyInfo;
class MachineLoopInfo;
} // namespace llvm

namespace verilocc::mir {

struct ReadOptions {
  /// Analyses of the function, if the caller has them; computed otherwise unless `frequencies_wanted` is false.
  const llvm::MachineBlockFrequencyInfo *frequencies = nullptr;
  const llvm::MachineLoopInfo *loops = nullptr;
  /// If given, operands say which lanes they call undefined (Operand::claimed_undefined).
  const llvm::LiveIntervals *intervals = nullptr;
  /// False: every block counts 1 and depth 0. For checkers, which do not care.
  bool frequencies_wanted = true;
};

/// From a Problem's numbers back to LLVM's objects. Valid while the MachineFunction is unchanged, except that registers
/// may be assigned.
struct SourceMap {
  std::vector<const llvm::MachineBasicBlock *> blocks; ///< by BlockId
  std::vector<const llvm::MachineInstr *> insts;       ///< by InstId
  std::vector<uint16_t> operands;    ///< by index into Problem::operands: operand number of the MachineInstr
  std::vector<llvm::Register> vregs; ///< by VReg

  /// The number of a virtual register in the Problem, or `no_vreg` if no instruction mentions it.
  problem::VReg numberOf(llvm::Register reg) const {
    unsigned index = llvm::Register::virtReg2Index(reg);
    return index < vreg_numbers.size() ? vreg_numbers[index] : no_vreg;
  }
  static constexpr problem::VReg no_vreg = ~0u;
  std::vector<problem::VReg> vreg_numbers; ///< by LLVM's virtual register index
};

struct Reading {
  problem::Problem problem;
  SourceMap source;
};

/// Reads an AMDGPU function. InputError if it belongs to another target, is still in SSA form, or holds virtual
/// registers that are no whole dwords (generic, condition or true 16-bit ones).
support::Result<Reading> readFunction(const llvm::MachineFunction &mf, const ReadOptions &options = {});

} // namespace verilocc::mir
