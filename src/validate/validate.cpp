#include "validate/validate.h"

#include "validate/pair.h"

namespace verilocc::validate {

Validation validate(const problem::Problem &before, const problem::Problem &after) {
  Validation result;
  auto paired = pair(before, after);
  if (!paired) {
    result.check.invalid_reason = paired.error().str();
    return result;
  }
  result.assignment = std::move(*paired);
  result.check = checker::check(before, result.assignment);
  return result;
}

} // namespace verilocc::validate
