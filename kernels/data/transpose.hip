// Matrix transpose through LDS: out[column][row] = in[row][column].
//
// Parameters: P_TYPE; P_TILE side of the square tile; P_ROWS rows of work-items (each handles TILE / ROWS elements);
//   P_SWIZZLE 0: rows padded by one element; 1: columns exchanged by XOR with the row, no padding.
// Launch: P_TILE * P_ROWS work-items; grid (ceil(columns / TILE), ceil(rows / TILE)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

template <class T, int TILE, int ROWS, bool SWIZZLE>
DEVICE void transpose(const T *RESTRICT in, T *RESTRICT out, int rows, int columns) {
  constexpr int STRIDE = SWIZZLE ? TILE : TILE + 1;
  SHARED T tile[TILE * STRIDE];
  int x = threadX() % TILE, y = threadX() / TILE;
  T carried[TILE / ROWS];
  UNROLL
  for (int i = 0; i < TILE / ROWS; ++i) {
    int row = blockY() * TILE + y + i * ROWS, column = blockX() * TILE + x;
    carried[i] = in[(i64)min(row, rows - 1) * columns + min(column, columns - 1)];
  }
  UNROLL
  for (int i = 0; i < TILE / ROWS; ++i) {
    int row = y + i * ROWS;
    tile[row * STRIDE + (SWIZZLE ? x ^ (row & (TILE - 1)) : x)] = carried[i];
  }
  barrier();
  UNROLL
  for (int i = 0; i < TILE / ROWS; ++i) {
    int column = blockX() * TILE + y + i * ROWS, row = blockY() * TILE + x;
    if (row < rows && column < columns)
      out[(i64)column * rows + row] = tile[x * STRIDE + (SWIZZLE ? (y + i * ROWS) ^ (x & (TILE - 1)) : y + i * ROWS)];
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_SWIZZLE
#define P_SWIZZLE 0
#endif

KERNEL(P_TILE *P_ROWS)(const P_TYPE *RESTRICT in, P_TYPE *RESTRICT out, int rows, int columns) {
  transpose<P_TYPE, P_TILE, P_ROWS, P_SWIZZLE>(in, out, rows, columns);
}
