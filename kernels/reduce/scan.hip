// Prefix sums of rows, inclusive or exclusive: registers, then the wave, then the work-group, with a carry along the
// row.
//
// Parameters: P_TYPE int or float; P_THREADS; P_ITEMS neighbouring elements a work-item; P_EXCLUSIVE; P_DPP 1: inside
// rows
//   of 16 lanes by DPP row shifts, across them by lane reads; else shuffles.
// Launch: P_THREADS work-items; grid (rows).
#include "wave.h"
using namespace verilocc::kernels;

namespace {

// Inclusive scan of a wave by DPP: four shifts inside each row of 16, then the totals of the rows before.
template <class T> DEVICE T waveScanDpp(T value) {
  value += rowShiftRight<1>(value, T(0));
  value += rowShiftRight<2>(value, T(0));
  value += rowShiftRight<4>(value, T(0));
  value += rowShiftRight<8>(value, T(0));
  T before = 0;
  UNROLL
  for (int row = 1; row < WAVE_SIZE / 16; ++row) {
    T total = readLane(value, row * 16 - 1);
    before += laneId() >= row * 16 ? total : T(0);
  }
  return value + before;
}

template <class T, int THREADS, int ITEMS, bool EXCLUSIVE, bool DPP>
DEVICE void scan(const T *RESTRICT in, T *RESTRICT out, int columns) {
  constexpr int WAVES = ceilDiv(THREADS, WAVE_SIZE);
  SHARED T wave_totals[WAVES];
  in += (i64)blockX() * columns;
  out += (i64)blockX() * columns;
  T carry = 0;
  for (int block = 0; block < columns; block += THREADS * ITEMS) {
    T x[ITEMS];
    T sum = 0;
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int column = block + threadX() * ITEMS + i;
      T loaded = column < columns ? in[column] : T(0);
      sum += loaded;
      x[i] = EXCLUSIVE ? sum - loaded : sum;
    }
    T scanned;
    if constexpr (DPP)
      scanned = waveScanDpp(sum);
    else
      scanned = waveScan(sum, Sum());
    if (laneId() == WAVE_SIZE - 1)
      wave_totals[waveId()] = scanned;
    barrier();
    T before = carry, total = 0;
    UNROLL
    for (int w = 0; w < WAVES; ++w) {
      T wave_total = wave_totals[w];
      before += w < waveId() ? wave_total : T(0);
      total += wave_total;
    }
    carry += total;
    before += scanned - sum;
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int column = block + threadX() * ITEMS + i;
      if (column < columns)
        out[column] = before + x[i];
    }
    barrier();
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE int
#endif
#ifndef P_EXCLUSIVE
#define P_EXCLUSIVE 0
#endif
#ifndef P_DPP
#define P_DPP 0
#endif

KERNEL(P_THREADS)(const P_TYPE *RESTRICT in, P_TYPE *RESTRICT out, int columns) {
  scan<P_TYPE, P_THREADS, P_ITEMS, P_EXCLUSIVE, P_DPP>(in, out, columns);
}
