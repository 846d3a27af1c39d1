// The inner loops of attention.h. Plain pointers, no libtorch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace verilocc::train {

/// Arrays of one call, row-major: query, out and their gradients [batch, count, heads * head]; key, value and theirs
/// [batch, time, kv_heads * head]; positions [batch, count]; turn [time, head] (cosine and sine of each pair);
/// logarithm [batch, heads, count] (of the sum of exponentials, for the way back).
struct AttentionArrays {
  size_t batch, count, time, heads, kv_heads, head, window;
  const float *query, *key, *value;
  const int64_t *positions;
  const float *turn;
  float *out, *logarithm;
  // Only on the way back; the gradients of key and value start at zero.
  const float *out_gradient = nullptr;
  float *query_gradient = nullptr, *key_gradient = nullptr, *value_gradient = nullptr;
};

/// Both work on one batch row and one kv head, and may run at the same time for different ones.
struct AttentionKernels {
  void (*forward)(const AttentionArrays &arrays, size_t batch, size_t kv_head);
  void (*backward)(const AttentionArrays &arrays, size_t batch, size_t kv_head);
};

/// For this machine.
const AttentionKernels &attentionKernels();
/// Whether a head of this width is served: multiples of 16 up to 128.
bool servesHead(size_t head);

} // namespace verilocc::train
