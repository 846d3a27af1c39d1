// The fused attention against the one put together from libtorch's operations, forward and back.

#include "train/attention.h"

#include <gtest/gtest.h>

namespace verilocc::train {
namespace {

struct Case {
  int64_t batch, time, count;
  unsigned width, heads, kv_heads, window;
};

double worst(const torch::Tensor &a, const torch::Tensor &b) {
  return (a - b).abs().max().item<double>() / std::max(1e-6, b.abs().max().item<double>());
}

void compare(const Case &c) {
  SCOPED_TRACE(testing::Message() << c.time << " tokens, " << c.count << " queries, window " << c.window);
  torch::manual_seed(c.time * 31 + c.count);
  const model::Shape shape{.vocab_size = 9,
                           .width = c.width,
                           .layers = 1,
                           .heads = c.heads,
                           .kv_heads = c.kv_heads,
                           .feed_forward = 32,
                           .window = c.window};
  const int64_t kv = shape.kvWidth();
  std::vector<torch::Tensor> in[2];
  in[0] = {torch::randn({c.batch, c.count, c.width}), torch::randn({c.batch, c.time, kv}),
           torch::randn({c.batch, c.time, kv})};
  for (torch::Tensor &tensor : in[0]) {
    in[1].push_back(tensor.clone().requires_grad_());
    tensor.requires_grad_();
  }
  torch::Tensor positions = c.count == c.time ? torch::arange(c.time).expand({c.batch, -1})
                                              : std::get<0>(torch::randint(c.time, {c.batch, c.count}).sort(-1));
  const torch::Tensor pull = torch::randn({c.batch, c.count, c.width});
  const torch::Tensor fused = attention(in[0][0], in[0][1], in[0][2], positions, shape);
  const torch::Tensor plain = plainAttention(in[1][0], in[1][1], in[1][2], positions, shape);
  EXPECT_LT(worst(fused, plain), 1e-5);
  (fused * pull).sum().backward();
  (plain * pull).sum().backward();
  for (size_t i = 0; i < 3; ++i)
    EXPECT_LT(worst(in[0][i].grad(), in[1][i].grad()), 2e-5) << "gradient " << i;
}

TEST(Attention, EqualsThePlainOne) {
  compare({2, 70, 70, 64, 4, 4, 40});  // heads of 16
  compare({1, 33, 33, 64, 2, 2, 100}); // 32; the window is never full
  compare({3, 64, 64, 64, 1, 1, 2});   // 64; each sees itself and one other
  compare({2, 97, 97, 96, 2, 1, 32});  // 48, shared keys
  compare({2, 130, 9, 64, 2, 1, 50});  // few queries, some at the same place
  compare({1, 5, 1, 32, 2, 2, 3});
}

TEST(Attention, OtherHeadWidthsGoThePlainWay) {
  compare({2, 40, 40, 48, 2, 2, 20});
} // 24

} // namespace
} // namespace verilocc::train
