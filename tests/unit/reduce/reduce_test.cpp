// Reduced cases stay well-formed and interesting, and no part of them can be left out.
#include "reduce/reduce.h"

#include "allocators/first_fit.h"
#include "checker/checker.h"
#include "reduce/parts.h"
#include "tests/support/cases.h"
#include "tests/support/detours.h"
#include "tests/support/mutate.h"
#include "tests/support/random_problem.h"

#include <gtest/gtest.h>

namespace verilocc::reduce {
namespace {

using assignment::Case;

Keeps firstErrorIs(checker::ErrorKind kind) {
  return [kind](const Case &c) {
    const auto result = checker::check(c.problem, *c.assignment);
    return !result.errors.empty() && result.errors.front().kind == kind;
  };
}

TEST(Reduce, ALostValueComesDownToItsThreeInstructions) {
  // Only %0, what overwrites it, and its use matter.
  const Case start = tests::caseOf("block 0 -> 1 2\n"
                                   "  %0:vgpr_32 = LOAD_A | vmem-load per-thread load\n"
                                   "  %1:vgpr_32 = LOAD_B | vmem-load per-thread load\n"
                                   "  BRANCH | branch side-effect terminator\n"
                                   "block 1 -> 2\n"
                                   "  %2:vgpr_32 = LOAD_C | vmem-load per-thread load\n"
                                   "  STORE_A %1 | vmem-store per-thread side-effect\n"
                                   "  STORE_B %2 | vmem-store per-thread side-effect\n"
                                   "block 2\n"
                                   "  STORE_C %0, %1 | vmem-store per-thread side-effect\n"
                                   "assignment\n"
                                   "home %0 = v0, %1 = v1, %2 = v0\n");
  const Keeps keeps = firstErrorIs(checker::ErrorKind::LostValue);
  ASSERT_TRUE(keeps(start));
  ReduceStatistics statistics;
  const Case reduced = reduceCase(start, keeps, &statistics);
  EXPECT_TRUE(keeps(reduced));
  EXPECT_EQ(reduced.problem.insts.size(), 3u) << print(reduced);
  EXPECT_EQ(reduced.problem.vregs.size(), 2u) << print(reduced);
  EXPECT_EQ(reduced.problem.blocks.size(), 1u) << print(reduced);
  EXPECT_EQ(reduced.problem.operands.size(), 3u) << print(reduced);
  EXPECT_GT(statistics.questions, 3u);
}

TEST(Reduce, SkippingABlockJoinsItsNeighbours) {
  const Case start = tests::caseOf("block 0 -> 1\n"
                                   "  A | side-effect\n"
                                   "block 1 -> 1 2\n"
                                   "  B | side-effect\n"
                                   "block 2\n"
                                   "  C | side-effect\n"
                                   "assignment\n");
  const Case reduced = withoutBlocks(start, {false, true, false});
  ASSERT_TRUE(wellFormed(reduced.problem));
  ASSERT_EQ(reduced.problem.blocks.size(), 2u);
  EXPECT_EQ(reduced.problem.blocks[0].succs, std::vector<problem::BlockId>{1});
  EXPECT_EQ(reduced.problem.insts.size(), 2u);
}

TEST(Reduce, RejectedMutantsBecomeSmallAndKeepTheirKind) {
  size_t before = 0, after = 0, cases = 0;
  for (uint64_t seed = 1; cases < 12; ++seed) {
    ASSERT_LT(seed, 200u);
    Case c;
    c.problem = tests::randomProblem(tests::randomOptions(seed));
    const auto homes = allocators::firstFit(c.problem, analysis::LiveRanges(c.problem));
    support::Rng rng(seed);
    const auto mutant = tests::mutate(c.problem, tests::withDetours(c.problem, homes, {seed, 8}), rng);
    if (!mutant)
      continue;
    c.assignment = mutant->assignment;
    const auto result = checker::check(c.problem, *c.assignment);
    if (result.errors.empty())
      continue;
    ++cases;
    const Keeps keeps = firstErrorIs(result.errors.front().kind);
    const Case reduced = reduceCase(c, keeps);
    ASSERT_TRUE(wellFormed(reduced.problem));
    ASSERT_TRUE(wellFormed(reduced.problem, *reduced.assignment));
    ASSERT_TRUE(keeps(reduced)) << print(reduced);
    // Its text is a case file.
    const auto read = assignment::parseCase(print(reduced), "reduced.ra");
    ASSERT_TRUE(read) << read.error().str();
    ASSERT_TRUE(keeps(*read));
    for (size_t i = 0; i < reduced.problem.insts.size(); ++i) {
      Gone one(reduced.problem.insts.size());
      one[i] = true;
      const Case smaller = withoutInsts(reduced, one);
      EXPECT_FALSE(wellFormed(smaller.problem) && wellFormed(smaller.problem, *smaller.assignment) && keeps(smaller))
          << "instruction " << i << " was not needed\n"
          << print(reduced);
    }
    before += c.problem.insts.size();
    after += reduced.problem.insts.size();
  }
  EXPECT_LT(after * 8, before);
}

} // namespace
} // namespace verilocc::reduce
