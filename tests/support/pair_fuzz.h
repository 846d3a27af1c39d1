// What a fuzzer of the pairing checks of two functions, and the functions: a random Problem with the code that a right
// allocation makes of it, as two files, either of them damaged or not.
#pragma once

#include <cstdint>
#include <string>

namespace verilocc::tests {

struct FilePair {
  std::string before, after; ///< texts of Problems
  bool damaged = false;      ///< not what was constructed: anything may be said of it
};

/// Code and its allocation. In three of four damaged, by mutateText, or by the allocation of another function.
FilePair randomFilePair(uint64_t seed);

/// Reads both, pairs them, checks. Undamaged ones must be Accepted. Of damaged ones that read: a refusal must have a
/// message, what is paired must be well-formed. Answers what went wrong, or nothing. Never crashes.
std::string checkFilePair(const FilePair &pair);

} // namespace verilocc::tests
