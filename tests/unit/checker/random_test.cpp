// Right allocations of random Problems must be accepted: a home of its own for each vreg, and first-fit's homes.
#include "allocators/first_fit.h"
#include "checker/checker.h"
#include "checker/describe.h"
#include "tests/support/random_problem.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace verilocc::checker {
namespace {

using namespace problem;
using assignment::Homes;

/// Registers that no fixed operand and no call touches, each for one vreg; no_unit where they run out.
Homes homesApart(const Problem &p) {
  UnitSet taken = p.env.reserved;
  for (const Operand &operand : p.operands)
    if (operand.fixed)
      for (unsigned i = 0; i < operand.num_lanes; ++i)
        taken.set(operand.reg + i);
  for (const UnitSet &set : p.clobber_sets)
    taken |= set;
  for (RegUnit unit = 0; unit < num_units; ++unit) {
    const RegFile file = fileOf(unit);
    if ((file == RegFile::Vector && unit >= first_vgpr + p.env.max_vgprs) ||
        (file == RegFile::Accum && unit >= first_agpr + p.env.max_agprs) ||
        (file == RegFile::Scalar && unit >= first_sgpr + p.env.max_sgprs))
      taken.set(unit);
  }
  Homes homes(p.vregs.size(), no_unit);
  for (VReg v = 0; v < p.vregs.size(); ++v)
    for (unsigned base = 0; base + p.widthOf(v) <= num_units && homes[v] == no_unit; ++base) {
      bool free = p.classOf(v).bases.test(base);
      for (unsigned i = 0; i < p.widthOf(v); ++i)
        free = free && !taken.test(base + i);
      for (const Operand &operand : p.operands)
        if (free && !operand.fixed && operand.reg == v && operand.constraint != no_class)
          free = p.env.classes[operand.constraint].bases.test(base + operand.first_lane);
      if (!free)
        continue;
      homes[v] = static_cast<RegUnit>(base);
      for (unsigned i = 0; i < p.widthOf(v); ++i)
        taken.set(base + i);
    }
  return homes;
}

void expectAccepted(const Problem &p, const Homes &homes, uint64_t seed) {
  const auto a = assignment::fromHomes(p, homes);
  const CheckResult result = check(p, a);
  ASSERT_EQ(result.verdict, Verdict::Accepted)
      << "seed " << seed << "\n"
      << result.invalid_reason << (result.errors.empty() ? "" : describe(result.errors.front(), p, a));
}

TEST(RandomProblems, AHomeOfItsOwnForEachVregIsAccepted) {
  size_t placed = 0, vregs = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    options.max_vgprs = 256;
    options.max_sgprs = 102;
    const Problem p = tests::randomProblem(options);
    const Homes homes = homesApart(p);
    placed += homes.size() - static_cast<size_t>(std::count(homes.begin(), homes.end(), no_unit));
    vregs += homes.size();
    ASSERT_NO_FATAL_FAILURE(expectAccepted(p, homes, seed));
  }
  EXPECT_GT(placed, vregs / 2);
}

TEST(RandomProblems, HomesOfFirstFitAreAccepted) {
  size_t shared = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    const Homes homes = allocators::firstFit(p, analysis::LiveRanges(p));
    UnitSet used;
    for (RegUnit home : homes)
      if (home != no_unit) {
        shared += used.test(home);
        used.set(home);
      }
    ASSERT_NO_FATAL_FAILURE(expectAccepted(p, homes, seed));
  }
  EXPECT_GT(shared, 1000u); // or else nothing was shown
}

} // namespace
} // namespace verilocc::checker
