// Work on large arrays in private memory (the stack): indices that depend on data, so that no register can hold them.
//
// P_OP 0: insertion sort of SIZE floats a work-item; out = sorted. P_OP 1: longest common subsequence of two strings of
// at most SIZE bytes, one row of the table in private memory; out[0] of the item = length. Parameters: P_THREADS;
// P_SIZE; P_OP. Launch: P_THREADS work-items; grid (ceil(count / THREADS)). in is [count][SIZE] (P_OP 1: [count][2 *
// SIZE] bytes as floats 0 to 255).
#include "device.h"
using namespace verilocc::kernels;

namespace {

template <int SIZE> DEVICE void insertionSort(const float *RESTRICT in, float *RESTRICT out) {
  float x[SIZE];
  for (int i = 0; i < SIZE; ++i) {
    float value = in[i];
    int at = i;
    while (at > 0 && x[at - 1] > value) {
      x[at] = x[at - 1];
      --at;
    }
    x[at] = value;
  }
  for (int i = 0; i < SIZE; ++i)
    out[i] = x[i];
}

template <int SIZE> DEVICE int longestCommon(const float *RESTRICT in) {
  u8 b[SIZE];
  u16 row[SIZE + 1];
  for (int j = 0; j < SIZE; ++j) {
    b[j] = (u8)in[SIZE + j];
    row[j] = 0;
  }
  row[SIZE] = 0;
  for (int i = 0; i < SIZE; ++i) {
    u8 a = (u8)in[i];
    u16 diagonal = 0;
    for (int j = 0; j < SIZE; ++j) {
      u16 above = row[j + 1];
      row[j + 1] = a == b[j] ? (u16)(diagonal + 1) : max(above, row[j]);
      diagonal = above;
    }
  }
  return row[SIZE];
}

} // namespace

KERNEL(P_THREADS)(const float *RESTRICT in, float *RESTRICT out, int count) {
  int item = blockX() * P_THREADS + threadX();
  if (item >= count)
    return;
#if P_OP == 0
  insertionSort<P_SIZE>(in + (i64)item * P_SIZE, out + (i64)item * P_SIZE);
#else
  out[item] = (float)longestCommon<P_SIZE>(in + (i64)item * 2 * P_SIZE);
#endif
}
