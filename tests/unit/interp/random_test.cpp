// Random Problems: storage of its own for every vreg must be found equal, and one wrong register different.
#include "interp/interp.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <gtest/gtest.h>

namespace verilocc::interp {
namespace {

using namespace problem;
using assignment::Homes;

TEST(RandomProblems, StorageOfItsOwnForEveryVregIsEqual) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    const auto a = assignment::fromHomes(p, Homes(p.vregs.size(), no_unit));
    const InterpResult result = interpret(p, a);
    ASSERT_EQ(result.verdict, Verdict::Equal) << "seed " << seed << "\n" << describe(p, a, *result.difference);
  }
}

TEST(RandomProblems, MostBlocksAreVisited) {
  unsigned blocks = 0, unvisited = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    unvisited += interpret(p, assignment::fromHomes(p, Homes(p.vregs.size(), no_unit))).unvisited_blocks;
    blocks += p.blocks.size();
  }
  EXPECT_LT(unvisited, blocks / 50);
}

TEST(RandomProblems, OneOperandAtARegisterThatNobodyWroteIsDifferent) {
  unsigned found = 0, tried = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    auto a = assignment::fromHomes(p, Homes(p.vregs.size(), no_unit));
    support::Rng rng(seed);
    std::vector<size_t> uses;
    for (const Inst &inst : p.insts)
      for (size_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o)
        if (const Operand &op = p.operands[o]; !op.fixed && op.isUse() && op.flags == 0 && op.tied_to < 0)
          uses.push_back(o);
    const size_t wrong = uses[rng.below(uses.size())];
    a.units[wrong] = isPerThread(RegUnit(p.classOf(p.operands[wrong].reg).bases._Find_first())) ? 200 : first_sgpr + 90;
    ++tried;
    found += interpret(p, a).verdict == Verdict::Different;
  }
  // The others lie where no thread is active or no path came by, or read a lane that nobody wrote.
  EXPECT_GT(found, tried * 9 / 10);
}

} // namespace
} // namespace verilocc::interp
