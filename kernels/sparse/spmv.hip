// Sparse matrix times vector, compressed rows: y = A x.
//
// Parameters: P_LANES lanes that share a row (1: one work-item a row; WAVE_SIZE: a wave a row); P_THREADS; P_UNROLL
//   elements at once; P_TYPE of the values.
// Launch: P_THREADS work-items; grid (ceil(rows * LANES / THREADS)).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <class T, int LANES, int THREADS, int AT_ONCE>
DEVICE void multiply(const int *RESTRICT row_start, const int *RESTRICT columns, const T *RESTRICT values,
                     const T *RESTRICT x, T *RESTRICT y, int rows) {
  int part = threadX() % LANES;
  int row = (blockX() * THREADS + threadX()) / LANES;
  bool exists = row < rows;
  int first = row_start[exists ? row : rows], last = row_start[exists ? row + 1 : rows];
  T sums[AT_ONCE] = {};
  int i = first + part;
  for (; i + (AT_ONCE - 1) * LANES < last; i += AT_ONCE * LANES) {
    UNROLL
    for (int u = 0; u < AT_ONCE; ++u)
      sums[u] = fma(values[i + u * LANES], x[columns[i + u * LANES]], sums[u]);
  }
  for (; i < last; i += LANES)
    sums[0] = fma(values[i], x[columns[i]], sums[0]);
  UNROLL
  for (int u = 1; u < AT_ONCE; ++u)
    sums[0] += sums[u];
  T sum = sums[0];
  if constexpr (LANES > 1)
    sum = waveReduce<LANES>(sum, Sum());
  if (exists && part == 0)
    y[row] = sum;
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif

KERNEL(P_THREADS)
(const int *RESTRICT row_start, const int *RESTRICT columns, const P_TYPE *RESTRICT values, const P_TYPE *RESTRICT x,
 P_TYPE *RESTRICT y, int rows) {
  multiply<P_TYPE, P_LANES, P_THREADS, P_UNROLL>(row_start, columns, values, x, y, rows);
}
