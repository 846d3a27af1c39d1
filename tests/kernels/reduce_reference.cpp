#include "tests/kernels/reference.h"

#include <cmath>

namespace verilocc::kernels {
namespace {

REFERENCE("reduce/reduce.hip", reduction) {
  int op = v.number("OP"), threads = v.number("THREADS");
  Format format = v.format();
  unsigned groups = 2;
  bool atomic = v.number("ATOMIC");
  for (size_t count :
       {size_t{3}, static_cast<size_t>(threads) * groups * static_cast<size_t>(v.number("ITEMS")) * 2 + 31}) {
    Tensor in(format, count), out(Format::F32, atomic ? 1 : groups);
    in.fill(count, -1, 2);
    run(v, {groups, 1, 1}, static_cast<unsigned>(threads), in.data(), out.data(), static_cast<int>(count));
    // Element i belongs to work-group (i / threads) % groups.
    std::vector<double> want(groups, op == 1 || op == 2 ? -INFINITY : 0), place(groups, 0x7fffffff);
    for (size_t i = 0; i < count; ++i) {
      size_t group = i / threads % groups;
      double x = in.at(i);
      if (op == 0)
        want[group] += x;
      if (op == 3)
        want[group] += x * x;
      if ((op == 1 || op == 2) && x > want[group]) {
        want[group] = x;
        place[group] = static_cast<double>(i);
      }
    }
    if (atomic)
      want[0] += want[1];
    expectClose(out, [&](size_t i) { return op == 2 ? place[i] : want[i]; }, 1e-5, op == 1 ? 0 : 1e-3, "out");
  }
}

REFERENCE("reduce/scan.hip", prefixSum) {
  int threads = v.number("THREADS"), block = threads * v.number("ITEMS"), rows = 2;
  bool exclusive = v.number("EXCLUSIVE");
  Format format = v.format("TYPE", "int");
  bool integer = format == Format::I32;
  for (int columns : {5, block, 2 * block + 17}) {
    Tensor in(format, static_cast<size_t>(rows) * columns), out(format, in.size());
    in.fill(3, integer ? -1000 : -1, integer ? 1000 : 1);
    run(v, {static_cast<unsigned>(rows), 1, 1}, static_cast<unsigned>(threads), in.data(), out.data(), columns);
    std::vector<double> want(in.size());
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int c = 0; c < columns; ++c) {
        size_t i = static_cast<size_t>(r) * columns + c;
        want[i] = exclusive ? sum : sum + in.at(i);
        sum += in.at(i);
      }
    }
    expectClose(out, [&](size_t i) { return want[i]; }, 0, integer ? 0 : 1e-3, std::to_string(columns) + " columns");
  }
}

} // namespace
} // namespace verilocc::kernels
