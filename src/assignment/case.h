// A case file (.ra): a Problem, what is shown or went wrong, what a checker should answer, and an Assignment. It is the
// unit of tests/corpus, of bug reports and of repro folders. Format: docs/ra-format.md.
#pragma once

#include "assignment/assignment.h"

#include <optional>
#include <string>
#include <string_view>

namespace verilocc::assignment {

/// `EXPECT verdict [error kind] [inst N] [edit N] [operand N] [lane N]`. The words are the checker's names; this layer
/// does not know them and takes any.
struct Expectation {
  std::string verdict;
  std::string kind; ///< of the first error; empty: any
  std::optional<uint32_t> inst, edit, operand, lane;
  bool operator==(const Expectation &) const = default;
};

struct Case {
  std::vector<std::string> comments; ///< the lines between the header and the first other line
  std::optional<Expectation> expectation;
  problem::Problem problem;
  std::optional<Assignment> assignment;
  bool operator==(const Case &) const = default;
};

/// The whole file. The Problem and the Assignment must be well-formed.
std::string print(const Case &contents);

/// Reads a whole file; `file` names it in messages. Takes any bytes.
support::Result<Case> parseCase(std::string_view text, const std::string &file);

} // namespace verilocc::assignment
