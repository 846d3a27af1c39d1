// The shipping gate: is the code after allocation the code before it?
#pragma once

#include "assignment/assignment.h"
#include "checker/checker.h"

namespace verilocc::validate {

struct Validation {
  checker::CheckResult check;        ///< InvalidInput with the reason if the two do not belong together
  assignment::Assignment assignment; ///< what was found; empty for InvalidInput
};

/// Pairs the two and checks what it found against `before`.
Validation validate(const problem::Problem &before, const problem::Problem &after);

} // namespace verilocc::validate
