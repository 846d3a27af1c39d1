#include "dataset/puzzles.h"

#include "allocators/exact.h"
#include "allocators/rule_backend.h"
#include "tokens/outlook.h"

#include <gtest/gtest.h>

namespace {

using namespace verilocc;
using namespace verilocc::dataset;

TEST(Puzzles, NeedWhatTheGradeSays) {
  for (double grade : puzzle_grades)
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const problem::Problem puzzle = makePuzzle(seed, grade);
      const analysis::LiveRanges live(puzzle);
      const analysis::Choices choices(puzzle);
      const tokens::Outlook outlook(puzzle, live, choices, cost::rulesFor("gfx1030", 32), tokens::limitsOf(puzzle.env));
      EXPECT_LE(outlook.peak(), puzzle.env.max_vgprs);
      EXPECT_NEAR(double(outlook.peak()) / puzzle.env.max_vgprs, grade, 0.06) << "seed " << seed;
    }
}

TEST(Puzzles, EasyOnesAreSolvedAndHardOnesAreJudged) {
  model::ScriptedBackend backend = allocators::ruleBackend(allocators::WordRule::Last);
  PuzzleOptions options;
  options.count = 6;
  options.seconds = 5;
  const std::vector<PuzzleScore> scores = solvePuzzles(&backend, options);
  ASSERT_EQ(scores.size(), std::size(puzzle_grades));
  for (const PuzzleScore &score : scores) {
    EXPECT_EQ(score.solvable + score.impossible + score.open, options.count);
    EXPECT_LE(score.first_fit, score.solvable);
    EXPECT_LE(score.masked, score.repaired);
    // The last place offered is the rule's.
    EXPECT_EQ(score.raw, score.rule) << score.grade;
  }
  EXPECT_EQ(scores.front().raw, options.count);
  if (allocators::hasExact()) {
    // As many registers as the worst point needs: first-fit finds no way where the solver knows one.
    EXPECT_GT(scores.back().solvable, scores.back().first_fit);
  }
}

} // namespace
