// Multi-head attention as the textbook writes it: one work-group for each query row, all its scores in LDS.
//
// out = softmax(scale Q K^T) V; Q and out are [heads][queries][D], K and V are [heads / GROUP][keys][D], row-major.
// Causal: query i sees keys up to i + keys - queries.
// Parameters: P_TYPE element type of Q, K, V, out; P_D head dimension; P_THREADS; P_KEYS most keys (LDS); P_CAUSAL;
//   P_GROUP query heads to one key head; P_UNROLL keys a work-item handles at a time.
// Launch: P_THREADS work-items; grid (queries, heads).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <class T, int D, int THREADS, int MAX_KEYS, bool CAUSAL, int GROUP, int KEYS_AT_ONCE>
DEVICE void attention(const T *RESTRICT q, const T *RESTRICT k, const T *RESTRICT v, T *RESTRICT out, int queries,
                      int keys, float scale) {
  static_assert(THREADS % D == 0 || D % THREADS == 0);
  SHARED float lds_q[D];
  SHARED float scores[MAX_KEYS];
  SHARED float scratch[THREADS];
  int query = blockX(), head = blockY(), thread = threadX();
  q += ((i64)head * queries + query) * D;
  k += (i64)(head / GROUP) * keys * D;
  v += (i64)(head / GROUP) * keys * D;
  out += ((i64)head * queries + query) * D;
  int visible = CAUSAL ? min(keys, query + keys - queries + 1) : keys;

  for (int d = thread; d < D; d += THREADS)
    lds_q[d] = toFloat(q[d]) * (scale * kLog2E);
  barrier();

  float largest = -kInfinity;
  for (int first = thread; first < visible; first += THREADS * KEYS_AT_ONCE) {
    float sums[KEYS_AT_ONCE] = {};
    UNROLL_8
    for (int d = 0; d < D; ++d) {
      UNROLL
      for (int u = 0; u < KEYS_AT_ONCE; ++u) {
        int key = min(first + u * THREADS, visible - 1);
        sums[u] = fma(lds_q[d], toFloat(k[(i64)key * D + d]), sums[u]);
      }
    }
    UNROLL
    for (int u = 0; u < KEYS_AT_ONCE; ++u)
      if (first + u * THREADS < visible) {
        scores[first + u * THREADS] = sums[u];
        largest = fmax(largest, sums[u]);
      }
  }
  largest = blockReduce<THREADS>(largest, scratch, Maximum());

  float sum = 0;
  for (int key = thread; key < visible; key += THREADS) {
    float e = exp2Fast(scores[key] - largest);
    scores[key] = e;
    sum += e;
  }
  sum = blockReduce<THREADS>(sum, scratch, Sum());
  barrier();
  float inverse = reciprocal(sum);

  if constexpr (THREADS > D) {
    // Several work-items share one output column and each takes every SHARES-th key.
    constexpr int SHARES = THREADS / D;
    float partial = 0;
    for (int key = thread / D; key < visible; key += SHARES)
      partial = fma(scores[key], toFloat(v[(i64)key * D + thread % D]), partial);
    scratch[thread] = partial;
    barrier();
    if (thread < D) {
      UNROLL
      for (int s = 1; s < SHARES; ++s)
        partial += scratch[thread + s * D];
      out[thread] = fromFloat<T>(partial * inverse);
    }
  } else {
    constexpr int COLUMNS = D / THREADS;
    float sums[COLUMNS] = {};
    for (int key = 0; key < visible; ++key) {
      UNROLL
      for (int c = 0; c < COLUMNS; ++c)
        sums[c] = fma(scores[key], toFloat(v[(i64)key * D + thread + c * THREADS]), sums[c]);
    }
    UNROLL
    for (int c = 0; c < COLUMNS; ++c)
      out[thread + c * THREADS] = fromFloat<T>(sums[c] * inverse);
  }
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
#ifndef P_UNROLL
#define P_UNROLL 1
#endif

KERNEL(P_THREADS)
(const P_TYPE *RESTRICT q, const P_TYPE *RESTRICT k, const P_TYPE *RESTRICT v, P_TYPE *RESTRICT out, int queries,
 int keys, float scale) {
  attention<P_TYPE, P_D, P_THREADS, P_KEYS, P_CAUSAL, P_GROUP, P_UNROLL>(q, k, v, out, queries, keys, scale);
}
