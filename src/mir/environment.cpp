#include "mir/environment.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace verilocc::mir {

namespace {

using problem::RegUnit;

/// One more than the highest unit of [first, last) that is not in `reserved`, counted from `first`.
unsigned limitOf(const problem::UnitSet &reserved, const problem::UnitSet &existing, RegUnit first, RegUnit last) {
  for (RegUnit unit = last; unit > first; --unit)
    if (existing[unit - 1] && !reserved[unit - 1])
      return unit - first;
  return 0;
}

} // namespace

problem::UnitSet reservedUnits(const llvm::MachineFunction &mf) {
  const llvm::TargetRegisterInfo &tri = *mf.getSubtarget().getRegisterInfo();
  // Not MachineRegisterInfo's frozen set: passes before an allocator reserve more (the pair that a branch across a long
  // distance needs), and LLVM's allocators freeze anew when they begin.
  const llvm::BitVector reserved = tri.getReservedRegs(mf);

  problem::UnitSet units;
  units.set(problem::scc);
  for (const RegisterTable::Dword &dword : RegisterTable::of(tri).dwords())
    if (reserved.test(dword.reg))
      units.set(dword.unit);
  return units;
}

problem::MachineEnv readEnvironment(const llvm::MachineFunction &mf) {
  const llvm::TargetSubtargetInfo &subtarget = mf.getSubtarget();
  problem::MachineEnv env;
  env.arch = subtarget.getCPU().str();
  env.wave_size = subtarget.checkFeatures("+wavefrontsize32") ? 32 : 64;
  env.reserved = reservedUnits(mf);

  problem::UnitSet existing;
  for (const RegisterTable::Dword &dword : RegisterTable::of(*subtarget.getRegisterInfo()).dwords())
    existing.set(dword.unit);
  env.max_vgprs = limitOf(env.reserved, existing, problem::first_vgpr, problem::first_agpr);
  env.max_agprs = limitOf(env.reserved, existing, problem::first_agpr, problem::first_sgpr);
  env.max_sgprs = limitOf(env.reserved, existing, problem::first_sgpr, problem::vcc_lo);
  return env;
}

ClassInterner::ClassInterner(const llvm::TargetRegisterInfo &tri, std::vector<problem::RegClass> &classes)
    : tri(tri), classes(classes), ids(tri.getNumRegClasses(), -1) {}

problem::ClassId ClassInterner::intern(const llvm::TargetRegisterClass *rc) {
  if (!rc)
    return problem::no_class;
  int32_t &id = ids[rc->getID()];
  if (id >= 0)
    return static_cast<problem::ClassId>(id);
  problem::RegClass translated = RegisterTable::of(tri).classOf(*rc, tri);
  id = problem::no_class;
  if (translated.width) {
    id = static_cast<int32_t>(classes.size());
    classes.push_back(std::move(translated));
  }
  return static_cast<problem::ClassId>(id);
}

} // namespace verilocc::mir
