#include "model/scripted.h"

#include <gtest/gtest.h>

namespace verilocc::model {
namespace {

/// The logit of token t is the number of times that it occurred.
void count(std::span<const TokenId> history, std::span<float> logits) {
  for (TokenId token : history)
    logits[token] += 1;
}

TEST(Scripted, ForksGoTheirOwnWays) {
  ScriptedBackend backend(4, 16, count);
  Sequence a(backend);
  Logits logits;
  const std::vector<TokenId> prompt = {1, 1, 2};
  a.feed(prompt, logits);
  EXPECT_EQ(logits.row(0)[1], 2);
  Sequence b = a.fork();
  const TokenId three = 3, zero = 0;
  const Chunk chunks[] = {{b.id(), {&three, 1}}, {a.id(), {&zero, 1}}};
  backend.feed(chunks, logits);
  EXPECT_EQ(logits.row(0)[3], 1);
  EXPECT_EQ(logits.row(0)[0], 0);
  EXPECT_EQ(logits.row(1)[3], 0);
  EXPECT_EQ(logits.row(1)[0], 1);
  EXPECT_EQ(logits.row(1)[1], 2);
}

TEST(Scripted, ReleasedIdsAreReusedEmpty) {
  ScriptedBackend backend(4, 16, count);
  SequenceId first;
  Logits logits;
  const TokenId two = 2;
  {
    Sequence a(backend);
    first = a.id();
    a.feed({&two, 1}, logits);
  }
  Sequence b(backend);
  EXPECT_EQ(b.id(), first);
  b.feed({&two, 1}, logits);
  EXPECT_EQ(logits.row(0)[2], 1);
}

TEST(Scripted, NonsenseIsAFunctionOfSeedAndHistory) {
  auto answer = [](uint64_t seed, std::vector<TokenId> history, bool one_by_one) {
    ScriptedBackend backend = nonsenseBackend(20, 2, seed, Nonsense::Random);
    Sequence sequence(backend);
    Logits logits;
    if (one_by_one)
      for (TokenId token : history)
        sequence.feed({&token, 1}, logits);
    else
      sequence.feed(history, logits);
    return logits.values;
  };
  EXPECT_EQ(answer(1, {4, 5, 6}, false), answer(1, {4, 5, 6}, true));
  EXPECT_EQ(answer(1, {4, 5, 6}, false), answer(1, {7, 5, 6}, false)); // beyond the context
  EXPECT_NE(answer(1, {4, 5, 6}, false), answer(1, {4, 6, 6}, false));
  EXPECT_NE(answer(1, {4, 5, 6}, false), answer(2, {4, 5, 6}, false));
}

} // namespace
} // namespace verilocc::model
