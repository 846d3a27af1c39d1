// The scheduler by hand: which of two candidates come to stand side by side, and why not.
#include "cost/schedule.h"

#include "cost/pairing.h"
#include "cost/placement.h"
#include "problem/text.h"

#include <gtest/gtest.h>

namespace verilocc::cost {
namespace {

using namespace problem;
using assignment::Homes;

Problem code(std::string_view text) {
  const std::string whole = "class v = v0-v255\nclass v4 width 4 = v0-v252\n" + std::string(text);
  support::TextReader reader(whole, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

/// "4+5 7+8": instructions by number.
std::string pairsOf(const Problem &p, const Homes &homes) {
  const std::vector<Shape> shapes = shapesOf(p);
  const Locator where(p, &homes);
  const std::vector<InstId> partner = PostSchedule(p, shapes).pairs(where);
  std::string text;
  for (InstId i = 0; i < partner.size(); ++i)
    if (partner[i] != no_partner && i < partner[i]) {
      EXPECT_EQ(partner[partner[i]], i);
      text += (text.empty() ? "" : " ") + std::to_string(i) + "+" + std::to_string(partner[i]);
    }
  return text;
}

constexpr const char *two_products = "block 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = D\n"
                                     " %4:v = V_MUL_F32_e32 %0, %1 | valu-dual\n"
                                     " %5:v = V_MUL_F32_e32 %2, %3 | valu-dual\n E %4, %5\n";

TEST(PostSchedule, NeighboursPairIfTheirRegistersLetThem) {
  const Problem p = code(two_products);
  EXPECT_EQ(pairsOf(p, {0, 1, 2, 3, 4, 5}), "4+5");
  EXPECT_EQ(pairsOf(p, {0, 1, 2, 3, 4, 6}), "") << "both results in even registers";
  EXPECT_EQ(pairsOf(p, {0, 1, 4, 3, 4, 5}), "") << "first sources of one bank";
  EXPECT_EQ(pairsOf(p, {0, 1, 2, 3, 4, no_unit}), "") << "no home";
}

TEST(PostSchedule, TheSecondHalfMovesUpToTheFirst) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = D\nblock 1\n"
                         " %4:v = V_MUL_F32_e32 %0, %1 | valu-dual\n %6:v = F %0 | valu\n %7:v = F %4 | valu\n"
                         " %5:v = V_MUL_F32_e32 %2, %3 | valu-dual\n E %4, %5, %6, %7\n");
  EXPECT_EQ(pairsOf(p, {0, 1, 2, 3, 4, 5, 8, 9}), "4+7");
  EXPECT_EQ(pairsOf(p, {0, 1, 2, 3, 4, 9, 8, 9}), "") << "v9 is written between the two, from the first half's result";
}

TEST(PostSchedule, ASecondHalfThatWouldWaitLetsOthersPass) {
  // The result of X is there after ten cycles; until then there is other work, and that parts the two.
  const auto withWork = [](bool waits) {
    return code(std::string("block 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = X %2 | trans\n"
                            " %4:v = V_MUL_F32_e32 %0, %1 | valu-dual\n %5:v = V_MUL_F32_e32 ") +
                (waits ? "%3" : "%2") +
                ", %0 | valu-dual\n %6:v = F %0 | valu\n %7:v = F %1 | valu\n E %4, %5, %6, %7, %3\n");
  };
  const Homes homes = {0, 1, 2, 3, 4, 5, 8, 9};
  EXPECT_EQ(pairsOf(withWork(false), homes), "4+5");
  EXPECT_EQ(pairsOf(withWork(true), homes), "");
}

TEST(PostSchedule, WhatNeedsTheFirstHalfsResultDoesNotPairWithIt) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:v = V_MUL_F32_e32 %0, %1 | valu-dual\n"
                         " %3:v = V_MUL_F32_e32 %1, %2 | valu-dual\n E %3\n");
  EXPECT_EQ(pairsOf(p, {0, 1, 2, 3}), "");
}

TEST(PostSchedule, CopiesOfARegisterToItselfAreNotInTheWay) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = D\n"
                         " %4:v = V_MUL_F32_e32 %0, %1 | valu-dual\n %6:v = COPY %4 | copy per-thread\n"
                         " %5:v = V_MUL_F32_e32 %2, %3 | valu-dual\n E %5, %6\n");
  EXPECT_EQ(pairsOf(p, {0, 1, 2, 3, 4, 5, 4}), "4+6");
}

TEST(PostSchedule, RegionsEndWhereLlvmsDo) {
  EXPECT_EQ(pairsOf(code("block 0\n %0:v = A\n %1:v = B\n %2:v = V_MUL_F32_e32 %0, %1 | valu-dual\n X | call\n"
                         " %3:v = V_MUL_F32_e32 %1, %0 | valu-dual\n E %2, %3\n"),
                    {0, 1, 2, 3}),
            "");
  EXPECT_EQ(pairsOf(code("block 0\n"), {}), "");
  EXPECT_EQ(pairsOf(code("block 0\n %0:v = V_MOV_B32_e32 | valu-dual\n"), {0}), "");
}

TEST(PostSchedule, AskedAgainItSaysTheSame) {
  const Problem p = code(two_products);
  const std::vector<Shape> shapes = shapesOf(p);
  const PostSchedule schedule(p, shapes);
  const Homes fitting = {0, 1, 2, 3, 4, 5}, other = {0, 1, 2, 3, 4, 6};
  const auto first = schedule.pairs(Locator(p, &fitting));
  EXPECT_NE(first, schedule.pairs(Locator(p, &other)));
  EXPECT_EQ(first, schedule.pairs(Locator(p, &fitting)));
  // More homes than it remembers, each asked twice and in between, against one that remembers nothing.
  for (int round = 0; round < 2; ++round)
    for (unsigned n = 0; n < 40; ++n) {
      Homes homes = fitting;
      for (unsigned v = 0; v < homes.size(); ++v)
        homes[v] = static_cast<RegUnit>((homes[v] + n * (v + 1)) % 23);
      const Locator where(p, &homes);
      EXPECT_EQ(schedule.pairs(where), PostSchedule(p, shapes).pairs(where)) << n;
      EXPECT_EQ(schedule.pairs(Locator(p, &fitting)), first) << n;
    }
}

TEST(PostSchedule, PlacementsSettleOnWhatItMakes) {
  const Problem p = code(two_products);
  const analysis::LiveRanges live(p);
  Placement placement(p, live, rulesFor("gfx1100", 32));
  for (VReg v = 0; v < 6; ++v)
    placement.place(v, static_cast<RegUnit>(v));
  EXPECT_EQ(placement.settled(), -1);
  placement.settle();
  EXPECT_EQ(placement.total(), -1);
  placement.place(2, 4); // banks of the first sources meet: no pair, and no other is hoped for
  EXPECT_EQ(placement.total(), 0);
  EXPECT_EQ(placement.settled(), 0);
}

TEST(PostSchedule, PairsOfAnyWidthAreRepricedWhenHeldBack) {
  std::string between;
  for (int n = 0; n < 100; ++n)
    between += " F %0 | valu\n";
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = D\nblock 1\n"
                         " %4:v = V_MUL_F32_e32 %0, %1 | valu-dual\n %6:v = F %0 | valu\n F %6 | valu\n" +
                         between + " %5:v = V_MUL_F32_e32 %2, %3 | valu-dual\n E %4, %5\n");
  const analysis::LiveRanges live(p);
  Placement placement(p, live, rulesFor("gfx1100", 32));
  for (VReg v = 0; v < p.vregs.size(); ++v)
    placement.place(v, v);
  placement.rematch();
  ASSERT_EQ(placement.total(), -1);
  for (int twice = 0; twice < 2; ++twice) {
    placement.place(6, placement.home(5)); // read far above the second half, which writes the register
    EXPECT_GT(placement.total(), -1) << "a pair that is held back is not sure any more";
    placement.place(6, 6);
    EXPECT_EQ(placement.total(), -1);
  }
}

} // namespace
} // namespace verilocc::cost
