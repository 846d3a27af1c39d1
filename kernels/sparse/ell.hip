// Sparse matrix times several vectors, ELLPACK: every row has the same number of slots, stored column by column.
//
// Y[row][v] = sum over slots of values[slot][row] * X[columns[slot][row]][v]; an empty slot has column -1.
// Parameters: P_THREADS; P_VECTORS how many vectors; P_SLOTS slots unrolled at once.
// Launch: P_THREADS work-items; grid (ceil(rows / THREADS)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

template <int THREADS, int VECTORS, int AT_ONCE>
DEVICE void multiply(const int *RESTRICT columns, const float *RESTRICT values, const float *RESTRICT x,
                     float *RESTRICT y, int rows, int slots) {
  int row = blockX() * THREADS + threadX();
  if (row >= rows)
    return;
  float sums[VECTORS] = {};
  for (int slot = 0; slot < slots; slot += AT_ONCE) {
    UNROLL
    for (int u = 0; u < AT_ONCE; ++u) {
      if (slot + u >= slots)
        break;
      int column = columns[(i64)(slot + u) * rows + row];
      if (column < 0)
        continue;
      float value = values[(i64)(slot + u) * rows + row];
      UNROLL
      for (int v = 0; v < VECTORS; ++v)
        sums[v] = fma(value, x[(i64)column * VECTORS + v], sums[v]);
    }
  }
  UNROLL
  for (int v = 0; v < VECTORS; ++v)
    y[(i64)row * VECTORS + v] = sums[v];
}

} // namespace

KERNEL(P_THREADS)
(const int *RESTRICT columns, const float *RESTRICT values, const float *RESTRICT x, float *RESTRICT y, int rows,
 int slots) {
  multiply<P_THREADS, P_VECTORS, P_SLOTS>(columns, values, x, y, rows, slots);
}
