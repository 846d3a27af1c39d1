// Lattice Boltzmann step in two dimensions, nine velocities, BGK collision, pull scheme, walls by bounce-back.
//
// f is [9][ny][nx]; solid[y][x] != 0 is a wall. Periodic in x and y. (Qian, d'Humieres and Lallemand 1992.)
// Parameters: P_THREADS; P_CELLS neighbouring cells a work-item.
// Launch: P_THREADS work-items; grid (ceil(nx * ny / (THREADS * CELLS))).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

constexpr int kX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, kY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constexpr int kOpposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
constexpr float kWeight[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                              1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

template <int THREADS, int CELLS>
DEVICE void step(const float *RESTRICT f, float *RESTRICT out, const int *RESTRICT solid, int nx, int ny, float omega) {
  int cells = nx * ny, first = blockX() * THREADS * CELLS + threadX();
  float g[CELLS][9];
  UNROLL
  for (int c = 0; c < CELLS; ++c) {
    int cell = min(first + c * THREADS, cells - 1), x = cell % nx, y = cell / nx;
    UNROLL
    for (int i = 0; i < 9; ++i) {
      int sx = x - kX[i], sy = y - kY[i];
      sx += sx < 0 ? nx : sx >= nx ? -nx : 0;
      sy += sy < 0 ? ny : sy >= ny ? -ny : 0;
      int source = sy * nx + sx;
      g[c][i] = solid[source] ? f[kOpposite[i] * cells + cell] : f[i * cells + source];
    }
  }
  UNROLL
  for (int c = 0; c < CELLS; ++c) {
    int cell = first + c * THREADS;
    if (cell >= cells || solid[cell])
      continue;
    float density = 0, ux = 0, uy = 0;
    UNROLL
    for (int i = 0; i < 9; ++i) {
      density += g[c][i];
      ux += kX[i] * g[c][i];
      uy += kY[i] * g[c][i];
    }
    float inverse = reciprocal(density);
    ux *= inverse;
    uy *= inverse;
    float square = 1.5f * (ux * ux + uy * uy);
    UNROLL
    for (int i = 0; i < 9; ++i) {
      float along = 3.0f * (kX[i] * ux + kY[i] * uy);
      float equilibrium = kWeight[i] * density * (1.0f + along + 0.5f * along * along - square);
      out[i * cells + cell] = fma(omega, equilibrium - g[c][i], g[c][i]);
    }
  }
}

} // namespace

KERNEL(P_THREADS)
(const float *RESTRICT f, float *RESTRICT out, const int *RESTRICT solid, int nx, int ny, float omega) {
  step<P_THREADS, P_CELLS>(f, out, solid, nx, ny, omega);
}
