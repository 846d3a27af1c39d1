// Layer norm and RMS norm of rows, with optional residual: y = (x - mean) / sqrt(variance + eps) * gamma + beta.
//
// Parameters: P_TYPE; P_THREADS work-items a row; P_ITEMS elements a work-item keeps in registers (columns at most
//   THREADS * ITEMS); P_RMS 1: no mean, no beta (Zhang and Sennrich, arXiv 1910.07467); P_RESIDUAL 1: x += residual
//   first, and the sum is written back; P_WELFORD 1: mean and variance merged pairwise (Chan, Golub and LeVeque 1983)
//   instead of in two passes.
// Launch: P_THREADS work-items; grid (rows).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

struct Moments {
  float mean, squares, count; // squares: sum of squared deviations from the mean
};

DEVICE Moments merge(Moments a, Moments b) {
  float count = a.count + b.count;
  float share = count > 0 ? b.count * reciprocal(count) : 0.0f;
  float delta = b.mean - a.mean;
  return {a.mean + delta * share, a.squares + b.squares + delta * delta * a.count * share, count};
}

template <int THREADS> DEVICE Moments blockMoments(Moments m, Moments *scratch) {
  UNROLL
  for (int mask = 1; mask < WAVE_SIZE; mask *= 2) {
    Moments other{shuffleXor(m.mean, mask), shuffleXor(m.squares, mask), shuffleXor(m.count, mask)};
    // Both partners must merge in the same order to get the same bits.
    m = laneId() & mask ? merge(other, m) : merge(m, other);
  }
  constexpr int WAVES = ceilDiv(THREADS, WAVE_SIZE);
  if constexpr (WAVES > 1) {
    if (laneId() == 0)
      scratch[waveId()] = m;
    barrier();
    m = scratch[0];
    for (int w = 1; w < WAVES; ++w)
      m = merge(m, scratch[w]);
  }
  return m;
}

template <class T, int THREADS, int ITEMS, bool RMS, bool RESIDUAL, bool WELFORD>
DEVICE void normalise(const T *RESTRICT in, T *RESTRICT residual, T *RESTRICT out, const float *RESTRICT gamma,
                      const float *RESTRICT beta, int columns, float epsilon) {
  SHARED float scratch[ceilDiv(THREADS, WAVE_SIZE)];
  SHARED Moments moments_scratch[ceilDiv(THREADS, WAVE_SIZE)];
  i64 row = (i64)blockX() * columns;
  float x[ITEMS];
  UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    int column = threadX() + i * THREADS;
    x[i] = 0;
    if (column < columns) {
      x[i] = toFloat(in[row + column]);
      if constexpr (RESIDUAL) {
        x[i] += toFloat(residual[row + column]);
        residual[row + column] = fromFloat<T>(x[i]);
      }
    }
  }
  float inverse_columns = reciprocal((float)columns);
  float mean = 0, variance;
  if constexpr (WELFORD && !RMS) {
    Moments m{0, 0, 0};
    UNROLL
    for (int i = 0; i < ITEMS; ++i)
      if (threadX() + i * THREADS < columns) {
        m.count += 1;
        float delta = x[i] - m.mean;
        m.mean += delta * reciprocal(m.count);
        m.squares += delta * (x[i] - m.mean);
      }
    m = blockMoments<THREADS>(m, moments_scratch);
    mean = m.mean;
    variance = m.squares * inverse_columns;
  } else {
    if constexpr (!RMS) {
      float sum = 0;
      UNROLL
      for (int i = 0; i < ITEMS; ++i)
        sum += x[i];
      mean = blockReduce<THREADS>(sum, scratch, Sum()) * inverse_columns;
    }
    float squares = 0;
    UNROLL
    for (int i = 0; i < ITEMS; ++i)
      if (threadX() + i * THREADS < columns)
        squares = fma(x[i] - mean, x[i] - mean, squares);
    variance = blockReduce<THREADS>(squares, scratch, Sum()) * inverse_columns;
  }
  float scale = reciprocalSqrt(variance + epsilon);
  UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    int column = threadX() + i * THREADS;
    if (column < columns) {
      float y = (x[i] - mean) * scale * gamma[column];
      out[row + column] = fromFloat<T>(RMS ? y : y + beta[column]);
    }
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_RMS
#define P_RMS 0
#endif
#ifndef P_RESIDUAL
#define P_RESIDUAL 0
#endif
#ifndef P_WELFORD
#define P_WELFORD 0
#endif

KERNEL(P_THREADS)
(const P_TYPE *RESTRICT in, P_TYPE *RESTRICT residual, P_TYPE *RESTRICT out, const float *RESTRICT gamma,
 const float *RESTRICT beta, int columns, float epsilon) {
  normalise<P_TYPE, P_THREADS, P_ITEMS, P_RMS, P_RESIDUAL, P_WELFORD>(in, residual, out, gamma, beta, columns, epsilon);
}
