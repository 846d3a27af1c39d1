#include "allocators/learned.h"

#include "allocators/planned.h"
#include "allocators/rule_backend.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"
#include "tokens/replay.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace verilocc;
using namespace verilocc::allocators;
using problem::no_unit;
using problem::Problem;

Problem randomProblem(uint64_t seed, unsigned vgprs = 64) {
  tests::RandomOptions options = tests::randomOptions(seed);
  options.undefined = 0;
  options.max_vgprs = std::min(options.max_vgprs, vgprs);
  Problem problem = tests::randomProblem(options);
  problem.env.arch = options.aligned ? "gfx90a" : seed % 2 ? "gfx1030" : "gfx1100";
  return problem;
}

struct Task {
  explicit Task(Problem p)
      : problem(std::move(p)), live(problem), rules(cost::rulesFor(problem.env.arch, problem.env.wave_size)) {}
  LearnedResult run(model::LmBackend &backend, const LearnedOptions &options, AttemptLog *log = nullptr) const {
    return learned(problem, live, rules, backend, options, log);
  }
  Problem problem;
  analysis::LiveRanges live;
  const cost::Rules &rules;
};

TEST(Learned, RulePlaysThroughTheModelsInterface) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const Task task(randomProblem(seed));
    for (WordRule rule : {WordRule::First, WordRule::Last, WordRule::Foresighted}) {
      model::ScriptedBackend backend = ruleBackend(rule);
      AttemptLog log;
      const LearnedResult result = task.run(backend, {}, &log);
      ASSERT_EQ(log.attempts.size(), 1u);
      EXPECT_EQ(result.verdict, checker::Verdict::Accepted) << "seed " << seed;
      EXPECT_EQ(log.attempts[0].legal, log.attempts[0].decisions);
      EXPECT_EQ(log.attempts[0].outcome == Outcome::Accepted, result.dead_ends == 0);
    }
    // The first place is what the episode's own first candidate is.
    model::ScriptedBackend backend = ruleBackend(WordRule::First);
    LearnedOptions options;
    options.repairs = 0;
    options.avoid_dead_ends = options.finish = false;
    tokens::Episode episode(task.problem, task.live, task.rules, planned(task.problem, task.live, task.rules));
    tokens::encode(episode, {}, [](std::span<const tokens::Candidate>) { return 0u; });
    EXPECT_EQ(task.run(backend, options).homes, episode.homes()) << "seed " << seed;
  }
}

TEST(Learned, NonsenseIsNeverTurnedIntoAWrongAnswer) {
  using model::Nonsense;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Task task(randomProblem(seed, 32));
    for (Nonsense kind : {Nonsense::Random, Nonsense::Peaked, Nonsense::Constant, Nonsense::Repeat,
                          Nonsense::NotANumber, Nonsense::Infinite, Nonsense::Mixed})
      for (bool mask : {true, false}) {
        model::ScriptedBackend backend = model::nonsenseBackend(tokens::vocabSize(), 64, seed, kind);
        LearnedOptions options;
        options.attempts = 3;
        options.mask = mask;
        AttemptLog log;
        const LearnedResult result = task.run(backend, options, &log);
        // Legal in any case; complete only under a mask, if at all.
        EXPECT_EQ(result.verdict, checker::Verdict::Accepted) << "seed " << seed;
        EXPECT_EQ(log.attempts.size(), 3u);
        for (const Attempt &attempt : log.attempts)
          if (mask) {
            EXPECT_NE(attempt.outcome, Outcome::Illegal);
          }
      }
  }
}

TEST(Learned, AnswersThatAreNoneEndAnAttemptWithoutMask) {
  const Task task(randomProblem(2));
  const tokens::TokenId end = tokens::tokenOf({tokens::Family::End});
  model::ScriptedBackend backend(tokens::vocabSize(), 64,
                                 [&](std::span<const model::TokenId>, std::span<float> logits) {
                                   std::fill(logits.begin(), logits.end(), 0.0f);
                                   logits[end] = 5;
                                 });
  LearnedOptions options;
  options.mask = false;
  AttemptLog log;
  task.run(backend, options, &log);
  EXPECT_EQ(log.attempts[0].outcome, Outcome::Illegal);
  EXPECT_EQ(log.attempts[0].decisions, 1u);
  EXPECT_EQ(log.attempts[0].legal, 0u);
  options.mask = true;
  log = {};
  task.run(backend, options, &log);
  EXPECT_NE(log.attempts[0].outcome, Outcome::Illegal);
  EXPECT_EQ(log.attempts[0].legal, 0u);
  EXPECT_FALSE(log.attempts[0].isRaw());
}

TEST(Learned, RepairWithdrawsOnlyWhatIsInTheWay) {
  unsigned stuck = 0, mended = 0, kept = 0, all = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const Task task(randomProblem(seed, 18));
    LearnedOptions options;
    options.repairs = 0;
    options.avoid_dead_ends = false; // the plan would lead round them
    options.finish = false;
    model::ScriptedBackend backend = model::nonsenseBackend(tokens::vocabSize(), 64, seed, model::Nonsense::Random);
    const LearnedResult without = task.run(backend, options);
    if (!without.dead_ends)
      continue;
    ++stuck;
    options.repairs = 64;
    AttemptLog log;
    const LearnedResult with = task.run(backend, options, &log);
    EXPECT_EQ(with.verdict, checker::Verdict::Accepted);
    mended += with.dead_ends == 0;
    all += log.attempts[0].decisions;
    kept += log.attempts[0].decisions - log.attempts[0].withdrawn;
    // The recorded words, withdrawals among them, lead to the same homes.
    auto again = replayAttempt(task.problem, task.live, task.rules, {}, log.attempts[0]);
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().str();
    if (!with.finished) {
      EXPECT_EQ(*again, with.homes) << "seed " << seed;
    }
  }
  EXPECT_GT(stuck, 10u);
  EXPECT_GT(mended, 0u);
  EXPECT_GT(kept, 0u);
  EXPECT_GT(all, kept);
}

TEST(Learned, SameSeedSameAnswerAndMoreAttemptsAreNoWorse) {
  unsigned comparable = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Task task(randomProblem(seed, 40));
    model::ScriptedBackend backend = model::nonsenseBackend(tokens::vocabSize(), 64, 7, model::Nonsense::Random);
    LearnedOptions options;
    options.attempts = 8;
    options.seed = seed;
    AttemptLog log;
    const LearnedResult first = task.run(backend, options, &log);
    options.together = 3; // side by side or not is no difference
    AttemptLog again_log;
    const LearnedResult again = task.run(backend, options, &again_log);
    EXPECT_EQ(first.homes, again.homes);
    for (size_t i = 0; i < log.attempts.size(); ++i)
      EXPECT_EQ(log.attempts[i].words, again_log.attempts[i].words);
    options.attempts = 1;
    const LearnedResult single = task.run(backend, options);
    if (single.dead_ends == 0) {
      EXPECT_EQ(first.dead_ends, 0u);
      EXPECT_LE(first.cost, single.cost);
      ++comparable;
    }
  }
  EXPECT_GT(comparable, 2u);
}

TEST(Learned, TheLogIsTextAndReplays) {
  const Task task(randomProblem(5, 32));
  model::ScriptedBackend backend = model::nonsenseBackend(tokens::vocabSize(), 64, 7, model::Nonsense::Mixed);
  LearnedOptions options;
  options.attempts = 4;
  options.finish = false;
  AttemptLog log;
  log.model = 0x1234567890abcdef;
  const LearnedResult result = task.run(backend, options, &log);
  auto parsed = parseAttemptLog(print(log), "log");
  ASSERT_TRUE(parsed) << parsed.error().str();
  EXPECT_EQ(print(*parsed), print(log));
  EXPECT_EQ(parsed->model, log.model);
  auto homes = replayAttempt(task.problem, task.live, task.rules, {}, parsed->attempts[result.best]);
  ASSERT_TRUE(homes) << homes.error().str();
  EXPECT_EQ(*homes, result.homes);
  // On another problem the words do not fit.
  const Task other(randomProblem(6, 32));
  EXPECT_FALSE(replayAttempt(other.problem, other.live, other.rules, {}, parsed->attempts[result.best]));
  for (const char *bad : {"", "attempts 2\n", "attempts 1\nvocabulary 0x1\n",
                          "attempts 1\nvocabulary 0x1\nmodel 0x0\nattempt seed 0x1 temperature x\n"})
    EXPECT_FALSE(parseAttemptLog(bad, "log")) << bad;
  std::string cut = print(log);
  cut.resize(cut.size() - 6);
  EXPECT_FALSE(parseAttemptLog(cut, "log"));
}

TEST(Learned, ObserverSeesProbabilitiesOfTheCandidates) {
  const Task task(randomProblem(4));
  model::ScriptedBackend backend = ruleBackend(WordRule::Last);
  LearnedOptions options;
  unsigned seen = 0;
  options.observe = [&](const tokens::Episode &episode, std::span<const double> probabilities) {
    ASSERT_EQ(probabilities.size(), episode.candidates().size());
    double sum = 0;
    for (double p : probabilities)
      sum += p;
    EXPECT_NEAR(sum, 1, 1e-6);
    ++seen;
  };
  AttemptLog log;
  task.run(backend, options, &log);
  EXPECT_GT(seen, 0u);
  EXPECT_LE(seen, log.attempts[0].decisions);
}

} // namespace
