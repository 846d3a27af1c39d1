// Numbers in the formats that kernels read and write, seen by the references as doubles.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace verilocc::kernels {

enum class Format { F64, F32, F16, BF16, FP8, FP8Fnuz, I8, U8, I32, U32 };

// From a kernel parameter such as "f16". `target` decides which of the two fp8 formats is meant. Asserts on others.
Format formatOf(const std::string &type, const std::string &target);
size_t bytesOf(Format format);

// Round to nearest even into the format and back.
uint16_t toHalf(double value);
double fromHalf(uint16_t bits);

// An array with margins: a kernel that writes outside its bounds is found out by marginsIntact().
class Tensor {
public:
  Tensor(Format format, size_t count, double value = 0);

  size_t size() const { return count_; }
  void *data() { return bytes_.data() + kMargin; }
  double at(size_t index) const;
  std::vector<double> all() const;
  void set(size_t index, double value);
  // Uniform values in [low, high], rounded into the format; integer formats get integers.
  void fill(uint64_t seed, double low, double high);
  bool marginsIntact() const;

private:
  static constexpr size_t kMargin = 256;
  Format format_;
  size_t count_;
  std::vector<unsigned char> bytes_;
};

// GoogleTest expectations: every element within `absolute` + `relative` * |expected|, no NaN, margins intact; on
// failure says how many are wrong and shows the first.
void expectClose(const Tensor &actual, const std::function<double(size_t)> &expected, double relative, double absolute,
                 const std::string &what);

} // namespace verilocc::kernels
