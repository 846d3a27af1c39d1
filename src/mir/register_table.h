// LLVM's AMDGPU registers, sub-register indices and register classes, translated to the register space of
// problem/registers.h.
//
// LLVM numbers registers per tuple and per alias (VGPR4_VGPR5, M0_gfx11plus, VCC_LO_HI16); the Problem knows dwords
// only. The names are the one thing that is both public and stable, so the table is built from them, once a process:
// the register file description is the same object for every AMDGPU subtarget.
//
// Invariants: every register of the target has a place; two registers share a unit exactly if they share a dword in
// LLVM, except for aliases that differ by generation only (M0, M0_gfx11plus), which we make the same unit.
// Source: LLVM 19's register names as dumped from TargetRegisterInfo.
#pragma once

#include "problem/problem.h"

#include "llvm/CodeGen/TargetRegisterInfo.h"

#include <vector>

namespace verilocc::mir {

/// Where a physical register lies: units [first, first + width); `half` if it is 16 bits of its one unit.
struct RegPlace {
  problem::RegUnit first = problem::no_unit;
  uint8_t width = 1;
  bool half = false;
};

/// Which lanes of its super-register a sub-register index names.
struct LanePlace {
  uint8_t first = 0;
  uint8_t width = 1;
  bool half = false;
};

class RegisterTable {
public:
  /// The table for the AMDGPU target. `tri` must belong to it (triple amdgcn).
  static const RegisterTable &of(const llvm::TargetRegisterInfo &tri);

  const RegPlace &place(llvm::MCRegister reg) const { return places[reg.id()]; }
  const LanePlace &lanes(unsigned sub_reg_index) const { return lane_places[sub_reg_index]; }

  /// Dword registers of each unit, aliases of one unit listed one after another: (unit, register).
  struct Dword {
    problem::RegUnit unit;
    llvm::MCPhysReg reg;
  };
  const std::vector<Dword> &dwords() const { return dword_list; }

  /// The register class as the Problem sees it; width 0 if its registers are not whole dwords.
  problem::RegClass classOf(const llvm::TargetRegisterClass &rc, const llvm::TargetRegisterInfo &tri) const;

  /// The member of `rc` that starts at `first`, or no register.
  llvm::MCRegister registerAt(const llvm::TargetRegisterClass &rc, problem::RegUnit first) const;

private:
  explicit RegisterTable(const llvm::TargetRegisterInfo &tri);

  std::vector<RegPlace> places;       // by LLVM's register number
  std::vector<LanePlace> lane_places; // by LLVM's sub-register index
  std::vector<Dword> dword_list;
};

} // namespace verilocc::mir
