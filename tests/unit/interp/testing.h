// Runs the interpreter on a case given as .ra text (tests/support/cases.h).
#pragma once

#include "interp/interp.h"
#include "tests/support/cases.h"

#include <gtest/gtest.h>

namespace verilocc::interp {

/// What the interpreter says of a case; `text` explains a difference.
struct Answer {
  InterpResult result;
  std::string text;
  bool equal() const { return result.verdict == Verdict::Equal; }
};

inline Answer ask(std::string_view lines, const InterpOptions &options = {}) {
  const assignment::Case c = tests::caseOf(lines);
  Answer answer{interpret(c.problem, c.assignment.value(), options), {}};
  if (answer.result.difference)
    answer.text = describe(c.problem, *c.assignment, *answer.result.difference);
  return answer;
}

#define EXPECT_EQUAL(...)                                                                                              \
  do {                                                                                                                 \
    const Answer answer = ask(__VA_ARGS__);                                                                            \
    EXPECT_TRUE(answer.equal()) << answer.text;                                                                        \
  } while (0)
#define EXPECT_DIFFERENT(...)                                                                                          \
  do {                                                                                                                 \
    const Answer answer = ask(__VA_ARGS__);                                                                            \
    EXPECT_FALSE(answer.equal());                                                                                      \
    EXPECT_NE(answer.text, "");                                                                                        \
  } while (0)

} // namespace verilocc::interp
