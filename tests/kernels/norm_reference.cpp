#include "tests/kernels/reference.h"

#include <algorithm>
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

REFERENCE("norm/cross_entropy.hip", crossEntropy) {
  int threads = v.number("THREADS"), rows = 3;
  Format format = v.format();
  for (int columns : {11, threads * v.number("ITEMS") + 37}) {
    Tensor logits(format, static_cast<size_t>(rows) * columns), targets(Format::I32, static_cast<size_t>(rows)),
        loss(Format::F32, static_cast<size_t>(rows), 9), gradient(format, logits.size(), 9);
    logits.fill(1, -8, 8);
    targets.set(0, 3);
    targets.set(1, -1); // ignored
    targets.set(2, columns - 1);
    float scale = 0.5f;
    run(v, {static_cast<unsigned>(rows), 1, 1}, static_cast<unsigned>(threads), logits.data(), targets.data(),
        loss.data(), gradient.data(), columns, scale);
    std::vector<double> log_sum(static_cast<size_t>(rows));
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int c = 0; c < columns; ++c)
        sum += std::exp(logits.at(static_cast<size_t>(r) * columns + c));
      log_sum[static_cast<size_t>(r)] = std::log(sum);
    }
    expectClose(
        loss,
        [&](size_t r) {
          double target = targets.at(r);
          return target < 0 ? 0 : log_sum[r] - logits.at(r * columns + static_cast<size_t>(target));
        },
        1e-5, 1e-4, "loss");
    expectClose(
        gradient,
        [&](size_t i) {
          double target = targets.at(i / columns);
          if (target < 0)
            return 0.0;
          double p = std::exp(logits.at(i) - log_sum[i / columns]);
          return scale * (p - (static_cast<double>(i % columns) == target));
        },
        toleranceOf(format), 1e-6, "gradient");
  }
}

REFERENCE("norm/quantise.hip", quantise) {
  int threads = v.number("THREADS"), group = v.number("GROUP"), rows = 2;
  Format format = v.format();
  for (int columns : {group ? group : 5, group ? threads * 4 + 3 * group : threads * v.number("ITEMS") + 77}) {
    int span = group ? group : columns;
    Tensor in(format, static_cast<size_t>(rows) * columns), out(Format::I8, in.size()),
        scales(Format::F32, in.size() / span, 9);
    in.fill(1, -3, 3);
    for (int c = 0; c < std::min(span, columns); ++c)
      in.set(static_cast<size_t>(c), 0); // a scale of zero must not divide
    run(v, {static_cast<unsigned>(rows), 1, 1}, static_cast<unsigned>(threads), in.data(), out.data(), scales.data(),
        columns);
    std::vector<double> want(scales.size());
    for (size_t i = 0; i < in.size(); ++i)
      want[i / span] = std::max(want[i / span], std::fabs(in.at(i)) / 127);
    expectClose(scales, [&](size_t i) { return want[i]; }, 1e-6, 0, "scales");
    // Half a step of rounding, and a little for the reciprocal.
    Tensor back(Format::F64, in.size());
    for (size_t i = 0; i < in.size(); ++i)
      back.set(i, out.at(i) * want[i / span]);
    double step = 3.0 / 127;
    expectClose(back, [&](size_t i) { return in.at(i); }, 0, 0.501 * step, "values");
    EXPECT_TRUE(out.marginsIntact());
  }
}

} // namespace
} // namespace verilocc::kernels
