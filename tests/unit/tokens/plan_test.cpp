#include "tokens/plan.h"

#include "analysis/occupancy.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <gtest/gtest.h>

namespace {

using namespace verilocc;
using namespace verilocc::tokens;
using problem::no_unit;
using problem::RegUnit;
using problem::VReg;

struct Table {
  explicit Table(uint64_t seed)
      : problem(make(seed)), live(problem), choices(problem), rules(cost::rulesFor("gfx1100", 32)) {
    within.set();
    for (VReg v = 0; v < problem.vregs.size(); ++v)
      part.push_back(choices.isUsed(v) && choices.isVector(v));
  }
  static problem::Problem make(uint64_t seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    options.undefined = 0;
    return tests::randomProblem(options);
  }
  Plan plan() const {
    return Plan(problem, live, choices, rules, within, assignment::Homes(problem.vregs.size(), no_unit), part);
  }
  std::vector<RegUnit> homesOf(const Plan &plan) const {
    std::vector<RegUnit> homes;
    for (VReg v = 0; v < problem.vregs.size(); ++v)
      homes.push_back(plan.home(v));
    return homes;
  }

  problem::Problem problem;
  analysis::LiveRanges live;
  analysis::Choices choices;
  const cost::Rules &rules;
  problem::UnitSet within;
  std::vector<uint8_t> part;
};

TEST(Plan, NoTwoMeetWhateverIsSettledAndUnsettlingLeavesNoTrace) {
  unsigned moved = 0, broken = 0, kept = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Table table(seed);
    Plan plan = table.plan();
    const std::vector<RegUnit> before = table.homesOf(plan);
    const unsigned missing = plan.missing();
    support::Rng rng(seed);
    analysis::Occupancy decided(table.problem, table.live);
    std::vector<VReg> settled;
    for (VReg v = 0; v < table.problem.vregs.size(); ++v) {
      if (!table.part[v] || plan.home(v) == no_unit)
        continue;
      std::vector<RegUnit> fitting;
      for (RegUnit base : table.choices.candidates(v))
        if (decided.fits(v, base))
          fitting.push_back(base);
      if (fitting.empty())
        continue;
      const RegUnit base = fitting[rng.below(fitting.size())];
      const std::vector<RegUnit> asked = table.homesOf(plan);
      const unsigned had = plan.missing();
      const double cost = plan.cost();
      double dearer = 0;
      const Plan::Effect effect = plan.effect(v, base, &dearer);
      EXPECT_NEAR(plan.cost(), cost, 1e-6);
      const double settled_before = plan.settledCost(), dearer_settled = plan.dearerSettled(v, base);
      ASSERT_EQ(table.homesOf(plan), asked) << "asking changed the plan, seed " << seed;
      plan.settle(v, base);
      EXPECT_NEAR(plan.settledCost() - settled_before, dearer_settled, 1e-6) << "seed " << seed;
      ASSERT_EQ(plan.home(v), base);
      EXPECT_EQ(effect == Plan::Effect::Breaks, plan.missing() > had) << "seed " << seed;
      EXPECT_NEAR(plan.cost() - cost, dearer, 1e-6) << "seed " << seed;
      cost::Placement anew(table.problem, table.live, table.rules);
      for (VReg w = 0; w < table.problem.vregs.size(); ++w)
        anew.place(w, before[w]);
      anew.rematch(); // as the plan does at its start
      for (VReg w = 0; w < table.problem.vregs.size(); ++w)
        anew.place(w, plan.home(w));
      EXPECT_NEAR(plan.cost(), anew.total(), 1e-6) << "seed " << seed;
      EXPECT_NEAR(plan.settledCost(), anew.settled(), 1e-6) << "seed " << seed;
      decided.add(v, base);
      settled.push_back(v);
      (effect == Plan::Effect::Breaks ? broken : effect == Plan::Effect::Moves ? moved : kept) += 1;

      analysis::Occupancy whole(table.problem, table.live);
      for (VReg w = 0; w < table.problem.vregs.size(); ++w)
        if (plan.home(w) != no_unit) {
          ASSERT_TRUE(table.choices.allows(w, plan.home(w)));
          ASSERT_TRUE(whole.fits(w, plan.home(w))) << "seed " << seed << ", %" << w;
          whole.add(w, plan.home(w));
        }
    }
    for (size_t i = 0; i < settled.size(); ++i)
      plan.unsettle();
    EXPECT_EQ(table.homesOf(plan), before) << "seed " << seed;
    EXPECT_EQ(plan.missing(), missing);
  }
  EXPECT_GT(kept, 100u);
  EXPECT_GT(moved, 20u);
  EXPECT_GT(broken, 0u);
}

} // namespace
