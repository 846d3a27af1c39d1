// GEMM with 2:4 structured sparsity on the matrix unit: C = A B^T, A is M x K with two of every four neighbours kept.
//
// kept is M x K/2 (f16 or bf16), positions holds for each kept element its place 0 to 3 in its group of four, 2 bits
// each, packed 4 elements to a byte, M x K/8 bytes; B is N x K; C float. Within a group positions ascend. Parameters:
// P_TYPE; P_TM, P_TN tiles of a wave; one wave a work-group, fragments straight from memory. Launch: one wave; grid
// (ceil(N / (16 TN)), ceil(M / (16 TM))). K is a multiple of 32.
#include "sparse.h"
using namespace verilocc::kernels;

namespace {

template <class T, int TILES_M, int TILES_N>
DEVICE void gemm(const T *RESTRICT kept, const u8 *RESTRICT positions, const T *RESTRICT b, float *RESTRICT out, int m,
                 int n, int k) {
  typedef SparseMma<T> M;
  int lane = laneId(), row0 = blockY() * TILES_M * 16, column0 = blockX() * TILES_N * 16;
  typename M::Accumulator c[TILES_M][TILES_N] = {};
  NO_UNROLL
  for (int k0 = 0; k0 < k; k0 += M::K) {
    typename M::FragmentA fa[TILES_M];
    int index[TILES_M];
    typename M::FragmentB fb[TILES_N];
    int at = k0 + M::kStart(lane);
    UNROLL
    for (int i = 0; i < TILES_M; ++i) {
      i64 row = min(row0 + i * 16 + lane % 16, m - 1);
      fa[i] = M::loadA(kept + (row * k + at) / 2);
      index[i] = M::loadIndex(positions + (row * k + at) / 8);
    }
    UNROLL
    for (int j = 0; j < TILES_N; ++j)
      fb[j] = M::loadB(b + (i64)min(column0 + j * 16 + lane % 16, n - 1) * k + at);
    UNROLL
    for (int i = 0; i < TILES_M; ++i)
      UNROLL
    for (int j = 0; j < TILES_N; ++j)
      c[i][j] = M::multiply(fa[i], index[i], fb[j], c[i][j]);
  }
  UNROLL
  for (int i = 0; i < TILES_M; ++i)
    UNROLL
  for (int j = 0; j < TILES_N; ++j)
    UNROLL
  for (int e = 0; e < M::kAccumulators; ++e) {
    int row = row0 + i * 16 + M::row(lane, e), column = column0 + j * 16 + lane % 16;
    if (row < m && column < n)
      out[(i64)row * n + column] = c[i][j][e];
  }
}

} // namespace

KERNEL(WAVE_SIZE)
(const P_TYPE *RESTRICT kept, const u8 *RESTRICT positions, const P_TYPE *RESTRICT b, float *RESTRICT out, int m, int n,
 int k) {
  gemm<P_TYPE, P_TM, P_TN>(kept, positions, b, out, m, n, k);
}
