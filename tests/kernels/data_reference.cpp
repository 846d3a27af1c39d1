#include "tests/kernels/reference.h"

#include <algorithm>
#include <cmath>

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

// SHA-256 by the letter of FIPS 180-4; the constants are computed, not copied from the kernel.
struct Sha256 {
  std::vector<uint32_t> round, start;
  Sha256() {
    for (uint32_t n = 2; round.size() < 64; ++n) {
      bool prime = true;
      for (uint32_t d = 2; d * d <= n; ++d)
        prime &= n % d != 0;
      if (!prime)
        continue;
      // The first 32 bits of the fractions of cube and square roots.
      auto fraction = [](long double x) { return static_cast<uint32_t>((x - std::floor(x)) * 4294967296.0L); };
      round.push_back(fraction(std::cbrt(static_cast<long double>(n))));
      if (start.size() < 8)
        start.push_back(fraction(std::sqrt(static_cast<long double>(n))));
    }
  }
  static uint32_t rotated(uint32_t x, int by) { return x >> by | x << (32 - by); }
  std::vector<uint32_t> digest(const std::vector<uint32_t> &message) const {
    std::vector<uint32_t> state = start;
    for (size_t block = 0; block < message.size(); block += 16) {
      uint32_t w[64];
      for (size_t t = 0; t < 64; ++t) {
        if (t < 16) {
          w[t] = message[block + t];
          continue;
        }
        uint32_t s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
      }
      std::vector<uint32_t> s = state;
      for (size_t t = 0; t < 64; ++t) {
        uint32_t sum1 = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25),
                 choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t sum0 = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t t1 = s[7] + sum1 + choose + round[t] + w[t];
        s = {t1 + sum0 + majority, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
      }
      for (size_t i = 0; i < 8; ++i)
        state[i] += s[i];
    }
    return state;
  }
};

REFERENCE("data/sha256.hip", sha256) {
  Sha256 reference;
  // "abc", padded: the example of the standard.
  std::vector<uint32_t> abc(16);
  abc[0] = 0x61626380;
  abc[15] = 24;
  ASSERT_EQ(reference.digest(abc)[0], 0xba7816bfu);
  int threads = v.number("THREADS"), count = threads + 5, dwords = v.number("BLOCKS") * 16;
  Tensor in(Format::U32, static_cast<size_t>(dwords) * count), out(Format::U32, size_t{8} * count);
  in.fill(1, 0, 4294967295.0);
  run(v, {ceilDiv(count, threads), 1, 1}, static_cast<unsigned>(threads), in.data(), out.data(), count);
  std::vector<std::vector<uint32_t>> want;
  for (int item = 0; item < count; ++item) {
    std::vector<uint32_t> message;
    for (int i = 0; i < dwords; ++i)
      message.push_back(static_cast<uint32_t>(in.at(static_cast<size_t>(i) * count + item)));
    want.push_back(reference.digest(message));
  }
  expectClose(out, [&](size_t i) { return want[i % count][i / count]; }, 0, 0, "digests");
}

REFERENCE("data/embedding.hip", embeddingBag) {
  int d = v.number("D"), group = v.number("BAGS"), bags = group + 3, rows = 50;
  Format format = v.format();
  std::vector<int> start{0};
  for (int bag = 0; bag < bags; ++bag)
    start.push_back(start.back() + bag % 5); // the empty bag included
  auto total = static_cast<size_t>(start.back());
  Tensor table(format, static_cast<size_t>(rows) * d), index(Format::I32, total), weight(Format::F32, total),
      starts(Format::I32, start.size()), out(format, static_cast<size_t>(bags) * d, 9);
  table.fill(1, -1, 1);
  index.fill(2, 0, rows - 1);
  weight.fill(3, -1, 1);
  for (size_t i = 0; i < start.size(); ++i)
    starts.set(i, start[i]);
  run(v, {ceilDiv(bags, group), 1, 1}, static_cast<unsigned>(group * d / v.number("VECTOR")), table.data(),
      index.data(), weight.data(), starts.data(), out.data(), bags);
  double tolerance = format == Format::F16 ? 2e-3 : 1e-5;
  expectClose(
      out,
      [&](size_t i) {
        size_t bag = i / d;
        int first = start[bag], last = start[bag + 1];
        double sum = 0;
        for (int e = first; e < last; ++e)
          sum += weight.at(static_cast<size_t>(e)) *
                 table.at(static_cast<size_t>(index.at(static_cast<size_t>(e))) * d + i % d);
        return v.number("MEAN") && last > first ? sum / (last - first) : sum;
      },
      tolerance, tolerance, "out");
}

REFERENCE("data/topk.hip", largestElements) {
  int k = v.number("K"), waves = v.number("WAVES"), rows = waves + 1;
  for (int columns : {static_cast<int>(v.wave) * 3 + 5, 16}) {
    Tensor in(Format::F32, static_cast<size_t>(rows) * columns), values(Format::F32, static_cast<size_t>(rows) * k),
        places(Format::I32, values.size());
    // Few different values, so that ties occur.
    in.fill(6, 0, columns / 2.0);
    for (size_t i = 0; i < in.size(); ++i)
      in.set(i, std::floor(in.at(i)));
    run(v, {ceilDiv(rows, waves), 1, 1}, static_cast<unsigned>(waves) * v.wave, in.data(), values.data(), places.data(),
        rows, columns);
    std::vector<double> want_values, want_places;
    for (int row = 0; row < rows; ++row) {
      std::vector<int> order(static_cast<size_t>(columns));
      for (int c = 0; c < columns; ++c)
        order[static_cast<size_t>(c)] = c;
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return in.at(static_cast<size_t>(row) * columns + a) > in.at(static_cast<size_t>(row) * columns + b);
      });
      for (int i = 0; i < k; ++i) {
        want_places.push_back(order[static_cast<size_t>(i)]);
        want_values.push_back(in.at(static_cast<size_t>(row) * columns + order[static_cast<size_t>(i)]));
      }
    }
    expectClose(values, [&](size_t i) { return want_values[i]; }, 0, 0, "values");
    expectClose(places, [&](size_t i) { return want_places[i]; }, 0, 0, "places");
  }
}

} // namespace
} // namespace verilocc::kernels
