// From what an opcode is to what one instruction of it is: flags that depend on its operands and memory operands, the
// mask operation with its immediate, the lane of a lane write or read.
#pragma once

#include "mir/opcode_table.h"

#include "llvm/CodeGen/MachineInstr.h"

namespace verilocc::mir {

/// Completes `inst`, whose kind and flags are those of `facts` and whose operands lie in `problem` already.
/// `has_dual_issue`: the processor has VOPD in this wave size.
void refine(const llvm::MachineInstr &mi, const OpcodeFacts &facts, const problem::Problem &problem,
            bool has_dual_issue, problem::Inst &inst);

} // namespace verilocc::mir
