// Attention over a sliding window with rotary embedding, as training needs it: many queries, gradients.
#pragma once

#include "model/weights.h"

#include <torch/torch.h>

namespace verilocc::train {

/// query: [batch, count, width], key and value: [batch, time, kv width], not rotated; positions: [batch, count], int64,
/// where in time each query stands. A query sees the `window` last keys up to its own position. Returns
/// [batch, count, width]. Gradients flow to query, key and value.
torch::Tensor attention(const torch::Tensor &query, const torch::Tensor &key, const torch::Tensor &value,
                        const torch::Tensor &positions, const model::Shape &shape);

/// The same, put together from libtorch's own operations: slow, and what the above is tested against.
torch::Tensor plainAttention(const torch::Tensor &query, const torch::Tensor &key, const torch::Tensor &value,
                             const torch::Tensor &positions, const model::Shape &shape);

} // namespace verilocc::train
