// The signature of an instruction: what it does, whatever registers it does it to.
//
// Two instructions with equal signatures and equal operand values compute the same thing. So the signature holds the
// opcode and each explicit operand that is no register, in its position; it does not hold what register allocation may
// change without changing the meaning: registers, sub-register indices, kill and dead flags, memory operands, implicit
// operands, debug locations. Blocks count by their place in the layout, symbols by name, so that two MachineFunctions
// read from different files agree.
#pragma once

#include "mir/opcode_table.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineInstr.h"

#include <cstdint>

namespace verilocc::mir {

/// Place in the layout of each block, by MachineBasicBlock::getNumber().
using BlockIndex = std::vector<uint32_t>;

/// `facts` are those of the opcode of `mi`. For spill and reload pseudos the frame index is left out (Inst::slot has
/// it).
uint64_t signatureOf(const llvm::MachineInstr &mi, const OpcodeFacts &facts, const BlockIndex &blocks);

} // namespace verilocc::mir
