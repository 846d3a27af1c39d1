// Escape times of the Mandelbrot set: loops of very different length in neighbouring lanes, early exits before the
// loop.
//
// out[y][x] = iterations until |z| > 2, at most `limit`, for c on a grid. Points in the main cardioid and the first
// bulb are decided without iterating. Parameters: P_THREADS; P_UNROLL iterations between tests; P_PERIOD 1: stops when
// z repeats
//   (a second loop variable and exit).
// Launch: P_THREADS work-items; grid (ceil(width / THREADS), height).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

template <int AT_ONCE, bool PERIOD> DEVICE int escapeTime(double cx, double cy, int limit) {
  double q = (cx - 0.25) * (cx - 0.25) + cy * cy;
  if (q * (q + (cx - 0.25)) <= 0.25 * cy * cy)
    return limit;
  if ((cx + 1) * (cx + 1) + cy * cy <= 0.0625)
    return limit;
  double x = 0, y = 0, old_x = 0, old_y = 0;
  int done = 0, next_mark = 8;
  while (done < limit) {
    UNROLL
    for (int u = 0; u < AT_ONCE; ++u) {
      double xx = x * x, yy = y * y;
      if (xx + yy > 4)
        return done;
      if (done == limit)
        return limit;
      y = 2 * x * y + cy;
      x = xx - yy + cx;
      ++done;
    }
    if constexpr (PERIOD) {
      if (x == old_x && y == old_y)
        return limit;
      if (done >= next_mark) {
        old_x = x;
        old_y = y;
        next_mark *= 2;
      }
    }
  }
  return limit;
}

} // namespace

#ifndef P_PERIOD
#define P_PERIOD 0
#endif

KERNEL(P_THREADS)(int *RESTRICT out, int width, double x0, double y0, double pitch, int limit) {
  int column = blockX() * P_THREADS + threadX(), row = blockY();
  if (column >= width)
    return;
  out[(i64)row * width + column] = escapeTime<P_UNROLL, P_PERIOD>(x0 + column * pitch, y0 + row * pitch, limit);
}
