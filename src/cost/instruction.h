// The rules that look at one instruction or at two, for any choice of homes. Whoever keeps a total (placement.h) or
// lists reasons (explain.h) asks here, so that both mean the same.
//
// An operand without a home costs nothing.
#pragma once

#include "cost/rules.h"
#include "cost/shape.h"

namespace verilocc::cost {

/// Cycles lost to VGPR banks by a VALU instruction on its own. Of an operand wider than a dword the first dword counts.
unsigned bankStalls(const Rules &rules, const Shape &shape, const Locator &where);

/// True if A, B and C (D, where C is a constant) of a WMMA do not start in three different banks.
bool wmmaConflict(const Shape &shape, const Locator &where);

/// True if the banks and the parity of their registers let `x` and `y` become one VOPD instruction, whichever comes
/// first. Not asked: whether they are independent.
bool banksPair(const Shape &x, const Shape &y, const Locator &where);

/// Wait states that must lie between `mfma` and a later `inst`: 0 if they do not meet.
unsigned waitStates(const Rules &rules, const Shape &mfma, const Shape &inst, const Locator &where);
/// The most that waitStates can answer for this architecture.
unsigned maxWaitStates(const Rules &rules);

/// Issue cycles of a copy: 0 where both sides coincide; and whether it moves from or to an AGPR.
struct CopyCost {
  double cycles = 0;
  bool accum = false;
};
CopyCost copyCost(const Rules &rules, const Shape &shape, const Locator &where);

} // namespace verilocc::cost
