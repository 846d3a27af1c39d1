// The homes that LLVM's VirtRegMap holds for the virtual registers of a reading.
#pragma once

#include "mir/reader.h"

#include "assignment/assignment.h"

namespace llvm {
class VirtRegMap;
}

namespace verilocc::mir {

/// One home for each VReg of `source`; no_unit where `map` has none.
assignment::Homes readHomes(const SourceMap &source, const llvm::VirtRegMap &map);

} // namespace verilocc::mir
