#include "tests/kernels/reference.h"

#include <cmath>
#include <complex>

namespace verilocc::kernels {
namespace {

// Plain convolution; NHWC input, filters [filter][r][s][channel].
struct Convolution {
  int images, height, width, channels, filters, size, stride, padding;
  int outHeight() const { return (height + 2 * padding - size) / stride + 1; }
  int outWidth() const { return (width + 2 * padding - size) / stride + 1; }
  double at(const std::vector<double> &in, const std::vector<double> &filter, size_t index) const {
    int which = static_cast<int>(index % filters), pixel = static_cast<int>(index / filters);
    int q = pixel % outWidth(), p = pixel / outWidth() % outHeight(), image = pixel / outWidth() / outHeight();
    double sum = 0;
    for (int r = 0; r < size; ++r)
      for (int s = 0; s < size; ++s) {
        int y = p * stride + r - padding, x = q * stride + s - padding;
        if (y < 0 || y >= height || x < 0 || x >= width)
          continue;
        for (int c = 0; c < channels; ++c)
          sum += in[((static_cast<size_t>(image) * height + y) * width + x) * channels + c] *
                 filter[((static_cast<size_t>(which) * size + r) * size + s) * channels + c];
      }
    return sum;
  }
};

void convolve(const Variant &v, Format format, Convolution c, int bm, int bn, unsigned threads) {
  Tensor in(format, static_cast<size_t>(c.images) * c.height * c.width * c.channels),
      filter(format, static_cast<size_t>(c.filters) * c.size * c.size * c.channels),
      out(Format::F32, static_cast<size_t>(c.images) * c.outHeight() * c.outWidth() * c.filters);
  in.fill(1, -1, 1);
  filter.fill(2, -1, 1);
  run(v, {ceilDiv(c.filters, bn), ceilDiv(out.size() / c.filters, bm), 1}, threads, in.data(), filter.data(),
      out.data(), c.images, c.height, c.width, c.channels, c.filters, c.outHeight(), c.outWidth(), c.padding);
  std::vector<double> wide_in = in.all(), wide_filter = filter.all();
  expectClose(
      out,
      [&](size_t i) {
        double sum = c.at(wide_in, wide_filter, i);
        return v.number("RELU") ? std::max(sum, 0.0) : sum;
      },
      1e-5, 1e-4, "out");
}

REFERENCE("gemm/conv.hip", convolution) {
  int size = v.number("R"), bm = v.number("BM"), bn = v.number("BN");
  convolve(v, Format::F32, {2, 9, 11, 5, bn + 3, size, v.number("STRIDE", 1), size / 2}, bm, bn,
           static_cast<unsigned>(bm / v.number("TM") * (bn / v.number("TN"))));
}

REFERENCE("gemm/conv_matrix.hip", matrixConvolution) {
  int size = v.number("R"), bm = v.number("WM") * v.number("TM") * 16, bn = v.number("WN") * v.number("TN") * 16;
  convolve(v, Format::F16, {2, 9, 11, 24, bn + 3, size, 1, size / 2}, bm, bn,
           static_cast<unsigned>(v.number("WM") * v.number("WN")) * v.wave);
}

REFERENCE("signal/fft.hip", fourierTransform) {
  int n = v.number("N"), rows = 2;
  bool inverse = v.number("INVERSE");
  Tensor in(Format::F32, static_cast<size_t>(rows) * n * 2), out(Format::F32, in.size());
  in.fill(1, -1, 1);
  run(v, {static_cast<unsigned>(rows), 1, 1}, static_cast<unsigned>(n / v.number("RADIX")), in.data(), out.data());
  // The definition is quadratic: checked at every point for short rows, at 64 points for long ones.
  std::vector<double> x = in.all();
  double worst = 0;
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < n; k += std::max(1, n / 64)) {
      std::complex<double> sum = 0;
      for (int i = 0; i < n; ++i)
        sum +=
            std::complex<double>(x[(static_cast<size_t>(r) * n + i) * 2], x[(static_cast<size_t>(r) * n + i) * 2 + 1]) *
            std::polar(1.0, (inverse ? 2 : -2) * M_PI * (static_cast<double>(i) * k / n));
      if (inverse)
        sum /= n;
      size_t place = (static_cast<size_t>(r) * n + k) * 2;
      worst = std::max(worst, std::abs(sum - std::complex<double>(out.at(place), out.at(place + 1))));
    }
  EXPECT_LT(worst, inverse ? 1e-6 : 1e-3);
  // Parseval's equation covers the points in between.
  double energy_in = 0, energy_out = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    energy_in += x[i] * x[i];
    energy_out += out.at(i) * out.at(i);
  }
  EXPECT_NEAR(energy_out / energy_in * (inverse ? n : 1.0 / n), 1, 1e-4);
  EXPECT_TRUE(out.marginsIntact());
}

// Rows of very different lengths, the empty one included.
struct SparseMatrix {
  explicit SparseMatrix(int rows, int columns) {
    start.push_back(0);
    for (int row = 0; row < rows; ++row) {
      int length = row % 7 == 3 ? 0 : row % 11 == 5 ? 75 : 1 + row * 13 % 9;
      for (int i = 0; i < length; ++i)
        column.push_back((row * 31 + i * 17) % columns);
      start.push_back(static_cast<int>(column.size()));
    }
  }
  std::vector<int> start, column;
};

Tensor tensorOf(Format format, const std::vector<int> &values) {
  Tensor tensor(format, values.size());
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(i, values[i]);
  return tensor;
}

REFERENCE("sparse/spmv.hip", sparseMatrixVector) {
  int lanes = v.number("LANES"), threads = v.number("THREADS"), rows = threads / lanes + 37, columns = 101;
  Format format = v.format();
  SparseMatrix a(rows, columns);
  Tensor start = tensorOf(Format::I32, a.start), column = tensorOf(Format::I32, a.column),
         values(format, a.column.size()), x(format, static_cast<size_t>(columns)),
         y(format, static_cast<size_t>(rows), 9);
  values.fill(1, -1, 1);
  x.fill(2, -1, 1);
  run(v, {ceilDiv(static_cast<size_t>(rows) * lanes, threads), 1, 1}, static_cast<unsigned>(threads), start.data(),
      column.data(), values.data(), x.data(), y.data(), rows);
  expectClose(
      y,
      [&](size_t row) {
        double sum = 0;
        for (int i = a.start[row]; i < a.start[row + 1]; ++i)
          sum += values.at(i) * x.at(a.column[i]);
        return sum;
      },
      1e-5, 1e-5, "y");
}

REFERENCE("sparse/ell.hip", sparseMatrixVectors) {
  int threads = v.number("THREADS"), rows = threads + 19, columns = 67, vectors = v.number("VECTORS");
  int slots = 2 * v.number("SLOTS") + 1;
  Tensor column(Format::I32, static_cast<size_t>(slots) * rows), values(Format::F32, column.size()),
      x(Format::F32, static_cast<size_t>(columns) * vectors), y(Format::F32, static_cast<size_t>(rows) * vectors, 9);
  column.fill(1, -20, columns - 1);
  for (size_t i = 0; i < column.size(); ++i)
    column.set(i, std::max(column.at(i), -1.0));
  values.fill(2, -1, 1);
  x.fill(3, -1, 1);
  run(v, {ceilDiv(rows, threads), 1, 1}, static_cast<unsigned>(threads), column.data(), values.data(), x.data(),
      y.data(), rows, slots);
  expectClose(
      y,
      [&](size_t i) {
        size_t row = i / vectors;
        double sum = 0;
        for (int slot = 0; slot < slots; ++slot) {
          double c = column.at(static_cast<size_t>(slot) * rows + row);
          if (c >= 0)
            sum += values.at(static_cast<size_t>(slot) * rows + row) *
                   x.at(static_cast<size_t>(c) * vectors + i % vectors);
        }
        return sum;
      },
      1e-5, 1e-5, "Y");
}

} // namespace
} // namespace verilocc::kernels
