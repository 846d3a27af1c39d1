#include "train/batches.h"

#include "tests/unit/train/synthetic.h"

#include <gtest/gtest.h>
#include <map>

namespace verilocc::train {
namespace {

size_t decisionsOf(const std::vector<model::TrainingSequence> &set) {
  size_t count = 0;
  for (const auto &sequence : set)
    count += sequence.decisions.size();
  return count;
}

TEST(Cut, EachDecisionOnceWithItsContext) {
  const auto set = syntheticSet(1, 50, 500);
  for (bool jitter : {false, true}) {
    support::Rng rng(4);
    std::map<std::pair<const model::TrainingSequence *, uint32_t>, unsigned> seen;
    for (const Piece &piece : cut(set, {64, 20}, jitter ? &rng : nullptr)) {
      EXPECT_LE(piece.length, 64u);
      EXPECT_LE(piece.begin + piece.length, piece.sequence->tokens.size());
      for (uint32_t i = piece.first_decision; i < piece.last_decision; ++i) {
        ++seen[{piece.sequence, i}];
        const uint32_t asked = piece.sequence->decisions[i].position - 1;
        ASSERT_LT(asked, piece.begin + piece.length);
        ASSERT_GE(asked, piece.begin + (piece.begin > 0 ? 20 : 0));
      }
    }
    EXPECT_EQ(seen.size(), decisionsOf(set));
    for (const auto &[decision, times] : seen)
      EXPECT_EQ(times, 1u);
  }
}

TEST(Cut, JitterMovesTheCuts) {
  const auto set = syntheticSet(1, 1, 2000);
  support::Rng a(1), b(2);
  EXPECT_NE(cut(set, {64, 20}, &a)[1].begin, cut(set, {64, 20}, &b)[1].begin);
}

TEST(Group, KeepsThePiecesAndTheLimit) {
  const auto set = syntheticSet(2, 80, 300);
  const auto pieces = cut(set, {64, 20}, nullptr);
  support::Rng rng(3), again(3), other(4);
  const auto batches = group(pieces, 500, rng);
  size_t count = 0, room = 0, used = 0;
  for (const auto &batch : batches) {
    ASSERT_FALSE(batch.empty());
    const Batch made = makeBatch(batch);
    EXPECT_LE(made.rows * made.time, 500u);
    room += made.rows * made.time;
    for (const Piece &piece : batch)
      used += piece.length;
    count += batch.size();
  }
  EXPECT_EQ(count, pieces.size());
  EXPECT_LT(double(room), 1.15 * double(used)) << "too much filling";
  EXPECT_EQ(makeBatch(group(pieces, 500, again)[0]).tokens, makeBatch(batches[0]).tokens);
  EXPECT_NE(makeBatch(group(pieces, 500, other)[0]).tokens, makeBatch(batches[0]).tokens);
}

TEST(MakeBatch, LaysOutTokensAndLabels) {
  model::TrainingSequence a{{1, 2, 3, 4, 5}, {}}, b{{6, 7}, {}};
  a.decisions = {{2, 2, {{3, 0.5f}, {9, 0.5f}}}, {4, 1, {{5, 1}}}};
  b.decisions = {{1, 3, {{7, 1}}}};
  const Batch batch = makeBatch({{&a, 0, 5, 0, 2}, {&b, 0, 2, 0, 1}});
  EXPECT_EQ(batch.tokens, (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 0, 0, 0}));
  EXPECT_EQ(batch.asked, (std::vector<int64_t>{1, 3, 0, 0}));
  EXPECT_EQ(batch.weights, (std::vector<float>{2, 1, 3, 0}));
  EXPECT_EQ(batch.answers[1], 9);
  EXPECT_EQ(batch.probabilities[1], 0.5f);
  EXPECT_EQ(batch.probabilities[2], 0);
  EXPECT_EQ(batch.answers[2 * model::max_answers], 7);
}

} // namespace
} // namespace verilocc::train
