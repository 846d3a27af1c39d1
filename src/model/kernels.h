// The arithmetic of the fast decoder, built once for any machine and once for AVX2 with fused multiply-add; which one
// is used is decided when the program runs.
//
// Invariant, on which forks, batches and threads rely: each number of a result is computed by the same operations in
// the same order however many rows are computed together. So feeding tokens one by one, in chunks, or next to other
// sequences gives the same bits. (Machines without AVX2 round differently from those with it.) A general matrix library
// does not promise this, and is slower for the handful of rows that decoding has: see docs/model-format.md.
#pragma once

#include "model/weights.h"

#include <cstddef>
#include <vector>

namespace verilocc::model {

/// A matrix cut in panels of 16 outputs: values[(panel * columns + c) * 16 + r]. The last panel is filled with zeros.
struct PackedMatrix {
  static constexpr size_t panel = 16;
  size_t rows = 0, columns = 0;
  std::vector<float> values = {};

  PackedMatrix() = default;
  /// The matrices one below the other; all have the same columns.
  explicit PackedMatrix(std::initializer_list<const Matrix *> matrices);
  /// Outputs with the filling: the room that a result row needs.
  size_t paddedRows() const { return (rows + panel - 1) / panel * panel; }
};

/// Keys and values of one head for 32 positions: keys[d * 32 + t], values[t * head_width + d].
constexpr size_t page_tokens = 32;

struct Kernels {
  /// y[r] = matrix * x[r] for each of `count` rows; rows of y have matrix.paddedRows() numbers.
  void (*multiply)(const float *x, size_t x_stride, size_t count, const PackedMatrix &matrix, float *y,
                   size_t y_stride);
  /// y[r] = x[r] scaled to a root mean square of one, times scale.
  void (*normalize)(const float *x, const float *scale, float epsilon, size_t width, size_t count, float *y);
  /// x[i] += y[i]
  void (*add)(float *x, const float *y, size_t count);
  /// gate[r][i] = silu(gate[r][i]) * up[r][i], where up follows gate in each row of gate_up (2 * width); in place.
  void (*gate)(float *gate_up, size_t width, size_t count);
  /// scores[t] = query . key t for all 32 of a page, for each of `count` queries.
  void (*scores)(const float *queries, size_t query_stride, size_t count, const float *keys, size_t head_width,
                 float *scores, size_t score_stride);
  /// In place: exp((scores - their maximum) * scale) over a multiple of 8; returns the sum. Minus infinity gives 0.
  float (*softmax)(float *scores, size_t count, float scale);
  /// result += sum over the 32 of a page of weights[t] * value t, for each of `count` rows of weights.
  void (*accumulate)(const float *weights, size_t weight_stride, size_t count, const float *values, size_t head_width,
                     float *results, size_t result_stride);
};

/// For this machine.
const Kernels &kernels();
/// For any machine.
const Kernels &plainKernels();

} // namespace verilocc::model
