// Flash attention forward on the matrix unit.
//
// Same tensors and argument list as flash.hip. Idea: each wave owns SIZE queries, their fragments in registers; S = Q
// K^T comes out in the accumulator layout, where the 16 or 32 lanes of a group hold one row; P goes to A's layout
// through a strip of LDS that only this wave uses; V lies transposed in LDS so that its fragments are neighbours along
// the keys. Parameters: P_TYPE f16 or bf16; P_SIZE; P_D; P_KEYS tile; P_WAVES; P_CAUSAL; P_GROUP. Launch: P_WAVES
// waves; grid (ceil(queries / (SIZE * WAVES)), heads).
#include "matrix.h"
using namespace verilocc::kernels;

namespace {

template <class T, int SIZE, int D, int KEYS, int WAVES, bool CAUSAL, int GROUP>
DEVICE void flash(const T *RESTRICT q, const T *RESTRICT k, const T *RESTRICT v, T *RESTRICT out, float *RESTRICT lse,
                  int queries, int keys, float scale) {
  typedef Mma<T, SIZE> M;
  typedef typename M::Fragment Fragment;
  typedef typename M::Accumulator Accumulator;
  constexpr int THREADS = WAVES * WAVE_SIZE;
  constexpr int CHUNK = 8; // elements of 128 bits
  constexpr int DEPTHS = D / M::K, KEY_TILES = KEYS / SIZE, COLUMN_TILES = D / SIZE, KEY_DEPTHS = KEYS / M::K;
  constexpr int STRIDE_K = D + CHUNK, STRIDE_V = KEYS + CHUNK;
  static_assert(D % M::K == 0 && D % SIZE == 0 && KEYS % SIZE == 0 && KEYS % M::K == 0);
  alignas(16) SHARED T lds_k[KEYS * STRIDE_K];
  alignas(16) SHARED T lds_v[D * STRIDE_V];
  alignas(16) SHARED T lds_p[WAVES][SIZE * STRIDE_V];

  int lane = laneId(), wave = waveId(), head = blockY();
  int row0 = (blockX() * WAVES + wave) * SIZE;
  q += (i64)head * queries * D;
  k += (i64)(head / GROUP) * keys * D;
  v += (i64)(head / GROUP) * keys * D;
  T *strip = lds_p[wave];

  Fragment fq[DEPTHS];
  UNROLL
  for (int d = 0; d < DEPTHS; ++d)
    fq[d] = M::load(q + (i64)min(row0 + lane % SIZE, queries - 1) * D + d * M::K + M::kStart(lane));

  Accumulator sums[COLUMN_TILES] = {};
  float largest[M::kAccumulators], total[M::kAccumulators];
  UNROLL
  for (int i = 0; i < M::kAccumulators; ++i) {
    largest[i] = -kInfinity;
    total[i] = 0;
  }
  int offset = keys - queries;
  int last_visible = CAUSAL ? min(keys, min((blockX() + 1) * WAVES * SIZE, queries) + offset) : keys;
  float to_log2 = scale * kLog2E;

  NO_UNROLL
  for (int key0 = 0; key0 < last_visible; key0 += KEYS) {
    UNROLL
    for (int i = 0; i < ceilDiv(KEYS * D / CHUNK, THREADS); ++i) {
      int index = threadX() + i * THREADS;
      if (KEYS * D / CHUNK % THREADS == 0 || index < KEYS * D / CHUNK) {
        int key = index / (D / CHUNK), column = index % (D / CHUNK) * CHUNK;
        struct Elements {
          T at[CHUNK];
        } vk = {}, vv = {};
        if (key0 + key < keys) {
          vk = bitCast<Elements>(*(const u32x4 *)(k + (i64)(key0 + key) * D + column));
          vv = bitCast<Elements>(*(const u32x4 *)(v + (i64)(key0 + key) * D + column));
        }
        *(u32x4 *)(lds_k + key * STRIDE_K + column) = bitCast<u32x4>(vk);
        UNROLL
        for (int e = 0; e < CHUNK; ++e)
          lds_v[(column + e) * STRIDE_V + key] = vv.at[e];
      }
    }
    barrier();

    Accumulator scores[KEY_TILES] = {};
    UNROLL
    for (int d = 0; d < DEPTHS; ++d)
      UNROLL
    for (int t = 0; t < KEY_TILES; ++t) {
      Fragment fk = M::load(lds_k + (t * SIZE + lane % SIZE) * STRIDE_K + d * M::K + M::kStart(lane));
      scores[t] = M::multiply(fq[d], fk, scores[t]);
    }

    UNROLL
    for (int i = 0; i < M::kAccumulators; ++i) {
      int row = row0 + M::row(lane, i);
      float row_largest = -kInfinity;
      UNROLL
      for (int t = 0; t < KEY_TILES; ++t) {
        int key = key0 + t * SIZE + lane % SIZE;
        bool seen = key < keys && (!CAUSAL || key <= row + offset);
        scores[t][i] = seen ? scores[t][i] * to_log2 : -kInfinity;
        row_largest = fmax(row_largest, scores[t][i]);
      }
      row_largest = fmax(largest[i], waveReduce<SIZE>(row_largest, Maximum()));
      float reference = row_largest == -kInfinity ? 0.0f : row_largest;
      float rescale = exp2Fast(largest[i] - reference);
      largest[i] = row_largest;
      float row_total = 0;
      UNROLL
      for (int t = 0; t < KEY_TILES; ++t) {
        float weight = exp2Fast(scores[t][i] - reference);
        row_total += weight;
        strip[M::row(lane, i) * STRIDE_V + t * SIZE + lane % SIZE] = fromFloat<T>(weight);
      }
      // Each lane sums its own columns; the group is summed once, at the end.
      total[i] = total[i] * rescale + row_total;
      UNROLL
      for (int c = 0; c < COLUMN_TILES; ++c)
        sums[c][i] *= rescale;
    }
    barrier(); // the strip is this wave's own, but its lanes exchange through it

    UNROLL
    for (int d = 0; d < KEY_DEPTHS; ++d) {
      Fragment fp = M::load(strip + (lane % SIZE) * STRIDE_V + d * M::K + M::kStart(lane));
      UNROLL
      for (int c = 0; c < COLUMN_TILES; ++c) {
        Fragment fv = M::load(lds_v + (c * SIZE + lane % SIZE) * STRIDE_V + d * M::K + M::kStart(lane));
        sums[c] = M::multiply(fp, fv, sums[c]);
      }
    }
    barrier();
  }

  UNROLL
  for (int i = 0; i < M::kAccumulators; ++i) {
    float row_total = waveReduce<SIZE>(total[i], Sum());
    int row = row0 + M::row(lane, i);
    if (row >= queries)
      continue;
    float inverse = row_total > 0 ? reciprocal(row_total) : 0.0f;
    i64 token = (i64)head * queries + row;
    UNROLL
    for (int c = 0; c < COLUMN_TILES; ++c)
      out[token * D + c * SIZE + lane % SIZE] = fromFloat<T>(sums[c][i] * inverse);
    if (lane % SIZE == 0)
      lse[token] = (largest[i] + log2Fast(row_total)) * kLn2;
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE f16
#endif
#ifndef P_SIZE
#define P_SIZE 16
#endif
#ifndef P_CAUSAL
#define P_CAUSAL 0
#endif
#ifndef P_GROUP
#define P_GROUP 1
#endif

KERNEL(P_WAVES *WAVE_SIZE)
(const P_TYPE *RESTRICT q, const P_TYPE *RESTRICT k, const P_TYPE *RESTRICT v, P_TYPE *RESTRICT out,
 float *RESTRICT lse, const int *RESTRICT, int queries, int keys, float scale) {
  flash<P_TYPE, P_SIZE, P_D, P_KEYS, P_WAVES, P_CAUSAL, P_GROUP>(q, k, v, out, lse, queries, keys, scale);
}
