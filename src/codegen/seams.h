// The places of LLVM's AMDGPU pipeline at which a caller may look at a function and decide.
//
// With the greedy or the basic allocator (order of passes):
//   ... scheduler, amdgpu-pre-ra-long-branch-reg
//   BeforeSgpr   SGPRs unassigned, all registers virtual
//   allocator (SGPRs)
//   AfterSgpr    SGPR vregs have a home in VirtRegMap; may be recoloured
//   virtregrewriter, si-lower-sgpr-spills, si-pre-allocate-wwm-regs
//   BeforeVgpr   SGPRs physical; VGPRs and AGPRs unassigned
//   allocator (VGPRs, AGPRs), si-lower-wwm-copies
//   AfterVgpr    VGPR and AGPR vregs have a home in VirtRegMap; may be recoloured
//   amdgpu-nsa-reassign, virtregrewriter
//   AfterRewrite all registers physical, before any later pass
//   ... stack frame, post-RA scheduler, VOPD, waits, hazards
//   Final        what will be printed
// With the fast allocator (and at -O0) there is no VirtRegMap: each allocator rewrites as it goes, AfterVgpr and
// AfterRewrite are the same place, and the analyses below are null but for frequencies and loops.
//
// Callbacks run on a thread of codegen's while compile() waits, and may compile other modules.
// An exception that leaves one is carried to the caller of compile().
#pragma once

#include <array>
#include <cstddef>
#include <functional>

namespace llvm {
class LiveIntervals;
class LiveRegMatrix;
class MachineBlockFrequencyInfo;
class MachineFunction;
class MachineLoopInfo;
class SlotIndexes;
class VirtRegMap;
} // namespace llvm

namespace verilocc::codegen {

enum class SeamPoint { BeforeSgpr, AfterSgpr, BeforeVgpr, AfterVgpr, AfterRewrite, Final };
constexpr size_t num_seam_points = 6;
const char *name(SeamPoint point); ///< "before-sgpr"

struct SeamContext {
  SeamPoint point;
  llvm::MachineFunction &function;
  llvm::MachineBlockFrequencyInfo *frequencies = nullptr; ///< always set
  llvm::MachineLoopInfo *loops = nullptr;                 ///< always set
  /// Set from BeforeSgpr to AfterVgpr with the greedy and basic allocators.
  llvm::LiveIntervals *intervals = nullptr;
  llvm::SlotIndexes *slots = nullptr;
  llvm::VirtRegMap *virt_reg_map = nullptr;
  llvm::LiveRegMatrix *matrix = nullptr;
};

using Seam = std::function<void(SeamContext &)>;

/// One optional callback for each point; `seams[SeamPoint::Final] = ...`.
struct Seams {
  std::array<Seam, num_seam_points> callbacks;
  Seam &operator[](SeamPoint point) { return callbacks[static_cast<size_t>(point)]; }
  const Seam &operator[](SeamPoint point) const { return callbacks[static_cast<size_t>(point)]; }
};

} // namespace verilocc::codegen
