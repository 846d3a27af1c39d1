// Decode attention over a paged key-value cache: one query token a sequence, keys found through a block table.
//
// q and out are [sequences][heads][D]; the caches are [pages][kv_heads][PAGE][D]; table[sequence][max_pages] names the
// pages of a sequence in order; lengths[sequence] is its number of keys. (PagedAttention, arXiv 2309.06180.)
// Idea: LANES neighbouring lanes share one key and hold D / LANES columns each; every group of lanes keeps its own
// running maximum, sum and output over the keys it sees; the groups of the work-group are merged through LDS at the
// end. Parameters: P_TYPE; P_D; P_PAGE; P_LANES; P_WAVES; P_GROUP query heads to one key head. Launch: P_WAVES waves;
// grid (heads, sequences).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <class T, int D, int PAGE, int LANES, int WAVES, int GROUP>
DEVICE void decode(const T *RESTRICT q, const T *RESTRICT k_cache, const T *RESTRICT v_cache, T *RESTRICT out,
                   const int *RESTRICT table, const int *RESTRICT lengths, int max_pages, float scale) {
  constexpr int PART = D / LANES, GROUPS = WAVES * WAVE_SIZE / LANES;
  static_assert(PART % 4 == 0 && WAVE_SIZE % LANES == 0);
  SHARED float group_largest[GROUPS];
  SHARED float group_total[GROUPS];
  SHARED float group_sums[GROUPS][D];
  int head = blockX(), sequence = blockY(), heads = gridSize() / blockSize();
  int kv_head = head / GROUP, kv_heads = heads / GROUP;
  int part = threadX() % LANES, group = threadX() / LANES;
  int length = lengths[sequence];
  q += ((i64)sequence * heads + head) * D;
  out += ((i64)sequence * heads + head) * D;
  table += (i64)sequence * max_pages;

  float mine[PART], sums[PART];
  UNROLL
  for (int i = 0; i < PART; ++i) {
    mine[i] = toFloat(q[part * PART + i]) * (scale * kLog2E);
    sums[i] = 0;
  }
  float largest = -3.0e38f, total = 0;
  for (int first = 0; first < length; first += GROUPS) {
    int key = first + group;
    bool exists = key < length;
    int page = table[min(key, length - 1) / PAGE];
    i64 place = (((i64)page * kv_heads + kv_head) * PAGE + min(key, length - 1) % PAGE) * D + part * PART;
    float dot = 0;
    UNROLL
    for (int i = 0; i < PART; ++i)
      dot = fma(mine[i], toFloat(k_cache[place + i]), dot);
    dot = waveReduce<LANES>(dot, Sum());
    if (exists) {
      float now = fmax(largest, dot);
      float rescale = exp2Fast(largest - now), weight = exp2Fast(dot - now);
      largest = now;
      total = fma(total, rescale, weight);
      UNROLL
      for (int i = 0; i < PART; ++i)
        sums[i] = fma(weight, toFloat(v_cache[place + i]), sums[i] * rescale);
    }
  }
  if (part == 0) {
    group_largest[group] = largest;
    group_total[group] = total;
  }
  UNROLL
  for (int i = 0; i < PART; ++i)
    group_sums[group][part * PART + i] = sums[i];
  barrier();
  float top = group_largest[0];
  for (int g = 1; g < GROUPS; ++g)
    top = fmax(top, group_largest[g]);
  for (int d = threadX(); d < D; d += WAVES * WAVE_SIZE) {
    float sum = 0, all = 0;
    for (int g = 0; g < GROUPS; ++g) {
      float weight = exp2Fast(group_largest[g] - top);
      all = fma(weight, group_total[g], all);
      sum = fma(weight, group_sums[g][d], sum);
    }
    out[d] = fromFloat<T>(sum * reciprocal(all));
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_GROUP
#define P_GROUP 1
#endif

KERNEL(P_WAVES *WAVE_SIZE)
(const P_TYPE *RESTRICT q, const P_TYPE *RESTRICT k_cache, const P_TYPE *RESTRICT v_cache, P_TYPE *RESTRICT out,
 const int *RESTRICT table, const int *RESTRICT lengths, int max_pages, float scale) {
  decode<P_TYPE, P_D, P_PAGE, P_LANES, P_WAVES, P_GROUP>(q, k_cache, v_cache, out, table, lengths, max_pages, scale);
}
