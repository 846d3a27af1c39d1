// An Assignment: the whole answer of an allocator, any allocator, against one Problem.
//
// For every operand of the Problem the unit of its first accessed lane; which instructions were deleted; and the
// instructions that were inserted (Edits). An allocation without splits is written as one home a vreg (fromHomes).
#pragma once

#include "problem/problem.h"

namespace verilocc::assignment {

using problem::RegUnit;

/// An inserted instruction with fixed operands only. `inst.kind` says what it is: Copy, Spill, Reload, LaneWrite,
/// LaneRead, Exchange, Kill, ImplicitDef; anything else must be a rematerialisation (same signature as an instruction of
/// the Problem) or an EXEC write around a whole-wave move, or it stays unexplained.
struct Edit {
  problem::BlockId block = 0;
  problem::InstId before = 0; ///< runs before this instruction of the Problem; the block's `last` = at the block's end
  problem::Inst inst;         ///< operands lie in Assignment::edit_operands; `opcode` indexes Assignment::opcodes
  bool operator==(const Edit &) const = default;
};

struct Assignment {
  /// Parallel to Problem::operands: unit of the first accessed lane. A fixed operand keeps its own unit. no_unit: the
  /// vreg is left to another allocator and is treated as having storage of its own.
  std::vector<RegUnit> units;
  /// Parallel to Problem::insts: 1 where the allocated code has no such instruction.
  std::vector<uint8_t> deleted;
  std::vector<Edit> edits; ///< in program order; several before one instruction run in the order given
  std::vector<problem::Operand> edit_operands;
  std::vector<std::string> opcodes; ///< names for Edit::inst.opcode

  std::span<const problem::Operand> operandsOf(const Edit &edit) const {
    return {edit_operands.data() + edit.inst.first_operand, edit.inst.num_operands};
  }
  bool operator==(const Assignment &) const = default;
};

/// One home a vreg: the first unit of its tuple, or no_unit. Size: Problem::vregs.
using Homes = std::vector<RegUnit>;

/// The Assignment in which every operand of vreg v lies at homes[v] (+ its first lane), nothing inserted or deleted.
Assignment fromHomes(const problem::Problem &problem, const Homes &homes);

/// Sizes agree with the Problem, edits are in order and in range, operands of edits are fixed; the message names the
/// place. The checker answers InvalidInput where this fails.
support::Status wellFormed(const problem::Problem &problem, const Assignment &assignment);

} // namespace verilocc::assignment
