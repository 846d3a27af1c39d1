// GEMM on the matrix unit: C = epilogue(A B^T), A is M x K and B is N x K, both row-major (K innermost), C row-major.
//
// Idea: a work-group of WAVES_M x WAVES_N waves computes a BM x BN block; each wave holds TILES_M x TILES_N
// accumulators. Slices of BK go through LDS, rows padded against bank conflicts; every fragment is one aligned vector
// load. Parameters: P_TYPE element type; P_SIZE tile of the instruction; P_WM, P_WN waves; P_TM, P_TN tiles a wave;
// P_BK;
//   P_PIPE 0 load then multiply, 1 prefetch the next slice into registers, 2 two LDS buffers;
//   P_EPILOGUE 0 alpha A B + beta C, 1 gelu(A B + bias[n]) as f16, 2 scale_m[m] scale_n[n] A B (dequantisation);
//   P_MODE 0 one product, 1 split-K (grid z slices, atomic additions into C), 2 batched (grid z products).
// Launch: P_WM * P_WN waves; grid (ceil(N / BN), ceil(M / BM), slices or batch).
#include "matrix.h"
using namespace verilocc::kernels;

namespace {

enum class Epilogue { Linear = 0, BiasGelu = 1, Dequantise = 2 };
enum class Mode { Single = 0, SplitK = 1, Batched = 2 };

template <class T, int SIZE, int WAVES_M, int WAVES_N, int TILES_M, int TILES_N, int BK, int PIPE> struct Gemm {
  typedef Mma<T, SIZE> M;
  typedef typename M::Sum Sum;
  static constexpr int BM = WAVES_M * TILES_M * SIZE, BN = WAVES_N * TILES_N * SIZE;
  static constexpr int THREADS = WAVES_M * WAVES_N * WAVE_SIZE;
  static constexpr int CHUNK = 16 / sizeof(T); // elements of one 128-bit load
  static constexpr int STRIDE = BK + CHUNK;
  static constexpr int CHUNKS_A = BM * BK / CHUNK, CHUNKS_B = BN * BK / CHUNK;
  static constexpr int PER_THREAD_A = ceilDiv(CHUNKS_A, THREADS), PER_THREAD_B = ceilDiv(CHUNKS_B, THREADS);
  static constexpr int BUFFERS = PIPE == 2 ? 2 : 1;
  static_assert(BK % M::K == 0 && BK % CHUNK == 0);

  // The chunks of one slice that this work-item carries from memory to LDS.
  struct Slice {
    u32x4 a[PER_THREAD_A], b[PER_THREAD_B];
  };

  // Eight, sixteen, ... elements of row `row` from column `column`; what lies outside the matrix reads as zero.
  DEVICE static u32x4 loadChunk(const T *RESTRICT matrix, int row, int rows, int column, int columns, int pitch) {
    const T *p = matrix + (i64)row * pitch + column;
    if (row < rows && column + CHUNK <= columns && pitch % CHUNK == 0)
      return *(const u32x4 *)p;
    struct {
      T at[CHUNK];
    } elements = {};
    if (row < rows) {
      UNROLL
      for (int i = 0; i < CHUNK; ++i)
        if (column + i < columns)
          elements.at[i] = p[i];
    }
    return bitCast<u32x4>(elements);
  }

  template <int COUNT, int CHUNKS>
  DEVICE static void loadSide(u32x4 (&out)[COUNT], const T *RESTRICT matrix, int row0, int rows, int k0, int k_end,
                              int pitch) {
    UNROLL
    for (int i = 0; i < COUNT; ++i) {
      int chunk = threadX() + i * THREADS;
      if (CHUNKS % THREADS == 0 || chunk < CHUNKS)
        out[i] = loadChunk(matrix, row0 + chunk / (BK / CHUNK), rows, k0 + chunk % (BK / CHUNK) * CHUNK, k_end, pitch);
    }
  }
  template <int COUNT, int CHUNKS> DEVICE static void storeSide(T *lds, const u32x4 (&in)[COUNT]) {
    UNROLL
    for (int i = 0; i < COUNT; ++i) {
      int chunk = threadX() + i * THREADS;
      if (CHUNKS % THREADS == 0 || chunk < CHUNKS)
        *(u32x4 *)(lds + chunk / (BK / CHUNK) * STRIDE + chunk % (BK / CHUNK) * CHUNK) = in[i];
    }
  }

  DEVICE static void multiplySlice(const T *lds_a, const T *lds_b, typename M::Accumulator (&c)[TILES_M][TILES_N]) {
    int lane = laneId();
    int row_a = waveId() / WAVES_N * TILES_M * SIZE + lane % SIZE;
    int row_b = waveId() % WAVES_N * TILES_N * SIZE + lane % SIZE;
    UNROLL
    for (int k = 0; k < BK; k += M::K) {
      typename M::Fragment a[TILES_M], b[TILES_N];
      UNROLL
      for (int i = 0; i < TILES_M; ++i)
        a[i] = M::load(lds_a + (row_a + i * SIZE) * STRIDE + k + M::kStart(lane));
      UNROLL
      for (int j = 0; j < TILES_N; ++j)
        b[j] = M::load(lds_b + (row_b + j * SIZE) * STRIDE + k + M::kStart(lane));
      UNROLL
      for (int i = 0; i < TILES_M; ++i)
        UNROLL
      for (int j = 0; j < TILES_N; ++j)
        c[i][j] = M::multiply(a[i], b[j], c[i][j]);
    }
  }

  template <Epilogue EPILOGUE, Mode MODE, class Out>
  DEVICE static void store(const typename M::Accumulator (&c)[TILES_M][TILES_N], Out *RESTRICT out,
                           const float *RESTRICT bias, const float *RESTRICT scale, int m, int n, float alpha,
                           float beta) {
    int lane = laneId();
    int row0 = blockY() * BM + waveId() / WAVES_N * TILES_M * SIZE;
    int column0 = blockX() * BN + waveId() % WAVES_N * TILES_N * SIZE + lane % SIZE;
    UNROLL
    for (int j = 0; j < TILES_N; ++j) {
      int column = column0 + j * SIZE;
      if (column >= n)
        continue;
      UNROLL
      for (int i = 0; i < TILES_M; ++i)
        UNROLL
      for (int e = 0; e < M::kAccumulators; ++e) {
        int row = row0 + i * SIZE + M::row(lane, e);
        if (row >= m)
          continue;
        Out *place = out + (i64)row * n + column;
        if constexpr (MODE == Mode::SplitK)
          atomicAdd(place, (Out)(c[i][j][e] * (Sum)alpha));
        else if constexpr (EPILOGUE == Epilogue::BiasGelu)
          *place = (Out)gelu((float)c[i][j][e] + bias[column]);
        else if constexpr (EPILOGUE == Epilogue::Dequantise)
          *place = (Out)((float)c[i][j][e] * bias[column] * scale[row]);
        else
          *place = (Out)(c[i][j][e] * (Sum)alpha + (beta != 0 ? (Sum)*place * (Sum)beta : (Sum)0));
      }
    }
  }

  template <Epilogue EPILOGUE, Mode MODE, class Out>
  DEVICE static void run(const T *RESTRICT a, const T *RESTRICT b, Out *RESTRICT out, const float *RESTRICT bias,
                         const float *RESTRICT scale, int m, int n, int k, int slices, float alpha, float beta) {
    alignas(16) SHARED T lds_a[BUFFERS][BM * STRIDE];
    alignas(16) SHARED T lds_b[BUFFERS][BN * STRIDE];
    int k_begin = 0, k_end = k;
    if constexpr (MODE == Mode::Batched) {
      a += (i64)blockZ() * m * k;
      b += (i64)blockZ() * n * k;
      out += (i64)blockZ() * m * n;
    }
    if constexpr (MODE == Mode::SplitK) {
      int share = ceilDiv(ceilDiv(k, BK), slices) * BK;
      k_begin = blockZ() * share;
      k_end = min(k, k_begin + share);
    }
    int row_a = blockY() * BM, row_b = blockX() * BN;

    typename M::Accumulator c[TILES_M][TILES_N] = {};
    Slice slice;
    auto load = [&](int k0) {
      loadSide<PER_THREAD_A, CHUNKS_A>(slice.a, a, row_a, m, k0, k_end, k);
      loadSide<PER_THREAD_B, CHUNKS_B>(slice.b, b, row_b, n, k0, k_end, k);
    };
    auto toLds = [&](int buffer) {
      storeSide<PER_THREAD_A, CHUNKS_A>(lds_a[buffer], slice.a);
      storeSide<PER_THREAD_B, CHUNKS_B>(lds_b[buffer], slice.b);
    };
    if constexpr (PIPE == 0) {
      NO_UNROLL
      for (int k0 = k_begin; k0 < k_end; k0 += BK) {
        load(k0);
        toLds(0);
        barrier();
        multiplySlice(lds_a[0], lds_b[0], c);
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
        multiplySlice(lds_a[0], lds_b[0], c);
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
        multiplySlice(lds_a[buffer], lds_b[buffer], c);
        buffer ^= 1;
        if (more)
          toLds(buffer);
        barrier();
      }
    }
    store<EPILOGUE, MODE>(c, out, bias, scale, m, n, alpha, beta);
  }
};

} // namespace

#ifndef P_EPILOGUE
#define P_EPILOGUE 0
#endif
#ifndef P_MODE
#define P_MODE 0
#endif
#ifndef P_OUT
#define P_OUT Mma<P_TYPE, P_SIZE>::Sum
#endif

KERNEL(P_WM *P_WN *WAVE_SIZE)
(const P_TYPE *RESTRICT a, const P_TYPE *RESTRICT b, P_OUT *RESTRICT out, const float *RESTRICT bias,
 const float *RESTRICT scale, int m, int n, int k, int slices, float alpha, float beta) {
  Gemm<P_TYPE, P_SIZE, P_WM, P_WN, P_TM, P_TN, P_BK, P_PIPE>::run<(Epilogue)P_EPILOGUE, (Mode)P_MODE>(
      a, b, out, bias, scale, m, n, k, slices, alpha, beta);
}
