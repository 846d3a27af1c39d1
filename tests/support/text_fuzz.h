// What a fuzzer of the text reader checks of one input, whatever makes the inputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace verilocc::tests {

/// Reads `text` as a case. If the reader takes it, its print must read back as the same case and print the same again;
/// if not, the error must have a message. Answers what went wrong, or nothing. Never crashes.
std::string checkCaseText(std::string_view text);

/// A valid case text for a seed: a random Problem, mostly with an Assignment (of homes, or with deviations and edits).
std::string randomCaseText(uint64_t seed);

/// `text` with a few bytes, words or lines changed, dropped, doubled or swapped.
std::string mutateText(std::string text, uint64_t seed);

} // namespace verilocc::tests
