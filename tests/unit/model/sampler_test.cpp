#include "model/sampler.h"

#include "model/scripted.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace verilocc::model {
namespace {

std::map<TokenId, double> frequencies(const std::vector<float> &logits, const std::vector<TokenId> &allowed,
                                      const SamplerOptions &options) {
  constexpr unsigned draws = 20000;
  support::Rng rng(7);
  std::map<TokenId, double> result;
  for (unsigned i = 0; i < draws; ++i)
    result[sample(logits, allowed, options, rng).token] += 1.0 / draws;
  return result;
}

TEST(Sampler, DrawsWithTheModelsProbabilities) {
  const std::vector<float> logits = {0, std::log(2.0f), std::log(5.0f)};
  auto seen = frequencies(logits, {}, {});
  EXPECT_NEAR(seen[0], 1 / 8.0, 0.02);
  EXPECT_NEAR(seen[1], 2 / 8.0, 0.02);
  EXPECT_NEAR(seen[2], 5 / 8.0, 0.02);
}

TEST(Sampler, TemperatureSharpensAndFlattens) {
  const std::vector<float> logits = {0, std::log(2.0f)};
  EXPECT_NEAR(frequencies(logits, {}, {.temperature = 0.5})[1], 0.8, 0.02);           // 1 : 4
  EXPECT_NEAR(frequencies(logits, {}, {.temperature = 2})[1], 1.4142 / 2.4142, 0.02); // 1 : sqrt 2
}

TEST(Sampler, GreedyTakesTheFirstOfTheBest) {
  support::Rng rng(1);
  const std::vector<float> logits = {1, 3, 3, 2};
  EXPECT_EQ(sample(logits, {}, {.temperature = 0}, rng).token, 1);
  const std::vector<TokenId> allowed = {3, 0};
  const Sample masked = sample(logits, allowed, {.temperature = 0}, rng);
  EXPECT_EQ(masked.token, 3);
  EXPECT_NEAR(masked.probability, std::exp(2) / (std::exp(2) + std::exp(1)), 1e-6);
}

TEST(Sampler, TopKAndTopPCutTheTail) {
  const std::vector<float> logits = {std::log(1.0f), std::log(4.0f), std::log(3.0f), std::log(2.0f)};
  auto k = frequencies(logits, {}, {.top_k = 2});
  EXPECT_EQ(k.size(), 2u);
  EXPECT_NEAR(k[1], 4 / 7.0, 0.02);
  auto p = frequencies(logits, {}, {.top_p = 0.65}); // 0.4 + 0.3 reach it
  EXPECT_EQ(p.size(), 2u);
  EXPECT_TRUE(p.count(2));
  EXPECT_EQ(frequencies(logits, {}, {.top_p = 0}).size(), 1u);
}

TEST(Sampler, MaskIsRespectedWhateverTheLogits) {
  const std::vector<TokenId> allowed = {4, 9, 2};
  for (Nonsense kind : {Nonsense::Random, Nonsense::Peaked, Nonsense::Constant, Nonsense::Repeat, Nonsense::NotANumber,
                        Nonsense::Infinite, Nonsense::Mixed}) {
    ScriptedBackend backend = nonsenseBackend(12, 8, 3, kind);
    Sequence sequence(backend);
    Logits logits;
    support::Rng rng(5);
    TokenId last = 0;
    for (unsigned i = 0; i < 200; ++i) {
      sequence.feed({&last, 1}, logits);
      const SamplerOptions options{.temperature = i % 3 * 0.7, .top_k = i % 4, .top_p = i % 5 ? 1.0 : 0.5};
      const Sample drawn = sample(logits.row(0), allowed, options, rng);
      ASSERT_TRUE(std::ranges::count(allowed, drawn.token)) << drawn.token;
      ASSERT_GE(drawn.probability, 0);
      ASSERT_LE(drawn.probability, 1 + 1e-9);
      double sum = 0;
      for (double one : probabilities(logits.row(0), allowed))
        sum += one;
      ASSERT_NEAR(sum, 1, 1e-9);
      last = drawn.token;
    }
  }
}

TEST(Sampler, SameSeedSameTokens) {
  const std::vector<float> logits(50, 0.5f);
  support::Rng a(11), b(11), c(12);
  unsigned different = 0;
  for (unsigned i = 0; i < 100; ++i) {
    const TokenId token = sample(logits, {}, {}, a).token;
    EXPECT_EQ(token, sample(logits, {}, {}, b).token);
    different += token != sample(logits, {}, {}, c).token;
  }
  EXPECT_GT(different, 50u);
}

} // namespace
} // namespace verilocc::model
