// Cases without some of their parts. Each function leaves everything else as it is and keeps the invariants of Problem
// and Assignment, except that a block may become unreachable; withoutUnused tidies up.
#pragma once

#include "assignment/case.h"

namespace verilocc::reduce {

/// By index: true for what goes.
using Gone = std::vector<bool>;

/// Blocks with all they hold; predecessors of a block that goes go on to its successors. Block 0 stays.
assignment::Case withoutBlocks(const assignment::Case &from, const Gone &blocks);
/// Block borders, by the block behind: that block becomes part of the one before it, where no other edge meets theirs.
assignment::Case withoutBorders(const assignment::Case &from, const Gone &blocks);
/// Edges, numbered block by block in the order of the successors.
assignment::Case withoutEdges(const assignment::Case &from, const Gone &edges);
size_t countEdges(const problem::Problem &problem);
assignment::Case withoutInsts(const assignment::Case &from, const Gone &insts);
assignment::Case withoutEdits(const assignment::Case &from, const Gone &edits);
/// Deleted instructions, by index among all, that stay after all.
assignment::Case withoutDeletions(const assignment::Case &from, const Gone &insts);
/// Operands of instructions whose signature no other instruction has, inserted ones among them; others stay.
assignment::Case withoutOperands(const assignment::Case &from, const Gone &operands);

/// Without unreachable blocks, and without vregs, classes, opcodes and clobber sets that nothing mentions.
/// Frequencies 1.
assignment::Case withoutUnused(const assignment::Case &from);

} // namespace verilocc::reduce
