// Execution frequency and loop depth of each block, from LLVM's analyses or computed by them on the spot.
#pragma once

#include "problem/problem.h"

#include "llvm/CodeGen/MachineFunction.h"

namespace llvm {
class MachineBlockFrequencyInfo;
class MachineLoopInfo;
} // namespace llvm

namespace verilocc::mir {

/// Fills Block::frequency (executions for one execution of the function) and Block::loop_depth. `blocks` are the blocks
/// of `mf` in layout order. An analysis that is null is computed here, which costs a dominator tree.
void fillFrequencies(const llvm::MachineFunction &mf, const llvm::MachineBlockFrequencyInfo *frequencies,
                     const llvm::MachineLoopInfo *loops, std::vector<problem::Block> &blocks);

} // namespace verilocc::mir
