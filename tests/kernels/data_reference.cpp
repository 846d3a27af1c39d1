#include "tests/kernels/reference.h"

#include <algorithm>

namespace verilocc::kernels {
namespace {

REFERENCE("data/transpose.hip", transpose) {
  int tile = v.number("TILE"), rows = tile + 5, columns = 2 * tile - 3;
  Format format = v.format();
  Tensor in(format, static_cast<size_t>(rows) * columns), out(format, in.size());
  in.fill(1, 0, 200);
  run(v, {ceilDiv(columns, tile), ceilDiv(rows, tile), 1}, static_cast<unsigned>(tile * v.number("ROWS")), in.data(),
      out.data(), rows, columns);
  expectClose(out, [&](size_t i) { return in.at(i % rows * columns + i / rows); }, 0, 0, "out");
}

REFERENCE("data/histogram.hip", histogram) {
  int threads = v.number("THREADS"), count = 3 * threads + 11;
  // Many values, then few, as in images with large areas of one colour.
  for (int high : {255, 2}) {
    Tensor bytes(Format::U8, static_cast<size_t>(count) * 4), out(Format::U32, 256);
    bytes.fill(high, 0, high);
    run(v, {2, 1, 1}, static_cast<unsigned>(threads), bytes.data(), out.data(), count);
    std::vector<double> want(256);
    for (size_t i = 0; i < bytes.size(); ++i)
      want[static_cast<size_t>(bytes.at(i))] += 1;
    expectClose(out, [&](size_t i) { return want[i]; }, 0, 0, "counters");
  }
}

// Row by row, the expected order of the keys.
std::vector<double> sortedRows(const Tensor &keys, int rows, int columns) {
  std::vector<double> want = keys.all();
  for (int r = 0; r < rows; ++r)
    std::sort(want.begin() + r * columns, want.begin() + (r + 1) * columns);
  return want;
}

REFERENCE("data/bitonic.hip", bitonicSort) {
  int threads = v.number("THREADS"), capacity = threads * v.number("ITEMS"), rows = 2;
  bool values = v.number("VALUES");
  for (int columns : {capacity, capacity - 7}) {
    Tensor keys(Format::U32, static_cast<size_t>(rows) * columns), carried(Format::U32, keys.size());
    // A short range of keys, so that equal ones occur; each value says where its key was.
    keys.fill(4, 0, columns);
    for (size_t i = 0; i < carried.size(); ++i)
      carried.set(i, static_cast<double>(i));
    Tensor before = keys;
    run(v, {static_cast<unsigned>(rows), 1, 1}, static_cast<unsigned>(threads), keys.data(), carried.data(), columns);
    std::vector<double> want = sortedRows(before, rows, columns);
    expectClose(keys, [&](size_t i) { return want[i]; }, 0, 0, "keys");
    if (!values)
      continue;
    // Every value still belongs to its key, and none is lost or doubled.
    std::vector<bool> seen(carried.size());
    for (size_t i = 0; i < carried.size(); ++i) {
      auto from = static_cast<size_t>(carried.at(i));
      ASSERT_LT(from, seen.size());
      EXPECT_FALSE(seen[from]) << "value " << from << " twice";
      seen[from] = true;
      EXPECT_EQ(before.at(from), keys.at(i)) << "value of element " << i;
    }
  }
}

REFERENCE("data/radix.hip", radixSort) {
  int threads = v.number("THREADS"), key_bits = v.number("KEY_BITS"), rows = 2;
  for (int columns : {threads, threads - 9}) {
    Tensor keys(Format::U32, static_cast<size_t>(rows) * columns);
    keys.fill(5, 0, static_cast<double>((1ull << key_bits) - 1));
    std::vector<double> want = sortedRows(keys, rows, columns);
    run(v, {static_cast<unsigned>(rows), 1, 1}, static_cast<unsigned>(threads), keys.data(), columns);
    expectClose(keys, [&](size_t i) { return want[i]; }, 0, 0, "keys");
  }
}

} // namespace
} // namespace verilocc::kernels
