// A seeded random number generator (xoshiro256**, Blackman and Vigna 2018) whose sequence is the same on every machine,
// so that a seed in a report is enough to repeat a run. The distributions of <random> are not.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace verilocc::support {

class Rng {
public:
  explicit Rng(uint64_t seed) {
    for (uint64_t &word : state) { // splitmix64, as the authors advise
      seed += 0x9e3779b97f4a7c15ull;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
      word = z ^ (z >> 31);
    }
  }

  uint64_t next() {
    const uint64_t result = rotate(state[1] * 5, 7) * 9;
    const uint64_t t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotate(state[3], 45);
    return result;
  }
  /// Uniform in [0, count); count > 0. The bias of the modulo is below 2^-32 for 32-bit counts.
  uint64_t below(uint64_t count) {
    assert(count > 0);
    return next() % count;
  }
  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) { return low + int64_t(below(uint64_t(high - low) + 1)); }
  /// Uniform in [0, 1).
  double real() { return double(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return real() < probability; }
  template <typename Container> auto &pick(Container &container) {
    return container[static_cast<size_t>(below(std::size(container)))];
  }
  template <typename Container> void shuffle(Container &container) {
    for (size_t size = std::size(container); size > 1; --size)
      std::swap(container[size - 1], container[static_cast<size_t>(below(size))]);
  }

private:
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t state[4];
};

} // namespace verilocc::support
