// What no allocation can avoid: a lower bound of VALU bank stalls and WMMA conflicts, by counting.
//
// Two registers of different vregs meet in a bank or not depending on one number, the distance of the two bases modulo 4;
// so of all instructions that read both vregs, those of the rarest distance class must be paid. An instruction that reads
// three registers stalls at least once for each of any two of its three pairs that meet, and a WMMA conflict is at least
// that of any one of its pairs: each instruction names the pairs that it counts for, and the rarest classes add up. Operands
// of one vreg (lanes 0 and 4 of a tuple) meet whatever the allocation.
//
// Valid for every assignment without splits, whatever the number of registers. Where VOPD pairs hide stalls it bounds only
// the stalls of code without pairs.
#pragma once

#include "cost/rules.h"
#include "problem/problem.h"

namespace verilocc::cost {

struct BankBound {
  double stalls = 0;    ///< cycles, weighted by frequency
  double conflicts = 0; ///< cycles lost to WMMA conflicts
};

BankBound bankBound(const problem::Problem &problem, const Rules &rules);

} // namespace verilocc::cost
