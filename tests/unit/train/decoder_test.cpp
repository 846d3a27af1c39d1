// Three implementations of one network: libtorch's for training, the reference, and the one that ships.

#include "train/decoder.h"

#include "model/checkpoint.h"
#include "model/native.h"
#include "model/reference.h"
#include "support/rng.h"

#include <gtest/gtest.h>

namespace verilocc::train {
namespace {

TEST(Decoder, GivesTheLogitsOfTheNativeOneFromTheExportedFile) {
  const model::Shape shape{.vocab_size = 29,
                           .width = 64,
                           .layers = 3,
                           .heads = 4,
                           .kv_heads = 2,
                           .feed_forward = 96,
                           .window = 30,
                           .rope_base = 1000};
  Decoder decoder(model::randomWeights(shape, 6, 8));
  const std::string file = model::formatCheckpoint(decoder.weights(), {}, model::Storage::F32);
  auto checkpoint = model::parseCheckpoint(file, "exported");
  ASSERT_TRUE(checkpoint) << checkpoint.error().str();
  auto backend = model::nativeBackend(checkpoint->weights, 0);

  constexpr int64_t rows = 3, time = 90, count = 11;
  torch::manual_seed(5);
  const torch::Tensor tokens = torch::randint(shape.vocab_size, {rows, time});
  const torch::Tensor asked = std::get<0>(torch::randint(time, {rows, count}).sort(-1));
  const torch::Tensor logits = decoder.forward(tokens, asked);
  double worst = 0, worst_reference = 0, most = 0;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<model::TokenId> row;
    for (int64_t t = 0; t < time; ++t)
      row.push_back(static_cast<model::TokenId>(tokens[r][t].item<int64_t>()));
    const auto reference = model::referenceLogits(checkpoint->weights, row);
    for (int64_t i = 0; i < count; ++i) {
      const auto position = static_cast<size_t>(asked[r][i].item<int64_t>());
      model::Sequence sequence(*backend);
      model::Logits native;
      sequence.feed(std::span(row).first(position + 1), native);
      for (unsigned v = 0; v < shape.vocab_size; ++v) {
        const double torch = logits[r][i][v].item<double>();
        worst = std::max(worst, std::abs(torch - native.row(0)[v]));
        worst_reference = std::max(worst_reference, std::abs(torch - reference[position][v]));
        most = std::max(most, std::abs(torch));
      }
    }
  }
  EXPECT_GT(most, 0.5);
  EXPECT_LT(worst / most, 5e-5);
  EXPECT_LT(worst_reference / most, 5e-5);
}

TEST(Decoder, FeaturesAreFoldedIntoTheEmbedding) {
  const model::Shape shape{
      .vocab_size = 4, .width = 32, .layers = 1, .heads = 2, .kv_heads = 1, .feed_forward = 32, .window = 12};
  Decoder decoder(model::randomWeights(shape, 2, 15), {{0, 1}, {0, 2}, {}, {2}});
  {
    torch::NoGradGuard no_gradients;
    torch::manual_seed(1);
    for (torch::Tensor parameter : decoder.parameters())
      parameter.add_(torch::randn_like(parameter), 0.3);
  }
  const torch::Tensor tokens = torch::tensor({{0, 1, 2, 3, 3, 1}}, torch::kInt64);
  const torch::Tensor asked = torch::tensor({{1, 5}}, torch::kInt64);
  Decoder folded(decoder.weights());
  EXPECT_LT((decoder.forward(tokens, asked) - folded.forward(tokens, asked)).abs().max().item<double>(), 1e-4);
  decoder.forward(tokens.slice(1, 2, 3), torch::tensor({{0}}, torch::kInt64)).sum().backward();
  for (const auto &named : decoder.named_parameters())
    if (named.key() == "features") {
      EXPECT_EQ(named.value().grad().abs().max().item<double>(), 0) << "word 2 has none";
    }
}

TEST(Decoder, GradientsAreTheSlopes) {
  const model::Shape shape{
      .vocab_size = 11, .width = 32, .layers = 2, .heads = 2, .kv_heads = 1, .feed_forward = 32, .window = 12};
  Decoder decoder(model::randomWeights(shape, 2, 15), {{0}, {0, 1}, {1}, {}, {}, {2}, {2, 0}, {}, {}, {1}, {3}});
  torch::manual_seed(5);
  const torch::Tensor tokens = torch::randint(shape.vocab_size, {2, 40});
  const torch::Tensor asked = torch::tensor({{3, 17, 39}, {0, 20, 30}}, torch::kInt64);
  const torch::Tensor pull = torch::randn({2, 3, shape.vocab_size});
  auto value = [&] { return (decoder.forward(tokens, asked) * pull).sum(); };
  value().backward();
  torch::NoGradGuard no_gradients;
  for (const auto &named : decoder.named_parameters()) {
    torch::Tensor parameter = named.value();
    const torch::Tensor direction = torch::randn_like(parameter);
    constexpr double step = 2e-3;
    parameter.add_(direction, step);
    const double above = value().item<double>();
    parameter.add_(direction, -2 * step);
    const double below = value().item<double>();
    parameter.add_(direction, step);
    const double slope = (above - below) / (2 * step);
    const double predicted = (parameter.grad() * direction).sum().item<double>();
    EXPECT_NEAR(slope, predicted, 0.02 * std::abs(predicted) + 0.02) << named.key();
  }
}

} // namespace
} // namespace verilocc::train
