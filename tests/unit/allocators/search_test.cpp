// Cheapest and search: right by the checker, within limits, never worse than the start, and good where the best is
// known.
#include "allocators/cheapest.h"
#include "allocators/first_fit.h"
#include "allocators/search.h"
#include "analysis/occupancy.h"
#include "checker/checker.h"
#include "problem/text.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace verilocc::allocators {
namespace {

using namespace problem;
using analysis::LiveRanges;
using assignment::Homes;
using support::Rng;

Problem code(std::string_view text) {
  constexpr std::string_view head =
      "limits agpr 256\nclass v = v0-v255\nclass v2 width 2 = v0-v254\nclass v4 width 4 = "
      "v0-v252\nclass v8 width 8 = v0-v248\nclass a = a0-a255\nclass av = v0-v255 a0-a255\n";
  const std::string whole = std::string(head) + std::string(text);
  support::TextReader reader(whole, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

const cost::Rules &gfx1030 = cost::rulesFor("gfx1030", 32), &gfx1100 = cost::rulesFor("gfx1100", 32),
                  &gfx90a = cost::rulesFor("gfx90a", 64);

double costOf(const Problem &p, const cost::Rules &rules, const Homes &homes) {
  const LiveRanges live(p);
  return cost::settledCost(p, live, rules, homes);
}

Limits limitsOf(const Problem &p, const Homes &homes) {
  return registersOf(p, homes);
}

/// Homes of vector vregs from first-fit, scalars left out.
Homes start(const Problem &p, const LiveRanges &live) {
  FirstFitOptions options;
  options.scalars = false;
  return firstFit(p, live, options);
}

TEST(Conflicts, AgreeWithOccupancy) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    const LiveRanges live(p);
    Space space(p, live, gfx1030, {});
    analysis::Occupancy occupancy(p, live);
    std::vector<RegUnit> free;
    std::vector<VReg> owners;
    std::vector<Space::Blocked> blocked;
    for (int step = 0; step < 200; ++step) {
      if (space.vregs().empty())
        break;
      const VReg v = space.vregs()[rng.below(space.vregs().size())];
      if (space.isTied(v))
        continue;
      if (space.home(v) != no_unit) {
        occupancy.remove(v, space.home(v));
        space.take(v);
      }
      space.freeBases(v, free);
      space.blockedBases(v, blocked);
      size_t expected = 0;
      for (RegUnit base : space.choices.candidates(v)) {
        const bool fits = occupancy.fits(v, base);
        expected += fits;
        ASSERT_EQ(space.fits(v, base), fits) << "seed " << seed << " vreg " << v << " at " << unitName(base);
        const auto in_way = occupancy.vregsInTheWay(v, base);
        ASSERT_EQ(in_way.has_value(), space.allows(v, base));
        if (!in_way)
          continue;
        space.inTheWay(v, base, owners);
        std::sort(owners.begin(), owners.end());
        ASSERT_EQ(owners, *in_way) << "seed " << seed;
        const auto entry = std::find_if(blocked.begin(), blocked.end(), [&](const auto &b) { return b.base == base; });
        ASSERT_NE(entry, blocked.end());
        ASSERT_EQ(entry->lanes > 0, !fits);
      }
      ASSERT_EQ(free.size(), expected);
      if (!free.empty() && rng.chance(0.8)) {
        const RegUnit base = free[rng.below(std::min<size_t>(free.size(), 12))];
        space.put(v, base);
        occupancy.add(v, base);
      }
    }
  }
}

TEST(Cheapest, AvoidsBanksThatStall) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = D\n %4:v = E\n"
                         " %5:v = V_FMA %0, %4, %2 | valu\n %6:v = V_FMA %0, %1, %3 | valu\n F %5, %6\n");
  EXPECT_GT(costOf(p, gfx1030, start(p, LiveRanges(p))), 0) << "first-fit gives v0 and v4 one bank";
  const Homes homes = cheapest(p, LiveRanges(p), gfx1030);
  EXPECT_EQ(costOf(p, gfx1030, homes), 0);
}

TEST(Cheapest, FragmentsOfMatrixInstructionsLieInThreeBanks) {
  // 2 x 2 tiles: every A meets every B.
  std::string text = "block 0 freq 8\n";
  for (int i = 0; i < 8; ++i)
    text += " %" + std::to_string(i) + ":v8 = L | lds-load\n";
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      const std::string c = "%" + std::to_string(4 + 2 * a + b);
      text += " early " + c + " = V_WMMA_F32_16X16X16_F16_twoaddr_w32 %" + std::to_string(a) + ", %" +
              std::to_string(2 + b) + ", " + c + " tied 0 | matrix\n";
    }
  text += " S %4, %5, %6, %7\n";
  const Problem p = code(text);
  CheapestOptions options;
  options.limits.vgprs = 68; // 64 are live; 4 for padding
  const Homes homes = cheapest(p, LiveRanges(p), gfx1100, options);
  EXPECT_EQ(std::count(homes.begin(), homes.end(), no_unit), 0);
  for (const cost::Charge &charge : [&] {
         const LiveRanges live(p);
         cost::Placement placement(p, live, gfx1100);
         for (VReg v = 0; v < homes.size(); ++v)
           placement.place(v, homes[v]);
         return placement.charges();
       }())
    EXPECT_NE(charge.rule, cost::Rule::WmmaConflict);
}

TEST(Cheapest, SpreadsLoadsOverTheRegistersItHas) {
  const Problem p =
      code("block 0\n %0:v = A\n %1:v = DS_READ %0 | lds-load\n %2:v = U %1 | valu\n %3:v = DS_READ %0 | lds-load\n"
           " %4:v = U %3 | valu\n %5:v = DS_READ %0 | lds-load\n %6:v = U %5 | valu\n E %2, %4, %6\n");
  const Homes homes = cheapest(p, LiveRanges(p), gfx1030);
  EXPECT_NE(homes[1], homes[3]);
  EXPECT_NE(homes[3], homes[5]);
  EXPECT_NE(homes[1], homes[5]);
}

/// Each answer is accepted by the checker, stays within the limits, and is not worse than where it began.
TEST(Search, ConstructedProblemsAreAllocatedRight) {
  unsigned better = 0, placed_more = 0, total = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    tests::RandomOptions random = tests::randomOptions(seed);
    const Problem p = tests::randomProblem(random);
    const LiveRanges live(p);
    Rng rng(seed);
    const cost::Rules &rules = *std::array{&gfx1030, &gfx1100, &gfx90a}[seed % 3];
    Homes from = start(p, live);
    SearchOptions options;
    options.seed = seed;
    options.limits = limitsOf(p, from);
    if (seed % 5 == 1)
      for (RegUnit &home : from)
        if (rng.chance(0.3))
          home = no_unit;
    if (seed % 5 == 2)
      from.clear();
    const SearchResult result = search(p, live, rules, from, options);
    const assignment::Assignment a = assignment::fromHomes(p, result.homes);
    ASSERT_EQ(checker::check(p, a).verdict, checker::Verdict::Accepted) << "seed " << seed;
    const Limits used = limitsOf(p, result.homes);
    ASSERT_LE(used.vgprs, options.limits.vgprs);
    ASSERT_LE(used.agprs, options.limits.agprs);
    ASSERT_LE(result.unplaced, result.start_unplaced);
    if (result.unplaced == result.start_unplaced) {
      ASSERT_LE(result.cost, result.start_cost + 1e-9) << "seed " << seed;
    }
    EXPECT_NEAR(costOf(p, rules, result.homes), result.cost, 1e-6);
    better += result.cost < result.start_cost - 1e-9;
    placed_more += result.unplaced < result.start_unplaced;
    ++total;
    const Homes cheap = cheapest(p, live, rules, {options.limits});
    ASSERT_EQ(checker::check(p, assignment::fromHomes(p, cheap)).verdict, checker::Verdict::Accepted);
  }
  EXPECT_GT(better, total / 2);
  EXPECT_GT(placed_more, total / 5);
}

TEST(Search, SameSeedSameAnswer) {
  const Problem p = tests::randomProblem(tests::randomOptions(5));
  const LiveRanges live(p);
  const Homes from = start(p, live);
  SearchOptions options;
  options.moves = 3000;
  const SearchResult a = search(p, live, gfx1100, from, options), b = search(p, live, gfx1100, from, options);
  EXPECT_EQ(a.homes, b.homes);
  EXPECT_EQ(a.moves, b.moves);
}

TEST(Search, FindsRoomUnderALimitThatFirstFitMisses) {
  unsigned by_search = 0, by_first_fit = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    tests::RandomOptions random = tests::randomOptions(seed);
    random.calls = random.fixed = false;
    random.max_agprs = 0;
    Problem p = tests::randomProblem(random);
    const unsigned need = limitsOf(p, start(p, LiveRanges(p))).vgprs;
    p.env.max_vgprs = need - 1;
    const LiveRanges live(p);
    FirstFitOptions plain;
    plain.scalars = false;
    plain.ejections = 0;
    const Homes from = firstFit(p, live, plain);
    const SearchResult result = search(p, live, gfx1030, from);
    by_search += result.unplaced;
    by_first_fit += result.start_unplaced;
  }
  EXPECT_LT(by_search, by_first_fit);
}

TEST(Search, MakesRoomByEjection) {
  // Four registers, all taken: %0 and %1 share a bank whatever free place there is; only an exchange helps.
  const Problem p = code("limits vgpr 8\nblock 0\n %0:v = A\n %1:v = B\n %2:v = C\n %3:v = D\n %4:v = E\n %5:v = F\n"
                         " %6:v = G\n %7:v = H\n I | salu\n"
                         " %0 = V_ADD %0, %4 | valu\n J %0, %1, %2, %3, %4, %5, %6, %7\n");
  const LiveRanges live(p);
  const Homes full = {0, 1, 2, 3, 4, 5, 6, 7};
  ASSERT_EQ(costOf(p, gfx1030, full), 1);
  SearchOptions options;
  options.limits.vgprs = 8;
  const SearchResult result = search(p, live, gfx1030, full, options);
  EXPECT_EQ(result.cost, 0);
  EXPECT_EQ(result.unplaced, 0u);
}

TEST(Search, KeepsAStartThatCannotBeBettered) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B %0 | valu\n C %1\n");
  const SearchResult result = search(p, LiveRanges(p), gfx1030, {3, 5});
  EXPECT_EQ(result.homes, (Homes{3, 5}));
}

TEST(Search, WholeVregsKeepTheirDeadLanes) {
  // %0[1] is never live: %1 fits there, unless the lanes of %0 count together.
  const Problem p = code("limits vgpr 2\nblock 0\n undef %0:v2[0] = A\n %1:v = B\n C %0[0], %1\n");
  const LiveRanges live(p);
  EXPECT_EQ(search(p, live, gfx1030, {}).unplaced, 0u);
  SearchOptions options;
  options.whole = {1, 0};
  EXPECT_EQ(search(p, live, gfx1030, {}, options).unplaced, 1u);
  CheapestOptions cheapest_options;
  cheapest_options.whole = {1, 0};
  const Homes homes = cheapest(p, live, gfx1030, cheapest_options);
  EXPECT_EQ(std::count(homes.begin(), homes.end(), no_unit), 1);
}

TEST(Search, SameWavesGoesToTheEndOfTheStep) {
  MachineEnv env;
  env.arch = "gfx1100";
  env.wave_size = 32;
  EXPECT_EQ(sameWaves(env, {185, 0}).vgprs, 192u);
  EXPECT_EQ(sameWaves(env, {10, 0}).vgprs, 96u);
  EXPECT_EQ(sameWaves(env, {250, 0}).vgprs, 256u);
  env.arch = "gfx90a";
  env.wave_size = 64;
  EXPECT_EQ(sameWaves(env, {116, 32}).vgprs, 136u);
  EXPECT_EQ(sameWaves(env, {116, 32}).agprs, 32u);
  env.arch = "unknown";
  EXPECT_EQ(sameWaves(env, {10, 3}).vgprs, 10u);
}

} // namespace
} // namespace verilocc::allocators
