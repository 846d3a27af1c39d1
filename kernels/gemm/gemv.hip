// Matrix times vector, the decode step of a language model: y = W x, W is N x K (K innermost), memory-bound.
//
// Each wave takes P_ROWS rows; a lane reads 8 neighbouring weights at a time and the wave reduces at the end.
// Parameters: P_TYPE float or f16 weights; P_BITS 4: weights are packed 4-bit numbers instead, 8 to a dword, lowest
// first,
//   and scales holds (scale, zero) as f16 for each row and each group of 32: w = (number - zero) * scale; P_ROWS;
//   P_WAVES.
// Launch: P_WAVES waves; grid (ceil(N / (ROWS * WAVES))). K is a multiple of 8 (4-bit: 32).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <class T, int BITS, int ROWS, int WAVES>
DEVICE void gemv(const void *RESTRICT weights, const f16x2 *RESTRICT scales, const float *RESTRICT x, float *RESTRICT y,
                 int n, int k) {
  int row0 = (blockX() * WAVES + waveId()) * ROWS;
  if (row0 >= n)
    return;
  float sums[ROWS] = {};
  for (int column = laneId() * 8; column < k; column += WAVE_SIZE * 8) {
    f32x4 x_low = *(const f32x4 *)(x + column), x_high = *(const f32x4 *)(x + column + 4);
    UNROLL
    for (int r = 0; r < ROWS; ++r) {
      i64 row = min(row0 + r, n - 1);
      float w[8];
      if constexpr (BITS == 4) {
        u32 packed = ((const u32 *)weights)[(row * k + column) / 8];
        f16x2 scale_zero = scales[(row * k + column) / 32];
        float scale = scale_zero[0], zero = scale_zero[1];
        UNROLL
        for (int i = 0; i < 8; ++i)
          w[i] = ((float)(packed >> 4 * i & 15u) - zero) * scale;
      } else {
        const T *p = (const T *)weights + row * k + column;
        typedef Vec<T, 8> Eight __attribute__((aligned(16)));
        Eight loaded = *(const Eight *)p;
        UNROLL
        for (int i = 0; i < 8; ++i)
          w[i] = toFloat(loaded[i]);
      }
      UNROLL
      for (int i = 0; i < 4; ++i) {
        sums[r] = fma(w[i], x_low[i], sums[r]);
        sums[r] = fma(w[i + 4], x_high[i], sums[r]);
      }
    }
  }
  UNROLL
  for (int r = 0; r < ROWS; ++r) {
    float sum = waveReduceDpp(sums[r], Sum());
    if (laneId() == 0 && row0 + r < n)
      y[row0 + r] = sum;
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_BITS
#define P_BITS 0
#endif

KERNEL(P_WAVES *WAVE_SIZE)
(const void *RESTRICT weights, const f16x2 *RESTRICT scales, const float *RESTRICT x, float *RESTRICT y, int n, int k) {
  gemv<P_TYPE, P_BITS, P_ROWS, P_WAVES>(weights, scales, x, y, n, k);
}
