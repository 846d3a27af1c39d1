// One matrix instruction from end to end: D = A B + C for one tile, A, B, C and D row-major in memory (B as N x K).
//
// Small on purpose: this is the test of include/matrix.h, for each element type and size.
// Parameters: P_TYPE, P_SIZE; P_CHAIN how many instructions in a row (K is P_CHAIN times the instruction's).
// Launch: one wave a tile; grid (tiles).
#include "matrix.h"
using namespace verilocc::kernels;

#ifndef P_CHAIN
#define P_CHAIN 1
#endif

KERNEL(WAVE_SIZE)
(const P_TYPE *RESTRICT a, const P_TYPE *RESTRICT b, const Mma<P_TYPE, P_SIZE>::Sum *RESTRICT c,
 Mma<P_TYPE, P_SIZE>::Sum *RESTRICT d) {
  typedef Mma<P_TYPE, P_SIZE> M;
  constexpr int K = M::K * P_CHAIN;
  int lane = laneId();
  a += (i64)blockX() * P_SIZE * K;
  b += (i64)blockX() * P_SIZE * K;
  c += (i64)blockX() * P_SIZE * P_SIZE;
  d += (i64)blockX() * P_SIZE * P_SIZE;
  M::Accumulator sum;
  UNROLL
  for (int i = 0; i < M::kAccumulators; ++i)
    sum[i] = c[M::row(lane, i) * P_SIZE + lane % P_SIZE];
  UNROLL
  for (int step = 0; step < P_CHAIN; ++step) {
    int place = lane % P_SIZE * K + step * M::K + M::kStart(lane);
    sum = M::multiply(M::load(a + place), M::load(b + place), sum);
  }
  UNROLL
  for (int i = 0; i < M::kAccumulators; ++i)
    d[M::row(lane, i) * P_SIZE + lane % P_SIZE] = sum[i];
}
