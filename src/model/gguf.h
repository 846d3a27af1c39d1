// The container of checkpoints: GGUF version 3, the file format of ggml (its documentation: docs/gguf.md of
// github.com/ggml-org/ggml). A header of typed key-value pairs, a list of tensors, and their data, aligned.
// Little-endian. Only what checkpoints need is written; all value types are read, arrays of arrays are not.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace verilocc::model {

/// Integers of all widths are kept in 64 bits.
using GgufValue = std::variant<uint64_t, int64_t, double, bool, std::string, std::vector<std::string>>;

/// How a tensor's numbers are stored. Q8: blocks of 32 of a row, a 16-bit scale and 32 signed bytes.
enum class Storage : uint32_t { F32 = 0, F16 = 1, Q8 = 8 };

struct GgufTensor {
  std::string name = {};
  Storage storage = Storage::F32;
  size_t rows = 0, columns = 0; ///< rows 0: a vector
  std::string_view bytes = {};  ///< into the text that was read

  size_t count() const { return (rows ? rows : 1) * columns; }
};

struct GgufFile {
  std::map<std::string, GgufValue> values = {}; ///< arrays of numbers are left out
  std::vector<GgufTensor> tensors = {};
};

/// `bytes` must outlive the result. Whatever they are, the answer is a file or an error; memory is bounded by their
/// size.
support::Result<GgufFile> readGguf(std::string_view bytes, const std::string &file);

/// The numbers of a tensor.
std::vector<float> unpack(const GgufTensor &tensor);
/// The stored form of numbers: columns must be a multiple of 32 for Q8.
std::string pack(const std::vector<float> &numbers, Storage storage);

class GgufWriter {
public:
  void number(const std::string &key, uint32_t value);
  void wide(const std::string &key, uint64_t value);
  void real(const std::string &key, float value);
  void text(const std::string &key, std::string_view value);
  void texts(const std::string &key, const std::vector<std::string> &values);
  /// rows 0: a vector.
  void tensor(const std::string &name, size_t rows, size_t columns, Storage storage, std::string bytes);
  std::string finish() const;

private:
  void key(const std::string &name, uint32_t type);
  std::string pairs;
  uint64_t pair_count = 0;
  struct Tensor {
    std::string name;
    size_t rows, columns;
    Storage storage;
    std::string bytes;
  };
  std::vector<Tensor> tensors;
};

} // namespace verilocc::model
