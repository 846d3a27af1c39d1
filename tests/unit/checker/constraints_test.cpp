// Constraints that depend on no dataflow: the finer points, and what no case file can say. The corpus has one pair of
// cases for each kind of error.
#include "checker/constraints.h"
#include "tests/support/cases.h"

#include <gtest/gtest.h>

namespace verilocc::checker {
namespace {

std::vector<std::string> kindsOf(const assignment::Case &c) {
  std::vector<std::string> kinds;
  for (const CheckerError &error : checkConstraints(c.problem, c.assignment.value()))
    kinds.push_back(name(error.kind));
  return kinds;
}
std::vector<std::string> kindsOf(std::string_view lines) {
  return kindsOf(tests::caseOf(lines));
}
using Kinds = std::vector<std::string>;

TEST(Constraints, AFixedOperandElsewhereIsFixedMovedAndNoWellFormedInput) {
  assignment::Case c = tests::caseOf("block 0\n  v3 = LOAD | per-thread load\n  STORE v3 | side-effect\nassignment\n");
  EXPECT_EQ(kindsOf(c), Kinds{});
  c.assignment->units[1] = 4;
  EXPECT_EQ(kindsOf(c), Kinds{"fixed-moved"});
  const CheckResult result = check(c.problem, *c.assignment);
  EXPECT_EQ(result.verdict, Verdict::InvalidInput);
  EXPECT_NE(result.invalid_reason, "");
}

TEST(Constraints, DefinitionsOfOneLaneMayMeet) {
  const std::string code =
      "block 0\n  %0:vreg_64[0] = OP def %0[0] | per-thread\n  STORE %0[0] | side-effect\nassignment\n";
  EXPECT_EQ(kindsOf(code + "home %0 = v[0:1]\n"), Kinds{});
  const std::string other =
      "block 0\n  %0:vreg_64[0] = OP def %0[1] | per-thread\n  STORE %0 | side-effect\nassignment\n";
  EXPECT_EQ(kindsOf(other + "home %0 = v[0:1]\nat 0: 1 = v0\n"), Kinds{"def-overlap"});
}

TEST(Constraints, TuplesOverlapInPart) {
  const std::string code =
      "block 0\n  %0:vreg_64, %1:vreg_64 = OP | per-thread\n  STORE %0, %1 | side-effect\nassignment\n";
  EXPECT_EQ(kindsOf(code + "home %0 = v[0:1], %1 = v[2:3]\n"), Kinds{});
  EXPECT_EQ(kindsOf(code + "home %0 = v[0:1], %1 = v[1:2]\n"), Kinds{"def-overlap"});
}

TEST(Constraints, AnUndefUseMayNameAReservedRegister) {
  const std::string head = "reserved exec_lo v9\nblock 0\n  STORE ";
  EXPECT_EQ(kindsOf(head + "undef %0:vgpr_32 | side-effect\nassignment\nhome %0 = v9\n"), Kinds{});
  EXPECT_EQ(kindsOf(head + "%0:vgpr_32 | side-effect\nassignment\nhome %0 = v9\n"), Kinds{"reserved-register"});
}

TEST(Constraints, TheLastDwordOfATupleCountsForTheLimit) {
  const std::string code = "limits vgpr 8 agpr 0 sgpr 8\nblock 0\n  %0:vreg_64 = LOAD | per-thread load\n"
                           "  %1:sgpr_32 = S_LOAD | smem load\nassignment\n";
  EXPECT_EQ(kindsOf(code + "home %0 = v[6:7], %1 = s7\n"), Kinds{});
  EXPECT_EQ(kindsOf(code + "home %0 = v[7:8], %1 = s7\n"), Kinds{"over-limit"});
  EXPECT_EQ(kindsOf(code + "home %0 = v[6:7], %1 = s8\n"), Kinds{"over-limit"});
  EXPECT_EQ(kindsOf(code + "home %0 = v[6:7], %1 = vcc_lo\n"), Kinds{}); // beside the numbered ones
}

TEST(Constraints, WhatIsDeletedOrLeftToAnotherAllocatorIsFree) {
  const std::string code =
      "block 0\n  %0:vgpr_32 = FMA %1:vgpr_32 tied 0 | per-thread\n  STORE %0 | side-effect\nassignment\n";
  EXPECT_EQ(kindsOf(code + "home %0 = v0, %1 = v1\n"), Kinds{"broken-tie"});
  EXPECT_EQ(kindsOf(code + "home %0 = v0, %1 = v1\ndelete 0\n"), Kinds{});
  EXPECT_EQ(kindsOf(code + "home %0 = none, %1 = none\n"), Kinds{});
}

} // namespace
} // namespace verilocc::checker
