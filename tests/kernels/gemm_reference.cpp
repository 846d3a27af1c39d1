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

REFERENCE("gemm/dot.hip", dotGemm) {
  int bm = v.number("BM"), bn = v.number("BN");
  Format format = v.format(), out_format = v.format("OUT", "int");
  bool integer = format == Format::I8;
  int slice = v.number("BK") * (integer ? 4 : 2);
  unsigned threads = static_cast<unsigned>(bm / v.number("TM") * (bn / v.number("TN")));
  for (int k : {2 * slice + 3, 2 * slice}) {
    int m = bm + 13, n = bn + 7;
    Tensor a(format, static_cast<size_t>(m) * k), b(format, static_cast<size_t>(n) * k),
        out(out_format, static_cast<size_t>(m) * n);
    a.fill(1, integer ? -128 : -1, integer ? 127 : 1);
    b.fill(2, integer ? -128 : -1, integer ? 127 : 1);
    run(v, {ceilDiv(n, bn), ceilDiv(m, bm), 1}, threads, a.data(), b.data(), out.data(), m, n, k);
    std::vector<double> want = product(
        m, n, k, [&](int i, int e) { return a.at(static_cast<size_t>(i) * k + e); },
        [&](int j, int e) { return b.at(static_cast<size_t>(j) * k + e); });
    expectClose(out, [&](size_t i) { return want[i]; }, toleranceOf(out_format), toleranceOf(out_format), "C");
  }
}

// A matrix of 4-bit numbers with a scale and a zero point for each group along K, and its values.
struct QuantisedWeights {
  QuantisedWeights(int n, int k, int group)
      : packed(Format::U32, static_cast<size_t>(n) * k / 8),
        scales(Format::F16, static_cast<size_t>(n) * k / group * 2) {
    Tensor numbers(Format::I32, static_cast<size_t>(n) * k);
    numbers.fill(11, 0, 15);
    scales.fill(12, 0.05, 0.2);
    for (size_t g = 0; g < scales.size() / 2; ++g)
      scales.set(2 * g + 1, static_cast<double>(g % 16));
    for (size_t i = 0; i < packed.size(); ++i) {
      double dword = 0;
      for (int e = 7; e >= 0; --e)
        dword = dword * 16 + numbers.at(i * 8 + static_cast<size_t>(e));
      packed.set(i, dword);
    }
    for (size_t i = 0; i < numbers.size(); ++i) {
      size_t g = i / static_cast<size_t>(group);
      values.push_back((numbers.at(i) - scales.at(2 * g + 1)) * scales.at(2 * g));
    }
  }
  Tensor packed, scales;
  std::vector<double> values;
};

REFERENCE("gemm/gemv.hip", matrixVector) {
  int rows = v.number("ROWS") * v.number("WAVES"), n = rows + v.number("ROWS") + 1;
  bool quantised = v.number("BITS") == 4;
  Format format = v.format();
  for (int k : {32, 32 * 25}) {
    QuantisedWeights q(n, k, 32);
    Tensor plain(format, static_cast<size_t>(n) * k), x(Format::F32, k), y(Format::F32, n);
    plain.fill(1, -1, 1);
    x.fill(2, -1, 1);
    run(v, {ceilDiv(n, rows), 1, 1}, static_cast<unsigned>(v.number("WAVES")) * v.wave,
        quantised ? q.packed.data() : plain.data(), q.scales.data(), x.data(), y.data(), n, k);
    std::vector<double> want = product(
        1, n, k, [&](int, int e) { return x.at(e); },
        [&](int j, int e) {
          size_t place = static_cast<size_t>(j) * k + e;
          return quantised ? q.values[place] : plain.at(place);
        });
    expectClose(y, [&](size_t i) { return want[i]; }, 1e-4, 1e-4, "y");
  }
}

REFERENCE("gemm/matrix_w4.hip", quantisedMatrixGemm) {
  int bm = v.number("WM") * v.number("TM") * 16, bn = v.number("WN") * v.number("TN") * 16, group = v.number("GROUP");
  int m = bm + 5, n = bn + 9, k = 2 * group;
  QuantisedWeights q(n, k, group);
  Tensor a(Format::F16, static_cast<size_t>(m) * k), out(Format::F32, static_cast<size_t>(m) * n);
  a.fill(1, -1, 1);
  run(v, {ceilDiv(n, bn), ceilDiv(m, bm), 1}, static_cast<unsigned>(v.number("WM") * v.number("WN")) * v.wave, a.data(),
      q.packed.data(), q.scales.data(), out.data(), m, n, k);
  std::vector<double> want = product(
      m, n, k, [&](int i, int e) { return a.at(static_cast<size_t>(i) * k + e); },
      [&](int j, int e) { return q.values[static_cast<size_t>(j) * k + e]; });
  // The dequantised weight is rounded to half precision.
  expectClose(out, [&](size_t i) { return want[i]; }, 2e-3, 2e-2, "C");
}

REFERENCE("gemm/sparse_matrix.hip", sparseGemm) {
  int tile_m = v.number("TM") * 16, tile_n = v.number("TN") * 16, m = tile_m + 3, n = tile_n + 5, k = 96;
  Format format = v.format();
  Tensor kept(format, static_cast<size_t>(m) * k / 2), b(format, static_cast<size_t>(n) * k),
      positions(Format::U8, static_cast<size_t>(m) * k / 8), choice(Format::I32, static_cast<size_t>(m) * k / 4),
      out(Format::F32, static_cast<size_t>(m) * n);
  kept.fill(1, -1, 1);
  b.fill(2, -1, 1);
  choice.fill(3, 0, 5);
  static const int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  std::vector<double> dense(static_cast<size_t>(m) * k);
  for (size_t g = 0; g < choice.size(); ++g) {
    const int *pair = pairs[static_cast<int>(choice.at(g))];
    dense[g * 4 + pair[0]] = kept.at(g * 2);
    dense[g * 4 + pair[1]] = kept.at(g * 2 + 1);
    double four_bits = pair[0] + 4 * pair[1];
    positions.set(g / 2, g % 2 ? positions.at(g / 2) + 16 * four_bits : four_bits);
  }
  run(v, {ceilDiv(n, tile_n), ceilDiv(m, tile_m), 1}, v.wave, kept.data(), positions.data(), b.data(), out.data(), m, n,
      k);
  std::vector<double> want = product(
      m, n, k, [&](int i, int e) { return dense[static_cast<size_t>(i) * k + e]; },
      [&](int j, int e) { return b.at(static_cast<size_t>(j) * k + e); });
  expectClose(out, [&](size_t i) { return want[i]; }, 2e-5, 1e-4, "C");
}

} // namespace
} // namespace verilocc::kernels
