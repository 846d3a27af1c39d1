// Instructions that load a constant: pure, one definition, no register input but EXEC, which says who loads and not
// what. Loading one is the same wherever it is done, so the checker treats it as a copy from a location that always
// holds it.
#pragma once

#include "problem/problem.h"

#include <unordered_set>

namespace verilocc::checker {

/// True for an implicit use of EXEC, which decides which threads compute. EXEC as an explicit operand is an input.
bool decidesThreads(const problem::Operand &operand);

/// The signatures of which every instruction in the Problem is such a load.
std::unordered_set<uint64_t> constantSignatures(const problem::Problem &problem);

} // namespace verilocc::checker
