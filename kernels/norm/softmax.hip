// Row softmax: out[r][c] = exp(x[r][c]) / sum over c of exp(x[r][c]), stable, any number of columns.
//
// Parameters: P_TYPE; P_THREADS work-items a row; P_ITEMS elements a work-item holds in registers: a row longer than
//   THREADS * ITEMS is not allowed when P_ONLINE is 0. P_ONLINE 1: any length, running maximum and sum in a first pass
//   (Milakov and Gimelshein, arXiv 1805.02867), second pass writes; P_LOG 1: log-softmax; P_DPP 1: reduction by DPP,
//   for one wave a row.
// Launch: P_THREADS work-items; grid (rows).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <int THREADS, bool DPP, class Combine> DEVICE float rowReduce(float value, float *scratch, Combine combine) {
  if constexpr (DPP)
    return waveReduceDpp(value, combine);
  else
    return blockReduce<THREADS>(value, scratch, combine);
}

template <class T, int THREADS, int ITEMS, bool LOG, bool DPP>
DEVICE void softmaxInRegisters(const T *RESTRICT in, T *RESTRICT out, int columns, float *scratch) {
  float x[ITEMS];
  float largest = -kInfinity;
  UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    int column = threadX() + i * THREADS;
    x[i] = column < columns ? toFloat(in[column]) * kLog2E : -kInfinity;
    largest = fmax(largest, x[i]);
  }
  largest = rowReduce<THREADS, DPP>(largest, scratch, Maximum());
  float sum = 0;
  UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    float e = exp2Fast(x[i] - largest);
    sum += e;
    x[i] = LOG ? x[i] - largest : e;
  }
  sum = rowReduce<THREADS, DPP>(sum, scratch, Sum());
  float inverse = reciprocal(sum), log_sum = log2Fast(sum);
  UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    int column = threadX() + i * THREADS;
    if (column < columns)
      out[column] = fromFloat<T>(LOG ? (x[i] - log_sum) * kLn2 : x[i] * inverse);
  }
}

template <class T, int THREADS, int ITEMS, bool LOG, bool DPP>
DEVICE void softmaxOnline(const T *RESTRICT in, T *RESTRICT out, int columns, float *scratch) {
  float largest = -kInfinity, sum = 0;
  for (int first = threadX(); first < columns; first += THREADS * ITEMS) {
    float x[ITEMS];
    float tile = largest;
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int column = first + i * THREADS;
      x[i] = column < columns ? toFloat(in[column]) * kLog2E : -kInfinity;
      tile = fmax(tile, x[i]);
    }
    sum *= exp2Fast(largest - tile);
    UNROLL
    for (int i = 0; i < ITEMS; ++i)
      sum += exp2Fast(x[i] - tile);
    largest = tile;
  }
  float row_largest = rowReduce<THREADS, DPP>(largest, scratch, Maximum());
  // A work-item without columns has minus infinity and a sum of zero.
  sum *= exp2Fast(fmax(largest, -3.0e38f) - row_largest);
  sum = rowReduce<THREADS, DPP>(sum, scratch, Sum());
  float inverse = reciprocal(sum), log_sum = log2Fast(sum);
  for (int first = threadX(); first < columns; first += THREADS * ITEMS) {
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int column = first + i * THREADS;
      if (column < columns) {
        float shifted = toFloat(in[column]) * kLog2E - row_largest;
        out[column] = fromFloat<T>(LOG ? (shifted - log_sum) * kLn2 : exp2Fast(shifted) * inverse);
      }
    }
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_ONLINE
#define P_ONLINE 0
#endif
#ifndef P_LOG
#define P_LOG 0
#endif
#ifndef P_DPP
#define P_DPP 0
#endif

KERNEL(P_THREADS)(const P_TYPE *RESTRICT in, P_TYPE *RESTRICT out, int columns) {
  static_assert(!P_DPP || P_THREADS == WAVE_SIZE);
  SHARED float scratch[ceilDiv(P_THREADS, WAVE_SIZE)];
  in += (i64)blockX() * columns;
  out += (i64)blockX() * columns;
#if P_ONLINE
  softmaxOnline<P_TYPE, P_THREADS, P_ITEMS, P_LOG, P_DPP>(in, out, columns, scratch);
#else
  softmaxInRegisters<P_TYPE, P_THREADS, P_ITEMS, P_LOG, P_DPP>(in, out, columns, scratch);
#endif
}
