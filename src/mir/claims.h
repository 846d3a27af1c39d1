// What LLVM's live intervals call undefined.
//
// The problem: instruction selection and coalescing leave operands of which a lane was never written, and the machine
// code does not say so when the rest of the register was merged with a value that has such a lane. Then only the
// subranges of the live intervals know that nothing is read there, and an allocator gives the register away. The idea:
// note of each use the lanes in which no value reaches it, as a claim that a checker can report, not as a fact.
#pragma once

#include "problem/problem.h"

#include "llvm/CodeGen/MachineFunction.h"

namespace llvm {
class LiveIntervals;
}

namespace verilocc::mir {

struct SourceMap;

/// Sets Operand::claimed_undefined of every use of a virtual register.
void noteClaims(const llvm::MachineFunction &mf, const llvm::LiveIntervals &intervals, const SourceMap &source,
                problem::Problem &problem);

} // namespace verilocc::mir
