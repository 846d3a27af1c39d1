// Cross-entropy loss of rows of logits against a class each, and its gradient, in one kernel.
//
// loss[row] = log sum exp(x) - x[target]; gradient = softmax(x) - onehot(target), times scale. A negative target is
// ignored: loss 0, gradient 0. Parameters: P_TYPE of logits and gradient; P_THREADS; P_ITEMS columns in flight.
// Launch: P_THREADS work-items; grid (rows).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <class T, int THREADS, int ITEMS>
DEVICE void crossEntropy(const T *RESTRICT logits, const int *RESTRICT targets, float *RESTRICT loss,
                         T *RESTRICT gradient, int columns, float scale) {
  SHARED float scratch[ceilDiv(THREADS, WAVE_SIZE)];
  int row = blockX(), target = targets[row];
  logits += (i64)row * columns;
  gradient += (i64)row * columns;
  if (target < 0) {
    for (int column = threadX(); column < columns; column += THREADS)
      gradient[column] = fromFloat<T>(0);
    if (threadX() == 0)
      loss[row] = 0;
    return;
  }
  float largest = -3.0e38f, sum = 0;
  for (int first = threadX(); first < columns; first += THREADS * ITEMS) {
    float x[ITEMS], tile = largest;
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int column = first + i * THREADS;
      x[i] = column < columns ? toFloat(logits[column]) : -kInfinity;
      tile = fmax(tile, x[i]);
    }
    sum *= expFast(largest - tile);
    UNROLL
    for (int i = 0; i < ITEMS; ++i)
      sum += expFast(x[i] - tile);
    largest = tile;
  }
  float top = blockReduce<THREADS>(largest, scratch, Maximum());
  sum = blockReduce<THREADS>(sum * expFast(largest - top), scratch, Sum());
  if (threadX() == 0)
    loss[row] = top + logFast(sum) - toFloat(logits[target]);
  float inverse = reciprocal(sum);
  for (int first = threadX(); first < columns; first += THREADS * ITEMS) {
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int column = first + i * THREADS;
      if (column < columns) {
        float p = expFast(toFloat(logits[column]) - top) * inverse;
        gradient[column] = fromFloat<T>((p - (column == target ? 1.0f : 0.0f)) * scale);
      }
    }
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif

KERNEL(P_THREADS)
(const P_TYPE *RESTRICT logits, const int *RESTRICT targets, float *RESTRICT loss, P_TYPE *RESTRICT gradient,
 int columns, float scale) {
  crossEntropy<P_TYPE, P_THREADS, P_ITEMS>(logits, targets, loss, gradient, columns, scale);
}
