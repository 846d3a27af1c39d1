// Little-endian binary data, read with bounds checks. Errors are sticky, as in support/text.h: the first is kept with
// its offset, every later read fails.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <type_traits>

namespace verilocc::model {

class ByteReader {
public:
  /// `bytes` must outlive the reader; `file` is for messages.
  ByteReader(std::string_view bytes, std::string file) : bytes(bytes), file(std::move(file)) {}

  size_t offset() const { return position; }
  size_t left() const { return bytes.size() - position; }
  bool failed() const { return has_error; }
  const support::InputError &error() const { return first_error; }

  bool fail(std::string message) {
    if (!has_error)
      first_error = {fmt::format("at byte {}: {}", position, message), file};
    has_error = true;
    return false;
  }
  template <typename T> bool read(T &out, std::string_view what) {
    static_assert(std::is_arithmetic_v<T>);
    std::string_view raw;
    if (!take(raw, sizeof(T), what))
      return false;
    std::memcpy(&out, raw.data(), sizeof(T)); // all supported machines are little-endian
    return true;
  }
  /// The next `size` bytes as they lie.
  bool take(std::string_view &out, uint64_t size, std::string_view what) {
    if (has_error)
      return false;
    if (size > left())
      return fail(fmt::format("the file ends within {} ({} bytes wanted, {} left)", what, size, left()));
    out = bytes.substr(position, size);
    position += size;
    return true;
  }

private:
  std::string_view bytes;
  std::string file;
  size_t position = 0;
  bool has_error = false;
  support::InputError first_error;
};

/// Appends the bytes of `value`.
template <typename T> void appendBytes(std::string &out, T value) {
  static_assert(std::is_arithmetic_v<T>);
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  out.append(raw, sizeof(T));
}

} // namespace verilocc::model
