#include "mir/homes.h"

#include "mir/register_table.h"

#include "llvm/CodeGen/VirtRegMap.h"

namespace verilocc::mir {

assignment::Homes readHomes(const SourceMap &source, const llvm::VirtRegMap &map) {
  const RegisterTable &registers = RegisterTable::of(map.getTargetRegInfo());
  assignment::Homes homes;
  homes.reserve(source.vregs.size());
  for (llvm::Register reg : source.vregs)
    homes.push_back(map.hasPhys(reg) ? registers.place(map.getPhys(reg)).first : problem::no_unit);
  return homes;
}

} // namespace verilocc::mir
