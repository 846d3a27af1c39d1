#include "tokens/episode.h"

#include "assignment/case.h"
#include "checker/checker.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"
#include "tokens/replay.h"
#include "tokens/rollout.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>

namespace {

using namespace verilocc;
using namespace verilocc::tokens;
using problem::no_unit;
using problem::Problem;
using problem::VReg;

/// A problem with the architecture's name, so that its rules hold.
Problem randomProblem(uint64_t seed) {
  tests::RandomOptions options = tests::randomOptions(seed);
  options.undefined = 0;
  Problem problem = tests::randomProblem(options);
  const char *const archs[] = {"gfx1030", "gfx1100", "gfx90a"};
  problem.env.arch = options.aligned ? "gfx90a" : archs[seed % 3];
  return problem;
}

struct Game {
  explicit Game(Problem p, EpisodeOptions options = {})
      : problem(std::move(p)),
        live(problem),
        rules(cost::rulesFor(problem.env.arch, problem.env.wave_size)),
        options(std::move(options)) {}
  Episode episode() const { return Episode(problem, live, rules, options); }

  Problem problem;
  analysis::LiveRanges live;
  const cost::Rules &rules;
  EpisodeOptions options;
};

std::vector<TokenId> playRandomly(Episode &episode, uint64_t seed) {
  support::Rng rng(seed);
  std::vector<TokenId> words;
  while (episode.advance(words)) {
    const auto answer = static_cast<unsigned>(rng.below(episode.candidates().size()));
    words.push_back(episode.answerWord(answer));
    episode.answer(answer);
  }
  return words;
}

TEST(Episode, WhateverIsAnsweredIsLegal) {
  unsigned decisions = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Game game(randomProblem(seed));
    Episode episode = game.episode();
    playRandomly(episode, seed);
    const auto result = checker::check(game.problem, assignment::fromHomes(game.problem, episode.homes()));
    EXPECT_EQ(result.verdict, checker::Verdict::Accepted) << "seed " << seed;
    for (VReg v = 0; v < game.problem.vregs.size(); ++v)
      if (const auto home = episode.homes()[v]; home != no_unit && home < problem::first_agpr) {
        EXPECT_LE(home + game.problem.widthOf(v), game.problem.env.max_vgprs) << "seed " << seed;
      }
    decisions += countDecisions(episode.steps());
  }
  EXPECT_GT(decisions, 1000u);
}

TEST(Episode, WordsAndHomesAreInverse) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Game game(randomProblem(seed));
    Episode first = game.episode(), second = game.episode();
    const std::vector<TokenId> words = playRandomly(first, seed);
    auto parsed = parseTokens(textOf(words), "words");
    ASSERT_TRUE(parsed);
    auto again = replay(second, *parsed);
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().str();
    EXPECT_EQ(again->homes, first.homes());
    EXPECT_EQ(again->dead_ends, first.deadEnds());
    EXPECT_NEAR(again->cost, first.cost(), 1e-6);
  }
}

TEST(Episode, RewindingLeavesNoTrace) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Game game(randomProblem(seed));
    Episode straight = game.episode(), winding = game.episode();
    const std::vector<TokenId> expected = playRandomly(straight, seed);
    support::Rng rng(seed), detours(seed + 1000);
    std::vector<TokenId> words, ignored;
    while (winding.advance(words)) {
      const size_t here = winding.steps().size();
      if (detours.chance(0.3)) { // play on at random, then come back
        for (unsigned i = 0; i < 10; ++i) {
          winding.answer(static_cast<unsigned>(detours.below(winding.candidates().size())));
          ignored.clear();
          if (!winding.advance(ignored))
            break;
        }
        winding.rewind(here);
        ignored.clear();
        ASSERT_TRUE(winding.advance(ignored));
      }
      const auto answer = static_cast<unsigned>(rng.below(winding.candidates().size()));
      words.push_back(winding.answerWord(answer));
      winding.answer(answer);
    }
    EXPECT_EQ(words, expected) << "seed " << seed;
    EXPECT_EQ(winding.homes(), straight.homes()) << "seed " << seed;
  }
}

TEST(Episode, WithdrawnDecisionsReplay) {
  unsigned withdrawals = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Game game(randomProblem(seed));
    Episode episode = game.episode(), second = game.episode();
    support::Rng rng(seed);
    std::vector<TokenId> words;
    unsigned left = 3;
    while (episode.advance(words)) {
      if (const unsigned decided = countDecisions(episode.steps()); decided > 3 && left && rng.chance(0.1)) {
        const auto back = static_cast<unsigned>(rng.between(1, decided));
        for (TokenId word : withdrawal(Reason::Costly, back))
          words.push_back(word);
        episode.rewind(stepsWithout(episode.steps(), back));
        --left;
        ++withdrawals;
        continue;
      }
      const auto answer = static_cast<unsigned>(rng.below(episode.candidates().size()));
      words.push_back(episode.answerWord(answer));
      episode.answer(answer);
    }
    auto again = replay(second, words);
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().str();
    EXPECT_EQ(again->homes, episode.homes());
  }
  EXPECT_GT(withdrawals, 20u);
}

TEST(Episode, ReplayRefusesWhatThisProblemWouldNotSay) {
  const Game game(randomProblem(3));
  Episode episode = game.episode();
  const std::vector<TokenId> words = playRandomly(episode, 3);
  const auto fails = [&](std::vector<TokenId> changed, const char *reason) {
    Episode fresh = game.episode();
    auto result = replay(fresh, changed);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find(reason), std::string::npos) << result.error().message;
  };
  std::vector<TokenId> changed = words;
  changed[3] = tokenOf({Family::End});
  fails(changed, "word 3: expected 'life");
  changed = words;
  changed[3] = 0xffff;
  fails(changed, "the unknown word 65535");
  changed = words;
  changed.pop_back();
  fails(changed, "found the end of the sequence");
  changed = words;
  changed.push_back(words[0]);
  fails(changed, "expected nothing after the end");
  changed = words;
  for (TokenId &word : changed)
    if (wordOf(word).family == Family::Take) {
      word = tokenOf({Family::DeadEnd});
      break;
    }
  fails(changed, "expected an answer among");
}

TEST(Episode, CandidatesAreByTotalDifferentAndEachBankIsThere) {
  tests::RandomOptions options;
  options.seed = 5;
  options.calls = options.fixed = false;
  Problem problem = tests::randomProblem(options);
  problem.env.arch = "gfx1030";
  EpisodeOptions only_vectors;
  only_vectors.scalars = false;
  const Game game(problem, only_vectors);
  Episode episode = game.episode();
  std::vector<TokenId> words;
  ASSERT_TRUE(episode.advance(words));
  // Nothing is placed yet: all four banks fit.
  std::set<unsigned> banks;
  std::set<TokenId> said;
  Cycles last = std::numeric_limits<Cycles>::max();
  for (const Candidate &candidate : episode.candidates()) {
    EXPECT_LE(candidate.total(), last);
    last = candidate.total();
    banks.insert(candidate.base % 4);
    EXPECT_TRUE(said.insert(candidate.word).second);
    EXPECT_EQ(episode.excluded(candidate.base).why, Exclusion::None);
  }
  EXPECT_EQ(weighed(episode.candidates()), episode.candidates().size() - 1);
  EXPECT_EQ(episode.excluded(200).why, Exclusion::Limit);
  EXPECT_EQ(episode.excluded(problem::first_sgpr).why, Exclusion::Class);
  EXPECT_EQ(banks.size(), game.rules.valu_banks ? 4u : 1u);
}

TEST(Episode, GivenHomesStandAndLimitsHold) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Game game(randomProblem(seed));
    Episode whole = game.episode();
    playRandomly(whole, seed);
    // Scalars stay, vectors are decided anew.
    assignment::Homes given = whole.homes();
    for (VReg v = 0; v < given.size(); ++v)
      if (game.problem.classOf(v).isPerThread())
        given[v] = no_unit;
    game.options.given = given;
    game.options.limits.vgprs = 24;
    Episode episode = game.episode();
    playRandomly(episode, seed + 1);
    for (VReg v = 0; v < given.size(); ++v) {
      if (given[v] != no_unit) {
        EXPECT_EQ(episode.homes()[v], given[v]) << "seed " << seed;
      }
      if (const auto home = episode.homes()[v]; home != no_unit && home < problem::first_agpr) {
        EXPECT_LE(home + game.problem.widthOf(v), 24u);
      }
    }
  }
}

TEST(Episode, DeadEndsAreCountedAndLeaveTheRestLegal) {
  // Three values at once, two registers.
  auto parsed = assignment::parseCase(R"(ra 1
arch gfx1030
limits vgpr 2 agpr 0 sgpr 16
class vgpr = v0-v255
block 0
  %0:vgpr = A | valu per-thread
  %1:vgpr = B | valu per-thread
  %2:vgpr = C | valu per-thread
  USE %0, %1, %2 | side-effect
)",
                                      "test");
  ASSERT_TRUE(parsed) << parsed.error().str();
  const Game game(parsed->problem);
  Episode episode = game.episode();
  std::vector<TokenId> words = encode(episode, {}, cheapest);
  EXPECT_EQ(episode.deadEnds(), 1u);
  EXPECT_EQ(episode.deadEndWeight(), 2);
  EXPECT_EQ(std::count(words.begin(), words.end(), tokenOf({Family::DeadEnd})), 1);
  EXPECT_EQ(std::count(episode.homes().begin(), episode.homes().end(), no_unit), 1);
}

TEST(Episode, CostsAreThoseOfThePlacement) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Game game(randomProblem(seed));
    Episode episode = game.episode();
    std::vector<TokenId> words;
    support::Rng rng(seed);
    while (episode.advance(words)) {
      const auto answer = static_cast<unsigned>(rng.below(episode.candidates().size()));
      const double before = episode.cost();
      const Cycles expected = episode.candidates()[answer].cost;
      episode.answer(answer);
      EXPECT_NEAR(episode.cost() - before, double(expected) / cycle, 1e-3) << "seed " << seed;
    }
  }
}

TEST(Episode, ForeseesThatPartnersWillClash) {
  // Four values meet a fifth that is placed after them: spread over all banks they leave it none, in one they leave
  // three.
  auto parsed = assignment::parseCase(R"(ra 1
arch gfx1030
limits vgpr 16 agpr 0 sgpr 16
class vgpr = v0-v255
class quad width 4 = v0-v252
block 0
  %0:vgpr = A | valu per-thread
  %1:vgpr = A | valu per-thread
  %2:vgpr = A | valu per-thread
  %3:vgpr = A | valu per-thread
  %4:vgpr = B | lds-load per-thread
  %5:vgpr = FMA %4, %0 | valu per-thread
  %6:vgpr = FMA %4, %1 | valu per-thread
  %7:vgpr = FMA %4, %2 | valu per-thread
  %8:vgpr = FMA %4, %3 | valu per-thread
  USE %5, %6, %7, %8 | side-effect
)",
                                      "test");
  ASSERT_TRUE(parsed) << parsed.error().str();
  const Game game(parsed->problem);
  Episode blind = game.episode(), seeing = game.episode();
  encode(blind, {}, cheapest);
  encode(seeing, {}, foresighted);
  EXPECT_GT(blind.cost(), 0);
  EXPECT_EQ(seeing.cost(), 0);
}

TEST(Rollout, FollowingTheBestIsNoWorseThanTheRule) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const Game game(randomProblem(seed));
    Episode ruled = game.episode(), rolled = game.episode();
    encode(ruled, {}, packed);
    std::vector<TokenId> words;
    RolloutOptions options;
    options.rule = packed;
    while (rolled.advance(words)) {
      const size_t steps = rolled.steps().size();
      const std::vector<double> values = rollout(rolled, options);
      ASSERT_EQ(values.size(), rolled.candidates().size());
      ASSERT_EQ(rolled.steps().size(), steps);
      const std::vector<double> labels = softLabels(values, 1, 1);
      EXPECT_NEAR(std::accumulate(labels.begin(), labels.end(), 0.0), 1, 1e-9);
      const unsigned rule = packed(rolled.candidates());
      const auto best = std::min_element(values.begin(), values.end());
      rolled.answer(*best < values[rule] - 1e-6 ? static_cast<unsigned>(best - values.begin()) : rule);
    }
    EXPECT_LE(value(rolled, options.dead_end), value(ruled, options.dead_end) + 1e-3) << "seed " << seed;
  }
}

} // namespace
