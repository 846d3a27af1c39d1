// The counting bound: by hand, and never above what some placement costs.
#include "cost/bounds.h"
#include "cost/placement.h"
#include "problem/text.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <gtest/gtest.h>

namespace verilocc::cost {
namespace {

using namespace problem;

Problem code(std::string_view text) {
  constexpr std::string_view head =
      "class v = v0-v255\nclass v4 width 4 = v0-v252\nclass v8 width 8 = v0-v248\n";
  const std::string whole = std::string(head) + std::string(text);
  support::TextReader reader(whole, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

const Rules &gfx1030 = rulesFor("gfx1030", 32), &gfx1100 = rulesFor("gfx1100", 32);

TEST(Bounds, OuterProductOfTuplesMustStallOnceInFour) {
  std::string text = "block 0 freq 10\n %0:v4 = A\n %1:v4 = B\n";
  int next = 2;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      text += " %" + std::to_string(next) + ":v = V_MUL_F32 %0[" + std::to_string(a) + "], %1[" + std::to_string(b) +
              "] | valu\n";
      ++next;
    }
  EXPECT_EQ(bankBound(code(text), gfx1030).stalls, 4 * 10);
  EXPECT_EQ(bankBound(code(text), rulesFor("gfx90a", 64)).stalls, 0);
}

TEST(Bounds, LanesOfOneTupleMeetWhateverTheHome) {
  const Problem p = code("block 0 freq 3\n %0:v8 = A\n %1:v = V_ADD %0[0], %0[4] | valu\n %2:v = V_ADD %0[0], %0[5] | "
                         "valu\n B %1, %2\n");
  EXPECT_EQ(bankBound(p, gfx1030).stalls, 3);
}

TEST(Bounds, ThirdSourceIsNotCountedTwice) {
  // All three of one tuple, of one bank: two stalls, not three.
  const Problem p = code("block 0\n %0:v8 = A\n %1:v8 = B\n %2:v = V_FMA %0[0], %0[4], %1[0] | valu\n C %0, %1, %2\n");
  EXPECT_EQ(bankBound(p, gfx1030).stalls, 1);
}

TEST(Bounds, MatrixFragmentsThatAreOneRegisterConflict) {
  const Problem p = code("block 0\n %0:v8 = A\n %1:v8 = C\n %1 = V_WMMA_F32 %0, %0, %1 tied 0 | matrix\n D %1\n");
  EXPECT_EQ(bankBound(p, gfx1100).conflicts, 2);
  EXPECT_EQ(bankBound(p, gfx1030).conflicts, 0);
}

TEST(Bounds, NoPlacementCostsLess) {
  unsigned positive = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    support::Rng rng(seed);
    Problem p = tests::randomProblem(tests::randomOptions(seed));
    // Vector instructions read lanes of few tuples, so that something is unavoidable.
    for (Inst &inst : p.insts)
      if (inst.kind == InstKind::Copy || inst.kind == InstKind::Matrix)
        inst.kind = InstKind::VectorAlu;
    for (Operand &op : p.operands)
      if (!op.fixed && op.isUse() && op.num_lanes == 1 && op.tied_to < 0 && p.widthOf(op.reg) == 1)
        for (VReg v = 0; v < p.vregs.size(); ++v)
          if (p.widthOf(v) == 4 && p.classOf(v).isPerThread() && p.classOf(op.reg).isPerThread() && rng.chance(0.5)) {
            op.reg = v;
            op.first_lane = static_cast<uint8_t>(rng.below(4));
            break;
          }
    const BankBound bound = bankBound(p, gfx1030);
    positive += bound.stalls > 0;
    const analysis::LiveRanges live(p);
    Placement placement(p, live, gfx1030);
    for (int round = 0; round < 20; ++round) {
      for (VReg v = 0; v < p.vregs.size(); ++v)
        if (p.classOf(v).isPerThread() && p.classOf(v).bases[0])
          // Few banks at first, so that good placements come up; distinct registers.
          placement.place(v, static_cast<RegUnit>(4 * (v % 50) + rng.below(4)));
      double stalls = 0;
      for (const Charge &charge : placement.charges())
        if (charge.rule == Rule::BankStall)
          stalls += charge.cycles * p.blocks[p.blockOf(charge.inst)].frequency;
      ASSERT_GE(stalls, bound.stalls - 1e-9) << "seed " << seed;
    }
  }
  EXPECT_GT(positive, 5u);
}

} // namespace
} // namespace verilocc::cost
