// Homes to LLVM: assigns virtual registers through LiveRegMatrix at a seam.
//
// The problem: LLVM's allocator and rewriter believe VirtRegMap. An entry that conflicts with another is a miscompile
// that nothing later notices, so each assignment is asked of LiveRegMatrix first, and what it refuses is left to the
// allocator that runs after the seam.
// The idea: take back every home that is going to change, then give the new ones in order; a home that LLVM itself
// cannot accept (its liveness counts more than the Problem's lanes do) is left, with the reason.
// Invariants: after applyHomes every entry of VirtRegMap is free of interference; a vreg that had a home before still
// has one (if one cannot get its new home, all keep their old ones).
// Source: the order of calls in LLVM's own allocators; pitfalls in docs (llvm.md).
#pragma once

#include "mir/reader.h"

#include "assignment/assignment.h"

#include <array>

namespace llvm {
class LiveIntervals;
class LiveRegMatrix;
class VirtRegMap;
} // namespace llvm

namespace verilocc::rewriter {

enum class LeftReason : uint8_t {
  NoHome,         ///< the caller gave none
  NotInClass,     ///< no register of the vreg's class starts there
  Reserved,       ///< the home touches a reserved unit
  VirtualOverlap, ///< another vreg lives there at some point
  FixedOverlap,   ///< a physical register of the code is live there
  CallClobber,    ///< a call overwrites it
  NoInterval      ///< LiveIntervals does not know the vreg
};
constexpr size_t num_left_reasons = 7;
const char *name(LeftReason reason);

struct Left {
  problem::VReg vreg;
  LeftReason reason;
};

struct ApplyReport {
  unsigned assigned = 0;    ///< vregs that now have the home asked for
  unsigned changed = 0;     ///< of these, how many had no home or another one before
  std::vector<Left> left;   ///< the others, by number
  bool rolled_back = false; ///< a vreg with an old home could not have its new one: VirtRegMap is as before
  std::array<unsigned, num_left_reasons> count{}; ///< of `left`, by reason
};

/// Gives each vreg of `reading` the home that `homes` (one for each vreg) names. Vregs with no_unit are not touched.
/// `reading` must have been read from the function at this seam; the analyses must be its own.
ApplyReport applyHomes(const assignment::Homes &homes, const mir::Reading &reading, llvm::LiveIntervals &intervals,
                       llvm::VirtRegMap &map, llvm::LiveRegMatrix &matrix);

} // namespace verilocc::rewriter
