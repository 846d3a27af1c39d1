#include "tokens/vocab.h"

#include <gtest/gtest.h>

namespace {

using namespace verilocc::tokens;

TEST(Vocab, EveryWordHasOneNumberAndOneText) {
  std::vector<TokenId> all;
  for (unsigned token = 0; token < vocabSize(); ++token) {
    all.push_back(static_cast<TokenId>(token));
    EXPECT_EQ(tokenOf(wordOf(all.back())), token);
  }
  const std::string text = textOf(all);
  auto parsed = parseTokens(text, "all");
  ASSERT_TRUE(parsed) << parsed.error().str();
  EXPECT_EQ(*parsed, all);
}

TEST(Vocab, FeaturesLieWhereTheTableSays) {
  const Word word = wordOf(tokenOf({Family::Place, {3, 1, 2, 3, 0, 1}}));
  EXPECT_EQ(word.family, Family::Place);
  EXPECT_EQ(textOf(tokenOf(word)), "place.bank3.cost1.ahead2.plan3.leaves0.borders1");
}

TEST(Vocab, BadTextIsRefusedWithLineAndReason) {
  const struct {
    const char *text, *reason;
  } cases[] = {
      {"end\nnonsense", "is no word of the vocabulary"},
      {"end\nlife.length1.depth2", "lacks a feature"},
      {"end\nlife.depth1.length1.carried0", "lacks a feature, or has them in another order"},
      {"end\ntake.back8", "has a value that the feature cannot have"},
      {"end\ntake.back1.more", "goes on after its last feature"},
      {"end\ntake.back", "has a value"},
  };
  for (const auto &[text, reason] : cases) {
    auto parsed = parseTokens(text, "file.tok");
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().line, 2u) << text;
    EXPECT_EQ(parsed.error().file, "file.tok");
    EXPECT_NE(parsed.error().message.find(reason), std::string::npos) << parsed.error().message;
  }
}

} // namespace
