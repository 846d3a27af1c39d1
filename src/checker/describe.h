// Errors and doubts of the checker for people: what was expected where, what is there instead, and how one gets there.
#pragma once

#include "checker/checker.h"

#include <string>

namespace verilocc::checker {

std::string describe(const Value &value);
std::string describe(const Location &location);

/// "LostValue" and its like in a few lines: the instruction before and after allocation, the operand, what the location
/// holds, and a shortest path of blocks from the entry.
std::string describe(const CheckerError &error, const problem::Problem &problem,
                     const assignment::Assignment &assignment);
std::string describe(const Doubt &doubt, const problem::Problem &problem);

/// Blocks of a shortest path from the entry to `block`, both included.
std::vector<problem::BlockId> pathTo(const problem::Problem &problem, problem::BlockId block);

} // namespace verilocc::checker
