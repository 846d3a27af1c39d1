// The rules that hold operand by operand, whatever the values: class and alignment, ties, fixed, reserved and limited
// registers, definitions that share a register, edits behind a branch. One linear pass.
#pragma once

#include "checker/checker.h"

namespace verilocc::checker {

std::vector<CheckerError> checkConstraints(const problem::Problem &problem, const assignment::Assignment &assignment);

} // namespace verilocc::checker
