#include "train/attention.h"

#include <cmath>

namespace verilocc::train {
namespace {

/// x: [batch, count, heads * head], positions: [batch, count]. Returns [batch, heads, count, head], rotated.
torch::Tensor rotated(const torch::Tensor &x, const torch::Tensor &positions, int64_t heads, double base) {
  const int64_t batch = x.size(0), count = x.size(1), head = x.size(2) / heads;
  const torch::Tensor exponents = torch::arange(0, head, 2, torch::kFloat64) / double(head);
  const torch::Tensor angles = positions.to(torch::kFloat64).unsqueeze(-1) * torch::pow(base, -exponents);
  const torch::Tensor cosine = torch::cos(angles).to(x.dtype()).unsqueeze(2);
  const torch::Tensor sine = torch::sin(angles).to(x.dtype()).unsqueeze(2);
  const torch::Tensor pairs = x.view({batch, count, heads, head / 2, 2});
  const torch::Tensor a = pairs.select(-1, 0), b = pairs.select(-1, 1);
  return torch::stack({a * cosine - b * sine, a * sine + b * cosine}, -1)
      .view({batch, count, heads, head})
      .transpose(1, 2);
}

} // namespace

torch::Tensor plainAttention(const torch::Tensor &query, const torch::Tensor &key, const torch::Tensor &value,
                             const torch::Tensor &positions, const model::Shape &shape) {
  const int64_t batch = key.size(0), time = key.size(1), count = query.size(1);
  const int64_t head = shape.headWidth(), heads = shape.heads, kv_heads = shape.kv_heads, window = shape.window;
  const torch::Tensor times = torch::arange(time).expand({batch, -1});
  const torch::Tensor q = rotated(query, positions, heads, shape.rope_base);
  const torch::Tensor k = rotated(key, times, kv_heads, shape.rope_base).repeat_interleave(heads / kv_heads, 1);
  const torch::Tensor v =
      value.view({batch, time, kv_heads, head}).transpose(1, 2).repeat_interleave(heads / kv_heads, 1);
  const torch::Tensor back = positions.unsqueeze(-1) - times.unsqueeze(1); // [batch, count, time]
  const torch::Tensor hidden = (back.lt(0) | back.ge(window)).unsqueeze(1);
  const torch::Tensor scores = torch::matmul(q, k.transpose(-1, -2)) / std::sqrt(double(head));
  const torch::Tensor shares = torch::softmax(scores.masked_fill(hidden, -INFINITY), -1);
  return torch::matmul(shares, v).transpose(1, 2).reshape({batch, count, heads * head});
}

} // namespace verilocc::train
