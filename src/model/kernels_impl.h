// The bodies of kernels.h, for whatever instruction set the including file is compiled for. The including file defines
// VERILOCC_KERNELS, the namespace that keeps the builds apart. Vectors of 8 floats are the compiler's own (GCC's
// vector extension), so this is plain C++ to every target.
#include "model/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace verilocc::model::VERILOCC_KERNELS {
namespace {

typedef float Vec __attribute__((vector_size(32)));
typedef int32_t IntVec __attribute__((vector_size(32)));
constexpr size_t lanes = 8;

inline __attribute__((always_inline)) Vec load(const float *from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline __attribute__((always_inline)) void store(float *to, const Vec &v) {
  std::memcpy(to, &v, sizeof v);
}
inline __attribute__((always_inline)) Vec all(float x) {
  return Vec{x, x, x, x, x, x, x, x};
}

/// The eight added in a fixed order.
inline __attribute__((always_inline)) float sum(const Vec &v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/// R rows by P panels: as many accumulators as hide the latency of a multiply-add and still fit the registers.
template <size_t R, size_t P>
inline __attribute__((always_inline)) void tile(const float *x, size_t x_stride, const float *panels, size_t columns,
                                                float *y, size_t y_stride) {
  Vec sums[R][2 * P];
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (size_t p = 0; p < 2 * P; ++p)
      sums[r][p] = all(0);
  for (size_t c = 0; c < columns; ++c) {
    Vec weights[2 * P];
#pragma GCC unroll 16
    for (size_t p = 0; p < 2 * P; ++p)
      weights[p] = load(panels + (p / 2 * columns + c) * PackedMatrix::panel + p % 2 * lanes);
#pragma GCC unroll 16
    for (size_t r = 0; r < R; ++r) {
      const Vec factor = all(x[r * x_stride + c]);
#pragma GCC unroll 16
      for (size_t p = 0; p < 2 * P; ++p)
        sums[r][p] += factor * weights[p];
    }
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (size_t p = 0; p < 2 * P; ++p)
      store(y + r * y_stride + p * lanes, sums[r][p]);
}

/// R rows against all panels, P at a time, the rest one by one.
template <size_t R, size_t P>
void strip(const float *x, size_t x_stride, const PackedMatrix &matrix, float *y, size_t y_stride) {
  const size_t panels = matrix.paddedRows() / PackedMatrix::panel, size = matrix.columns * PackedMatrix::panel;
  size_t p = 0;
  for (; p + P <= panels; p += P)
    tile<R, P>(x, x_stride, matrix.values.data() + p * size, matrix.columns, y + p * PackedMatrix::panel, y_stride);
  for (; p < panels; ++p)
    tile<R, 1>(x, x_stride, matrix.values.data() + p * size, matrix.columns, y + p * PackedMatrix::panel, y_stride);
}

void multiply(const float *x, size_t x_stride, size_t count, const PackedMatrix &matrix, float *y, size_t y_stride) {
  const size_t panels = matrix.paddedRows() / PackedMatrix::panel, size = matrix.columns * PackedMatrix::panel;
  const size_t full = count / 6 * 6;
  for (size_t p = 0; p < panels; ++p) // a panel stays in the first-level cache for all rows
    for (size_t r = 0; r < full; r += 6)
      tile<6, 1>(x + r * x_stride, x_stride, matrix.values.data() + p * size, matrix.columns,
                 y + r * y_stride + p * PackedMatrix::panel, y_stride);
  x += full * x_stride;
  y += full * y_stride;
  switch (count - full) {
  case 1:
    return strip<1, 4>(x, x_stride, matrix, y, y_stride);
  case 2:
    return strip<2, 2>(x, x_stride, matrix, y, y_stride);
  case 3:
    return strip<3, 2>(x, x_stride, matrix, y, y_stride);
  case 4:
    return strip<4, 1>(x, x_stride, matrix, y, y_stride);
  case 5:
    return strip<5, 1>(x, x_stride, matrix, y, y_stride);
  }
}

void normalize(const float *x, const float *scale, float epsilon, size_t width, size_t count, float *y) {
  for (size_t r = 0; r < count; ++r, x += width, y += width) {
    Vec squares = all(0);
    for (size_t i = 0; i < width; i += lanes) {
      const Vec v = load(x + i);
      squares += v * v;
    }
    const Vec factor = all(1 / std::sqrt(sum(squares) / static_cast<float>(width) + epsilon));
    for (size_t i = 0; i < width; i += lanes)
      store(y + i, load(x + i) * factor * load(scale + i));
  }
}

void add(float *x, const float *y, size_t count) {
  for (size_t i = 0; i < count; i += lanes)
    store(x + i, load(x + i) + load(y + i));
}

/// e^x to about 2 units in the last place: 2^n times a polynomial in the rest (Taylor to the sixth degree on
/// |x| <= ln 2 / 2). Below -87, minus infinity included, 0; above 88, e^88. NaN stays NaN.
inline __attribute__((always_inline)) Vec exponential(const Vec &x) {
  const Vec low = all(-87), high = all(88);
  Vec clamped = x < low ? low : x;
  clamped = clamped > high ? high : clamped;
  const Vec scaled = clamped * all(1.44269504f);
  const Vec magic = all(12582912.0f); // 1.5 * 2^23: adding it rounds to an integer
  const Vec shifted = scaled + magic;
  const Vec n = shifted - magic;
  Vec rest = clamped - n * all(0.693359375f); // ln 2 in two parts
  rest = rest - n * all(-2.12194440e-4f);
  Vec p = all(1 / 720.0f);
  p = p * rest + all(1 / 120.0f);
  p = p * rest + all(1 / 24.0f);
  p = p * rest + all(1 / 6.0f);
  p = p * rest + all(0.5f);
  p = p * rest + all(1);
  p = p * rest + all(1);
  IntVec bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  const IntVec power = (bits - 0x4b400000 + 127) << 23;
  Vec two_to_n;
  std::memcpy(&two_to_n, &power, sizeof power);
  const Vec result = p * two_to_n;
  return x < low ? all(0) : (x == x ? result : x);
}

void gate(float *gate_up, size_t width, size_t count) {
  for (size_t r = 0; r < count; ++r, gate_up += 2 * width)
    for (size_t i = 0; i < width; i += lanes) {
      const Vec g = load(gate_up + i);
      store(gate_up + i, g / (all(1) + exponential(-g)) * load(gate_up + width + i));
    }
}

/// R rows against `steps` rows of P vectors, `stride` apart, so that each is loaded once for all R and the sums stay in
/// registers; onto what `y` holds, or in its place.
template <size_t R, size_t P, bool Onto>
inline __attribute__((always_inline)) void product(const float *x, size_t x_stride, size_t steps, const float *vectors,
                                                   size_t stride, float *y, size_t y_stride) {
  Vec sums[R][P];
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (size_t i = 0; i < P; ++i)
      sums[r][i] = Onto ? load(y + r * y_stride + i * lanes) : all(0);
  for (size_t step = 0; step < steps; ++step) {
    Vec factors[R];
#pragma GCC unroll 16
    for (size_t r = 0; r < R; ++r)
      factors[r] = all(x[r * x_stride + step]);
#pragma GCC unroll 16
    for (size_t i = 0; i < P; ++i) {
      const Vec vector = load(vectors + step * stride + i * lanes);
#pragma GCC unroll 16
      for (size_t r = 0; r < R; ++r)
        sums[r][i] += factors[r] * vector;
    }
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (size_t i = 0; i < P; ++i)
      store(y + r * y_stride + i * lanes, sums[r][i]);
}

/// R queries against a page of keys.
template <size_t R>
void scoresOf(const float *queries, size_t query_stride, const float *keys, size_t head_width, float *scores,
              size_t score_stride) {
  product<R, page_tokens / lanes, false>(queries, query_stride, head_width, keys, page_tokens, scores, score_stride);
}

void scores(const float *queries, size_t query_stride, size_t count, const float *keys, size_t head_width,
            float *scores, size_t score_stride) {
  size_t r = 0;
  for (; r + 3 <= count; r += 3)
    scoresOf<3>(queries + r * query_stride, query_stride, keys, head_width, scores + r * score_stride, score_stride);
  for (; r < count; ++r)
    scoresOf<1>(queries + r * query_stride, query_stride, keys, head_width, scores + r * score_stride, score_stride);
}

float softmax(float *scores, size_t count, float scale) {
  Vec top = load(scores);
  for (size_t i = lanes; i < count; i += lanes) {
    const Vec v = load(scores + i);
    top = v > top ? v : top;
  }
  float most = top[0];
  for (size_t i = 1; i < lanes; ++i)
    most = std::max(most, top[i]);
  Vec sums = all(0);
  for (size_t i = 0; i < count; i += lanes) {
    const Vec v = exponential((load(scores + i) - all(most)) * all(scale));
    sums += v;
    store(scores + i, v);
  }
  return sum(sums);
}

template <size_t R>
void accumulateRows(const float *weights, size_t weight_stride, const float *values, size_t head_width, float *results,
                    size_t result_stride) {
  size_t d = 0;
  for (; d + 4 * lanes <= head_width; d += 4 * lanes)
    product<R, 4, true>(weights, weight_stride, page_tokens, values + d, head_width, results + d, result_stride);
  for (; d < head_width; d += lanes)
    product<R, 1, true>(weights, weight_stride, page_tokens, values + d, head_width, results + d, result_stride);
}

void accumulate(const float *weights, size_t weight_stride, size_t count, const float *values, size_t head_width,
                float *results, size_t result_stride) {
  size_t r = 0;
  for (; r + 3 <= count; r += 3)
    accumulateRows<3>(weights + r * weight_stride, weight_stride, values, head_width, results + r * result_stride,
                      result_stride);
  for (; r < count; ++r)
    accumulateRows<1>(weights + r * weight_stride, weight_stride, values, head_width, results + r * result_stride,
                      result_stride);
}

} // namespace

extern const Kernels table;
const Kernels table = {multiply, normalize, add, gate, scores, softmax, accumulate};

} // namespace verilocc::model::VERILOCC_KERNELS
