// The weights of a decoder of the Llama kind, as plain arrays of float.
//
// One block: x += out(attention(norm(x))); x += down(silu(gate(norm(x))) * up(norm(x))). Norm is RMSNorm. Attention
// turns each pair (2i, 2i + 1) of a head's query and key by position * rope_base^(-2i / head width) (rotary embedding,
// interleaved pairs, arXiv 2104.09864), and a token sees the `window` last tokens, itself included. After the last
// block: norm, then the output matrix. No biases. Llama: arXiv 2302.13971.
#pragma once

#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace verilocc::model {

struct Shape {
  unsigned vocab_size = 0;
  unsigned width = 128; ///< multiple of 32
  unsigned layers = 4;
  unsigned heads = 4;          ///< divides width; width / heads is a multiple of 8
  unsigned kv_heads = 4;       ///< divides heads: that many heads share a key and value
  unsigned feed_forward = 352; ///< multiple of 32
  unsigned window = 256;
  float rope_base = 10000;
  float norm_epsilon = 1e-5f;

  unsigned headWidth() const { return width / heads; }
  unsigned kvWidth() const { return headWidth() * kv_heads; }
  /// Number of weights.
  size_t parameters() const;
  /// Fails, with the reason, if a decoder of this shape cannot be built. Bounds are generous, but low enough that a
  /// file of garbage cannot ask for all of memory.
  support::Status check() const;
  bool operator==(const Shape &) const = default;
};

/// `rows` outputs by `columns` inputs, row after row: y[r] = sum over c of values[r * columns + c] * x[c].
struct Matrix {
  size_t rows = 0, columns = 0;
  std::vector<float> values = {};
};

struct Layer {
  std::vector<float> attention_norm = {}, feed_norm = {};         ///< width
  Matrix query = {}, key = {}, value = {}, attention_output = {}; ///< from width; output to width
  Matrix gate = {}, up = {}, down = {};                           ///< width to feed_forward, and back
};

struct Weights {
  Shape shape = {};
  Matrix embedding = {}; ///< vocab_size rows of width
  std::vector<Layer> layers = {};
  std::vector<float> output_norm = {};
  Matrix output = {}; ///< vocab_size by width
};

/// All weights there and zero (norms one). `shape` must pass its check.
Weights emptyWeights(const Shape &shape);
/// Drawn from a normal distribution of deviation 0.02 (output matrices of blocks: less with depth, as GPT-2 does).
/// Larger `gain` makes the logits livelier, which tests want.
Weights randomWeights(const Shape &shape, uint64_t seed, float gain = 1);

/// Every tensor with its GGUF name, in file order. Used for reading, writing, training and hashing alike.
struct NamedTensor {
  std::string name;
  std::vector<float> *values;
  size_t rows, columns; ///< rows 0: a vector of `columns`
};
std::vector<NamedTensor> tensorsOf(Weights &weights);

} // namespace verilocc::model
