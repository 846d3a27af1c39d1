// GEMM on the matrix unit with 4-bit weights, dequantised on the way to LDS: C = A W^T, A is M x K f16, C f32.
//
// W is N x K in groups of P_GROUP along K: dwords of 8 numbers, lowest bits first; scales[n][group] = (scale, zero) as
// f16; w = (number - zero) * scale. Parameters: P_WM, P_WN, P_TM, P_TN, P_BK as in matrix.hip; P_GROUP a multiple of
// P_BK. Launch: P_WM * P_WN waves; grid (ceil(N / BN), ceil(M / BM)). K is a multiple of P_GROUP.
#include "matrix.h"
using namespace verilocc::kernels;

namespace {

template <int WAVES_M, int WAVES_N, int TILES_M, int TILES_N, int BK, int GROUP>
DEVICE void gemm(const f16 *RESTRICT a, const u32 *RESTRICT weights, const f16x2 *RESTRICT scales, float *RESTRICT out,
                 int m, int n, int k) {
  typedef Mma<f16, 16> M;
  constexpr int BM = WAVES_M * TILES_M * 16, BN = WAVES_N * TILES_N * 16, THREADS = WAVES_M * WAVES_N * WAVE_SIZE;
  constexpr int STRIDE = BK + 8, CHUNKS_A = BM * BK / 8, CHUNKS_B = BN * BK / 8;
  static_assert(GROUP % BK == 0 && BK % 8 == 0);
  alignas(16) SHARED f16 lds_a[BM * STRIDE];
  alignas(16) SHARED f16 lds_b[BN * STRIDE];
  int lane = laneId(), row_a = blockY() * BM, row_b = blockX() * BN;
  typename M::Accumulator c[TILES_M][TILES_N] = {};

  NO_UNROLL
  for (int k0 = 0; k0 < k; k0 += BK) {
    UNROLL
    for (int i = 0; i < ceilDiv(CHUNKS_A, THREADS); ++i) {
      int chunk = threadX() + i * THREADS;
      if (CHUNKS_A % THREADS == 0 || chunk < CHUNKS_A) {
        int row = chunk / (BK / 8), column = chunk % (BK / 8) * 8;
        f16x8 value = 0;
        if (row_a + row < m)
          value = *(const f16x8 *)(a + (i64)(row_a + row) * k + k0 + column);
        *(f16x8 *)(lds_a + row * STRIDE + column) = value;
      }
    }
    UNROLL
    for (int i = 0; i < ceilDiv(CHUNKS_B, THREADS); ++i) {
      int chunk = threadX() + i * THREADS;
      if (CHUNKS_B % THREADS == 0 || chunk < CHUNKS_B) {
        int row = chunk / (BK / 8), column = chunk % (BK / 8) * 8;
        f16x8 value = 0;
        if (row_b + row < n) {
          u32 packed = weights[((i64)(row_b + row) * k + k0 + column) / 8];
          f16x2 scale_zero = scales[((i64)(row_b + row) * k + k0) / GROUP];
          UNROLL
          for (int e = 0; e < 8; ++e)
            value[e] = ((f16)(u16)(packed >> 4 * e & 15u) - scale_zero[1]) * scale_zero[0];
        }
        *(f16x8 *)(lds_b + row * STRIDE + column) = value;
      }
    }
    barrier();
    UNROLL
    for (int step = 0; step < BK; step += M::K) {
      typename M::Fragment fa[TILES_M], fb[TILES_N];
      UNROLL
      for (int i = 0; i < TILES_M; ++i)
        fa[i] =
            M::load(lds_a + ((waveId() / WAVES_N * TILES_M + i) * 16 + lane % 16) * STRIDE + step + M::kStart(lane));
      UNROLL
      for (int j = 0; j < TILES_N; ++j)
        fb[j] =
            M::load(lds_b + ((waveId() % WAVES_N * TILES_N + j) * 16 + lane % 16) * STRIDE + step + M::kStart(lane));
      UNROLL
      for (int i = 0; i < TILES_M; ++i)
        UNROLL
      for (int j = 0; j < TILES_N; ++j)
        c[i][j] = M::multiply(fa[i], fb[j], c[i][j]);
    }
    barrier();
  }
  UNROLL
  for (int i = 0; i < TILES_M; ++i)
    UNROLL
  for (int j = 0; j < TILES_N; ++j)
    UNROLL
  for (int e = 0; e < M::kAccumulators; ++e) {
    int row = row_a + (waveId() / WAVES_N * TILES_M + i) * 16 + M::row(lane, e);
    int column = row_b + (waveId() % WAVES_N * TILES_N + j) * 16 + lane % 16;
    if (row < m && column < n)
      out[(i64)row * n + column] = c[i][j][e];
  }
}

} // namespace

KERNEL(P_WM *P_WN *WAVE_SIZE)
(const f16 *RESTRICT a, const u32 *RESTRICT weights, const f16x2 *RESTRICT scales, float *RESTRICT out, int m, int n,
 int k) {
  gemm<P_WM, P_WN, P_TM, P_TN, P_BK, P_GROUP>(a, weights, scales, out, m, n, k);
}
