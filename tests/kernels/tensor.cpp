#include "tests/kernels/tensor.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace verilocc::kernels {

namespace {

constexpr unsigned char kMarginByte = 0xa5;

// The value nearest to `value` with `mantissa` stored bits and exponents from `lowest` (of the smallest normal number)
// up.
double roundTo(double value, int mantissa, int lowest) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), lowest);
  double unit = std::ldexp(1.0, exponent - mantissa);
  return std::nearbyint(value / unit) * unit; // the default rounding mode is to nearest even
}

uint8_t toFp8(double value, int bias) {
  double rounded = roundTo(std::fabs(value), 3, 1 - bias);
  uint8_t sign = value < 0 && rounded != 0 ? 0x80 : 0;
  if (rounded == 0)
    return 0;
  int exponent = std::max(std::ilogb(rounded), 1 - bias);
  int steps = static_cast<int>(std::ldexp(rounded, 3 - exponent)); // 8..15, or below 8 when subnormal
  return static_cast<uint8_t>(sign | (steps >= 8 ? ((exponent + bias) << 3) | (steps - 8) : steps));
}

double fromFp8(uint8_t bits, int bias) {
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  double magnitude = exponent ? std::ldexp(8 + mantissa, exponent - bias - 3) : std::ldexp(mantissa, 1 - bias - 3);
  return bits & 0x80 ? -magnitude : magnitude;
}

template <class T> T load(const unsigned char *p) {
  T value;
  memcpy(&value, p, sizeof value);
  return value;
}
template <class T> void store(unsigned char *p, T value) {
  memcpy(p, &value, sizeof value);
}

} // namespace

uint16_t toHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7e00;
  double rounded = roundTo(std::fabs(value), 10, -14);
  if (rounded > 65504)
    return sign | 0x7c00;
  if (rounded == 0)
    return sign;
  int exponent = std::max(std::ilogb(rounded), -14);
  int steps = static_cast<int>(std::ldexp(rounded, 10 - exponent));
  return static_cast<uint16_t>(sign | (steps >= 1024 ? ((exponent + 15) << 10) | (steps - 1024) : steps));
}

double fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                     : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                    : std::ldexp(mantissa, -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

Format formatOf(const std::string &type, const std::string &target) {
  if (type == "double")
    return Format::F64;
  if (type == "float")
    return Format::F32;
  if (type == "f16")
    return Format::F16;
  if (type == "bf16")
    return Format::BF16;
  if (type == "fp8")
    return target.starts_with("gfx12") ? Format::FP8 : Format::FP8Fnuz;
  if (type == "i8")
    return Format::I8;
  if (type == "u8")
    return Format::U8;
  if (type == "u32")
    return Format::U32;
  assert(type == "int");
  return Format::I32;
}

size_t bytesOf(Format format) {
  switch (format) {
  case Format::F64:
    return 8;
  case Format::F32:
  case Format::I32:
  case Format::U32:
    return 4;
  case Format::F16:
  case Format::BF16:
    return 2;
  default:
    return 1;
  }
}

Tensor::Tensor(Format format, size_t count, double value)
    : format_(format), count_(count), bytes_(count * bytesOf(format) + 2 * kMargin, kMarginByte) {
  for (size_t i = 0; i < count; ++i)
    set(i, value);
}

double Tensor::at(size_t index) const {
  assert(index < count_);
  const unsigned char *p = bytes_.data() + kMargin + index * bytesOf(format_);
  switch (format_) {
  case Format::F64:
    return load<double>(p);
  case Format::F32:
    return load<float>(p);
  case Format::F16:
    return fromHalf(load<uint16_t>(p));
  case Format::BF16: {
    uint32_t bits = static_cast<uint32_t>(load<uint16_t>(p)) << 16;
    return load<float>(reinterpret_cast<const unsigned char *>(&bits));
  }
  case Format::FP8:
    return fromFp8(*p, 7);
  case Format::FP8Fnuz:
    return fromFp8(*p, 8);
  case Format::I8:
    return load<int8_t>(p);
  case Format::U8:
    return *p;
  case Format::I32:
    return load<int32_t>(p);
  case Format::U32:
    return load<uint32_t>(p);
  }
  return 0;
}

std::vector<double> Tensor::all() const {
  std::vector<double> values(count_);
  for (size_t i = 0; i < count_; ++i)
    values[i] = at(i);
  return values;
}

void Tensor::set(size_t index, double value) {
  assert(index < count_);
  unsigned char *p = bytes_.data() + kMargin + index * bytesOf(format_);
  switch (format_) {
  case Format::F64:
    return store(p, value);
  case Format::F32:
    return store(p, static_cast<float>(value));
  case Format::F16:
    return store(p, toHalf(value));
  case Format::BF16: {
    auto rounded = static_cast<float>(roundTo(value, 7, -126));
    return store(p, static_cast<uint16_t>(load<uint32_t>(reinterpret_cast<unsigned char *>(&rounded)) >> 16));
  }
  case Format::FP8:
    return store(p, toFp8(value, 7));
  case Format::FP8Fnuz:
    return store(p, toFp8(value, 8));
  case Format::I8:
    return store(p, static_cast<int8_t>(value));
  case Format::U8:
    return store(p, static_cast<uint8_t>(value));
  case Format::I32:
    return store(p, static_cast<int32_t>(value));
  case Format::U32:
    return store(p, static_cast<uint32_t>(value));
  }
}

void Tensor::fill(uint64_t seed, double low, double high) {
  bool integer = format_ == Format::I8 || format_ == Format::U8 || format_ == Format::I32 || format_ == Format::U32;
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (size_t i = 0; i < count_; ++i) {
    // splitmix64 (Steele, Lea and Flood 2014)
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    double unit = static_cast<double>(z >> 11) * 0x1p-53;
    set(i, integer ? std::floor(low + unit * (high - low + 1)) : low + unit * (high - low));
  }
}

bool Tensor::marginsIntact() const {
  for (size_t i = 0; i < kMargin; ++i)
    if (bytes_[i] != kMarginByte || bytes_[bytes_.size() - 1 - i] != kMarginByte)
      return false;
  return true;
}

void expectClose(const Tensor &actual, const std::function<double(size_t)> &expected, double relative, double absolute,
                 const std::string &what) {
  size_t wrong = 0;
  std::string first;
  for (size_t i = 0; i < actual.size(); ++i) {
    double want = expected(i), got = actual.at(i);
    if (std::fabs(got - want) <= absolute + relative * std::fabs(want) || got == want)
      continue;
    if (wrong++ == 0)
      first = "[" + std::to_string(i) + "] is " + std::to_string(got) + ", expected " + std::to_string(want);
  }
  EXPECT_EQ(wrong, 0u) << what << ": " << wrong << " of " << actual.size()
                       << " elements are wrong; the first: " << first;
  EXPECT_TRUE(actual.marginsIntact()) << what << ": written outside its bounds";
}

} // namespace verilocc::kernels
