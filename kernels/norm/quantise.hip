// Quantisation of rows to i8 with one scale a row (or a group of P_GROUP columns): q = round(x / scale), scale = max|x|
// / 127.
//
// Parameters: P_TYPE; P_THREADS; P_GROUP 0: one scale a row; else one for each group of lanes, P_GROUP columns, in the
// wave.
//   P_ITEMS columns a work-item at a time (whole rows only).
// Launch: P_THREADS work-items; grid (rows). With groups, columns are a multiple of P_GROUP.
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

DEVICE i8 rounded(float x) {
  return (i8)(int)__builtin_rintf(median3(x, -127.0f, 127.0f));
}

template <class T, int THREADS, int ITEMS>
DEVICE void quantiseRow(const T *RESTRICT in, i8 *RESTRICT out, float *RESTRICT scales, int columns) {
  SHARED float scratch[ceilDiv(THREADS, WAVE_SIZE)];
  float largest = 0;
  for (int first = threadX(); first < columns; first += THREADS * ITEMS) {
    UNROLL
    for (int i = 0; i < ITEMS; ++i)
      largest = fmax(largest, fabs(toFloat(in[min(first + i * THREADS, columns - 1)])));
  }
  largest = blockReduce<THREADS>(largest, scratch, Maximum());
  float inverse = largest > 0 ? 127.0f * reciprocal(largest) : 0.0f;
  if (threadX() == 0)
    scales[blockX()] = largest / 127.0f;
  for (int first = threadX(); first < columns; first += THREADS * ITEMS) {
    UNROLL
    for (int i = 0; i < ITEMS; ++i)
      if (first + i * THREADS < columns)
        out[first + i * THREADS] = rounded(toFloat(in[first + i * THREADS]) * inverse);
  }
}

template <class T, int THREADS, int GROUP>
DEVICE void quantiseGroups(const T *RESTRICT in, i8 *RESTRICT out, float *RESTRICT scales, int columns) {
  static_assert(GROUP % 4 == 0 && WAVE_SIZE % (GROUP / 4) == 0);
  scales += (i64)blockX() * (columns / GROUP);
  for (int first = 0; first < columns; first += THREADS * 4) {
    int column = first + threadX() * 4;
    bool exists = column < columns;
    float x[4], largest = 0;
    UNROLL
    for (int i = 0; i < 4; ++i) {
      x[i] = exists ? toFloat(in[column + i]) : 0.0f;
      largest = fmax(largest, fabs(x[i]));
    }
    largest = waveReduce<GROUP / 4>(largest, Maximum());
    float inverse = largest > 0 ? 127.0f * reciprocal(largest) : 0.0f;
    if (!exists)
      continue;
    if (column % GROUP == 0)
      scales[column / GROUP] = largest / 127.0f;
    u32 packed = 0;
    UNROLL
    for (int i = 0; i < 4; ++i)
      packed |= (u32)(u8)rounded(x[i] * inverse) << 8 * i;
    *(u32 *)(out + column) = packed;
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_GROUP
#define P_GROUP 0
#endif
#ifndef P_ITEMS
#define P_ITEMS 1
#endif

KERNEL(P_THREADS)(const P_TYPE *RESTRICT in, i8 *RESTRICT out, float *RESTRICT scales, int columns) {
  in += (i64)blockX() * columns;
  out += (i64)blockX() * columns;
#if P_GROUP
  quantiseGroups<P_TYPE, P_THREADS, P_GROUP>(in, out, scales, columns);
#else
  quantiseRow<P_TYPE, P_THREADS, P_ITEMS>(in, out, scales, columns);
#endif
}
