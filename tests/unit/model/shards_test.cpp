#include "model/shards.h"

#include "model/files.h"
#include "support/rng.h"
#include "tests/unit/model/temporary.h"

#include <gtest/gtest.h>

namespace verilocc::model {
namespace {

std::vector<TrainingSequence> example() {
  TrainingSequence first{{1, 2, 3, 4, 5}, {}};
  first.decisions.push_back({2, 1.5f, {{3, 0.75f}, {4, 0.25f}}});
  first.decisions.push_back({4, 1, {{5, 1}}});
  return {first, {{9}, {}}};
}

std::string write(const TemporaryFolder &folder, const std::vector<TrainingSequence> &sequences) {
  const std::string path = folder / "a.shard";
  auto writer = ShardWriter::create(path, {0x1234, 10, "made by a test"});
  EXPECT_TRUE(writer);
  for (const TrainingSequence &sequence : sequences)
    EXPECT_TRUE(writer->add(sequence));
  EXPECT_FALSE(std::filesystem::exists(path)) << "seen before it is whole";
  EXPECT_TRUE(writer->finish());
  return path;
}

TEST(Shards, RoundTrip) {
  TemporaryFolder folder;
  auto shard = readShard(write(folder, example()));
  ASSERT_TRUE(shard) << shard.error().str();
  EXPECT_EQ(shard->header.vocab_hash, 0x1234u);
  EXPECT_EQ(shard->header.vocab_size, 10u);
  EXPECT_EQ(shard->header.description, "made by a test");
  ASSERT_EQ(shard->sequences.size(), 2u);
  const TrainingSequence &first = shard->sequences[0];
  EXPECT_EQ(first.tokens, example()[0].tokens);
  ASSERT_EQ(first.decisions.size(), 2u);
  EXPECT_EQ(first.decisions[0].position, 2u);
  EXPECT_EQ(first.decisions[0].weight, 1.5f);
  ASSERT_EQ(first.decisions[0].answers.size(), 2u);
  EXPECT_EQ(first.decisions[0].answers[1].token, 4);
  EXPECT_EQ(first.decisions[0].answers[1].probability, 0.25f);
  EXPECT_EQ(shard->sequences[1].tokens, std::vector<TokenId>{9});
}

TEST(Shards, EveryCutIsAnError) {
  TemporaryFolder folder;
  const std::string bytes = *readFile(write(folder, example()));
  const size_t first_end = bytes.size() - 10; // the second sequence: two counts and one token
  size_t header = 8 + 8 + 4 + 4 + 14;
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto shard = parseShard(std::string_view(bytes).substr(0, size), "cut");
    if (size == header || size == first_end) {
      EXPECT_TRUE(shard) << "a shard may end after a sequence";
      continue;
    }
    ASSERT_FALSE(shard) << size;
    EXPECT_EQ(shard.error().file, "cut");
  }
}

TEST(Shards, NoByteMakesTheReaderCrash) {
  TemporaryFolder folder;
  const std::string good = *readFile(write(folder, example()));
  support::Rng rng(3);
  unsigned refused = 0;
  for (unsigned i = 0; i < 500; ++i) {
    std::string bytes = good;
    for (unsigned changes = 1 + unsigned(rng.below(3)); changes-- > 0;)
      rng.pick(bytes) = static_cast<char>(rng.below(256));
    refused += !parseShard(bytes, "bad");
  }
  EXPECT_GT(refused, 100u);
}

TEST(Shards, SaysWhatIsWrong) {
  TemporaryFolder folder;
  EXPECT_NE(readShard(folder / "none").error().message.find("No such file"), std::string::npos);
  const std::string path = folder / "a";
  ASSERT_TRUE(writeFile(path, "GGUF and more"));
  EXPECT_NE(readShard(path).error().message.find("VLSHARD1"), std::string::npos);
  EXPECT_FALSE(ShardWriter::create(folder / "no/such/folder/a", {}));
}

} // namespace
} // namespace verilocc::model
