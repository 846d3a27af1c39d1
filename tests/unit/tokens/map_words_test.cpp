#include "tokens/map_words.h"

#include "problem/canonicalize.h"
#include "tests/support/random_problem.h"
#include "tokens/episode.h"
#include "tokens/replay.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace verilocc;
using namespace verilocc::tokens;
using problem::Problem;

Problem randomProblem(uint64_t seed) {
  tests::RandomOptions options = tests::randomOptions(seed);
  options.calls = false;
  return tests::randomProblem(options);
}

MapQuestion questionOf(const Problem &problem) {
  return mapQuestion(problem, analysis::Choices(problem));
}

assignment::Homes homesOf(const Problem &problem) {
  const analysis::LiveRanges live(problem);
  Episode episode(problem, live, cost::rulesFor("gfx1030", 32));
  encode(episode, {}, cheapest);
  return episode.homes();
}

TEST(MapWords, EveryWordHasOneNumberAndOneText) {
  std::vector<TokenId> all;
  for (unsigned token = 0; token < mapWords().size(); ++token) {
    all.push_back(static_cast<TokenId>(token));
    EXPECT_EQ(mapWords().tokenOf(mapWords().wordOf(all.back())), token);
  }
  auto parsed = mapWords().parse(mapText(all), "all");
  ASSERT_TRUE(parsed) << parsed.error().str();
  EXPECT_EQ(*parsed, all);
}

TEST(MapWords, HaveAnotherHashThanThoseOfEpisodes) {
  EXPECT_NE(mapWords().hash(), episodeWords().hash());
}

TEST(MapWords, TextAndWordsOfAPromptAreInverse) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const MapQuestion question = questionOf(randomProblem(seed));
    ASSERT_EQ(question.misfit, nullptr);
    auto parsed = mapWords().parse(mapText(question.prompt), "prompt");
    ASSERT_TRUE(parsed) << parsed.error().str();
    EXPECT_EQ(*parsed, question.prompt) << "seed " << seed;
  }
}

TEST(MapWords, AnswersAndHomesAreInverse) {
  unsigned whole = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = randomProblem(seed);
    const MapQuestion question = questionOf(problem);
    assignment::Homes homes = homesOf(problem);
    if (std::ranges::any_of(question.asked, [&](problem::VReg v) { return homes[v] == problem::no_unit; }))
      continue; // a dead end of the rule
    ++whole;
    const std::vector<TokenId> answer = mapAnswer(question, homes);
    EXPECT_EQ(question.length(), question.prompt.size() + answer.size());
    auto returned = homesOf(question, problem.vregs.size(), answer, "answer");
    ASSERT_TRUE(returned) << returned.error().str();
    for (problem::VReg v : question.asked)
      EXPECT_EQ((*returned)[v], homes[v]) << "seed " << seed;
  }
  EXPECT_GT(whole, 20u);
}

TEST(MapWords, APromptSaysTheSameOfWhatAllocatorsCannotTellApart) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem = randomProblem(seed);
    EXPECT_EQ(questionOf(problem).prompt, questionOf(problem::canonicalize(problem).problem).prompt) << "seed " << seed;
  }
}

TEST(MapWords, APromptTellsLimitsWidthsAndAccesses) {
  const Problem problem = randomProblem(3);
  const std::vector<TokenId> prompt = questionOf(problem).prompt;
  Problem fewer = problem;
  --fewer.env.max_vgprs;
  EXPECT_NE(questionOf(fewer).prompt, prompt);
  Problem early = problem;
  const auto isPlain = [&](const problem::Operand &op) {
    return op.isDef() && !op.fixed && problem.isPerThread(op) && !op.has(problem::operand_flag::EarlyClobber);
  };
  const auto def = std::ranges::find_if(early.operands, isPlain);
  ASSERT_NE(def, early.operands.end());
  def->flags |= problem::operand_flag::EarlyClobber;
  EXPECT_NE(questionOf(early).prompt, prompt);
}

TEST(MapWords, HostileAnswersAreRefusedWithTheWord) {
  const Problem problem = randomProblem(2);
  const MapQuestion question = questionOf(problem);
  ASSERT_GT(question.asked.size(), 3u);
  std::vector<TokenId> good;
  for (size_t i = 0; i < question.asked.size(); ++i) {
    good.push_back(askWord(i));
    good.push_back(registerWord(static_cast<problem::RegUnit>(i)));
  }
  const size_t vregs = problem.vregs.size();
  ASSERT_TRUE(homesOf(question, vregs, good, "answer"));
  const auto expectRefused = [&](std::vector<TokenId> answer, const std::string &reason) {
    auto homes = homesOf(question, vregs, answer, "answer");
    ASSERT_FALSE(homes) << reason;
    EXPECT_NE(homes.error().str().find(reason), std::string::npos) << homes.error().str();
    EXPECT_EQ(homes.error().file, "answer");
  };
  expectRefused({}, "word 1 of the answer is missing");
  expectRefused({good.begin(), good.end() - 1}, "is missing");
  auto bad = good;
  std::swap(bad[0], bad[2]);
  expectRefused(bad, "word 1 of the answer is 'vreg.access4.number1' where 'vreg.access4.number0' is due");
  bad = good;
  bad[3] = bad[2];
  expectRefused(bad, "word 4 of the answer is 'vreg.access4.number1', no register");
  bad = good;
  bad[1] = 0xffff;
  expectRefused(bad, "word 2 of the answer is no word");
  bad = good;
  bad.push_back(good[0]);
  expectRefused(bad, "is beyond the last of");
}

TEST(MapWords, WhatDoesNotFitSaysWhy) {
  tests::RandomOptions options;
  options.vector_pool = 60;
  options.calls = false;
  options.insts = 3000;
  EXPECT_STREQ(questionOf(tests::randomProblem(options)).misfit, "blocks");
  options.depth = 0;
  EXPECT_STREQ(questionOf(tests::randomProblem(options)).misfit, "vregs");
  options.insts = 60;
  Problem problem = tests::randomProblem(options);
  EXPECT_EQ(questionOf(problem).misfit, nullptr);
  problem::UnitSet clobbered;
  clobbered.set(problem::first_vgpr + 7);
  problem.clobber_sets.push_back(clobbered);
  problem.insts.front().clobbers = static_cast<int32_t>(problem.clobber_sets.size()) - 1;
  const MapQuestion question = questionOf(problem);
  EXPECT_STREQ(question.misfit, "calls");
  EXPECT_TRUE(question.prompt.empty());
}

TEST(MapWords, OnlyRegistersAreRegisters) {
  for (problem::RegUnit unit = 0; unit < problem::first_sgpr; ++unit)
    EXPECT_EQ(registerOf(registerWord(unit)), unit);
  EXPECT_EQ(registerOf(askWord(5)), problem::no_unit);
}

} // namespace
