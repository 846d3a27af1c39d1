#include "tests/kernels/reference.h"

#include <cmath>

namespace verilocc::kernels {
namespace {

double geluOf(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

// sum over k of A(row, k) B(k, column), both given by (outer, k) accessors.
template <class A, class B> std::vector<double> product(int m, int n, int k, A a, B b) {
  std::vector<double> wide_a(static_cast<size_t>(m) * k), wide_b(static_cast<size_t>(n) * k),
      out(static_cast<size_t>(m) * n);
  for (int i = 0; i < m; ++i)
    for (int e = 0; e < k; ++e)
      wide_a[static_cast<size_t>(i) * k + e] = a(i, e);
  for (int j = 0; j < n; ++j)
    for (int e = 0; e < k; ++e)
      wide_b[static_cast<size_t>(j) * k + e] = b(j, e);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int e = 0; e < k; ++e)
        sum += wide_a[static_cast<size_t>(i) * k + e] * wide_b[static_cast<size_t>(j) * k + e];
      out[static_cast<size_t>(i) * n + j] = sum;
    }
  return out;
}

double toleranceOf(Format format) {
  switch (format) {
  case Format::F64:
    return 1e-13;
  case Format::I32:
    return 0;
  case Format::F16:
    return 4e-3;
  default:
    return 2e-5;
  }
}

REFERENCE("matrix/tile.hip", matrixTile) {
  int size = v.number("SIZE"), chain = v.number("CHAIN", 1), tiles = 2;
  Format format = v.format();
  // The depth of one instruction, from the ISA guides (the kernel takes it from matrix.h).
  std::string type = v.text("TYPE", "float");
  bool mfma = v.target.starts_with("gfx9");
  int depth = 16;
  if (mfma) {
    std::map<std::string, int> depths{{"float", 4},
                                      {"double", 4},
                                      {"f16", 16},
                                      {"bf16", v.target == "gfx908" ? 8 : 16},
                                      {"i8", v.target == "gfx942" ? 32 : 16},
                                      {"fp8", 32}};
    depth = depths.at(type) / (size / 16);
  }
  int k = depth * chain, count = tiles * size * size;
  Format sum = type == "i8" ? Format::I32 : type == "double" ? Format::F64 : Format::F32;
  bool integer = type == "i8";
  Tensor a(format, static_cast<size_t>(tiles) * size * k), b(format, static_cast<size_t>(tiles) * size * k),
      c(sum, static_cast<size_t>(count)), d(sum, static_cast<size_t>(count), 99);
  a.fill(1, integer ? -100 : -2, integer ? 100 : 2);
  b.fill(2, integer ? -100 : -2, integer ? 100 : 2);
  c.fill(3, integer ? -1000 : -1, integer ? 1000 : 1);
  run(v, {static_cast<unsigned>(tiles), 1, 1}, v.wave, a.data(), b.data(), c.data(), d.data());
  expectClose(
      d,
      [&](size_t i) {
        size_t tile = i / (size * size), row = i / size % size, column = i % size;
        double want = c.at(i);
        for (int e = 0; e < k; ++e)
          want += a.at((tile * size + row) * k + e) * b.at((tile * size + column) * k + e);
        return want;
      },
      toleranceOf(sum), toleranceOf(sum), "D");
}

REFERENCE("gemm/matrix.hip", matrixGemm) {
  int size = v.number("SIZE"), bk = v.number("BK");
  int bm = v.number("WM") * v.number("TM") * size, bn = v.number("WN") * v.number("TN") * size;
  int mode = v.number("MODE"), epilogue = v.number("EPILOGUE");
  Format format = v.format();
  Format sum = format == Format::I8 ? Format::I32 : format == Format::F64 ? Format::F64 : Format::F32;
  Format out_format = v.format("OUT", sum == Format::I32 ? "int" : sum == Format::F64 ? "double" : "float");
  unsigned threads = static_cast<unsigned>(v.number("WM") * v.number("WN")) * v.wave;
  bool integer = format == Format::I8;
  // Once with everything ragged (rows of K no multiple of a vector load), once with aligned rows and a partial block.
  for (bool ragged : {true, false}) {
    int m = bm + (ragged ? 5 : bm / 2), n = bn + (ragged ? 9 : 16), k = ragged ? 2 * bk + 7 : 3 * bk;
    unsigned slices = mode == 0 ? 1 : 2;
    size_t batch = mode == 2 ? slices : 1;
    Tensor a(format, batch * m * k), b(format, batch * n * k), out(out_format, batch * m * n), bias(Format::F32, n),
        scale(Format::F32, m);
    a.fill(1, integer ? -9 : -1, integer ? 9 : 1);
    b.fill(2, integer ? -9 : -1, integer ? 9 : 1);
    out.fill(3, integer ? -9 : -1, integer ? 9 : 1);
    bias.fill(4, -1, 1);
    scale.fill(5, -1, 1);
    float alpha = 2, beta = ragged && mode == 0 ? 3 : 0;
    Tensor before = out;
    run(v, {ceilDiv(n, bn), ceilDiv(m, bm), slices}, threads, a.data(), b.data(), out.data(), bias.data(), scale.data(),
        m, n, k, static_cast<int>(slices), alpha, beta);
    std::vector<double> want;
    for (size_t z = 0; z < batch; ++z) {
      std::vector<double> one = product(
          m, n, k, [&](int i, int e) { return a.at((z * m + i) * k + e); },
          [&](int j, int e) { return b.at((z * n + j) * k + e); });
      want.insert(want.end(), one.begin(), one.end());
    }
    double tolerance = toleranceOf(out_format);
    expectClose(
        out,
        [&](size_t i) {
          if (mode == 1)
            return before.at(i) + alpha * want[i];
          if (epilogue == 1)
            return geluOf(want[i] + bias.at(i % n));
          if (epilogue == 2)
            return want[i] * bias.at(i % n) * scale.at(i / n);
          return alpha * want[i] + beta * before.at(i);
        },
        tolerance, tolerance * 5, ragged ? "ragged C" : "aligned C");
  }
}

REFERENCE("gemm/tiled.hip", tiledGemm) {
  int bm = v.number("BM"), bn = v.number("BN"), bk = v.number("BK"), mode = v.number("MODE");
  bool ta = v.number("TA"), tb = v.number("TB");
  Format format = v.format();
  unsigned threads = static_cast<unsigned>(bm / v.number("TM") * (bn / v.number("TN")));
  int m = bm + 13, n = bn + 7, k = 2 * bk + 3;
  unsigned slices = mode == 0 ? 1 : 2;
  size_t batch = mode == 2 ? slices : 1;
  Tensor a(format, batch * m * k), b(format, batch * n * k), out(format, batch * m * n), bias(format, n);
  a.fill(1, -1, 1);
  b.fill(2, -1, 1);
  out.fill(3, -1, 1);
  bias.fill(4, -1, 1);
  Tensor before = out;
  float alpha = 2, beta = mode == 0 ? 3 : 0;
  run(v, {ceilDiv(n, bn), ceilDiv(m, bm), slices}, threads, a.data(), b.data(), out.data(), bias.data(), m, n, k,
      static_cast<int>(slices), alpha, beta);
  std::vector<double> want;
  for (size_t z = 0; z < batch; ++z) {
    std::vector<double> one = product(
        m, n, k, [&](int i, int e) { return a.at(z * m * k + (ta ? e * m + i : i * k + e)); },
        [&](int j, int e) { return b.at(z * n * k + (tb ? j * k + e : e * n + j)); });
    want.insert(want.end(), one.begin(), one.end());
  }
  double tolerance = format == Format::F16 ? 2e-2 : toleranceOf(format);
  expectClose(
      out,
      [&](size_t i) {
        if (mode == 1)
          return before.at(i) + alpha * want[i];
        if (v.number("EPILOGUE") == 1)
          return std::max(want[i] + bias.at(i % n), 0.0);
        return alpha * want[i] + beta * before.at(i);
      },
      tolerance, tolerance * 5, "C");
}

} // namespace
} // namespace verilocc::kernels
