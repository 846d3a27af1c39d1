// The text form of a Problem: readable, diffable, the unit of the test corpus and of bug reports. Format:
// docs/ra-format.md. print and parse are inverse for every well-formed Problem, field by field.
#pragma once

#include "problem/problem.h"
#include "support/text.h"

namespace verilocc::problem {

/// The Problem as lines of text. `problem` must be well-formed.
std::string print(const Problem &problem);

/// Reads a Problem up to the end of the text or a line that begins with the word "assignment", which stays unread.
/// What it answers is well-formed.
support::Result<Problem> parseProblem(support::TextReader &reader);

} // namespace verilocc::problem
