// The text form of an Assignment, relative to its Problem: one home a vreg, then only what differs from it. Format:
// docs/ra-format.md. print and parse are inverse for every well-formed Assignment whose edits' operands are
// consecutive.
#pragma once

#include "assignment/assignment.h"
#include "support/text.h"

namespace verilocc::assignment {

/// The Assignment as lines of text, the first of them "assignment". Both must be well-formed.
std::string print(const problem::Problem &problem, const Assignment &assignment);

/// Reads an Assignment from a line "assignment" to the end of the text. What it answers is well-formed.
support::Result<Assignment> parseAssignment(support::TextReader &reader, const problem::Problem &problem);

/// The unit at which most operands of each vreg would have it start; no_unit for a vreg that has no home (never placed,
/// or without operands).
Homes mainHomes(const problem::Problem &problem, const Assignment &assignment);

} // namespace verilocc::assignment
