// The register file of one function: MachineEnv from the subtarget and the function's attributes, and its register
// classes, interned as they are met.
#pragma once

#include "mir/register_table.h"

#include "llvm/CodeGen/MachineFunction.h"

#include <vector>

namespace verilocc::mir {

/// Everything of MachineEnv but the classes. The limits are those that LLVM derived from occupancy attributes: the
/// highest register of each file that is not reserved.
problem::MachineEnv readEnvironment(const llvm::MachineFunction &mf);

/// Units of the reserved registers of `mf` (as frozen, or as they would be frozen now), and of SCC, which no class
/// holds.
problem::UnitSet reservedUnits(const llvm::MachineFunction &mf);

/// LLVM's register classes to ClassIds of one MachineEnv.
class ClassInterner {
public:
  ClassInterner(const llvm::TargetRegisterInfo &tri, std::vector<problem::RegClass> &classes);

  /// no_class for null and for classes whose registers are not whole dwords.
  problem::ClassId intern(const llvm::TargetRegisterClass *rc);

private:
  const llvm::TargetRegisterInfo &tri;
  std::vector<problem::RegClass> &classes;
  std::vector<int32_t> ids; // by LLVM's class number: ClassId, no_class, or -1 = not met yet
};

} // namespace verilocc::mir
