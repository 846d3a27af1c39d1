#include "analysis/choices.h"
#include "allocators/first_fit.h"
#include "analysis/pressure.h"
#include "assignment/text.h"
#include "checker/checker.h"
#include "problem/text.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <ctime>
#include <gtest/gtest.h>

namespace verilocc::allocators {
namespace {

using namespace problem;
using analysis::Choices;
using analysis::LiveRanges;
using assignment::Homes;

Problem code(std::string_view text) {
  constexpr std::string_view head =
      "limits agpr 256\nclass v = v0-v255\nclass w width 2 = v0-v254\nclass w2 width 2 = "
      "v0-v254 step 2\nclass a = a0-a255\nclass av = v0-v255 a0-a255\nclass s = s0-s101\n";
  const std::string whole = std::string(head) + std::string(text);
  support::TextReader reader(whole, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

Homes fit(const Problem &p, const FirstFitOptions &options = {}) {
  return firstFit(p, LiveRanges(p), options);
}

TEST(FirstFit, ReusesARegisterAtTheLastUse) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B %0\n C %1\n");
  EXPECT_EQ(fit(p), (Homes{0, 0}));
}

TEST(FirstFit, EarlyClobberKeepsApart) {
  const Problem p = code("block 0\n %0:v = A\n early %1:v = B %0\n C %1\n");
  const Homes homes = fit(p);
  EXPECT_NE(homes[0], homes[1]);
}

TEST(FirstFit, TuplesMayOverlapWhereLanesAreDead) {
  const Problem p = code("limits vgpr 2\nblock 0\n undef %0:w[0] = A\n %1:v = B\n C %0[0], %1\n");
  EXPECT_EQ(fit(p), (Homes{0, 1})) << "%0[1] is never live";
}

TEST(FirstFit, HonoursOperandConstraintsReservedRegistersAndLimits) {
  const Problem p =
      code("limits vgpr 6\nreserved v0\nclass odd = v1-v255 step 2\nblock 0\n %0:w = A\n %1:v = B\n C %0 in w2, %1 in "
           "odd\n D %1\n");
  const Homes homes = fit(p);
  EXPECT_TRUE(homes[0] == 2 || homes[0] == 4);
  EXPECT_TRUE(homes[1] == 1 || homes[1] == 5 || homes[1] == 3);
}

TEST(FirstFit, CallClobbersAndFixedRegistersAreAvoided) {
  const Problem p = code("clobbers 0 = v[0:9]\nlive-in v10\nblock 0\n %0:v = A\n CALL | clobbers 0\n B %0, v10\n");
  EXPECT_EQ(fit(p), (Homes{11}));
}

TEST(FirstFit, CopiesMeet) {
  // To and from physical registers, and between vregs in both directions.
  const Problem p =
      code("live-in v5\nblock 0\n %0:v = COPY v5 | copy\n %1:v = A\n %2:v = COPY %1 | copy\n B %0, %2\n %3:v = C\n "
           "v9 = COPY %3 | copy\n D v9\n");
  const Homes homes = fit(p);
  EXPECT_EQ(homes[0], 5);
  EXPECT_EQ(homes[1], homes[2]);
  EXPECT_EQ(homes[3], 9);
}

TEST(FirstFit, CopiesOfLanesMeet) {
  const Problem p =
      code("block 0\n %0:v = A\n %1:v = B\n undef %2:w[0] = COPY %1 | copy\n %2[1] = COPY %0 | copy\n C %2\n");
  const Homes homes = fit(p);
  EXPECT_EQ(homes[1], homes[2]);
  EXPECT_EQ(homes[0], homes[2] + 1);
}

TEST(FirstFit, HotterCopiesWin) {
  const Problem p =
      code("block 0 -> 1\n %0:v = A\n %1:v = B\nblock 1 freq 100 -> 1 2\n %2:v = COPY %0 | copy\n C %2, %0\n"
           "block 2\n %3:v = COPY %0 | copy\n D %3, %1\n");
  const Choices choices(p);
  ASSERT_EQ(choices.copies().size(), 2u);
  EXPECT_EQ(choices.copies()[0].weight, 100);
  EXPECT_EQ(fit(p)[3], fit(p)[0]);
}

TEST(FirstFit, TiedOperandsShareARegister) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:v = FMAC %0, %1 tied 0\n C %2, %0\n");
  const Homes homes = fit(p);
  EXPECT_EQ(homes[1], homes[2]);
  // Where the tied use lives on, no two homes can do: one side is left over.
  const Problem q = code("block 0\n %0:v = A\n %1:v = FMAC %0 tied 0\n C %0, %1\n");
  const Homes left = fit(q);
  EXPECT_TRUE((left[0] == no_unit) != (left[1] == no_unit));
}

TEST(FirstFit, AccumPreferenceSpreadsAlongCopies) {
  const Problem p =
      code("block 0\n %0:a = MFMA\n %1:av = COPY %0 | copy\n %2:av = COPY %1 | copy\n %3:a = COPY %2 | copy\n MFMA %3\n"
           " %4:av = A\n %5:v = COPY %4 | copy\n B %5\n %6:av = C\n D %6\n");
  const Homes homes = fit(p);
  EXPECT_EQ(fileOf(homes[1]), RegFile::Accum);
  EXPECT_EQ(fileOf(homes[2]), RegFile::Accum);
  EXPECT_EQ(fileOf(homes[4]), RegFile::Vector);
  EXPECT_EQ(fileOf(homes[6]), RegFile::Vector) << "undecided goes to VGPRs";
}

TEST(FirstFit, AccumPreferenceYieldsWhereItsFileIsFull) {
  const Problem p = code("limits vgpr 1 agpr 8\nblock 0\n %0:v = A\n %1:av = B\n C %0, %1\n");
  const Homes homes = fit(p);
  EXPECT_EQ(homes[0], 0);
  EXPECT_EQ(fileOf(homes[1]), RegFile::Accum);
}

TEST(FirstFit, PlacesOnlyTheFilesAskedFor) {
  const Problem p = code("block 0\n %0:v = A\n %1:s = B\n C %0, %1\n");
  FirstFitOptions options;
  options.scalars = false;
  EXPECT_EQ(fit(p, options), (Homes{0, no_unit}));
  std::swap(options.vectors, options.scalars);
  EXPECT_EQ(fit(p, options), (Homes{no_unit, first_sgpr}));
}

TEST(FirstFit, GivenHomesStay) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B\n %2:s = C\n D %0, %1, %2\n");
  FirstFitOptions options;
  options.scalars = false;
  options.given = {no_unit, 0, first_sgpr + 7};
  EXPECT_EQ(fit(p, options), (Homes{1, 0, first_sgpr + 7}));
  options.given = {3, 3, no_unit};
  EXPECT_EQ(fit(p, options)[0], 3);
  EXPECT_NE(fit(p, options)[1], 3) << "the second of two that meet is dropped and placed anew";
}

TEST(FirstFit, WhatDoesNotFitIsLeftOver) {
  const Problem p = code("limits vgpr 2\nblock 0\n %0:v = A\n %1:v = B\n %2:v = C\n D %0, %1, %2\n");
  const Homes homes = fit(p);
  EXPECT_EQ(std::count(homes.begin(), homes.end(), no_unit), 1);
}

TEST(FirstFit, UndefinedUsesNeedARegisterButNoRoom) {
  const Problem p = code("limits vgpr 1\nblock 0\n %0:v = A\n B %0, undef %1:v\n C %0\nblock 1\n");
  EXPECT_EQ(fit(p), (Homes{0, 0}));
}

TEST(FirstFit, EjectionsSaveRegisters) {
  unsigned fewer = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    options.calls = options.fixed = false;
    options.max_vgprs = 256;
    const Problem p = tests::randomProblem(options);
    const LiveRanges live(p);
    FirstFitOptions loose, tight;
    loose.ejections = 0;
    loose.step = tight.step = 1;
    const auto total = [&](const Homes &homes) {
      const auto counts = analysis::countRegisters(p, assignment::fromHomes(p, homes));
      return counts.vgprs + counts.agprs;
    };
    const unsigned with = total(firstFit(p, live, tight)), without = total(firstFit(p, live, loose));
    EXPECT_LE(with, without + 3 * options.aligned) << "seed " << seed << ": VGPRs round up where there are AGPRs";
    fewer += with < without;
  }
  EXPECT_GE(fewer, 3u);
}

TEST(FirstFit, EjectionsFindRoomUnderALimit) {
  unsigned with = 0, without = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    options.calls = options.fixed = false;
    options.max_vgprs = 256;
    options.max_agprs = 0;
    const Problem roomy = tests::randomProblem(options);
    const unsigned bound = analysis::measurePressure(roomy, LiveRanges(roomy))[analysis::PressureSet::Vector].lanes;
    Problem p = roomy;
    p.env.max_vgprs = std::max(bound + 1, 8u);
    FirstFitOptions none;
    none.ejections = 0;
    for (const auto &[count, chosen] : {std::pair(&with, FirstFitOptions()), std::pair(&without, none)}) {
      const assignment::Assignment a = assignment::fromHomes(p, fit(p, chosen));
      EXPECT_EQ(checker::check(p, a).verdict, checker::Verdict::Accepted) << "seed " << seed;
      *count += analysis::countRegisters(p, a).unplaced;
    }
  }
  EXPECT_LT(with, without);
}

/// Accepted by the checker, which shares nothing with the allocator; complete where registers abound.
TEST(FirstFit, ConstructedProblemsAreAllocatedRight) {
  unsigned unplaced = 0, placed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    const LiveRanges live(p);
    FirstFitOptions options;
    options.vectors = seed % 7 != 1;
    options.scalars = seed % 7 != 2;
    const Homes homes = firstFit(p, live, options);
    const assignment::Assignment a = assignment::fromHomes(p, homes);
    ASSERT_TRUE(wellFormed(p, a));
    const auto result = checker::check(p, a);
    std::string first;
    if (!result.errors.empty()) {
      const auto &e = result.errors[0];
      first = std::string(checker::name(e.kind)) + " at instruction " + std::to_string(e.inst) + ", operand " +
              std::to_string(e.operand);
    }
    ASSERT_EQ(result.verdict, checker::Verdict::Accepted) << "seed " << seed << ": " << first << "\n"
                                                          << print(p) << print(p, a);
    if (seed % 7 == 1 || seed % 7 == 2)
      continue;
    const auto counts = analysis::countRegisters(p, a);
    placed += counts.placed;
    unplaced += counts.unplaced;
  }
  EXPECT_GT(placed, 5000u);
  EXPECT_LT(unplaced, placed / 50);
}

TEST(FirstFit, IsDeterministicAndFastOnLargeFunctions) {
  tests::RandomOptions options;
  options.insts = 50000;
  options.depth = 6;
  options.vector_pool = 60;
  options.scalar_pool = 30;
  options.max_vgprs = 256;
  options.max_sgprs = 100;
  const Problem p = tests::randomProblem(options);
  const LiveRanges live(p);
  const std::clock_t start = std::clock(); // of this process: the machine may be busy
  const Homes homes = firstFit(p, live, {});
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::cout << p.vregs.size() << " vregs: " << seconds * 1000 << " ms, "
            << std::count(homes.begin(), homes.end(), no_unit) << " without a home\n";
  EXPECT_LT(seconds, 20) << "generous: sanitizers";
  EXPECT_EQ(homes, firstFit(p, live, {}));
}

} // namespace
} // namespace verilocc::allocators
