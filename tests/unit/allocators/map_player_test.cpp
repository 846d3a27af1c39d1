#include "allocators/map_player.h"

#include "allocators/search.h"
#include "model/native.h"
#include "model/scripted.h"
#include "model/weights.h"
#include "tests/support/random_problem.h"
#include "tests/unit/model/http_server.h"
#include "tokens/map_after.h"
#include "tokens/map_words.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace verilocc;
using namespace verilocc::allocators;
using problem::no_unit;

struct Task {
  explicit Task(uint64_t seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    options.calls = false;
    problem = tests::randomProblem(options);
    problem.env.arch = options.aligned ? "gfx90a" : "gfx1030";
    rules = &cost::rulesFor(problem.env.arch, problem.env.wave_size);
    live = std::make_unique<analysis::LiveRanges>(problem);
    SearchOptions search_options;
    search_options.limits = {problem.env.max_vgprs, problem.env.max_agprs};
    const SearchResult found = search(problem, *live, *rules, {}, search_options);
    solved = found.unplaced == 0;
    homes = found.homes;
    question = tokens::mapQuestion(problem, analysis::Choices(problem));
  }
  MapPlayed play(model::LmBackend &backend, unsigned attempts = 1) const {
    return playMap(problem, *live, *rules, backend, {.attempts = attempts});
  }
  /// Says what `answers` has for each vreg asked.
  model::ScriptedBackend says(std::vector<tokens::TokenId> answers) const {
    return {
        tokens::mapWords().size(), static_cast<unsigned>(question.length()),
        [answers, prompt = question.prompt.size()](std::span<const model::TokenId> history, std::span<float> logits) {
          std::ranges::fill(logits, -5.f);
          if (history.size() > prompt)
            logits[answers[(history.size() - prompt) / 2]] = 9;
        }};
  }
  std::vector<tokens::TokenId> teacher() const {
    std::vector<tokens::TokenId> answers;
    for (problem::VReg v : question.asked)
      answers.push_back(tokens::registerWord(homes[v]));
    return answers;
  }

  problem::Problem problem;
  std::unique_ptr<analysis::LiveRanges> live;
  const cost::Rules *rules;
  assignment::Homes homes;
  bool solved;
  tokens::MapQuestion question;
};

TEST(MapPlayer, WhoSaysTheTeachersAnswerIsAccepted) {
  unsigned solved = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Task task(seed);
    if (!task.solved)
      continue;
    ++solved;
    auto backend = task.says(task.teacher());
    const MapPlayed played = task.play(backend, 3);
    ASSERT_EQ(played.misfit, nullptr);
    ASSERT_EQ(played.attempts.size(), 3u);
    const MapAttempt &first = played.attempts.front();
    EXPECT_EQ(first.outcome, Outcome::Accepted) << "seed " << seed;
    EXPECT_EQ(first.legal, first.decisions);
    EXPECT_EQ(first.decisions, task.question.asked.size());
    ASSERT_TRUE(played.masked);
    EXPECT_EQ(played.masked->outcome, Outcome::Accepted);
    EXPECT_EQ(played.masked->homes, first.homes);
    for (problem::VReg v : task.question.asked)
      EXPECT_EQ(first.homes[v], task.homes[v]);
  }
  EXPECT_GT(solved, 10u);
}

TEST(MapPlayer, WrongAnswersAreCountedAndRejected) {
  const Task task(1);
  ASSERT_TRUE(task.solved);
  // All in one register: the first is legal, what lives beside it is not.
  std::vector<tokens::TokenId> answers(task.question.asked.size(), task.teacher().front());
  auto one = task.says(answers);
  MapPlayed played = task.play(one);
  EXPECT_EQ(played.attempts[0].outcome, Outcome::Rejected);
  EXPECT_GE(played.attempts[0].legal, 1u);
  EXPECT_LT(played.attempts[0].legal, played.attempts[0].decisions);
  // No register at all.
  answers[2] = tokens::askWord(0);
  auto nonsense = task.says(answers);
  played = task.play(nonsense);
  EXPECT_EQ(played.attempts[0].outcome, Outcome::Illegal);
  EXPECT_EQ(played.attempts[0].decisions, answers.size()) << "all are asked";
  EXPECT_EQ(played.attempts[0].homes[task.question.asked[2]], no_unit);
}

TEST(MapPlayer, NonsenseIsNeverAcceptedWrongly) {
  unsigned accepted = 0, dead_ends = 0;
  for (uint64_t seed = 1; seed <= 14; ++seed) {
    const Task task(seed);
    auto backend = model::nonsenseBackend(tokens::mapWords().size(), static_cast<unsigned>(task.question.length()),
                                          seed, static_cast<model::Nonsense>(seed % 7));
    const MapPlayed played = task.play(backend, 4);
    for (const MapAttempt &attempt : played.attempts)
      EXPECT_NE(attempt.outcome, Outcome::Accepted);
    ASSERT_TRUE(played.masked);
    accepted += played.masked->outcome == Outcome::Accepted;
    dead_ends += played.masked->outcome == Outcome::DeadEnd;
    if (played.masked->outcome == Outcome::Accepted) {
      EXPECT_EQ(checker::check(task.problem, assignment::fromHomes(task.problem, played.masked->homes)).verdict,
                checker::Verdict::Accepted);
    }
  }
  EXPECT_EQ(accepted + dead_ends, 14u) << "a mask leaves nothing to reject";
  EXPECT_GT(accepted, 0u);
}

TEST(MapPlayer, AContextThatIsTooShortIsAMisfit) {
  const Task task(1);
  model::Shape shape{
      .vocab_size = tokens::mapWords().size(), .width = 32, .layers = 1, .heads = 1, .kv_heads = 1, .feed_forward = 32};
  for (unsigned missing : {1u, 0u}) {
    shape.window = static_cast<unsigned>(task.question.length()) - missing;
    const auto backend = model::nativeBackend(model::randomWeights(shape, 5, 3), tokens::mapWords().hash());
    const MapPlayed played = task.play(*backend, 2);
    if (missing) {
      EXPECT_STREQ(played.misfit, "context");
      EXPECT_TRUE(played.attempts.empty());
    } else {
      EXPECT_EQ(played.misfit, nullptr);
      EXPECT_EQ(played.attempts.size(), 2u);
    }
  }
}

TEST(MapPlayer, AServerIsAskedTheTextAndItsAnswersAreChecked) {
  const Task task(1);
  ASSERT_TRUE(task.solved);
  const std::string good = tokens::mapCompletion(task.problem, task.homes);
  const std::string answers[] = {good, "I think %0 should be v3\n", good.substr(good.find('\n') + 1)};
  size_t given = 0;
  model::HttpServer server({[&](const model::HttpServer::Request &request) {
    const auto body = nlohmann::json::parse(request.body);
    auto list = nlohmann::json::array();
    for (unsigned i = 0; i < body["n"]; ++i)
      list.push_back({{"text", answers[given++ % 3]}, {"finish_reason", "stop"}});
    return model::HttpServer::reply(200, nlohmann::json{{"choices", list}}.dump());
  }});
  model::RemoteOptions remote;
  remote.url = server.url();
  remote.key_variable = "VERILOCC_TEST_NO_KEY";
  auto played = askMap(task.problem, *task.live, *task.rules, remote, {.attempts = 3});
  ASSERT_TRUE(played) << played.error().str();
  ASSERT_EQ(played->attempts.size(), 3u);
  EXPECT_EQ(played->attempts[0].outcome, Outcome::Accepted);
  EXPECT_EQ(played->attempts[1].outcome, Outcome::Illegal);
  EXPECT_EQ(played->attempts[2].outcome, Outcome::Illegal) << "a vreg is left out";
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(requests[0].body)["prompt"], tokens::mapPrompt(task.problem));
  EXPECT_EQ(nlohmann::json::parse(requests[0].body)["temperature"], 0);
  EXPECT_EQ(nlohmann::json::parse(requests[1].body)["n"], 2);
}

} // namespace
