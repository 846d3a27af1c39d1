// Asks Z3 what a Formula says.
#pragma once

#include "smt/formula.h"

#include <vector>

namespace verilocc::smt {

/// False where Z3 was not found when verilocc was built.
bool hasSolver();

struct Answer {
  enum class Kind : uint8_t { Accepted, Rejected, Undecided, NotSolved } kind = Kind::NotSolved;
  std::vector<std::string> core; ///< Rejected, Undecided: demands that cannot all be met
  std::string reason;            ///< NotSolved: why
};
/// Of the kinds that the checker knows too, its words.
const char *name(Answer::Kind kind);

Answer solve(const Formula &formula);

} // namespace verilocc::smt
