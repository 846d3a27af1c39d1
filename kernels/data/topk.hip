// The P_K largest elements of each row with their places, in falling order; one wave a row.
//
// Each lane keeps its own K largest in registers, sorted; then the wave takes K times the largest of the lanes' first
// elements (ties: the smaller place). Parameters: P_K; P_WAVES rows a work-group.
// Launch: P_WAVES waves; grid (ceil(rows / WAVES)).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <int K, int WAVES>
DEVICE void select(const float *RESTRICT in, float *RESTRICT values, int *RESTRICT places, int rows, int columns) {
  int row = blockX() * WAVES + waveId();
  if (row >= rows)
    return;
  in += (i64)row * columns;
  float best[K];
  int place[K];
  UNROLL
  for (int i = 0; i < K; ++i) {
    best[i] = -kInfinity;
    place[i] = 0x7fffffff;
  }
  for (int column = laneId(); column < columns; column += WAVE_SIZE) {
    float value = in[column];
    int at = column;
    if (value <= best[K - 1])
      continue;
    UNROLL
    for (int i = 0; i < K; ++i) {
      bool better = value > best[i];
      float old = best[i];
      int old_place = place[i];
      best[i] = better ? value : old;
      place[i] = better ? at : old_place;
      value = better ? old : value;
      at = better ? old_place : at;
    }
  }
  UNROLL
  for (int round = 0; round < K; ++round) {
    float top = waveReduce(best[0], Maximum());
    // The smallest place among the lanes that hold the maximum, by a maximum of the negated place.
    int mine = best[0] == top ? -place[0] : -0x7fffffff;
    int winner = -waveReduce(mine, Maximum());
    if (place[0] == winner) {
      UNROLL
      for (int i = 0; i + 1 < K; ++i) {
        best[i] = best[i + 1];
        place[i] = place[i + 1];
      }
      best[K - 1] = -kInfinity;
      place[K - 1] = 0x7fffffff;
    }
    if (laneId() == 0) {
      values[(i64)row * K + round] = top;
      places[(i64)row * K + round] = winner;
    }
  }
}

} // namespace

KERNEL(P_WAVES *WAVE_SIZE)
(const float *RESTRICT in, float *RESTRICT values, int *RESTRICT places, int rows, int columns) {
  select<P_K, P_WAVES>(in, values, places, rows, columns);
}
