#include "tests/kernels/reference.h"

#include <cmath>

namespace verilocc::kernels {
namespace {

double toleranceOf(Format format) {
  return format == Format::F16 ? 2e-3 : format == Format::BF16 ? 1e-2 : 1e-5;
}

REFERENCE("norm/softmax.hip", softmax) {
  int threads = v.number("THREADS"), capacity = threads * v.number("ITEMS");
  Format format = v.format();
  // Shorter than a wave, about half, full; an online softmax has no limit.
  std::vector<int> lengths{5, capacity / 2 + 3, capacity};
  if (v.number("ONLINE"))
    lengths.push_back(capacity * 2 + 11);
  for (int columns : lengths) {
    int rows = 2;
    Tensor in(format, static_cast<size_t>(rows) * columns), out(format, in.size());
    in.fill(7, -20, 20);
    run(v, {static_cast<unsigned>(rows), 1, 1}, static_cast<unsigned>(threads), in.data(), out.data(), columns);
    std::vector<double> log_sum(rows);
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int c = 0; c < columns; ++c)
        sum += std::exp(in.at(static_cast<size_t>(r) * columns + c));
      log_sum[r] = std::log(sum);
    }
    bool log = v.number("LOG");
    expectClose(
        out,
        [&](size_t i) {
          double shifted = in.at(i) - log_sum[i / columns];
          return log ? shifted : std::exp(shifted);
        },
        toleranceOf(format), log ? 1e-4 : 1e-6, std::to_string(columns) + " columns");
  }
}

REFERENCE("norm/layer.hip", layerNorm) {
  int threads = v.number("THREADS"), capacity = threads * v.number("ITEMS"), rows = 2;
  bool rms = v.number("RMS"), residual = v.number("RESIDUAL");
  Format format = v.format();
  for (int columns : {7, capacity / 2 + 3, capacity}) {
    Tensor in(format, static_cast<size_t>(rows) * columns), added(format, in.size()), out(format, in.size()),
        gamma(Format::F32, columns), beta(Format::F32, columns);
    in.fill(1, -1, 3);
    added.fill(2, -1, 1);
    gamma.fill(3, 0.5, 1.5);
    beta.fill(4, -1, 1);
    Tensor residual_before = added;
    float epsilon = 1e-5f;
    run(v, {static_cast<unsigned>(rows), 1, 1}, static_cast<unsigned>(threads), in.data(), added.data(), out.data(),
        gamma.data(), beta.data(), columns, epsilon);
    auto x = [&](size_t i) { return in.at(i) + (residual ? residual_before.at(i) : 0); };
    std::vector<double> mean(rows), scale(rows);
    for (int r = 0; r < rows; ++r) {
      double sum = 0, squares = 0;
      for (int c = 0; c < columns; ++c)
        sum += x(static_cast<size_t>(r) * columns + c);
      mean[r] = rms ? 0 : sum / columns;
      for (int c = 0; c < columns; ++c)
        squares += std::pow(x(static_cast<size_t>(r) * columns + c) - mean[r], 2);
      scale[r] = 1 / std::sqrt(squares / columns + epsilon);
    }
    double tolerance = toleranceOf(format);
    expectClose(
        out,
        [&](size_t i) {
          return (x(i) - mean[i / columns]) * scale[i / columns] * gamma.at(i % columns) +
                 (rms ? 0 : beta.at(i % columns));
        },
        tolerance, tolerance * 2, std::to_string(columns) + " columns");
    if (residual)
      expectClose(added, [&](size_t i) { return x(i); }, tolerance, tolerance, "residual");
  }
}

} // namespace
} // namespace verilocc::kernels
