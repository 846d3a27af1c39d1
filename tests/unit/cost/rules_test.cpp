// The rules by hand: each case is small enough to count on paper against hardware.md.
#include "cost/instruction.h"
#include "cost/pairing.h"
#include "cost/placement.h"
#include "problem/text.h"

#include <gtest/gtest.h>

namespace verilocc::cost {
namespace {

using namespace problem;
using assignment::Homes;

Problem code(std::string_view text) {
  constexpr std::string_view head =
      "limits agpr 256\nclass v = v0-v255\nclass v2 width 2 = v0-v254\nclass v4 width 4 = "
      "v0-v252\nclass v8 width 8 = v0-v248\nclass a4 width 4 = a0-a252\n";
  const std::string whole = std::string(head) + std::string(text);
  support::TextReader reader(whole, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

double cost(const Problem &p, const Rules &rules, const Homes &homes) {
  const analysis::LiveRanges live(p);
  Placement placement(p, live, rules);
  for (VReg v = 0; v < homes.size(); ++v)
    placement.place(v, homes[v]);
  return placement.total();
}

const Rules &gfx1030 = rulesFor("gfx1030", 32), &gfx1100 = rulesFor("gfx1100", 32), &gfx90a = rulesFor("gfx90a", 64),
            &gfx942 = rulesFor("gfx942", 64), &gfx908 = rulesFor("gfx908", 64);

TEST(Rules, OneTableAGeneration) {
  EXPECT_TRUE(gfx1030.valu_banks && !gfx1030.vopd && !gfx1030.wmma_banks);
  EXPECT_TRUE(gfx1100.valu_banks && gfx1100.vopd && gfx1100.wmma_banks);
  EXPECT_FALSE(rulesFor("gfx1100", 64).vopd);
  EXPECT_FALSE(rulesFor("gfx1200", 32).wmma_banks);
  EXPECT_TRUE(rulesFor("gfx1201", 32).vopd);
  EXPECT_FALSE(gfx90a.valu_banks) << "no sourced rule";
  EXPECT_EQ(gfx908.matrix_waits, MatrixWaits::None);
  EXPECT_EQ(rulesFor("sparc", 0).matrix_waits, MatrixWaits::None);
}

TEST(Rules, BankStallsCountDistinctRegistersOfABank) {
  const Problem p = code("block 0 freq 3\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = V_FMA %0, %1, %2 | valu\n");
  EXPECT_EQ(cost(p, gfx1030, {0, 1, 2, 3}), 0);
  EXPECT_EQ(cost(p, gfx1030, {0, 4, 2, 3}), 3 * 1);
  EXPECT_EQ(cost(p, gfx1030, {0, 4, 8, 3}), 3 * 2);
  EXPECT_EQ(cost(p, gfx1030, {0, 4, no_unit, 3}), 3 * 1) << "no home, no cost";
  EXPECT_EQ(cost(p, gfx90a, {0, 4, 8, 3}), 0);
  const Problem twice = code("block 0\n %0:v = A\n %1:v = V_MUL %0, %0 | valu\n");
  EXPECT_EQ(cost(twice, gfx1030, {0, 1}), 0) << "one register read twice";
}

TEST(Rules, LanesAndFixedRegistersCountAsTheyLie) {
  const Problem p = code("live-in v7\nblock 0\n %0:v4 = A\n %1:v = V_ADD %0[3], v7 | valu\n B %0, %1\n");
  EXPECT_EQ(cost(p, gfx1030, {8, 1}), 1) << "v11 and v7";
  EXPECT_EQ(cost(p, gfx1030, {9, 1}), 0);
}

TEST(Rules, WmmaWantsThreeBanks) {
  const Problem p = code("block 0\n %0:v8 = A\n %1:v8 = B\n %2:v8 = C\n %3:v8 = V_WMMA_F32 %0, %1, %2 tied 0 | matrix\n"
                         " D %3\n");
  EXPECT_EQ(cost(p, gfx1100, {0, 9, 18, 18}), 0);
  EXPECT_EQ(cost(p, gfx1100, {0, 8, 18, 18}), 2);
  EXPECT_EQ(cost(p, gfx1100, {0, 9, 16, 16}), 2);
  EXPECT_EQ(cost(p, gfx1100, {0, 8, 16, 16}), 2) << "34 cycles however many meet";
  EXPECT_EQ(cost(p, rulesFor("gfx1200", 32), {0, 8, 16, 16}), 0);
}

TEST(Rules, PairsSaveACycleAndTheirStalls) {
  const Problem p =
      code("block 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = D\n"
           " %4:v = V_MUL_F32_e32 %0, %1 | valu-dual\n %5:v = V_MUL_F32_e32 %2, %3 | valu-dual\n E %4, %5\n");
  EXPECT_EQ(cost(p, gfx1100, {0, 1, 2, 3, 4, 5}), -1);
  EXPECT_EQ(cost(p, gfx1100, {0, 4, 2, 3, 4, 5}), -1) << "src0 v0, v2; src1 v4, v3: pairs, and stalls no more";
  EXPECT_EQ(cost(p, gfx1100, {0, 1, 2, 3, 4, 6}), 0) << "both destinations even";
  EXPECT_EQ(cost(p, gfx1100, {0, 1, 4, 3, 4, 5}), 0) << "src0 of one bank";
  EXPECT_EQ(cost(p, gfx1100, {0, 1, 2, 5, 4, 7}), 0) << "src1 of one bank";
  EXPECT_EQ(cost(p, gfx1100, {0, 4, 4, 8, 4, 5}), 2) << "unpaired: a stall each";
  EXPECT_EQ(cost(p, gfx1030, {0, 1, 2, 3, 4, 5}), 0) << "no VOPD";
}

TEST(Rules, WhatDependsDoesNotPair) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = V_MOV_B32_e32 %0 | valu-dual\n %2:v = B %1\n"
                         " %3:v = V_MOV_B32_e32 %2 | valu-dual\n C %3\n");
  EXPECT_EQ(cost(p, gfx1100, {0, 1, 2, 4}), 0) << "a path through B";
  const Problem q = code("block 0\n %0:v = A\n %1:v = V_MOV_B32_e32 %0 | valu-dual\nblock 1\n"
                         " %2:v = V_MOV_B32_e32 %0 | valu-dual\n C %1, %2\n");
  EXPECT_EQ(cost(q, gfx1100, {0, 1, 4}), 0) << "another block";
}

TEST(Rules, SecondHalfOnlyOpcodesNeedAnother) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:v = V_AND_B32_e32 %0, %1 | valu-dual\n"
                         " %3:v = V_ADD_U32_e32 %1, %0 | valu-dual\n C %2, %3\n");
  EXPECT_EQ(cost(p, gfx1100, {0, 1, 2, 3}), 0);
  const Problem q = code("block 0\n %0:v = A\n %1:v = B\n %2:v = V_AND_B32_e32 %0, %1 | valu-dual\n"
                         " %3:v = V_ADD_F32_e32 %1, %0 | valu-dual\n C %2, %3\n");
  EXPECT_EQ(cost(q, gfx1100, {0, 1, 2, 3}), -1) << "the other one takes the first half";
}

TEST(Rules, TiedAccumulatorIsNoSlot) {
  // src0, src1 of each FMAC differ; the accumulators share a bank, which their parity alone decides.
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = D\n %4:v = E\n %5:v = F\n"
                         " %4 = V_FMAC_F32_e32 %0, %1, %4 tied 0 | valu-dual\n"
                         " %5 = V_FMAC_F32_e32 %2, %3, %5 tied 0 | valu-dual\n G %4, %5\n");
  EXPECT_EQ(cost(p, gfx1100, {0, 1, 2, 3, 8, 13}), -1);
  EXPECT_EQ(cost(p, gfx1100, {0, 1, 2, 3, 9, 13}), 1) << "same parity; v1 and v9 of one bank";
}

TEST(Rules, CopiesThatMoveNothingAreFree) {
  const Problem p = code("block 0 freq 2\n %0:v2 = A\n %1:v2 = COPY %0 | copy\n %2:v = COPY %1[1] | copy\n B %2\n");
  EXPECT_EQ(cost(p, gfx1030, {0, 0, 1}), 0);
  EXPECT_EQ(cost(p, gfx1030, {0, 2, 3}), 2 * 2);
  EXPECT_EQ(cost(p, gfx1030, {0, 2, 4}), 2 * 3);
}

TEST(Rules, MatrixWaitStates) {
  // 8 passes on gfx90a: a read of D waits 11, one instruction lies between.
  const auto text = [](const char *passes, const char *rest) {
    return code(std::string("block 0\n %0:v = A\n %1:v4 = B\n %2:v4 = V_MFMA_F32_16X16X16F16_e64 %0, %0, %1 | matrix "
                            "latency ") +
                passes + "\n S | salu\n" + rest);
  };
  const Problem read = text("8", " %3:v = V_MOV %2[1] | valu\n %4:v = V_MOV %2[2] | valu\n C %4\n");
  EXPECT_EQ(cost(read, gfx90a, {0, 4, 8, 1, 2}), 10) << "once, not for each reader";
  EXPECT_EQ(cost(read, gfx942, {0, 4, 8, 1, 2}), 10) << "N + 3";
  EXPECT_EQ(cost(read, gfx908, {0, 4, 8, 1, 2}), 0) << "no sourced row";
  const Problem four = text("4", " %3:v = V_MOV %2[1] | valu\n C %3\n");
  EXPECT_EQ(cost(four, gfx942, {0, 4, 8, 1}), 6) << "measured: a read of D 7";
  const Problem over = text("8", " %3:v = V_MOV %0 | valu\n C %2, %3\n");
  EXPECT_EQ(cost(over, gfx90a, {0, 4, 8, 4}), 6) << "WAR over C: 7";
  EXPECT_EQ(cost(over, gfx90a, {0, 4, 8, 12}), 0);
  EXPECT_EQ(cost(over, gfx90a, {0, 4, 4, 5}), 10) << "over D: 11";
  const Problem chain = text("8", " %3:v4 = V_MFMA_F32_16X16X16F16_e64 %0, %0, %2 | matrix latency 8\n C %3\n");
  EXPECT_EQ(cost(chain, gfx90a, {0, 4, 8, 8}), 0) << "exactly D";
  const Problem part = text("8", " %3:v4 = V_MFMA_F32_16X16X16F16_e64 %0, %0, %1 | matrix latency 8\n C %2, %3\n");
  EXPECT_EQ(cost(part, gfx90a, {0, 4, 6, 12}), 7) << "C half over D: 8";
  const Problem as_a = text("8", " %3:v4 = V_MFMA_F32_16X16X16F16_e64 %2[0], %0, %1 | matrix latency 8\n C %3\n");
  EXPECT_EQ(cost(as_a, gfx90a, {0, 4, 8, 12}), 10);
}

TEST(Rules, CopiesThatVanishDoNotWait) {
  const Problem p = code("block 0\n %0:v = A\n %1:v4 = B\n %5:v = C\n"
                         " %2:v4 = V_MFMA_F32_16X16X16F16_e64 %0, %0, %1 | matrix latency 8\n"
                         " %3:v = COPY %5 | copy\n %4:v = V_MOV %2[1] | valu\n D %3, %4\n");
  EXPECT_EQ(cost(p, gfx90a, {0, 4, 12, 3, 1, 2}), 1 + 10);
  EXPECT_EQ(cost(p, gfx90a, {0, 4, 12, 2, 1, 2}), 0 + 11);
}

TEST(Rules, LoadsWaitForTheLastReaderOfTheirRegister) {
  // The load wants up: its address is known from the start, its result is read at once. Three instructions of work.
  const Problem p =
      code("block 0\n %0:v = A\n %1:v = B\n %2:v = W1 | valu\n %3:v = W2 %1 | valu\n %4:v = W3 %2 | valu\n"
           " %5:v = DS_READ %0 | lds-load\n %6:v = U %5 | valu\n E %6, %3, %4\n");
  const double share = gfx1030.reuse;
  // Up to behind A: 4 instructions.
  EXPECT_EQ(cost(p, gfx1030, {0, 1, 2, 3, 4, 9, 10}), 0);
  EXPECT_EQ(cost(p, gfx1030, {0, 1, 2, 3, 4, 1, 10}), share * 3) << "v1 is read by W2: one instruction between";
  EXPECT_EQ(cost(p, gfx1030, {0, 1, 2, 3, 4, 2, 10}), share * 4) << "v2 is read just before";
  EXPECT_EQ(cost(p, gfx1030, {0, 1, 2, 3, 4, no_unit, 10}), 0);
}

} // namespace
} // namespace verilocc::cost
