// GEMM on the vector unit: C = alpha op(A) op(B) + beta C, row-major, register- and LDS-tiled.
//
// Idea: a work-group computes BM x BN of C, each work-item TM x TN of it as outer products of columns of A and rows of
// B from LDS. A goes to LDS transposed, so that both fragments are contiguous vectors. Parameters: P_TYPE float, double
// or f16; P_BM, P_BN, P_BK block; P_TM, P_TN tile of a work-item;
//   P_PIPE 0 load then multiply, 1 prefetch the next slice into registers, 2 two LDS buffers;
//   P_TA, P_TB 1: the operand is stored transposed (A as K x M, B as N x K);
//   P_EPILOGUE 0 alpha A B + beta C, 1 max(A B + bias[n], 0); P_MODE 0 one product, 1 split-K with atomics, 2 batched.
// Launch: (BM / TM) * (BN / TN) work-items; grid (ceil(N / BN), ceil(M / BM), slices or batch).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

template <class T, int BM, int BN, int BK, int TM, int TN, int PIPE, bool TA, bool TB> struct Gemm {
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int PER_THREAD_A = ceilDiv(BM * BK, THREADS), PER_THREAD_B = ceilDiv(BN * BK, THREADS);
  static constexpr int BUFFERS = PIPE == 2 ? 2 : 1;
  // Padding keeps the transposing stores off one bank; 4 keeps 128-bit alignment of float rows.
  static constexpr int STRIDE_A = BM + 4, STRIDE_B = BN + 4;
  static constexpr int VECTOR = TM % 4 == 0 && TN % 4 == 0 ? 4 : (TM % 2 == 0 && TN % 2 == 0 ? 2 : 1);
  struct Slice {
    T a[PER_THREAD_A], b[PER_THREAD_B];
  };

  // Element (outer, k) of an operand stored with k innermost (KINNER) or outer innermost; zero outside.
  template <bool KINNER>
  DEVICE static T element(const T *RESTRICT matrix, int outer, int outers, int k, int k_end, int ks) {
    if (outer >= outers || k >= k_end)
      return T(0);
    return KINNER ? matrix[(i64)outer * ks + k] : matrix[(i64)k * outers + outer];
  }
  // Neighbouring work-items read neighbouring addresses, whichever way the operand lies.
  template <bool KINNER, int B> DEVICE static void place(int index, int &outer, int &k) {
    outer = KINNER ? index / BK : index % B;
    k = KINNER ? index % BK : index / B;
  }
  template <bool KINNER, int B, int COUNT>
  DEVICE static void loadSide(T (&out)[COUNT], const T *RESTRICT matrix, int outer0, int outers, int k0, int k_end,
                              int ks) {
    UNROLL
    for (int i = 0; i < COUNT; ++i) {
      int index = threadX() + i * THREADS, outer, k;
      place<KINNER, B>(index, outer, k);
      if (B * BK % THREADS == 0 || index < B * BK)
        out[i] = element<KINNER>(matrix, outer0 + outer, outers, k0 + k, k_end, ks);
    }
  }
  template <bool KINNER, int B, int STRIDE, int COUNT> DEVICE static void storeSide(T *lds, const T (&in)[COUNT]) {
    UNROLL
    for (int i = 0; i < COUNT; ++i) {
      int index = threadX() + i * THREADS, outer, k;
      place<KINNER, B>(index, outer, k);
      if (B * BK % THREADS == 0 || index < B * BK)
        lds[k * STRIDE + outer] = in[i];
    }
  }
  template <int COUNT> DEVICE static void fragment(T (&out)[COUNT], const T *lds) {
    typedef Vec<T, VECTOR> V;
    UNROLL
    for (int i = 0; i < COUNT; i += VECTOR) {
      V v = *(const V *)(lds + i);
      UNROLL
      for (int j = 0; j < VECTOR; ++j)
        out[i + j] = v[j];
    }
  }
  DEVICE static void multiplySlice(const T *lds_a, const T *lds_b, int row, int column, T (&c)[TM][TN]) {
    UNROLL
    for (int k = 0; k < BK; ++k) {
      T a[TM], b[TN];
      fragment(a, lds_a + k * STRIDE_A + row);
      fragment(b, lds_b + k * STRIDE_B + column);
      UNROLL
      for (int i = 0; i < TM; ++i)
        UNROLL
      for (int j = 0; j < TN; ++j)
        c[i][j] = fma(a[i], b[j], c[i][j]);
    }
  }

  template <int EPILOGUE, int MODE>
  DEVICE static void run(const T *RESTRICT a, const T *RESTRICT b, T *RESTRICT out, const T *RESTRICT bias, int m,
                         int n, int k, int slices, float alpha, float beta) {
    alignas(32) SHARED T lds_a[BUFFERS][BK * STRIDE_A];
    alignas(32) SHARED T lds_b[BUFFERS][BK * STRIDE_B];
    int k_begin = 0, k_end = k;
    if constexpr (MODE == 2) {
      a += (i64)blockZ() * m * k;
      b += (i64)blockZ() * n * k;
      out += (i64)blockZ() * m * n;
    }
    if constexpr (MODE == 1) {
      int share = ceilDiv(ceilDiv(k, BK), slices) * BK;
      k_begin = blockZ() * share;
      k_end = min(k, k_begin + share);
    }
    int row0 = blockY() * BM, column0 = blockX() * BN;
    int row = threadX() / (BN / TN) * TM, column = threadX() % (BN / TN) * TN;
    T c[TM][TN] = {};
    Slice slice;
    auto load = [&](int k0) {
      loadSide<!TA, BM>(slice.a, a, row0, m, k0, k_end, k);
      loadSide<TB, BN>(slice.b, b, column0, n, k0, k_end, k);
    };
    auto toLds = [&](int buffer) {
      storeSide<!TA, BM, STRIDE_A>(lds_a[buffer], slice.a);
      storeSide<TB, BN, STRIDE_B>(lds_b[buffer], slice.b);
    };
    if constexpr (PIPE == 0) {
      NO_UNROLL
      for (int k0 = k_begin; k0 < k_end; k0 += BK) {
        load(k0);
        toLds(0);
        barrier();
        multiplySlice(lds_a[0], lds_b[0], row, column, c);
        barrier();
      }
    } else if constexpr (PIPE == 1) {
      load(k_begin);
      NO_UNROLL
      for (int k0 = k_begin; k0 < k_end; k0 += BK) {
        toLds(0);
        barrier();
        if (k0 + BK < k_end)
          load(k0 + BK);
        multiplySlice(lds_a[0], lds_b[0], row, column, c);
        barrier();
      }
    } else {
      load(k_begin);
      toLds(0);
      barrier();
      int buffer = 0;
      NO_UNROLL
      for (int k0 = k_begin; k0 < k_end; k0 += BK) {
        bool more = k0 + BK < k_end;
        if (more)
          load(k0 + BK);
        multiplySlice(lds_a[buffer], lds_b[buffer], row, column, c);
        buffer ^= 1;
        if (more)
          toLds(buffer);
        barrier();
      }
    }

    UNROLL
    for (int i = 0; i < TM; ++i) {
      if (row0 + row + i >= m)
        break;
      UNROLL
      for (int j = 0; j < TN; ++j) {
        int out_column = column0 + column + j;
        if (out_column >= n)
          break;
        T *place = out + (i64)(row0 + row + i) * n + out_column;
        if constexpr (MODE == 1)
          atomicAdd(place, T(alpha) * c[i][j]);
        else if constexpr (EPILOGUE == 1)
          *place = max(c[i][j] + bias[out_column], T(0));
        else
          *place = T(alpha) * c[i][j] + (beta != 0 ? T(beta) * *place : T(0));
      }
    }
  }
};

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_PIPE
#define P_PIPE 0
#endif
#ifndef P_TA
#define P_TA 0
#endif
#ifndef P_TB
#define P_TB 0
#endif
#ifndef P_EPILOGUE
#define P_EPILOGUE 0
#endif
#ifndef P_MODE
#define P_MODE 0
#endif

KERNEL((P_BM / P_TM) * (P_BN / P_TN))
(const P_TYPE *RESTRICT a, const P_TYPE *RESTRICT b, P_TYPE *RESTRICT out, const P_TYPE *RESTRICT bias, int m, int n,
 int k, int slices, float alpha, float beta) {
  Gemm<P_TYPE, P_BM, P_BN, P_BK, P_TM, P_TN, P_PIPE, P_TA, P_TB>::run<P_EPILOGUE, P_MODE>(a, b, out, bias, m, n, k,
                                                                                          slices, alpha, beta);
}
