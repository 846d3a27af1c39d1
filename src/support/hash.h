// 64-bit FNV-1a: stable across runs, machines and versions, so that hashes may be stored in files.
#pragma once

#include <cstdint>
#include <string_view>

namespace verilocc::support {

class Hash {
public:
  Hash &add(std::string_view bytes) {
    for (char c : bytes)
      addByte(static_cast<uint8_t>(c));
    return addByte(0xff); // a terminator, so that ("ab", "c") and ("a", "bc") differ
  }
  Hash &add(uint64_t value) {
    for (int i = 0; i < 8; ++i)
      addByte(static_cast<uint8_t>(value >> (8 * i)));
    return *this;
  }
  uint64_t value() const { return state; }

private:
  Hash &addByte(uint8_t byte) {
    state = (state ^ byte) * 0x100000001b3ull;
    return *this;
  }
  uint64_t state = 0xcbf29ce484222325ull;
};

} // namespace verilocc::support
