#include "tests/kernels/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace verilocc::kernels {
namespace {

REFERENCE("divergent/mandelbrot.hip", mandelbrot) {
  int width = 75, height = 20, limit = 203, threads = v.number("THREADS");
  double x0 = -2.2, y0 = -1.1, pitch = 0.04;
  Tensor out(Format::I32, static_cast<size_t>(width) * height, -1);
  run(v, {ceilDiv(width, threads), static_cast<unsigned>(height), 1}, static_cast<unsigned>(threads), out.data(), width,
      x0, y0, pitch, limit);
  expectClose(
      out,
      [&](size_t i) {
        double cx = x0 + static_cast<double>(i % width) * pitch, cy = y0 + static_cast<double>(i / width) * pitch,
               x = 0, y = 0;
        int n = 0;
        for (; n < limit && x * x + y * y <= 4; ++n) {
          double next = x * x - y * y + cx;
          y = 2 * x * y + cy;
          x = next;
        }
        return n;
      },
      0, 0, "iterations");
}

// The scene of raymarch.hip in double precision, written as a recursion.
struct Scene {
  struct Point {
    double x, y, z;
    Point operator+(Point o) const { return {x + o.x, y + o.y, z + o.z}; }
    Point operator*(double s) const { return {x * s, y * s, z * s}; }
    double dot(Point o) const { return x * o.x + y * o.y + z * o.z; }
    Point unit() const { return *this * (1 / std::sqrt(dot(*this))); }
  };
  int objects, steps;
  double distance(Point p) const {
    double nearest = p.y + 1;
    for (int i = 0; i < objects; ++i) {
      Point d = p + Point{-1.5 * (i - (objects - 1) * 0.5), 0, -3 - 0.25 * i};
      double sphere = std::sqrt(d.dot(d)) - 0.7;
      if (i % 2)
        sphere = std::max(sphere, -(std::max({std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)}) - 0.5));
      nearest = std::min(nearest, sphere);
    }
    return nearest;
  }
  double march(Point from, Point along) const {
    double t = 0.02;
    for (int step = 0; step < steps && t <= 20; ++step) {
      double d = distance(from + along * t);
      if (d < 0.001)
        return t;
      t += d;
    }
    return -1;
  }
  double brightness(Point from, Point along, int bounces) const {
    double t = march(from, along);
    if (t < 0)
      return 0.5 + 0.5 * along.y;
    if (bounces == 0)
      return 0;
    Point hit = from + along * t;
    double d = distance(hit);
    Point normal = Point{distance(hit + Point{0.01, 0, 0}) - d, distance(hit + Point{0, 0.01, 0}) - d,
                         distance(hit + Point{0, 0, 0.01}) - d}
                       .unit();
    Point sun = Point{0.5, 1, -0.6}.unit(), start = hit + normal * 0.02;
    double facing = normal.dot(sun), light = 0.1;
    if (facing > 0 && march(start, sun) < 0)
      light += 0.7 * facing;
    if (bounces == 1)
      return light;
    return light + 0.4 * brightness(start, along + normal * (-2 * along.dot(normal)), bounces - 1);
  }
};

REFERENCE("divergent/raymarch.hip", sphereTracing) {
  int width = 70, height = 24, threads = v.number("THREADS");
  Scene scene{v.number("OBJECTS"), v.number("STEPS")};
  Tensor out(Format::F32, static_cast<size_t>(width) * height, -1);
  run(v, {ceilDiv(width, threads), static_cast<unsigned>(height), 1}, static_cast<unsigned>(threads), out.data(), width,
      height);
  // Rays that graze an edge may end on the other side of it in another precision; all others must agree.
  int far_off = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    double x = (static_cast<double>(i % width) + 0.5) / width * 2 - 1;
    double y = 1 - (static_cast<double>(i / width) + 0.5) / height * 2;
    double want = scene.brightness({0, 0.3, -1.5}, Scene::Point{x, y, 1.2}.unit(), 2);
    far_off += std::fabs(out.at(i) - want) > 5e-3;
  }
  EXPECT_LE(far_off, width * height / 50);
  EXPECT_TRUE(out.marginsIntact());
}

enum Code { Halt, Push, Input, Add, Subtract, Multiply, Duplicate, Swap, Jump, JumpIfZero, Drop, Xor, Shift };

REFERENCE("divergent/interpreter.hip", stackMachine) {
  auto word = [](int op, int operand = 0) { return static_cast<double>(static_cast<uint32_t>(operand * 256 + op)); };
  std::vector<std::vector<double>> programs{
      // input squared minus 7
      {word(Input), word(Duplicate), word(Multiply), word(Push, 7), word(Subtract), word(Halt)},
      // counts down to zero, then answers 42
      {word(Input), word(Duplicate), word(JumpIfZero, 6), word(Push, 1), word(Subtract), word(Jump, 1), word(Push, 42),
       word(Add), word(Halt)},
      {word(Add), word(Halt)},        // fault: too few numbers
      {word(Push, 1), word(Jump, 0)}, // fault: the stack fills
      {word(Push, -5), word(Shift, 1), word(Input), word(Xor), word(Halt)},
      {word(99)},      // fault: unknown
      {word(Push, 3)}, // fault: runs off the end
      {word(Jump, 0)}, // fault: never ends
      {word(Input), word(JumpIfZero, 4), word(Push, 10), word(Halt), word(Push, 20), word(Halt)},
  };
  int count = 2 * v.number("THREADS") + 7, depth = v.number("DEPTH"), most_steps = 500;
  std::vector<double> code, start{0};
  for (int p = 0; p < count; ++p) {
    const auto &program = programs[static_cast<size_t>(p) % programs.size()];
    code.insert(code.end(), program.begin(), program.end());
    start.push_back(static_cast<double>(code.size()));
  }
  Tensor code_table(Format::U32, code.size()), starts(Format::I32, start.size()),
      input(Format::I32, static_cast<size_t>(count)), out(Format::I32, static_cast<size_t>(count), 12345);
  for (size_t i = 0; i < code.size(); ++i)
    code_table.set(i, code[i]);
  for (size_t i = 0; i < start.size(); ++i)
    starts.set(i, start[i]);
  for (int p = 0; p < count; ++p)
    input.set(static_cast<size_t>(p), p % 5);
  run(v, {ceilDiv(count, v.number("THREADS")), 1, 1}, static_cast<unsigned>(v.number("THREADS")), code_table.data(),
      starts.data(), input.data(), out.data(), count, most_steps);
  expectClose(
      out,
      [&](size_t p) -> double {
        const auto &program = programs[p % programs.size()];
        std::vector<int64_t> stack;
        size_t at = 0;
        for (int step = 0; step < most_steps; ++step) {
          if (at >= program.size())
            return -1;
          auto packed = static_cast<uint32_t>(program[at++]);
          int op = static_cast<int>(packed & 255), operand = static_cast<int32_t>(packed) >> 8;
          auto pop = [&] {
            int64_t value = stack.back();
            stack.pop_back();
            return value;
          };
          static const std::map<int, size_t> needs{{Add, 2},       {Subtract, 2},   {Multiply, 2}, {Swap, 2}, {Xor, 2},
                                                   {Duplicate, 1}, {JumpIfZero, 1}, {Drop, 1},     {Shift, 1}};
          if (op > Shift || (needs.contains(op) && stack.size() < needs.at(op)) ||
              ((op == Push || op == Input || op == Duplicate) && stack.size() == static_cast<size_t>(depth)))
            return -1;
          if (op == Halt)
            return stack.empty() ? -1 : static_cast<double>(stack.back());
          if (op == Push)
            stack.push_back(operand);
          if (op == Input)
            stack.push_back(static_cast<int64_t>(p % 5));
          if (op == Duplicate)
            stack.push_back(stack.back());
          if (op == Jump)
            at = static_cast<size_t>(operand);
          if (op == JumpIfZero && pop() == 0)
            at = static_cast<size_t>(operand);
          if (op == Drop)
            pop();
          if (op == Shift)
            stack.back() >>= operand;
          if (op == Swap)
            std::swap(stack[stack.size() - 1], stack[stack.size() - 2]);
          if (op == Add || op == Subtract || op == Multiply || op == Xor) {
            int64_t b = pop(), a = pop();
            stack.push_back(op == Add ? a + b : op == Subtract ? a - b : op == Multiply ? a * b : a ^ b);
          }
        }
        return -1;
      },
      0, 0, "results");
}

REFERENCE("divergent/tree.hip", nearestNeighbours) {
  int nearest = v.number("NEAREST"), count = 200, queries = v.number("THREADS") + 11;
  std::vector<std::array<double, 3>> points(static_cast<size_t>(count)), heap(points.size());
  Tensor random(Format::F32, static_cast<size_t>(count) * 3), nodes(Format::F32, static_cast<size_t>(count) * 4),
      query(Format::F32, static_cast<size_t>(queries) * 4),
      out(Format::F32, static_cast<size_t>(queries) * nearest, -1);
  random.fill(1, -1, 1);
  query.fill(2, -1.2, 1.2);
  for (size_t i = 0; i < random.size(); ++i)
    points[i / 3][i % 3] = random.at(i);
  // A left-balanced tree in heap order: the left subtree of a complete tree of n nodes has a known size.
  std::function<void(size_t, size_t, size_t, int)> build = [&](size_t node, size_t first, size_t last, int depth) {
    if (first == last)
      return;
    std::sort(points.begin() + static_cast<long>(first), points.begin() + static_cast<long>(last),
              [&](const auto &a, const auto &b) { return a[depth % 3] < b[depth % 3]; });
    size_t n = last - first, row = 1;
    while (2 * row <= n)
      row *= 2; // nodes of the last row if it were full
    size_t in_last_row = n - (row - 1), left = (row / 2 - (row > 1 ? 1 : 0)) + std::min(in_last_row, row / 2);
    if (row == 1)
      left = 0;
    heap[node] = points[first + left];
    build(2 * node + 1, first, first + left, depth + 1);
    build(2 * node + 2, first + left + 1, last, depth + 1);
  };
  build(0, 0, points.size(), 0);
  for (size_t i = 0; i < heap.size(); ++i)
    for (size_t c = 0; c < 3; ++c)
      nodes.set(i * 4 + c, heap[i][c]);
  run(v, {ceilDiv(queries, v.number("THREADS")), 1, 1}, static_cast<unsigned>(v.number("THREADS")), nodes.data(), count,
      query.data(), queries, out.data());
  std::vector<double> want;
  for (int q = 0; q < queries; ++q) {
    std::vector<double> squares;
    for (const auto &point : heap) {
      double sum = 0;
      for (size_t c = 0; c < 3; ++c)
        sum += std::pow(point[c] - query.at(static_cast<size_t>(q) * 4 + c), 2);
      squares.push_back(sum);
    }
    std::sort(squares.begin(), squares.end());
    want.insert(want.end(), squares.begin(), squares.begin() + nearest);
  }
  expectClose(out, [&](size_t i) { return want[i]; }, 1e-5, 1e-6, "squared distances");
}

REFERENCE("divergent/calls.hip", integration) {
  int threads = v.number("THREADS"), count = threads + 30, intervals = 16;
  Tensor which(Format::I32, static_cast<size_t>(count)), lower(Format::F32, static_cast<size_t>(count)),
      upper(Format::F32, static_cast<size_t>(count)), out(Format::F32, static_cast<size_t>(count));
  which.fill(1, 0, 3);
  lower.fill(2, 0.2, 1);
  upper.fill(3, 1, 4);
  run(v, {ceilDiv(count, threads), 1, 1}, static_cast<unsigned>(threads), which.data(), lower.data(), upper.data(),
      out.data(), count, intervals);
  expectClose(
      out,
      [&](size_t i) {
        auto f = [&](double x) {
          switch (static_cast<int>(which.at(i))) {
          case 0:
            return std::exp(-x * x);
          case 1:
            return std::sin(x) / (1 + x * x);
          case 2:
            return std::sqrt(std::fabs(x)) + x;
          default:
            return (2 * x * x - 1) / (x * x + x + 1);
          }
        };
        // Far more points than the kernel's, by the midpoint rule.
        double sum = 0, width = (upper.at(i) - lower.at(i)) / 4000;
        for (int step = 0; step < 4000; ++step)
          sum += f(lower.at(i) + (step + 0.5) * width) * width;
        return sum;
      },
      1e-4, 1e-4, "integrals");
}

template <class To, class From> To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

REFERENCE("divergent/inline_asm.hip", inlineAssembly) {
  int op = v.number("OP"), threads = v.number("THREADS"), count = threads + 9;
  Tensor x(Format::F32, static_cast<size_t>(count) * 4), out(Format::U32, static_cast<size_t>(count));
  x.fill(1, -1, 1);
  uint32_t uniform = 2654435761u;
  run(v, {ceilDiv(count, threads), 1, 1}, static_cast<unsigned>(threads), x.data(), out.data(), count, uniform);
  expectClose(
      out,
      [&](size_t i) -> double {
        auto f = [&](size_t c) { return static_cast<float>(x.at(i * 4 + c)); };
        if (op == 0) {
          float a = f(0), b = f(1), sum = f(2);
          for (int step = 0; step < 8; ++step) {
            sum = std::fma(a, b, sum);
            a = std::fma(b, 0.5f, a);
          }
          uint32_t p = bitsOf<uint32_t>(sum), q = bitsOf<uint32_t>(a);
          return static_cast<uint32_t>(((p + q) ^ q) * uniform);
        }
        if (op == 1) {
          double a = f(0), sum = std::fma(a, f(1), std::fma(static_cast<double>(f(2)), f(3), 1.0));
          sum = std::fma(sum, sum, a);
          auto bits = bitsOf<uint64_t>(sum);
          auto low = static_cast<uint32_t>(bits), high = static_cast<uint32_t>(bits >> 32);
          return static_cast<uint32_t>(((low + high) ^ high) + uniform);
        }
        uint32_t a = bitsOf<uint32_t>(f(0)), b = bitsOf<uint32_t>(f(1)), c = bitsOf<uint32_t>(f(2));
        auto mix = [](uint32_t value, uint32_t key) {
          uint32_t t = value ^ key;
          return ((t << 13) | (t >> 19)) + key;
        };
        for (uint32_t round = 0; round < (a & 15) + 3; ++round) {
          b = mix(b, c ^ uniform);
          c = mix(c, b + round);
        }
        return b ^ c;
      },
      0, 0, "out");
}

} // namespace
} // namespace verilocc::kernels
