// The fast decoder against the plain reference, and against itself: cut, batched, forked and threaded differently.

#include "model/native.h"

#include "model/kv_cache.h"
#include "model/reference.h"
#include "support/rng.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace verilocc::model {
namespace {

// Largest difference over the largest logit. Sums of some hundred products in float, over a few layers.
constexpr double tolerance = 2e-5;

Shape tiny(unsigned window = 40) {
  return {.vocab_size = 37, .width = 64, .layers = 3, .heads = 4, .kv_heads = 2, .feed_forward = 96, .window = window};
}

std::vector<TokenId> randomTokens(size_t count, unsigned vocab, uint64_t seed) {
  support::Rng rng(seed);
  std::vector<TokenId> tokens(count);
  for (TokenId &token : tokens)
    token = static_cast<TokenId>(rng.below(vocab));
  return tokens;
}

/// Logits after each token, fed one by one.
std::vector<std::vector<float>> oneByOne(LmBackend &backend, std::span<const TokenId> tokens) {
  Sequence sequence(backend);
  std::vector<std::vector<float>> result;
  Logits logits;
  for (TokenId token : tokens) {
    sequence.feed({&token, 1}, logits);
    result.emplace_back(logits.row(0).begin(), logits.row(0).end());
  }
  return result;
}

void expectNear(const std::vector<std::vector<float>> &got, const std::vector<std::vector<double>> &want) {
  ASSERT_EQ(got.size(), want.size());
  double worst = 0, most = 0;
  for (size_t t = 0; t < got.size(); ++t)
    for (size_t i = 0; i < got[t].size(); ++i) {
      worst = std::max(worst, std::abs(got[t][i] - want[t][i]));
      most = std::max(most, std::abs(want[t][i]));
    }
  EXPECT_GT(most, 0.5) << "logits too dull to tell anything";
  EXPECT_LT(worst / most, tolerance);
}

TEST(Native, EqualsTheReference) {
  for (unsigned window : {1u, 5u, 31u, 32u, 33u, 64u, 100u}) {
    for (bool plain : {false, true}) {
      SCOPED_TRACE(testing::Message() << "window " << window << (plain ? " plain" : ""));
      const Weights weights = randomWeights(tiny(window), 1, 8);
      auto backend = nativeBackend(weights, 0, {.plain_kernels = plain});
      const auto tokens = randomTokens(130, 37, window);
      expectNear(oneByOne(*backend, tokens), referenceLogits(weights, tokens));
    }
  }
}

TEST(Native, EqualsTheReferenceInOtherShapes) {
  const Shape shapes[] = {
      {.vocab_size = 5, .width = 32, .layers = 1, .heads = 1, .kv_heads = 1, .feed_forward = 32, .window = 16},
      {.vocab_size = 301, .width = 96, .layers = 2, .heads = 12, .kv_heads = 12, .feed_forward = 160, .window = 50},
      {.vocab_size = 64,
       .width = 160,
       .layers = 2,
       .heads = 2,
       .kv_heads = 1,
       .feed_forward = 64,
       .window = 70,
       .rope_base = 500,
       .norm_epsilon = 1e-3f}};
  for (const Shape &shape : shapes) {
    ASSERT_TRUE(shape.check());
    const Weights weights = randomWeights(shape, 4, 8);
    auto backend = nativeBackend(weights, 0);
    const auto tokens = randomTokens(75, shape.vocab_size, 9);
    expectNear(oneByOne(*backend, tokens), referenceLogits(weights, tokens));
  }
}

TEST(Native, WindowHidesWhatLiesBeforeIt) {
  // One layer, so that nothing comes through by way of the tokens in between.
  Shape shape = tiny(20);
  shape.layers = 1;
  auto backend = nativeBackend(randomWeights(shape, 1, 8), 0);
  auto tokens = randomTokens(60, 37, 2);
  auto after = [&] {
    Sequence sequence(*backend);
    Logits logits;
    sequence.feed(tokens, logits);
    return logits.values;
  };
  const auto before = after();
  tokens[39] = (tokens[39] + 1) % 37; // 21 back from the end
  EXPECT_EQ(before, after());
  tokens[40] = (tokens[40] + 1) % 37;
  EXPECT_NE(before, after());
}

TEST(Native, ChunksNeighboursAndThreadsChangeNoBit) {
  const Weights weights = randomWeights(tiny(), 1, 8);
  auto alone = nativeBackend(weights, 0);
  constexpr size_t sequences = 7, length = 400;
  std::vector<std::vector<TokenId>> tokens;
  std::vector<std::vector<std::vector<float>>> want;
  for (size_t s = 0; s < sequences; ++s) {
    tokens.push_back(randomTokens(length, 37, 100 + s));
    want.push_back(oneByOne(*alone, tokens[s]));
  }
  for (unsigned threads : {1u, 2u, 3u}) {
    auto backend = nativeBackend(weights, 0, {.threads = threads});
    std::vector<Sequence> open;
    for (size_t s = 0; s < sequences; ++s)
      open.emplace_back(*backend);
    std::vector<size_t> fed(sequences, 0);
    support::Rng rng(threads);
    Logits logits;
    while (std::ranges::any_of(fed, [](size_t n) { return n < length; })) {
      std::vector<Chunk> chunks;
      std::vector<size_t> of;
      for (size_t s = 0; s < sequences; ++s) {
        // Long ones too, which are cut inside.
        const size_t count = std::min<size_t>(length - fed[s], rng.below(rng.chance(0.05) ? 300 : 20));
        if (count == 0)
          continue;
        chunks.push_back({open[s].id(), std::span(tokens[s]).subspan(fed[s], count), rng.chance(0.8)});
        of.push_back(s);
        fed[s] += count;
      }
      if (chunks.empty())
        continue;
      backend->feed(chunks, logits);
      for (size_t i = 0; i < chunks.size(); ++i) {
        if (!chunks[i].wants_logits)
          continue;
        const auto &expected = want[of[i]][fed[of[i]] - 1];
        ASSERT_TRUE(std::ranges::equal(logits.row(i), expected)) << "sequence " << of[i] << " after " << fed[of[i]];
      }
    }
  }
}

TEST(Native, ForksGoOnAsTheirParentWould) {
  auto backend = nativeBackend(randomWeights(tiny(), 1, 8), 0, {.threads = 2});
  support::Rng rng(5);
  struct Open {
    Sequence sequence;
    std::vector<TokenId> tokens;
  };
  std::vector<Open> open;
  open.push_back({Sequence(*backend), {}});
  for (unsigned round = 0; round < 120; ++round) {
    std::vector<Chunk> chunks;
    std::vector<std::vector<TokenId>> added;
    for (size_t i = 0; i < open.size(); ++i)
      added.push_back(randomTokens(1 + rng.below(9), 37, rng.next()));
    for (size_t i = 0; i < open.size(); ++i) {
      chunks.push_back({open[i].sequence.id(), added[i]});
      open[i].tokens.insert(open[i].tokens.end(), added[i].begin(), added[i].end());
    }
    Logits logits;
    backend->feed(chunks, logits);
    if (round % 10 == 9)
      for (size_t i = 0; i < open.size(); ++i) {
        Sequence fresh(*backend);
        Logits again;
        fresh.feed(open[i].tokens, again);
        ASSERT_TRUE(std::ranges::equal(logits.row(i), again.row(0))) << "round " << round;
      }
    if (open.size() < 8 || rng.chance(0.5)) {
      Open &parent = rng.pick(open);
      open.push_back({parent.sequence.fork(), parent.tokens});
    }
    if (open.size() > 8)
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(rng.below(open.size())));
  }
}

TEST(KvCache, ForksSharePagesAndOldOnesGo) {
  const Shape shape = tiny(40);
  KvCache parent(shape);
  parent.grow(50);
  KvCache fork = parent;
  EXPECT_EQ(fork.keys(0, 0, 0), parent.keys(0, 0, 0));
  EXPECT_EQ(fork.keys(0, 0, 33), parent.keys(0, 0, 33));
  fork.own();
  fork.grow(1);
  EXPECT_EQ(fork.keys(0, 0, 0), parent.keys(0, 0, 0)) << "full pages stay shared";
  EXPECT_NE(fork.keys(0, 0, 33), parent.keys(0, 0, 33)) << "the page that is written to is the fork's own";
  parent.own();
  EXPECT_NE(fork.keys(0, 0, 33), parent.keys(0, 0, 33));
  for (unsigned i = 0; i < 1000; ++i)
    parent.grow(1);
  EXPECT_LE(parent.pageCount(), 40 / page_tokens + 2) << "memory does not grow with the length";
}

} // namespace
} // namespace verilocc::model
