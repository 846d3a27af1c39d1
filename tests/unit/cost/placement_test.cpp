// Incremental against from-nothing, on random Problems with every kind of instruction that a rule looks at.
#include "cost/placement.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace verilocc::cost {
namespace {

using namespace problem;
using support::Rng;

/// Gives vector instructions of a random Problem kinds that have rules.
void spice(Problem &p, Rng &rng) {
  p.opcodes = {"V_FMAC_F32_e32", "V_AND_B32_e32", "V_MOV_B32_e32", "V_MFMA_F32_16X16X16F16_e64", "V_WMMA_F32"};
  for (Inst &inst : p.insts) {
    inst.opcode = static_cast<uint32_t>(rng.below(3));
    if (inst.kind != InstKind::VectorAlu && inst.kind != InstKind::DualIssue && inst.kind != InstKind::Matrix &&
        inst.kind != InstKind::LdsLoad && inst.kind != InstKind::VectorLoad)
      continue;
    static constexpr InstKind kinds[] = {InstKind::DualIssue, InstKind::DualIssue, InstKind::VectorAlu,
                                         InstKind::Matrix,    InstKind::LdsLoad,   InstKind::VectorLoad};
    inst.kind = rng.pick(kinds);
    if (inst.kind == InstKind::Matrix) {
      inst.opcode = 3 + static_cast<uint32_t>(rng.below(2));
      inst.latency = static_cast<uint8_t>(2u << rng.below(4));
    }
  }
}

constexpr std::pair<const char *, unsigned> machines[] = {{"gfx908", 64},  {"gfx90a", 64},  {"gfx942", 64},
                                                          {"gfx1030", 32}, {"gfx1100", 32}, {"gfx1200", 32}};

TEST(Placement, IncrementalEqualsFresh) {
  unsigned exact = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    tests::RandomOptions options = tests::randomOptions(seed);
    options.insts = 20 + static_cast<unsigned>(rng.below(120));
    Problem p = tests::randomProblem(options);
    spice(p, rng);
    const auto [arch, wave] = rng.pick(machines);
    const Rules &rules = rulesFor(arch, wave);
    const analysis::LiveRanges live(p);
    Placement placement(p, live, rules);
    // Few registers, so that everything meets, overlaps included.
    const unsigned range = 8 + static_cast<unsigned>(rng.below(40));
    for (int step = 0; step < 150; ++step) {
      const auto v = static_cast<VReg>(rng.below(p.vregs.size()));
      RegUnit base = no_unit;
      if (!rng.chance(0.1)) {
        if (p.classOf(v).isPerThread())
          base = static_cast<RegUnit>((p.classOf(v).bases[0] ? 0 : first_agpr) + rng.below(range));
        else
          base = static_cast<RegUnit>(first_sgpr + rng.below(range));
      }
      const double predicted = placement.delta(v, base), before = placement.total();
      placement.place(v, base);
      ASSERT_NEAR(placement.total(), before + predicted, 1e-6) << "seed " << seed << " step " << step;
      if (base != no_unit && placement.isExact(v)) {
        std::vector<RegUnit> bases = {base, static_cast<RegUnit>(base + 1), static_cast<RegUnit>(base + 6)};
        std::vector<double> costs;
        placement.place(v, no_unit);
        const double without = placement.total();
        placement.added(v, bases, costs);
        for (size_t b = bases.size(); b-- > 0;) {
          placement.place(v, bases[b]);
          ASSERT_NEAR(placement.total() - without, costs[b], 1e-6) << arch << " seed " << seed << " step " << step;
          ++exact;
        }
      }
      if (step % 10 != 9)
        continue;
      Placement fresh(p, live, rules);
      for (VReg w = 0; w < p.vregs.size(); ++w)
        fresh.place(w, placement.home(w));
      ASSERT_NEAR(placement.total(), fresh.total(), 1e-6) << arch << " seed " << seed << " step " << step;
    }
    double charged = 0;
    for (const Charge &charge : placement.charges())
      charged += charge.cycles * p.blocks[p.blockOf(charge.inst)].frequency;
    EXPECT_NEAR(charged, placement.total(), 1e-6) << "seed " << seed;
    for (VReg v = 0; v < p.vregs.size(); ++v)
      placement.place(v, no_unit);
    EXPECT_NEAR(placement.total(), Placement(p, live, rules).total(), 1e-6) << "seed " << seed;
  }
  EXPECT_GT(exact, 3000u);
}

TEST(Placement, RematchNeverCostsMore) {
  unsigned better = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    Problem p = tests::randomProblem(tests::randomOptions(seed));
    spice(p, rng);
    const analysis::LiveRanges live(p);
    Placement placement(p, live, rulesFor("gfx1100", 32));
    for (VReg v = 0; v < p.vregs.size(); ++v)
      if (p.classOf(v).isPerThread() && p.classOf(v).bases[0])
        placement.place(v, static_cast<RegUnit>(rng.below(60)));
    const double before = placement.total();
    placement.rematch();
    EXPECT_LE(placement.total(), before + 1e-9);
    better += placement.total() < before - 1e-9;
    // And it still keeps its books.
    for (int step = 0; step < 40; ++step) {
      const auto v = static_cast<VReg>(rng.below(p.vregs.size()));
      if (!p.classOf(v).isPerThread() || !p.classOf(v).bases[0])
        continue;
      const auto base = static_cast<RegUnit>(rng.below(60));
      const double predicted = placement.delta(v, base), now = placement.total();
      placement.place(v, base);
      ASSERT_NEAR(placement.total(), now + predicted, 1e-6);
    }
  }
  EXPECT_GT(better, 5u);
}

} // namespace
} // namespace verilocc::cost
