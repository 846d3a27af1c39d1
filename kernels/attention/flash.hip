// Flash attention forward on the vector unit: one pass over the keys with a running maximum and sum.
//
// Same tensors as naive.hip. Idea (Dao et al., arXiv 2205.14135, algorithm 1; the rescaling of arXiv 2307.08691): a
// work-group owns ROWS queries, SPLIT neighbouring lanes share one query, each holding D / SPLIT of its columns in
// registers; tiles of KEYS keys and values go through LDS. Also writes the log-sum-exp of each row, for the backward
// pass. Parameters: P_TYPE; P_D; P_ROWS; P_KEYS; P_SPLIT; P_CAUSAL; P_GROUP; P_VARLEN 1: one sequence after another,
// their
//   starts in `starts` (queries and keys alike); grid z is the sequence.
// Launch: P_ROWS * P_SPLIT work-items; grid (ceil(queries / ROWS), heads, sequences).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <class T, int D, int ROWS, int KEYS, int SPLIT, bool CAUSAL, int GROUP, bool VARLEN>
DEVICE void flash(const T *RESTRICT q, const T *RESTRICT k, const T *RESTRICT v, T *RESTRICT out, float *RESTRICT lse,
                  const int *RESTRICT starts, int queries, int keys, float scale) {
  constexpr int THREADS = ROWS * SPLIT;
  constexpr int PART = D / SPLIT; // columns a lane holds: 4-vectors SPLIT * 4 apart, so that lanes read side by side
  constexpr int VECTORS = PART / 4;
  static_assert(PART % 4 == 0);
  alignas(16) SHARED float lds_k[KEYS][D];
  alignas(16) SHARED float lds_v[KEYS][D];
  int part = threadX() % SPLIT, local_row = threadX() / SPLIT, head = blockY();
  int head_pitch_q = queries, head_pitch_k = keys, first_token = 0;
  if constexpr (VARLEN) {
    first_token = starts[blockZ()];
    queries = keys = starts[blockZ() + 1] - first_token;
    if (blockX() * ROWS >= queries)
      return;
  }
  int row = blockX() * ROWS + local_row;
  bool row_exists = row < queries;
  const T *q_row = q + ((i64)head * head_pitch_q + first_token + min(row, queries - 1)) * D;
  k += ((i64)(head / GROUP) * head_pitch_k + first_token) * D;
  v += ((i64)(head / GROUP) * head_pitch_k + first_token) * D;

  float mine[PART], sums[PART];
  UNROLL
  for (int i = 0; i < PART; ++i) {
    mine[i] = toFloat(q_row[(i / 4 * SPLIT + part) * 4 + i % 4]) * (scale * kLog2E);
    sums[i] = 0;
  }
  float largest = -kInfinity, total = 0;
  int offset = keys - queries;
  int last_visible = CAUSAL ? min(keys, min(blockX() * ROWS + ROWS, queries) + offset) : keys;

  NO_UNROLL
  for (int key0 = 0; key0 < last_visible; key0 += KEYS) {
    UNROLL
    for (int i = 0; i < ceilDiv(KEYS * D / 4, THREADS); ++i) {
      int index = threadX() + i * THREADS;
      if (KEYS * D / 4 % THREADS == 0 || index < KEYS * D / 4) {
        int key = index / (D / 4), column = index % (D / 4) * 4;
        f32x4 a = 0.0f, b = 0.0f;
        if (key0 + key < keys) {
          const T *k_row = k + (i64)(key0 + key) * D + column;
          const T *v_row = v + (i64)(key0 + key) * D + column;
          UNROLL
          for (int e = 0; e < 4; ++e) {
            a[e] = toFloat(k_row[e]);
            b[e] = toFloat(v_row[e]);
          }
        }
        *(f32x4 *)&lds_k[key][column] = a;
        *(f32x4 *)&lds_v[key][column] = b;
      }
    }
    barrier();

    float scores[KEYS];
    float tile_largest = largest;
    UNROLL
    for (int key = 0; key < KEYS; ++key) {
      float dot = 0;
      UNROLL
      for (int i = 0; i < VECTORS; ++i) {
        f32x4 a = *(const f32x4 *)&lds_k[key][(i * SPLIT + part) * 4];
        UNROLL
        for (int e = 0; e < 4; ++e)
          dot = fma(mine[i * 4 + e], a[e], dot);
      }
      if constexpr (SPLIT > 1)
        dot = waveReduce<SPLIT>(dot, Sum());
      bool seen = key0 + key < keys && (!CAUSAL || key0 + key <= row + offset);
      scores[key] = seen ? dot : -kInfinity;
      tile_largest = fmax(tile_largest, scores[key]);
    }
    // A row that has seen no key yet keeps minus infinity; exp2(-inf - finite) is zero, never NaN.
    float reference = tile_largest == -kInfinity ? 0.0f : tile_largest;
    float rescale = exp2Fast(largest - reference);
    largest = tile_largest;
    total *= rescale;
    UNROLL
    for (int i = 0; i < PART; ++i)
      sums[i] *= rescale;
    UNROLL
    for (int key = 0; key < KEYS; ++key) {
      float weight = exp2Fast(scores[key] - reference);
      total += weight;
      UNROLL
      for (int i = 0; i < VECTORS; ++i) {
        f32x4 b = *(const f32x4 *)&lds_v[key][(i * SPLIT + part) * 4];
        UNROLL
        for (int e = 0; e < 4; ++e)
          sums[i * 4 + e] = fma(weight, b[e], sums[i * 4 + e]);
      }
    }
    barrier();
  }

  if (!row_exists)
    return;
  i64 token = (i64)head * head_pitch_q + first_token + row;
  float inverse = total > 0 ? reciprocal(total) : 0.0f;
  T *out_row = out + token * D;
  UNROLL
  for (int i = 0; i < PART; ++i)
    out_row[(i / 4 * SPLIT + part) * 4 + i % 4] = fromFloat<T>(sums[i] * inverse);
  if (part == 0)
    lse[token] = (largest + log2Fast(total)) * kLn2;
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_CAUSAL
#define P_CAUSAL 0
#endif
#ifndef P_GROUP
#define P_GROUP 1
#endif
#ifndef P_VARLEN
#define P_VARLEN 0
#endif

KERNEL(P_ROWS *P_SPLIT)
(const P_TYPE *RESTRICT q, const P_TYPE *RESTRICT k, const P_TYPE *RESTRICT v, P_TYPE *RESTRICT out,
 float *RESTRICT lse, const int *RESTRICT starts, int queries, int keys, float scale) {
  flash<P_TYPE, P_D, P_ROWS, P_KEYS, P_SPLIT, P_CAUSAL, P_GROUP, P_VARLEN>(q, k, v, out, lse, starts, queries, keys,
                                                                           scale);
}
