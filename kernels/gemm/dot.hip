// GEMM with packed dot products: C = A B^T, A is M x K and B is N x K (K innermost), i8 into int or f16 into float.
//
// Idea: as tiled.hip, but a step along K is a dword of 4 i8 or 2 f16.
// Parameters: P_TYPE i8 or f16; P_BM, P_BN; P_BK dwords of one slice; P_TM, P_TN; P_PIPE 0 or 1 (prefetch).
// Launch: (BM / TM) * (BN / TN) work-items; grid (ceil(N / BN), ceil(M / BM)).
#include "dot.h"
using namespace verilocc::kernels;

namespace {

template <class T, class Out, int BM, int BN, int BK, int TM, int TN, bool PREFETCH> struct Gemm {
  static constexpr int THREADS = (BM / TM) * (BN / TN), PACK = 4 / sizeof(T);
  static constexpr int PER_THREAD_A = ceilDiv(BM * BK, THREADS), PER_THREAD_B = ceilDiv(BN * BK, THREADS);

  DEVICE static u32 pack(const T *RESTRICT matrix, int row, int rows, int k, int ks) {
    struct {
      T at[PACK];
    } elements = {};
    if (row < rows) {
      const T *p = matrix + (i64)row * ks + k;
      if (ks % PACK == 0 && k < ks)
        return *(const u32 *)p;
      UNROLL
      for (int i = 0; i < PACK; ++i)
        if (k + i < ks)
          elements.at[i] = p[i];
    }
    return bitCast<u32>(elements);
  }
  template <int B, int COUNT>
  DEVICE static void load(u32 (&out)[COUNT], const T *RESTRICT matrix, int row0, int rows, int k0, int ks) {
    UNROLL
    for (int i = 0; i < COUNT; ++i) {
      int index = threadX() + i * THREADS;
      if (B * BK % THREADS == 0 || index < B * BK)
        out[i] = pack(matrix, row0 + index / BK, rows, k0 + index % BK * PACK, ks);
    }
  }
  template <int B, int COUNT> DEVICE static void store(u32 (*lds)[B + 4], const u32 (&in)[COUNT]) {
    UNROLL
    for (int i = 0; i < COUNT; ++i) {
      int index = threadX() + i * THREADS;
      if (B * BK % THREADS == 0 || index < B * BK)
        lds[index % BK][index / BK] = in[i];
    }
  }

  DEVICE static void run(const T *RESTRICT a, const T *RESTRICT b, Out *RESTRICT out, int m, int n, int k) {
    alignas(16) SHARED u32 lds_a[BK][BM + 4];
    alignas(16) SHARED u32 lds_b[BK][BN + 4];
    int row0 = blockY() * BM, column0 = blockX() * BN;
    int row = threadX() / (BN / TN) * TM, column = threadX() % (BN / TN) * TN;
    Out c[TM][TN] = {};
    u32 next_a[PER_THREAD_A], next_b[PER_THREAD_B];
    if (PREFETCH) {
      load<BM>(next_a, a, row0, m, 0, k);
      load<BN>(next_b, b, column0, n, 0, k);
    }
    NO_UNROLL
    for (int k0 = 0; k0 < k; k0 += BK * PACK) {
      if (!PREFETCH) {
        load<BM>(next_a, a, row0, m, k0, k);
        load<BN>(next_b, b, column0, n, k0, k);
      }
      store<BM>(lds_a, next_a);
      store<BN>(lds_b, next_b);
      barrier();
      if (PREFETCH && k0 + BK * PACK < k) {
        load<BM>(next_a, a, row0, m, k0 + BK * PACK, k);
        load<BN>(next_b, b, column0, n, k0 + BK * PACK, k);
      }
      UNROLL
      for (int step = 0; step < BK; ++step) {
        u32 fa[TM], fb[TN];
        UNROLL
        for (int i = 0; i < TM; ++i)
          fa[i] = lds_a[step][row + i];
        UNROLL
        for (int j = 0; j < TN; ++j)
          fb[j] = lds_b[step][column + j];
        UNROLL
        for (int i = 0; i < TM; ++i)
          UNROLL
        for (int j = 0; j < TN; ++j)
          c[i][j] = dotAccumulate(T(), fa[i], fb[j], c[i][j]);
      }
      barrier();
    }
    UNROLL
    for (int i = 0; i < TM; ++i)
      UNROLL
    for (int j = 0; j < TN; ++j)
      if (row0 + row + i < m && column0 + column + j < n)
        out[(i64)(row0 + row + i) * n + column0 + column + j] = c[i][j];
  }
};

} // namespace

#ifndef P_PIPE
#define P_PIPE 0
#endif
#ifndef P_OUT
#define P_OUT int
#endif

KERNEL((P_BM / P_TM) * (P_BN / P_TN))
(const P_TYPE *RESTRICT a, const P_TYPE *RESTRICT b, P_OUT *RESTRICT out, int m, int n, int k) {
  Gemm<P_TYPE, P_OUT, P_BM, P_BN, P_BK, P_TM, P_TN, P_PIPE>::run(a, b, out, m, n, k);
}
