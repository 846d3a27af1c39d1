// Mutants of an Assignment: each differs from it in one thing that an allocator, or the reader of its output, could get
// wrong. Most are wrong, some are equal in meaning; the checker and the interpreter are tested with both.
#pragma once

#include "assignment/assignment.h"
#include "support/rng.h"

#include <optional>

namespace verilocc::tests {

enum class Mutation : uint8_t {
  SwapHomes,    ///< two vregs trade places everywhere
  SwapOperands, ///< two operands of one instruction trade places
  MergeHomes,   ///< a vreg moves to where another one lies
  MoveOperand,  ///< one operand elsewhere in its file
  ShiftOperand, ///< one operand a lane on or back
  ShiftHome,    ///< a vreg a register on or back everywhere: breaks alignment, overlaps neighbours
  BreakTie,     ///< a tied use elsewhere
  DropEdit,
  MoveEdit,     ///< elsewhere in its block
  AcrossExec,   ///< an edit to the other side of a write of EXEC
  SwapEdits,    ///< two edits at one place change order: a parallel copy
  RedirectSlot, ///< a spill or reload to another slot
  RedirectLane, ///< a lane write or read to another lane
  ShiftEdit,    ///< one operand of an edit a register on or back
  WidenMove,    ///< an inserted move one dword wider
  NarrowMove,   ///< an inserted move one dword narrower
  SomeThreads,  ///< an inserted move of all threads becomes one of the active threads
  DropRemat,    ///< an inserted computation vanishes
  DoubleEdit,   ///< an edit runs once more, elsewhere in its block
  Delete,       ///< an instruction vanishes
  Undelete,     ///< a deleted instruction stays
};
constexpr unsigned num_mutations = static_cast<unsigned>(Mutation::Undelete) + 1;
const char *name(Mutation mutation);

struct Mutant {
  Mutation mutation;
  assignment::Assignment assignment; ///< well-formed, and not the original
  std::string what;                  ///< "edit 3 to slot 4"
};

/// A random mutant of the given sort; nothing where the Assignment has nothing of that sort to get wrong.
std::optional<Mutant> mutate(const problem::Problem &problem, const assignment::Assignment &assignment,
                             Mutation mutation, support::Rng &rng);

/// A mutant of a random sort; nothing if none of many tries finds one.
std::optional<Mutant> mutate(const problem::Problem &problem, const assignment::Assignment &assignment,
                             support::Rng &rng);

} // namespace verilocc::tests
