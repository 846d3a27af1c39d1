#include "model/checkpoint.h"

#include "model/files.h"
#include "support/rng.h"
#include "tests/unit/model/temporary.h"

#include <cmath>
#include <gtest/gtest.h>

namespace verilocc::model {
namespace {

Weights tiny() {
  return randomWeights(
      {.vocab_size = 11, .width = 32, .layers = 2, .heads = 4, .kv_heads = 2, .feed_forward = 64, .window = 20}, 3, 10);
}

Provenance made() {
  return {"a test", 0xabc, 0xdef, "verilocc train", 1234, {"a", "b\n", ""}};
}

double worstDifference(Weights &a, Weights &b) {
  double worst = 0;
  const auto left = tensorsOf(a), right = tensorsOf(b);
  for (size_t i = 0; i < left.size(); ++i)
    for (size_t j = 0; j < left[i].values->size(); ++j)
      worst = std::max(worst, double(std::abs((*left[i].values)[j] - (*right[i].values)[j])));
  return worst;
}

TEST(Checkpoint, RoundTrip) {
  TemporaryFolder folder;
  const std::string path = folder / "m.gguf";
  Weights weights = tiny();
  ASSERT_TRUE(writeCheckpoint(path, weights, made(), Storage::F32));
  auto read = readCheckpoint(path, {.vocab_hash = 0xabc, .data_hash = 0xdef, .vocab_size = 11});
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(read->weights.shape, weights.shape);
  EXPECT_EQ(worstDifference(weights, read->weights), 0);
  EXPECT_EQ(read->provenance.name, "a test");
  EXPECT_EQ(read->provenance.command, "verilocc train");
  EXPECT_EQ(read->provenance.trained_tokens, 1234u);
  EXPECT_EQ(read->provenance.words, made().words);
  EXPECT_EQ(formatCheckpoint(read->weights, read->provenance, Storage::F32), *readFile(path));
}

TEST(Checkpoint, SmallerStorageLosesLittle) {
  Weights weights = tiny(); // deviation 0.2
  const size_t full = formatCheckpoint(weights, made(), Storage::F32).size();
  const std::string half = formatCheckpoint(weights, made(), Storage::F16);
  const std::string eighth = formatCheckpoint(weights, made(), Storage::Q8);
  EXPECT_LT(half.size(), full * 0.6);
  EXPECT_LT(eighth.size(), full * 0.4);
  auto read = parseCheckpoint(half, "half");
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_GT(worstDifference(weights, read->weights), 0);
  EXPECT_LT(worstDifference(weights, read->weights), 1.0 / 2048); // 11 bits of a number below 1
  read = parseCheckpoint(eighth, "eighth");
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_LT(worstDifference(weights, read->weights), 1.0 / 250); // half a step of 1 / 127
}

TEST(Checkpoint, HalvesRoundToNearest) {
  const std::vector<float> numbers = {
      0,        -0.0f,    1,          -2.5f,    65504,        65519,          65520,   1e-8f,
      0x1p-24f, 0x1p-25f, 0x1.8p-25f, 0x1p-14f, 0x1.ffep-15f, 1.00048828125f, 1.0009f, 0x1.fffp-15f};
  GgufTensor tensor{"x", Storage::F16, 0, numbers.size(), {}};
  const std::string bytes = pack(numbers, Storage::F16);
  tensor.bytes = bytes;
  const std::vector<float> got = unpack(tensor);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto want = static_cast<float>(static_cast<_Float16>(numbers[i]));
    EXPECT_EQ(got[i], want) << numbers[i];
  }
}

TEST(Checkpoint, RefusesWhatDoesNotFitWithBothValues) {
  const std::string bytes = formatCheckpoint(tiny(), made(), Storage::F32);
  auto wrong = parseCheckpoint(bytes, "m.gguf", {.vocab_hash = 0x123});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().file, "m.gguf");
  EXPECT_NE(wrong.error().message.find("0000000000000abc"), std::string::npos) << wrong.error().message;
  EXPECT_NE(wrong.error().message.find("0000000000000123"), std::string::npos) << wrong.error().message;
  wrong = parseCheckpoint(bytes, "m.gguf", {.data_hash = 0x456});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("0000000000000456"), std::string::npos);
  wrong = parseCheckpoint(bytes, "m.gguf", {.vocab_size = 12});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("11 words"), std::string::npos);
}

TEST(Checkpoint, DamagedWeightsAreNoticed) {
  std::string bytes = formatCheckpoint(tiny(), made(), Storage::F32);
  bytes[bytes.size() - 100] ^= 1;
  auto damaged = parseCheckpoint(bytes, "m.gguf");
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.find("damaged"), std::string::npos);
}

TEST(Checkpoint, EveryCutIsAnError) {
  const std::string bytes = formatCheckpoint(tiny(), made(), Storage::Q8);
  size_t end = bytes.size(); // behind the last tensor only filling may follow
  for (size_t size = 0; size + 32 < end; size += size < 4000 ? 1 : 97)
    ASSERT_FALSE(parseCheckpoint(std::string_view(bytes).substr(0, size), "cut")) << size;
}

TEST(Checkpoint, NoByteMakesTheReaderCrash) {
  const std::string good = formatCheckpoint(tiny(), made(), Storage::Q8);
  support::Rng rng(8);
  unsigned refused = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    std::string bytes = good;
    for (unsigned changes = 1 + unsigned(rng.below(4)); changes-- > 0;) // most of them in the header
      bytes[rng.below(rng.chance(0.9) ? 2500 : bytes.size())] = static_cast<char>(rng.below(256));
    refused += !parseCheckpoint(bytes, "garbage");
  }
  EXPECT_GT(refused, 2000u);
  EXPECT_FALSE(parseCheckpoint("", "empty"));
  EXPECT_FALSE(parseCheckpoint("GGUF", "short"));
  EXPECT_FALSE(readCheckpoint("/"));
}

TEST(Shape, OddShapesAreRefused) {
  EXPECT_FALSE((Shape{.vocab_size = 0}.check()));
  EXPECT_FALSE((Shape{.vocab_size = 9, .width = 100}.check()));
  EXPECT_FALSE((Shape{.vocab_size = 9, .heads = 3}.check()));
  EXPECT_FALSE((Shape{.vocab_size = 9, .kv_heads = 3}.check()));
  EXPECT_FALSE((Shape{.vocab_size = 9, .feed_forward = 100}.check()));
  EXPECT_FALSE((Shape{.vocab_size = 9, .window = 0}.check()));
  EXPECT_TRUE((Shape{.vocab_size = 9}.check()));
  Weights weights = tiny();
  size_t count = 0;
  for (const NamedTensor &tensor : tensorsOf(weights))
    count += tensor.values->size();
  EXPECT_EQ(count, weights.shape.parameters());
}

} // namespace
} // namespace verilocc::model
