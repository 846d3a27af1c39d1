#include "mir/frequencies.h"

#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBranchProbabilityInfo.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineLoopInfo.h"

#include <algorithm>

namespace verilocc::mir {

namespace {

void fill(const llvm::MachineFunction &mf, const llvm::MachineBlockFrequencyInfo &frequencies,
          const llvm::MachineLoopInfo &loops, std::vector<problem::Block> &blocks) {
  size_t index = 0;
  for (const llvm::MachineBasicBlock &mbb : mf) {
    problem::Block &block = blocks[index++];
    block.frequency = frequencies.getBlockFreqRelativeToEntryBlock(&mbb);
    block.loop_depth = static_cast<uint16_t>(std::min(loops.getLoopDepth(&mbb), 0xffffu));
  }
}

} // namespace

void fillFrequencies(const llvm::MachineFunction &mf, const llvm::MachineBlockFrequencyInfo *frequencies,
                     const llvm::MachineLoopInfo *loops, std::vector<problem::Block> &blocks) {
  if (frequencies && loops)
    return fill(mf, *frequencies, *loops, blocks);
  // LLVM's analyses take the function by non-const reference and do not change it.
  auto &function = const_cast<llvm::MachineFunction &>(mf);
  llvm::MachineDominatorTree dominators(function);
  llvm::MachineLoopInfo own_loops(dominators);
  if (frequencies)
    return fill(mf, *frequencies, own_loops, blocks);
  llvm::MachineBranchProbabilityInfo probabilities;
  llvm::MachineBlockFrequencyInfo own_frequencies(function, probabilities, own_loops);
  fill(mf, own_frequencies, own_loops, blocks);
}

} // namespace verilocc::mir
