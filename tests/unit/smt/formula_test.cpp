// What a formula says, and when there is none.
#include "assignment/case.h"
#include "smt/solve.h"
#include "tests/support/cases.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace verilocc::smt {
namespace {

constexpr const char *clash = R"(block 0
  %0:vgpr_32 = LOAD_A implicit exec_lo | vmem-load per-thread load
  %1:vgpr_32 = LOAD_B implicit exec_lo | vmem-load per-thread load
  STORE %0, %1, implicit exec_lo | vmem-store per-thread side-effect
assignment
home %0 = v1, %1 = v1
)";

TEST(Formula, CoreNamesTheOperand) {
  if (!hasSolver())
    GTEST_SKIP() << "built without Z3";
  const assignment::Case contents = tests::caseOf(clash);
  const auto formula = formulate(contents.problem, *contents.assignment);
  ASSERT_TRUE(formula);
  const Answer answer = solve(*formula);
  EXPECT_EQ(answer.kind, Answer::Kind::Rejected);
  ASSERT_EQ(answer.core.size(), 1u);
  EXPECT_EQ(answer.core.front().find("instruction 2 operand 0 lane 0"), 0u) << answer.core.front();
}

TEST(Formula, FileAsksTwice) {
  const assignment::Case contents = tests::caseOf(clash);
  const auto formula = formulate(contents.problem, *contents.assignment);
  ASSERT_TRUE(formula);
  const std::string file = formula->file();
  EXPECT_EQ(file.find("(set-logic QF_LIA)\n"), 0u);
  const size_t first = file.find("(check-sat-assuming (");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(file.find("(check-sat-assuming (", first + 1), std::string::npos);
  EXPECT_EQ(std::count(file.begin(), file.end(), '('), std::count(file.begin(), file.end(), ')'));
  EXPECT_EQ(formula->doubts.size(), 0u);
}

TEST(Formula, InsertedCodeIsRefused) {
  const assignment::Case contents = tests::caseOf(R"(block 0
  %0:vgpr_32 = LOAD_A implicit exec_lo | vmem-load per-thread load
  STORE %0, implicit exec_lo | vmem-store per-thread side-effect
assignment
home %0 = v1
at 1: 0 = v2
edit 1: v2 = COPY v1 | copy
)");
  const auto formula = formulate(contents.problem, *contents.assignment);
  ASSERT_FALSE(formula);
  EXPECT_NE(formula.error().str().find("1 inserted instruction"), std::string::npos) << formula.error().str();
}

TEST(Formula, LimitsAreKept) {
  const assignment::Case contents = tests::caseOf(clash);
  EXPECT_FALSE(formulate(contents.problem, *contents.assignment, {.max_states = 1}));
  // Whether v1 holds %0 in front of the store is answered by the loads: only EXEC in its place is left over.
  EXPECT_TRUE(formulate(contents.problem, *contents.assignment, {.max_pairs = 1}));
  const assignment::Case loop = tests::caseOf(R"(block 0 -> 1
  %0:vgpr_32 = LOAD_A implicit exec_lo | vmem-load per-thread load
block 1 -> 1 2
  STORE %0, implicit exec_lo | vmem-store per-thread side-effect
  BR | branch terminator side-effect
block 2
assignment
home %0 = v1
)");
  EXPECT_FALSE(formulate(loop.problem, *loop.assignment, {.max_pairs = 1}));
  EXPECT_TRUE(formulate(loop.problem, *loop.assignment));
}

} // namespace
} // namespace verilocc::smt
