// Three-dimensional finite-difference stencil marching along z: the plane in LDS, the column of each point in
// registers.
//
// out = in + step * laplacian(in) in the interior, out = in on a border of RADIUS points. Order 2 RADIUS central
// differences (Fornberg 1988). Parameters: P_RADIUS 1 to 4; P_TX, P_TY tile of the plane.
// Launch: P_TX * P_TY work-items; grid (ceil(nx / TX), ceil(ny / TY)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

// Of the centre and the points at distance 1, 2, ..., by radius.
constexpr float kWeights[5][5] = {{},
                                  {-2.0f, 1.0f},
                                  {-5.0f / 2, 4.0f / 3, -1.0f / 12},
                                  {-49.0f / 18, 3.0f / 2, -3.0f / 20, 1.0f / 90},
                                  {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560}};

template <int R, int TX, int TY>
DEVICE void laplacian(const float *RESTRICT in, float *RESTRICT out, int nx, int ny, int nz, float step) {
  SHARED float plane[TY + 2 * R][TX + 2 * R];
  int tx = threadX() % TX, ty = threadX() / TX;
  int x = blockX() * TX + tx, y = blockY() * TY + ty;
  auto value = [&](int ix, int iy, int iz) {
    ix = min(max(ix, 0), nx - 1);
    iy = min(max(iy, 0), ny - 1);
    iz = min(max(iz, 0), nz - 1);
    return in[((i64)iz * ny + iy) * nx + ix];
  };
  float column[2 * R + 1]; // in[x][y][z - R .. z + R]
  UNROLL
  for (int i = 0; i < 2 * R + 1; ++i)
    column[i] = value(x, y, i - R - 1);
  NO_UNROLL
  for (int z = 0; z < nz; ++z) {
    UNROLL
    for (int i = 0; i < 2 * R; ++i)
      column[i] = column[i + 1];
    column[2 * R] = value(x, y, z + R);
    for (int i = threadX(); i < (TY + 2 * R) * (TX + 2 * R); i += TX * TY) {
      int py = i / (TX + 2 * R), px = i % (TX + 2 * R);
      plane[py][px] = value(blockX() * TX + px - R, blockY() * TY + py - R, z);
    }
    barrier();
    float sum = 3 * kWeights[R][0] * column[R];
    UNROLL
    for (int d = 1; d <= R; ++d) {
      float ring = column[R - d] + column[R + d];
      ring += plane[ty + R][tx + R - d] + plane[ty + R][tx + R + d];
      ring += plane[ty + R - d][tx + R] + plane[ty + R + d][tx + R];
      sum = fma(kWeights[R][d], ring, sum);
    }
    if (x < nx && y < ny) {
      bool inside = x >= R && x < nx - R && y >= R && y < ny - R && z >= R && z < nz - R;
      out[((i64)z * ny + y) * nx + x] = inside ? fma(step, sum, column[R]) : column[R];
    }
    barrier();
  }
}

} // namespace

KERNEL(P_TX *P_TY)(const float *RESTRICT in, float *RESTRICT out, int nx, int ny, int nz, float step) {
  laplacian<P_RADIUS, P_TX, P_TY>(in, out, nx, ny, nz, step);
}
