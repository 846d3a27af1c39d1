// The question of the checker put to a solver: a second proof, by another algorithm, for allocations without inserted
// code.
//
// Problem: a checker that is wrong accepts what is wrong; the interpreter sees single paths. Idea: "this location holds
// this value" is one Boolean for each state of a thread at the start of a segment (threads.h). Read backwards, an
// instruction turns the question whether a location holds a value behind it into the same question about one pair in
// front of it, or answers it: yes where it puts the value there, no where it overwrites one of the two. So each Boolean
// implies one Boolean (rarely several) at the end of each predecessor, and each operand demands one. The formula is
// satisfiable exactly if no path breaks a demand; its model is then the invariant that proves it, and an unsatisfiable
// core names operands that cannot all be right. Only pairs that something depends on occur.
//
// Consistency (operands of a value lie where it is) and disjointness (nothing else is put there while it is needed)
// both follow. What registers an operand may have (class, alignment, ties, fixed, reserved, limits, definitions apart)
// is stated as arithmetic on register numbers.
//
// Shares the plain data with the checker, nothing else.
#pragma once

#include "assignment/assignment.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace verilocc::smt {

struct Formula {
  std::string text;                 ///< SMT-LIB 2: declarations and assertions
  std::vector<std::string> demands; ///< Booleans of the text to assume: what instructions demand
  std::vector<std::string> doubts;  ///< and what matrix and cross-lane instructions demand of threads outside EXEC
  size_t num_pairs = 0;             ///< Booleans that say that a place holds a value
  /// Both questions as a file for any solver, which answers sat twice for an Accepted allocation, sat and unsat for an
  /// Undecided one, unsat twice for a Rejected one.
  std::string file() const;
};

struct FormulaLimits {
  size_t max_states = 20'000;
  size_t max_pairs = 1'000'000;
};

/// Both arguments must be well-formed. InputError where it is not done: inserted code, or beyond a limit.
support::Result<Formula> formulate(const problem::Problem &problem, const assignment::Assignment &assignment,
                                   const FormulaLimits &limits = {});

} // namespace verilocc::smt
