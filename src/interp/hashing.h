// Uninterpreted values: 64-bit hashes. Their low 32 bits serve as the bits of a lane mask where a mask is needed, their
// high half as 32 more threads that nobody simulates, so that operations on masks stay exact on the whole word.
#pragma once

#include <cstdint>

namespace verilocc::interp {

constexpr uint64_t undefined_value = 0x5ead5ead0badf00dull; ///< reference program: may be anything
constexpr uint64_t garbage_value = 0x6a7ba6e06a7ba6e1ull;   ///< allocated program: equal to nothing defined
constexpr uint64_t any_value = 0x1234567890abcdefull;       ///< stands for an undefined input on both sides

inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}
/// Spreads a mix over all bits.
inline uint64_t finish(uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ull;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebull;
  return hash ^ (hash >> 31);
}
inline uint64_t hashOf(uint64_t a, uint64_t b, uint64_t c = 0, uint64_t d = 0) {
  return finish(mix(mix(mix(mix(0x1b873593cc9e2d51ull, a), b), c), d));
}

} // namespace verilocc::interp
