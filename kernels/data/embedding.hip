// Embedding bag: the sum (or mean) of the table rows that each bag names, bags of different lengths.
//
// out[bag][d] = sum over i in [start[bag], start[bag + 1]) of table[index[i]][d] * weight[i].
// Parameters: P_TYPE of table and out; P_D columns; P_BAGS bags a work-group; P_VECTOR columns a work-item; P_MEAN.
// Launch: P_BAGS * P_D / P_VECTOR work-items; grid (ceil(bags / BAGS)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

template <class T, int D, int BAGS, int VECTOR, bool MEAN>
DEVICE void gather(const T *RESTRICT table, const int *RESTRICT index, const float *RESTRICT weight,
                   const int *RESTRICT start, T *RESTRICT out, int bags) {
  int bag = blockX() * BAGS + threadX() / (D / VECTOR), column = threadX() % (D / VECTOR) * VECTOR;
  if (bag >= bags)
    return;
  int first = start[bag], last = start[bag + 1];
  float sums[VECTOR] = {};
  int i = first;
  for (; i + 1 < last; i += 2) {
    const T *a = table + (i64)index[i] * D + column, *b = table + (i64)index[i + 1] * D + column;
    UNROLL
    for (int v = 0; v < VECTOR; ++v)
      sums[v] = fma(weight[i], toFloat(a[v]), fma(weight[i + 1], toFloat(b[v]), sums[v]));
  }
  if (i < last) {
    UNROLL
    for (int v = 0; v < VECTOR; ++v)
      sums[v] = fma(weight[i], toFloat(table[(i64)index[i] * D + column + v]), sums[v]);
  }
  float scale = MEAN && last > first ? reciprocal((float)(last - first)) : 1.0f;
  UNROLL
  for (int v = 0; v < VECTOR; ++v)
    out[(i64)bag * D + column + v] = fromFloat<T>(sums[v] * scale);
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_MEAN
#define P_MEAN 0
#endif

KERNEL(P_BAGS *P_D / P_VECTOR)
(const P_TYPE *RESTRICT table, const int *RESTRICT index, const float *RESTRICT weight, const int *RESTRICT start,
 P_TYPE *RESTRICT out, int bags) {
  gather<P_TYPE, P_D, P_BAGS, P_VECTOR, P_MEAN>(table, index, weight, start, out, bags);
}
