#include "model/gguf.h"

#include "model/bytes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>

namespace verilocc::model {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr uint32_t version = 3;
constexpr uint64_t alignment = 32;
constexpr size_t block = 32, block_bytes = 2 + block; // of Q8
enum ValueType : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

float fromHalf(uint16_t half) {
  const uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 1023;
  if (exponent == 0) // zero or subnormal
    return (sign ? -1.0f : 1.0f) * static_cast<float>(mantissa) * 0x1p-24f;
  const uint32_t bits =
      exponent == 31 ? sign | 0x7f800000 | mantissa << 13 : sign | (exponent + 112) << 23 | mantissa << 13;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// To nearest, ties to even; beyond the largest half, infinity.
uint16_t toHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const float magnitude = std::abs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude >= 65520)
    return sign | 0x7c00;
  if (magnitude < 0x1p-14f) // subnormal: multiples of 2^-24; a full 1024 of them is the smallest normal, and so encoded
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24f)));
  bits &= 0x7fffffff;
  bits += 0xfff + (bits >> 13 & 1); // a carry goes into the exponent, as it should
  return static_cast<uint16_t>(sign | ((bits >> 13) - (112u << 10)));
}

uint64_t storedSize(Storage storage, uint64_t count) {
  switch (storage) {
  case Storage::F32:
    return count * 4;
  case Storage::F16:
    return count * 2;
  case Storage::Q8:
    return count / block * block_bytes;
  }
  assert(false);
  return 0;
}

bool readString(ByteReader &reader, std::string &out, std::string_view what) {
  uint64_t size = 0;
  std::string_view raw;
  if (!reader.read(size, what) || !reader.take(raw, size, what))
    return false;
  out = raw;
  return true;
}

template <typename Stored, typename Kept> bool readNumber(ByteReader &reader, GgufValue &out, std::string_view what) {
  Stored value = 0;
  if (!reader.read(value, what))
    return false;
  out = static_cast<Kept>(value);
  return true;
}

bool readScalar(ByteReader &reader, uint32_t type, GgufValue &out, const std::string &key) {
  switch (type) {
  case U8:
    return readNumber<uint8_t, uint64_t>(reader, out, key);
  case I8:
    return readNumber<int8_t, int64_t>(reader, out, key);
  case U16:
    return readNumber<uint16_t, uint64_t>(reader, out, key);
  case I16:
    return readNumber<int16_t, int64_t>(reader, out, key);
  case U32:
    return readNumber<uint32_t, uint64_t>(reader, out, key);
  case I32:
    return readNumber<int32_t, int64_t>(reader, out, key);
  case F32:
    return readNumber<float, double>(reader, out, key);
  case Bool:
    return readNumber<uint8_t, bool>(reader, out, key);
  case String:
    return readString(reader, out.emplace<std::string>(), key);
  case U64:
    return readNumber<uint64_t, uint64_t>(reader, out, key);
  case I64:
    return readNumber<int64_t, int64_t>(reader, out, key);
  case F64:
    return readNumber<double, double>(reader, out, key);
  }
  return reader.fail(fmt::format("key '{}' has the unknown type {}", key, type));
}

bool readPair(ByteReader &reader, GgufFile &file) {
  std::string key;
  uint32_t type = 0;
  if (!readString(reader, key, "a key") || !reader.read(type, "a key's type"))
    return false;
  if (type != Array) {
    GgufValue value;
    return readScalar(reader, type, value, key) && (file.values[key] = std::move(value), true);
  }
  uint64_t count = 0;
  if (!reader.read(type, key) || !reader.read(count, key))
    return false;
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < count; ++i) { // each takes at least a byte, so garbage ends soon
    GgufValue value;
    if (!readScalar(reader, type, value, key))
      return false;
    if (type == String)
      texts.push_back(std::get<std::string>(std::move(value)));
  }
  if (type == String)
    file.values[key] = std::move(texts);
  return true;
}

bool readTensor(ByteReader &reader, GgufTensor &tensor, uint64_t &offset) {
  uint32_t dimensions = 0, storage = 0;
  uint64_t sizes[2] = {1, 0};
  if (!readString(reader, tensor.name, "a tensor's name") || !reader.read(dimensions, "a tensor"))
    return false;
  if (dimensions != 1 && dimensions != 2)
    return reader.fail(fmt::format("tensor '{}' has {} dimensions", tensor.name, dimensions));
  for (uint32_t i = 0; i < dimensions; ++i)
    if (!reader.read(sizes[i], "a tensor"))
      return false;
  if (!reader.read(storage, "a tensor") || !reader.read(offset, "a tensor"))
    return false;
  constexpr uint64_t most = uint64_t(1) << 31;
  if (sizes[0] == 0 || sizes[0] >= most || sizes[1] >= most || (dimensions == 2 && sizes[1] == 0))
    return reader.fail(fmt::format("tensor '{}' is {} by {}", tensor.name, sizes[1], sizes[0]));
  tensor.columns = sizes[0];
  tensor.rows = dimensions == 2 ? sizes[1] : 0;
  tensor.storage = static_cast<Storage>(storage);
  if (tensor.storage != Storage::F32 && tensor.storage != Storage::F16 && tensor.storage != Storage::Q8)
    return reader.fail(
        fmt::format("tensor '{}' has type {}; read are 0 (F32), 1 (F16) and 8 (Q8_0)", tensor.name, storage));
  if (tensor.storage == Storage::Q8 && tensor.columns % block)
    return reader.fail(fmt::format("tensor '{}' has type Q8_0 and rows of {}", tensor.name, tensor.columns));
  return true;
}

} // namespace

support::Result<GgufFile> readGguf(std::string_view bytes, const std::string &name) {
  ByteReader reader(bytes, name);
  GgufFile file;
  std::string_view raw;
  if (bytes.substr(0, magic.size()) != magic)
    return support::InputError{"not a GGUF file: it does not start with GGUF", name};
  uint32_t found_version = 0;
  uint64_t tensor_count = 0, pair_count = 0;
  reader.take(raw, magic.size(), "the header");
  reader.read(found_version, "the header");
  if (!reader.failed() && found_version != version && found_version != 2)
    reader.fail(fmt::format("GGUF version {}; read are 2 and 3", found_version));
  reader.read(tensor_count, "the header");
  reader.read(pair_count, "the header");
  for (uint64_t i = 0; i < pair_count && !reader.failed(); ++i)
    readPair(reader, file);
  std::vector<uint64_t> offsets;
  std::set<std::string> names;
  for (uint64_t i = 0; i < tensor_count && !reader.failed(); ++i) {
    GgufTensor tensor;
    uint64_t offset = 0;
    if (readTensor(reader, tensor, offset) && !names.insert(tensor.name).second)
      reader.fail(fmt::format("tensor '{}' occurs twice", tensor.name));
    file.tensors.push_back(std::move(tensor));
    offsets.push_back(offset);
  }
  if (reader.failed())
    return reader.error();
  uint64_t align = alignment;
  if (auto given = file.values.find("general.alignment"); given != file.values.end()) {
    const uint64_t *number = std::get_if<uint64_t>(&given->second);
    if (!number || *number == 0 || *number > 65536)
      return support::InputError{"general.alignment is not a number from 1 to 65536", name};
    align = *number;
  }
  const uint64_t data = (reader.offset() + align - 1) / align * align;
  for (size_t i = 0; i < file.tensors.size(); ++i) {
    GgufTensor &tensor = file.tensors[i];
    const uint64_t size = storedSize(tensor.storage, tensor.count());
    if (data > bytes.size() || offsets[i] > bytes.size() - data || size > bytes.size() - data - offsets[i])
      return support::InputError{fmt::format("the file ends within tensor '{}' ({} bytes at {}; the file has {})",
                                             tensor.name, size, data + offsets[i], bytes.size()),
                                 name};
    tensor.bytes = bytes.substr(data + offsets[i], size);
  }
  return file;
}

std::vector<float> unpack(const GgufTensor &tensor) {
  std::vector<float> numbers(tensor.count());
  const char *from = tensor.bytes.data();
  auto half = [](const char *at) {
    uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return fromHalf(bits);
  };
  switch (tensor.storage) {
  case Storage::F32:
    std::memcpy(numbers.data(), from, numbers.size() * sizeof(float));
    break;
  case Storage::F16:
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = half(from + 2 * i);
    break;
  case Storage::Q8:
    for (size_t i = 0; i < numbers.size(); ++i) {
      const char *start = from + i / block * block_bytes;
      numbers[i] = half(start) * static_cast<float>(static_cast<signed char>(start[2 + i % block]));
    }
    break;
  }
  return numbers;
}

std::string pack(const std::vector<float> &numbers, Storage storage) {
  std::string bytes;
  switch (storage) {
  case Storage::F32:
    for (float number : numbers)
      appendBytes(bytes, number);
    break;
  case Storage::F16:
    for (float number : numbers)
      appendBytes(bytes, toHalf(number));
    break;
  case Storage::Q8:
    assert(numbers.size() % block == 0);
    for (size_t start = 0; start < numbers.size(); start += block) {
      float most = 0;
      for (size_t i = 0; i < block; ++i)
        most = std::max(most, std::abs(numbers[start + i]));
      const uint16_t scale = toHalf(most / 127);
      const float kept = fromHalf(scale);
      appendBytes(bytes, scale);
      for (size_t i = 0; i < block; ++i)
        appendBytes(bytes, static_cast<int8_t>(
                               kept > 0 ? std::clamp(std::nearbyint(numbers[start + i] / kept), -127.0f, 127.0f) : 0));
    }
    break;
  }
  return bytes;
}

void GgufWriter::key(const std::string &name, uint32_t type) {
  appendBytes(pairs, static_cast<uint64_t>(name.size()));
  pairs += name;
  appendBytes(pairs, type);
  ++pair_count;
}

void GgufWriter::number(const std::string &name, uint32_t value) {
  key(name, U32);
  appendBytes(pairs, value);
}

void GgufWriter::wide(const std::string &name, uint64_t value) {
  key(name, U64);
  appendBytes(pairs, value);
}

void GgufWriter::real(const std::string &name, float value) {
  key(name, F32);
  appendBytes(pairs, value);
}

void GgufWriter::text(const std::string &name, std::string_view value) {
  key(name, String);
  appendBytes(pairs, static_cast<uint64_t>(value.size()));
  pairs += value;
}

void GgufWriter::texts(const std::string &name, const std::vector<std::string> &values) {
  key(name, Array);
  appendBytes(pairs, uint32_t(String));
  appendBytes(pairs, static_cast<uint64_t>(values.size()));
  for (const std::string &value : values) {
    appendBytes(pairs, static_cast<uint64_t>(value.size()));
    pairs += value;
  }
}

void GgufWriter::tensor(const std::string &name, size_t rows, size_t columns, Storage storage, std::string bytes) {
  assert(bytes.size() == storedSize(storage, (rows ? rows : 1) * columns));
  tensors.push_back({name, rows, columns, storage, std::move(bytes)});
}

std::string GgufWriter::finish() const {
  std::string out(magic);
  appendBytes(out, version);
  appendBytes(out, static_cast<uint64_t>(tensors.size()));
  appendBytes(out, pair_count);
  out += pairs;
  uint64_t offset = 0;
  for (const Tensor &tensor : tensors) {
    appendBytes(out, static_cast<uint64_t>(tensor.name.size()));
    out += tensor.name;
    appendBytes(out, uint32_t(tensor.rows ? 2 : 1));
    appendBytes(out, static_cast<uint64_t>(tensor.columns)); // the innermost comes first
    if (tensor.rows)
      appendBytes(out, static_cast<uint64_t>(tensor.rows));
    appendBytes(out, static_cast<uint32_t>(tensor.storage));
    appendBytes(out, offset);
    offset += (tensor.bytes.size() + alignment - 1) / alignment * alignment;
  }
  auto align = [&] { out.resize((out.size() + alignment - 1) / alignment * alignment); };
  for (const Tensor &tensor : tensors) {
    align();
    out += tensor.bytes;
  }
  align();
  return out;
}

} // namespace verilocc::model
