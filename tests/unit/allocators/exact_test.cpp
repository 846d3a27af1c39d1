// Exact: against trying everything, against hand-made optima, and search against exact.
#include "allocators/exact.h"
#include "allocators/search.h"
#include "checker/checker.h"
#include "problem/text.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace verilocc::allocators {
namespace {

using namespace problem;
using analysis::LiveRanges;
using assignment::Homes;

Problem code(std::string_view text) {
  constexpr std::string_view head =
      "limits agpr 256\nclass v = v0-v255\nclass v2 width 2 = v0-v254\nclass v4 width 4 = "
      "v0-v252\nclass v8 width 8 = v0-v248\nclass a = a0-a255\n";
  const std::string whole = std::string(head) + std::string(text);
  support::TextReader reader(whole, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

const cost::Rules &gfx1030 = cost::rulesFor("gfx1030", 32), &gfx1100 = cost::rulesFor("gfx1100", 32);

/// A random small problem of VALU instructions with two and three sources, copies and tuples.
Problem smallProblem(support::Rng &rng, unsigned num_insts) {
  std::string text = "block 0 freq " + std::to_string(1 + rng.below(3)) + "\n";
  std::vector<std::pair<std::string, unsigned>> values; // name, width
  unsigned next = 0;
  const auto define = [&](const char *cls, unsigned width) {
    values.emplace_back("%" + std::to_string(next++), width);
    return values.back().first + ":" + cls;
  };
  const auto use = [&] {
    const auto &[name, width] = values[rng.below(values.size())];
    return width == 1 ? name : name + "[" + std::to_string(rng.below(width)) + "]";
  };
  text += " " + define("v2", 2) + " = L\n " + define("v", 1) + " = L\n " + define("v", 1) + " = L\n";
  for (unsigned i = 0; i < num_insts; ++i) {
    const std::string a = use(), b = use(), c = use();
    if (rng.chance(0.2))
      text += " " + define("v", 1) + " = COPY " + a + " | copy\n";
    else if (rng.chance(0.5))
      text += " " + define("v", 1) + " = V_MUL " + a + ", " + b + " | valu\n";
    else
      text += " " + define("v", 1) + " = V_FMA " + a + ", " + b + ", " + c + " | valu\n";
  }
  text += " S " + values[values.size() - 1].first + ", " + use() + ", " + use() + "\n";
  return code(text);
}

/// The least cost by trying every assignment; infinity if there is none.
double bruteForce(Space &space) {
  double least = HUGE_VAL;
  const std::function<void(size_t)> go = [&](size_t at) {
    if (at == space.vregs().size()) {
      least = std::min(least, space.total());
      return;
    }
    const VReg v = space.vregs()[at];
    std::vector<RegUnit> free;
    space.freeBases(v, free);
    for (RegUnit base : free) {
      space.put(v, base);
      go(at + 1);
      space.take(v);
    }
  };
  go(0);
  return least;
}

TEST(Exact, AgreesWithTryingEverything) {
  if (!hasExact())
    GTEST_SKIP() << "built without Z3";
  unsigned costly = 0, infeasible = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    support::Rng rng(seed);
    const Problem p = smallProblem(rng, 3);
    const LiveRanges live(p);
    ExactOptions options;
    options.limits.vgprs = 4 + static_cast<unsigned>(rng.below(3));
    const cost::Rules rules = exactRules(gfx1030);
    Space space(p, live, rules, options.limits);
    const double least = bruteForce(space);
    const ExactResult result = exact(p, live, gfx1030, {}, options);
    if (std::isinf(least)) {
      ++infeasible;
      EXPECT_TRUE(result.infeasible) << "seed " << seed;
      EXPECT_TRUE(result.homes.empty());
      continue;
    }
    ASSERT_TRUE(result.proven) << "seed " << seed << " cost " << result.cost << " bound " << result.lower_bound;
    EXPECT_NEAR(result.cost, least, 1e-4) << "seed " << seed;
    EXPECT_EQ(checker::check(p, assignment::fromHomes(p, result.homes)).verdict, checker::Verdict::Accepted);
    costly += least > 0;
  }
  EXPECT_GT(costly, 5u);
  EXPECT_GT(infeasible, 1u);
}

TEST(Exact, CountingAloneProvesAnOuterProduct) {
  std::string text = "block 0\n %0:v4 = A\n %1:v4 = B\n";
  for (int i = 0; i < 16; ++i)
    text += " %" + std::to_string(2 + i) + ":v = V_MUL_F32 %0[" + std::to_string(i / 4) + "], %1[" +
            std::to_string(i % 4) + "] | valu\n";
  const Problem p = code(text);
  const LiveRanges live(p);
  SearchOptions search_options;
  search_options.moves = 500;
  const SearchResult found = search(p, live, exactRules(gfx1030), {}, search_options);
  ExactOptions options;
  options.seconds = 0;
  const ExactResult result = exact(p, live, gfx1030, found.homes, options);
  EXPECT_FALSE(result.solver_asked);
  EXPECT_EQ(result.lower_bound, 4);
  EXPECT_TRUE(result.proven);
}

TEST(Exact, UnavoidableMatrixConflictIsProven) {
  if (!hasExact())
    GTEST_SKIP() << "built without Z3";
  // Four fragments, each pair in some instruction as A and B with a third: a 4-clique has 4 banks, and so fits; with C
  // in every one of them a fifth would be needed.
  std::string text = "block 0\n";
  for (int i = 0; i < 5; ++i)
    text += " %" + std::to_string(i) + ":v8 = L\n";
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b)
      text += " early %4 = V_WMMA_F32 %" + std::to_string(a) + ", %" + std::to_string(b) + ", %4 tied 0 | matrix\n";
  text += " S %0, %1, %2, %3, %4\n";
  const Problem p = code(text);
  ExactOptions options;
  options.limits.vgprs = 46;
  const ExactResult result = exact(p, LiveRanges(p), gfx1100, {}, options);
  EXPECT_TRUE(result.proven);
  EXPECT_EQ(result.cost, 2) << "one of the six pairs shares a bank";
}

TEST(Exact, SearchIsWithinTwoPercentWhereItCloses) {
  if (!hasExact())
    GTEST_SKIP() << "built without Z3";
  double log_gap = 0;
  unsigned closed = 0;
  for (uint64_t seed = 100; seed < 130; ++seed) {
    support::Rng rng(seed);
    const Problem p = smallProblem(rng, 14);
    const LiveRanges live(p);
    const cost::Rules rules = exactRules(gfx1030);
    SearchOptions search_options;
    search_options.limits.vgprs = 12;
    const SearchResult found = search(p, live, rules, {}, search_options);
    if (found.unplaced)
      continue;
    ExactOptions options;
    options.limits = search_options.limits;
    options.seconds = 5;
    const ExactResult result = exact(p, live, gfx1030, found.homes, options);
    if (!result.proven)
      continue;
    ++closed;
    ASSERT_GE(found.cost, result.cost - 1e-4);
    log_gap += std::log((found.cost + 1) / (result.cost + 1));
  }
  EXPECT_GE(closed, 20u);
  EXPECT_LE(std::exp(log_gap / std::max(closed, 1u)), 1.02);
}

} // namespace
} // namespace verilocc::allocators
