// Explanations, and the in-order estimate, of code small enough to time by hand.
#include "cost/explain.h"
#include "problem/text.h"
#include "tests/support/cases.h"
#include "tests/support/random_problem.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace verilocc::cost {
namespace {

using namespace problem;

Problem code(std::string_view text) {
  const std::string whole = "class v = v0-v255\n" + std::string(text);
  support::TextReader reader(whole, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

const Rules &gfx1030 = rulesFor("gfx1030", 32), &gfx1100 = rulesFor("gfx1100", 32), &gfx90a = rulesFor("gfx90a", 64);

ExplainOptions waves(unsigned count, bool final_code = false) {
  ExplainOptions options;
  options.waves = count;
  options.final_code = final_code;
  return options;
}

TEST(Explain, SaysWhichInstructionAndWhy) {
  const Problem p = code("live-in v0 v4\nblock 0 freq 2\n v1 = V_ADD v0, v4 | valu\nblock 1 freq 3\n"
                         " v2 = COPY v1 | copy\n S v2\n");
  const Explanation e = explain(p, gfx1030, waves(1));
  ASSERT_EQ(e.charges.size(), 2u);
  EXPECT_EQ(e.charges[0].rule, Rule::BankStall);
  EXPECT_EQ(e.charges[0].inst, 0u);
  EXPECT_EQ(e.charges[0].cycles, 1);
  EXPECT_EQ(e.charges[1].rule, Rule::Copy);
  EXPECT_EQ(e.charges[1].inst, 1u);
  EXPECT_EQ(e.bank_stalls, 2);
  EXPECT_EQ(e.copies, 3);
  EXPECT_EQ(e.total, 2 + 3);
  EXPECT_EQ(e.vgprs, 5u);
  EXPECT_EQ(e.issued, 2 + 3 + 3);
  EXPECT_EQ(e.issue_cycles, 8 + 2);
}

TEST(Explain, LoadsAreWaitedForWhereTheyAreUsed) {
  const Problem p =
      code("live-in v0\nblock 0\n v1 = DS v0 | lds-load\n v2 = A v0 | valu\n v3 = B v1 | valu\n S v2, v3\n");
  // The load issues at 0 and is there at 64; B at 64, the store at 65, the end at 66.
  EXPECT_EQ(explain(p, gfx1030, waves(1)).single_cycles, 66);
  EXPECT_EQ(explain(p, gfx1030, waves(1)).est_cycles, 66);
  EXPECT_EQ(explain(p, gfx1030, waves(11)).est_cycles, 6);
  EXPECT_EQ(explain(p, gfx1030, waves(33)).est_cycles, 4) << "four instructions issue, however many waves there are";
}

TEST(Explain, LoadsInFlightCrossIntoTheNextBlock) {
  const Problem p = code("live-in v0\nblock 0 -> 1\n v1 = G v0 | vmem-load\nblock 1\n v2 = B v1 | valu\n S v2\n");
  EXPECT_EQ(explain(p, gfx1030, waves(1)).single_cycles, 352);
}

TEST(Explain, LoopsSeeTheirOwnLoads) {
  // The load at the loop's end is waited for at its beginning, in all but the first round.
  const Problem p = code("live-in v0 v1\nblock 0 -> 1\n A v0 | salu\nblock 1 freq 10 -> 1 2\n v2 = B v1 | valu\n"
                         " v1 = DS v0 | lds-load\nblock 2\n S v2\n");
  const double single = explain(p, gfx1030, waves(1)).single_cycles;
  EXPECT_EQ(single, 1 + 10 * (63 + 2) + 1);
}

TEST(Explain, FinalCodeHoldsItsPairsAndNops) {
  const Problem p =
      code("live-in v0 v1\nblock 0 freq 4\n v2, v3 = V_DUAL_MOV_B32 v0, v1 | vopd\n S_NOP | nop latency 7\n"
           " v4 = V_MOV_B32_e32 v2 | valu\n S_WAITCNT | wait\n S v3, v4\n");
  const Explanation e = explain(p, gfx1100, waves(1, true));
  EXPECT_EQ(e.vopd_pairs, 4);
  EXPECT_EQ(e.static_vopd_pairs, 1u);
  EXPECT_EQ(e.nop_cycles, 4 * 7);
  EXPECT_EQ(e.copies, 4) << "a move in final code was a copy";
  EXPECT_EQ(e.issued, 4 * (1 + 7 + 1 + 1));
  EXPECT_EQ(e.issue_cycles, e.issued);
}

TEST(Explain, NothingIsPredictedInFinalCode) {
  const Problem p = code(
      "live-in v0 v1 v2 v3\nblock 0\n v4 = V_MUL_F32_e32 v0, v1 | valu-dual\n v5 = V_MUL_F32_e32 v2, v3 | valu-dual\n"
      " S v4, v5\n");
  EXPECT_EQ(explain(p, gfx1100, waves(1)).vopd_pairs, 1);
  EXPECT_EQ(explain(p, gfx1100, waves(1)).issued, 2);
  EXPECT_EQ(explain(p, gfx1100, waves(1, true)).vopd_pairs, 0);
  EXPECT_EQ(explain(p, gfx1100, waves(1, true)).issued, 3);
}

TEST(Explain, MatrixInstructionsHoldTheirUnit) {
  const Problem wmma = code("live-in v0\nblock 0\n v[8:15] = V_WMMA_F32 v[16:23], v[25:32], v[8:15] tied 0 | matrix\n"
                            " S v8\n");
  EXPECT_EQ(explain(wmma, gfx1100, waves(1)).single_cycles, 32 + 2 + 1) << "v16 and v8 share a bank";
  EXPECT_EQ(explain(wmma, gfx1100, waves(1)).static_wmma, 1u);
  EXPECT_EQ(explain(wmma, gfx1100, waves(1)).static_wmma_conflicts, 1u);
  const Problem mfma =
      code("live-in v0\nblock 0\n v[8:11] = V_MFMA_F32_16X16X16F16_e64 v[16:17], v[18:19], v[8:11] | matrix latency 8\n"
           " v[12:15] = V_MFMA_F32_16X16X16F16_e64 v[16:17], v[18:19], v[12:15] | matrix latency 8\n");
  const Explanation e = explain(mfma, gfx90a, waves(4));
  EXPECT_EQ(e.issue_cycles, 16) << "two times eight passes";
  EXPECT_EQ(e.single_cycles, 9);
}

TEST(Explain, WavesFollowFromTheRegisters) {
  Problem p = code("live-in v0\nblock 0\n v191 = A v0 | valu\n S v191\n");
  p.env.arch = "gfx1100";
  EXPECT_EQ(explain(p, gfx1100).waves, 8u);
  p.operands[0].reg = p.operands[2].reg = 192;
  EXPECT_EQ(explain(p, gfx1100).waves, 7u);
}

TEST(AllocatedCode, HoldsEditsAndDropsWhatWasDeleted) {
  const assignment::Case c =
      tests::caseOf("block 0\n  %0:vgpr_32 = A\n  %1:vgpr_32 = COPY %0 | copy\n  B %1\n"
                    "assignment\nhome %0 = v3, %1 = v5\ndelete 1\nedit 2: v5 = COPY v3 | copy\n");
  const AllocatedCode allocated = allocatedCode(c.problem, *c.assignment);
  ASSERT_TRUE(wellFormed(allocated.code)) << wellFormed(allocated.code).error().str();
  ASSERT_EQ(allocated.code.insts.size(), 3u);
  EXPECT_EQ(allocated.origin, (std::vector<InstId>{0, AllocatedCode::no_origin, 2}));
  EXPECT_EQ(allocated.code.insts[1].kind, InstKind::Copy);
  EXPECT_EQ(allocated.code.operandsOf(allocated.code.insts[2])[0].reg, 5u);
}

/// Whatever the code, explanations keep their sums, and the placement's total is the explanation's.
TEST(Explain, AgreesWithPlacement) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    assignment::Homes homes(p.vregs.size(), no_unit);
    for (VReg v = 0; v < p.vregs.size(); ++v)
      if (p.classOf(v).isPerThread() && p.classOf(v).bases[0])
        homes[v] = static_cast<RegUnit>(2 * (v % 100)); // overlaps do not matter to costs
    const Rules rules = [&] {
      Rules only = rulesFor(seed % 2 ? "gfx1030" : "gfx1100", 32);
      only.vopd = false;
      only.reuse = 0; // the live ranges of overlapping vregs and of their registers differ
      return only;
    }();
    const analysis::LiveRanges live(p);
    Placement placement(p, live, rules);
    for (VReg v = 0; v < p.vregs.size(); ++v)
      placement.place(v, homes[v]);
    const AllocatedCode allocated = allocatedCode(p, assignment::fromHomes(p, homes));
    const Explanation e = explain(allocated.code, rules);
    EXPECT_NEAR(e.total, placement.total(), 1e-6) << "seed " << seed;
    EXPECT_GE(e.est_cycles, e.issue_cycles);
  }
}

} // namespace
} // namespace verilocc::cost
