#include "tests/kernels/reference.h"

#include <algorithm>
#include <cmath>

namespace verilocc::kernels {
namespace {

REFERENCE("solve/small.hip", smallSystems) {
  int n = v.number("N"), threads = v.number("THREADS"), count = threads + 5;
  bool cholesky = v.number("METHOD");
  Format format = v.format();
  Tensor a(format, static_cast<size_t>(n) * n * count), x(format, static_cast<size_t>(n) * count), b(format, x.size());
  a.fill(1, -1, 1);
  if (cholesky) {
    // M M^T plus the identity is symmetric and positive definite.
    Tensor m = a;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int s = 0; s < count; ++s) {
          double sum = i == j;
          for (int k = 0; k < n; ++k)
            sum += m.at(static_cast<size_t>(std::min(i, j) * n + k) * count + s) *
                   m.at(static_cast<size_t>(std::max(i, j) * n + k) * count + s);
          a.set(static_cast<size_t>(i * n + j) * count + s, sum);
        }
  } else {
    // A diagonal that dominates, then its rows turned by one: without pivoting the result would be worthless.
    for (int i = 0; i < n; ++i)
      for (int s = 0; s < count; ++s)
        a.set(static_cast<size_t>(i * n + (i + 1) % n) * count + s, n + 1);
    for (int s = 0; s < count; ++s)
      a.set(static_cast<size_t>(s), 0);
  }
  b.fill(2, -1, 1);
  run(v, {ceilDiv(count, threads), 1, 1}, static_cast<unsigned>(threads), a.data(), b.data(), x.data(), count);
  // The residual judges the solution: A x is b again.
  double tolerance = format == Format::F64 ? 1e-11 : 2e-3;
  Tensor product(Format::F64, b.size());
  for (int i = 0; i < n; ++i)
    for (int s = 0; s < count; ++s) {
      double sum = 0;
      for (int j = 0; j < n; ++j)
        sum += a.at(static_cast<size_t>(i * n + j) * count + s) * x.at(static_cast<size_t>(j) * count + s);
      product.set(static_cast<size_t>(i) * count + s, sum);
    }
  expectClose(product, [&](size_t i) { return b.at(i); }, tolerance, tolerance, "A x");
  EXPECT_TRUE(x.marginsIntact());
}

REFERENCE("solve/private_array.hip", privateArrays) {
  int size = v.number("SIZE"), threads = v.number("THREADS"), count = threads + 3;
  if (v.number("OP") == 0) {
    Tensor in(Format::F32, static_cast<size_t>(count) * size), out(Format::F32, in.size());
    in.fill(1, -1, 1);
    run(v, {ceilDiv(count, threads), 1, 1}, static_cast<unsigned>(threads), in.data(), out.data(), count);
    std::vector<double> want = in.all();
    for (int i = 0; i < count; ++i)
      std::sort(want.begin() + i * size, want.begin() + (i + 1) * size);
    expectClose(out, [&](size_t i) { return want[i]; }, 0, 0, "sorted");
    return;
  }
  Tensor in(Format::F32, static_cast<size_t>(count) * size * 2), out(Format::F32, static_cast<size_t>(count));
  in.fill(1, 0, 3.99);
  for (size_t i = 0; i < in.size(); ++i)
    in.set(i, std::floor(in.at(i)));
  run(v, {ceilDiv(count, threads), 1, 1}, static_cast<unsigned>(threads), in.data(), out.data(), count);
  expectClose(
      out,
      [&](size_t item) {
        std::vector<std::vector<int>> table(static_cast<size_t>(size) + 1,
                                            std::vector<int>(static_cast<size_t>(size) + 1));
        for (size_t i = 1; i < table.size(); ++i)
          for (size_t j = 1; j < table.size(); ++j)
            table[i][j] = in.at(item * 2 * size + i - 1) == in.at(item * 2 * size + size + j - 1)
                              ? table[i - 1][j - 1] + 1
                              : std::max(table[i - 1][j], table[i][j - 1]);
        return table.back().back();
      },
      0, 0, "lengths");
}

} // namespace
} // namespace verilocc::kernels
