#include "tests/kernels/reference.h"

#include <cmath>

namespace verilocc::kernels {
namespace {

REFERENCE("simulate/stencil.hip", stencil) {
  int radius = v.number("RADIUS"), tx = v.number("TX"), ty = v.number("TY");
  int nx = tx + 9, ny = ty + 5, nz = 2 * radius + 4;
  static const double weights[5][5] = {{},
                                       {-2, 1},
                                       {-5.0 / 2, 4.0 / 3, -1.0 / 12},
                                       {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90},
                                       {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560}};
  Tensor in(Format::F32, static_cast<size_t>(nx) * ny * nz), out(Format::F32, in.size(), 9);
  in.fill(1, -1, 1);
  float step = 0.1f;
  run(v, {ceilDiv(nx, tx), ceilDiv(ny, ty), 1}, static_cast<unsigned>(tx * ty), in.data(), out.data(), nx, ny, nz,
      step);
  expectClose(
      out,
      [&](size_t i) {
        int x = static_cast<int>(i % nx), y = static_cast<int>(i / nx % ny), z = static_cast<int>(i / nx / ny);
        if (x < radius || x >= nx - radius || y < radius || y >= ny - radius || z < radius || z >= nz - radius)
          return in.at(i);
        double sum = 3 * weights[radius][0] * in.at(i);
        for (int d = 1; d <= radius; ++d)
          for (int stride : {1, nx, nx * ny})
            sum += weights[radius][d] *
                   (in.at(i - static_cast<size_t>(d * stride)) + in.at(i + static_cast<size_t>(d * stride)));
        return in.at(i) + step * sum;
      },
      1e-5, 1e-5, "out");
}

REFERENCE("simulate/nbody.hip", gravity) {
  int threads = v.number("THREADS"), count = threads * v.number("BODIES") + 21;
  Tensor bodies(Format::F32, static_cast<size_t>(count) * 4), out(Format::F32, bodies.size());
  bodies.fill(1, 0.1, 1);
  float softening = 0.01f;
  run(v, {ceilDiv(count, threads * v.number("BODIES")), 1, 1}, static_cast<unsigned>(threads), bodies.data(),
      out.data(), count, softening);
  std::vector<double> b = bodies.all(), want(out.size());
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      double d[3], square = softening;
      for (int c = 0; c < 3; ++c) {
        d[c] = b[j * 4 + c] - b[i * 4 + c];
        square += d[c] * d[c];
      }
      for (int c = 0; c < 3; ++c)
        want[i * 4 + c] += b[j * 4 + 3] * d[c] / std::pow(square, 1.5);
    }
  expectClose(out, [&](size_t i) { return want[i]; }, 1e-4, 1e-2, "acceleration");
}

REFERENCE("simulate/lattice.hip", latticeBoltzmann) {
  static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  static const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
  int nx = 37, ny = 19, cells = nx * ny, threads = v.number("THREADS");
  Tensor f(Format::F32, static_cast<size_t>(cells) * 9), out(Format::F32, f.size(), -5),
      solid(Format::I32, static_cast<size_t>(cells));
  f.fill(1, 0.05, 0.2);
  for (int x = 0; x < nx; ++x)
    solid.set(static_cast<size_t>(x), 1);
  solid.set(static_cast<size_t>(7 * nx + 9), 1);
  float omega = 1.3f;
  run(v, {ceilDiv(cells, threads * v.number("CELLS")), 1, 1}, static_cast<unsigned>(threads), f.data(), out.data(),
      solid.data(), nx, ny, omega);
  expectClose(
      out,
      [&](size_t index) {
        int cell = static_cast<int>(index) % cells, direction = static_cast<int>(index) / cells, x = cell % nx,
            y = cell / nx;
        if (solid.at(static_cast<size_t>(cell)) != 0)
          return -5.0; // untouched
        double g[9], density = 0, ux = 0, uy = 0;
        for (int i = 0; i < 9; ++i) {
          int source = (y - cy[i] + ny) % ny * nx + (x - cx[i] + nx) % nx;
          g[i] = solid.at(static_cast<size_t>(source)) != 0 ? f.at(static_cast<size_t>(opposite[i] * cells + cell))
                                                            : f.at(static_cast<size_t>(i * cells + source));
          density += g[i];
          ux += cx[i] * g[i];
          uy += cy[i] * g[i];
        }
        ux /= density;
        uy /= density;
        double weight = direction == 0 ? 4.0 / 9 : direction < 5 ? 1.0 / 9 : 1.0 / 36;
        double along = 3 * (cx[direction] * ux + cy[direction] * uy);
        double equilibrium = weight * density * (1 + along + along * along / 2 - 1.5 * (ux * ux + uy * uy));
        return g[direction] + omega * (equilibrium - g[direction]);
      },
      1e-5, 1e-6, "populations");
}

} // namespace
} // namespace verilocc::kernels
