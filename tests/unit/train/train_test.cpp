#include "train/train.h"

#include "model/checkpoint.h"
#include "model/files.h"
#include "model/native.h"
#include "tests/unit/model/temporary.h"
#include "tests/unit/train/synthetic.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace verilocc::train {
namespace {

TrainOptions quick(const model::TemporaryFolder &folder, const std::string &run) {
  TrainOptions options;
  options.training = {writeSynthetic(folder / "a.shard", 1, 60, 200), writeSynthetic(folder / "b.shard", 2, 60, 200)};
  options.validation = {writeSynthetic(folder / "v.shard", 3, 20, 200)};
  options.folder = folder / run;
  options.shape = {.width = 32, .layers = 2, .heads = 2, .kv_heads = 2, .feed_forward = 64, .window = 32};
  options.storage = model::Storage::F32;
  options.context = 64;
  options.overlap = 16;
  options.batch_tokens = 1024;
  options.max_steps = 30;
  options.warmup_steps = 10;
  options.learning_rate = 5e-3;
  options.threads = 1;
  options.validate_every = 10;
  options.save_seconds = 1000;
  return options;
}

std::vector<nlohmann::json> logOf(const TrainOptions &options) {
  std::istringstream in(*model::readFile(options.folder + "/log.jsonl"));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(Train, LearnsATaskThatNeedsAttention) {
  model::TemporaryFolder folder;
  TrainOptions options = quick(folder, "run");
  options.max_steps = 500;
  options.validate_every = 100;
  unsigned lines = 0, judged = 0;
  options.progress = [&](const std::string &) { ++lines; };
  options.judge = [&](const model::Weights &weights) {
    EXPECT_EQ(weights.shape.vocab_size, synthetic_vocab);
    ++judged;
    return std::map<std::string, double>{{"accepted", 0.5}};
  };
  auto result = train(options);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->stopped_by, "steps");
  EXPECT_GT(result->validation.accuracy, 0.95);
  EXPECT_LT(result->validation.loss, 0.2);
  EXPECT_LT(result->validation.regret, 1);
  EXPECT_NEAR(result->validation.rule_regret, 20 * 15 / 16.0, 1.5); // one of sixteen is right, others have no label
  EXPECT_GT(judged, 3u);
  const auto log = logOf(options);
  EXPECT_EQ(log.size(), lines);
  EXPECT_EQ(log.front()["kind"], "start");
  EXPECT_EQ(log.back()["accepted"], 0.5);
  EXPECT_EQ(log.back()["kind"], "validation");

  // The exported model answers in the native decoder.
  auto checkpoint = model::readCheckpoint(options.folder + "/best.gguf", {.vocab_hash = 77});
  ASSERT_TRUE(checkpoint) << checkpoint.error().str();
  auto backend = model::nativeBackend(checkpoint->weights, 77);
  unsigned right = 0, asked = 0;
  for (const model::TrainingSequence &sequence : syntheticSet(9, 10, 300)) {
    model::Sequence open(*backend);
    model::Logits logits;
    size_t fed = 0;
    for (const model::Decision &decision : sequence.decisions) {
      open.feed(std::span(sequence.tokens).subspan(fed, decision.position - fed), logits);
      fed = decision.position;
      const auto best = std::ranges::max_element(logits.row(0)) - logits.row(0).begin();
      right += std::ranges::any_of(decision.answers, [&](const auto &answer) { return answer.token == best; });
      ++asked;
    }
  }
  EXPECT_GT(right, 0.95 * asked);
}

TEST(Train, AnInterruptedRunGivesTheSameWeights) {
  model::TemporaryFolder folder;
  const TrainOptions whole = quick(folder, "whole");
  ASSERT_TRUE(train(whole));

  TrainOptions parts = quick(folder, "parts");
  parts.save_seconds = 0; // after every step
  unsigned lines = 0;
  // Killed without warning: what was saved last is all there is.
  parts.progress = [&](const std::string &) {
    if (++lines == 3)
      throw std::runtime_error("killed");
  };
  EXPECT_THROW((void)train(parts), std::runtime_error);
  parts.progress = nullptr;
  auto result = train(parts);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->steps, 30u);
  EXPECT_EQ(*model::readFile(whole.folder + "/last.gguf"), *model::readFile(parts.folder + "/last.gguf"));

  // The log has every validation once.
  std::vector<uint64_t> steps;
  for (const auto &line : logOf(parts))
    if (line["kind"] == "validation")
      steps.push_back(line["step"]);
  EXPECT_EQ(steps, (std::vector<uint64_t>{10, 20, 30}));
}

TEST(Train, AFinishedRunIsNotRepeatedAndCanBeMadeLonger) {
  model::TemporaryFolder folder;
  TrainOptions options = quick(folder, "run");
  ASSERT_TRUE(train(options));
  auto again = train(options);
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(again->steps, 30u);
  options.max_steps = 40;
  auto longer = train(options);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->steps, 40u);
}

TEST(Train, StopsWhenValidationNoLongerImproves) {
  model::TemporaryFolder folder;
  TrainOptions options = quick(folder, "run");
  options.learning_rate = 1e-12; // nothing is learned
  options.max_steps = 10000;
  options.validate_every = 2;
  options.patience = 3;
  auto result = train(options);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->stopped_by, "patience");
  EXPECT_LT(result->steps, 200u);
}

TEST(Train, GoesOnFromACheckpoint) {
  model::TemporaryFolder folder;
  TrainOptions options = quick(folder, "first");
  options.max_steps = 300;
  auto first = train(options);
  ASSERT_TRUE(first);
  TrainOptions second = quick(folder, "second");
  second.initial = options.folder + "/last.gguf";
  second.shape = {}; // that of the checkpoint is taken
  second.max_steps = 10;
  auto result = train(second);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_LT(result->validation.loss, first->validation.loss * 1.5);
}

TEST(Train, RefusesWhatDoesNotFit) {
  model::TemporaryFolder folder;
  TrainOptions options = quick(folder, "run");
  auto reason = [](const TrainOptions &asked) {
    auto result = train(asked);
    return result ? std::string() : result.error().str();
  };
  TrainOptions wrong = options;
  wrong.training.push_back(writeSynthetic(folder / "other.shard", 1, 3, 50, 78));
  EXPECT_NE(reason(wrong).find("other.shard"), std::string::npos) << reason(wrong);
  wrong = options;
  wrong.validation = {folder / "none"};
  EXPECT_NE(reason(wrong).find("none"), std::string::npos);
  wrong = options;
  wrong.max_steps = 0;
  EXPECT_NE(reason(wrong).find("limit"), std::string::npos);
  wrong = options;
  wrong.folder = "/proc/nothing/here";
  EXPECT_NE(reason(wrong), "");
  ASSERT_TRUE(train(options));
  wrong = options;
  wrong.learning_rate = 1;
  EXPECT_NE(reason(wrong).find("other options"), std::string::npos) << reason(wrong);
  ASSERT_TRUE(model::writeFile(options.folder + "/state.pt", "garbage"));
  EXPECT_NE(reason(options).find("not a training state"), std::string::npos) << reason(options);
}

} // namespace
} // namespace verilocc::train
