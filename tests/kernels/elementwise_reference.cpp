#include "tests/kernels/reference.h"

#include <cmath>

namespace verilocc::kernels {
namespace {

double toleranceOf(Format format) {
  return format == Format::F16 ? 2e-3 : format == Format::BF16 ? 1e-2 : 2e-5;
}

double normalCdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

REFERENCE("elementwise/map.hip", map) {
  int op = v.number("OP"), threads = v.number("THREADS");
  Format format = v.format();
  unsigned groups = 2;
  size_t count = static_cast<size_t>(threads) * groups * static_cast<size_t>(v.number("ITEMS")) + 37;
  Tensor x(format, count), y(format, count), z(format, count), out(format, count);
  // Prices and times are positive; elsewhere the sign matters.
  bool prices = op == 2;
  x.fill(1, prices ? 50 : -4, prices ? 150 : 4);
  y.fill(2, prices ? 50 : -4, prices ? 150 : 4);
  z.fill(3, prices ? 0.1 : -1, prices ? 3 : 1);
  Tensor z_before = z;
  run(v, {groups, 1, 1}, static_cast<unsigned>(threads), x.data(), y.data(), z.data(), out.data(),
      static_cast<int>(count));
  auto softplus = [](double a) { return std::log1p(std::exp(a)); };
  auto moment = [&](size_t i) { return 0.9 * z_before.at(i) + 0.1 * y.at(i); };
  double absolute = toleranceOf(format) * (prices ? 100 : 1);
  expectClose(
      out,
      [&](size_t i) {
        double a = x.at(i), b = y.at(i), c = z_before.at(i);
        switch (op) {
        case 0:
          return 0.5 * a * (1 + std::tanh(0.7978845608 * (a + 0.044715 * a * a * a))) * b + c;
        case 1:
          return a / (1 + std::exp(-a)) * b;
        case 2: {
          double d1 = (std::log(a / b) + (0.05 + 0.02) * c) / (0.2 * std::sqrt(c));
          return a * normalCdf(d1) - b * std::exp(-0.05 * c) * normalCdf(d1 - 0.2 * std::sqrt(c));
        }
        case 3:
          return softplus(a) * std::tanh(softplus(b));
        case 4:
          return std::sin(a) * std::cos(b) * std::exp(-c * c);
        case 5:
          return std::atan2(b, a) + std::hypot(a, b);
        default:
          return a - 0.001 * moment(i) / std::sqrt(b * b + 1e-8);
        }
      },
      toleranceOf(format), absolute, "out");
  if (op == 6)
    expectClose(z, moment, 1e-6, 1e-6, "first moment");
}

REFERENCE("elementwise/rope.hip", rotaryEmbedding) {
  int d = v.number("D"), heads = v.number("HEADS") + 1, tokens = 3;
  bool interleaved = v.number("PAIRS");
  Format format = v.format();
  Tensor x(format, static_cast<size_t>(tokens) * heads * d), positions(Format::I32, static_cast<size_t>(tokens));
  x.fill(1, -1, 1);
  positions.set(0, 0);
  positions.set(1, 7);
  positions.set(2, 300);
  Tensor before = x;
  run(v, {static_cast<unsigned>(tokens), ceilDiv(heads, v.number("HEADS")), 1}, static_cast<unsigned>(d / 2), x.data(),
      positions.data(), heads, static_cast<float>(std::log2(10000.0)));
  expectClose(
      x,
      [&](size_t i) {
        int column = static_cast<int>(i % d), pair = interleaved ? column / 2 : column % (d / 2);
        size_t row = i - column;
        bool high = interleaved ? column % 2 : column >= d / 2;
        double a = before.at(row + (interleaved ? 2 * pair : pair));
        double b = before.at(row + (interleaved ? 2 * pair + 1 : pair + d / 2));
        double angle = positions.at(i / d / heads) * std::pow(10000.0, -2.0 * pair / d);
        return high ? a * std::sin(angle) + b * std::cos(angle) : a * std::cos(angle) - b * std::sin(angle);
      },
      toleranceOf(format), std::max(toleranceOf(format), 2e-4), "x");
}

} // namespace
} // namespace verilocc::kernels
