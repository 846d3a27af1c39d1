#include "model/checkpoint.h"

#include "model/files.h"
#include "support/hash.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace verilocc::model {
namespace {

/// Reads keys out of a GgufFile; the first that is missing or of another type is kept as the error.
class Keys {
public:
  Keys(const GgufFile &gguf, std::string file) : gguf(gguf), file(std::move(file)) {}

  template <typename T> T get(const std::string &key, std::optional<T> otherwise = {}) {
    auto found = gguf.values.find(key);
    if (found == gguf.values.end()) {
      if (otherwise)
        return *otherwise;
      return fail<T>(fmt::format("key '{}' is missing", key));
    }
    if (const T *value = std::get_if<T>(&found->second))
      return *value;
    return fail<T>(fmt::format("key '{}' is of another type than expected", key));
  }
  unsigned number(const std::string &key, std::optional<uint64_t> otherwise = {}) {
    const uint64_t value = get<uint64_t>(key, otherwise);
    if (value > UINT32_MAX)
      return fail<unsigned>(fmt::format("key '{}' is {}", key, value));
    return static_cast<unsigned>(value);
  }
  const std::optional<support::InputError> &error() const { return first; }

private:
  template <typename T> T fail(std::string message) {
    if (!first)
      first = support::InputError{std::move(message), file};
    return {};
  }
  const GgufFile &gguf;
  std::string file;
  std::optional<support::InputError> first;
};

uint64_t hashOf(const std::vector<GgufTensor> &tensors) {
  support::Hash hash;
  for (const GgufTensor &tensor : tensors)
    hash.add(tensor.name).add(tensor.bytes);
  return hash.value();
}

Shape readShape(Keys &keys) {
  Shape shape;
  shape.vocab_size = keys.number("llama.vocab_size");
  shape.width = keys.number("llama.embedding_length");
  shape.layers = keys.number("llama.block_count");
  shape.heads = keys.number("llama.attention.head_count");
  shape.kv_heads = keys.number("llama.attention.head_count_kv", shape.heads);
  shape.feed_forward = keys.number("llama.feed_forward_length");
  shape.window = keys.number("llama.attention.sliding_window", keys.number("llama.context_length"));
  shape.rope_base = static_cast<float>(keys.get<double>("llama.rope.freq_base", 10000.0));
  shape.norm_epsilon = static_cast<float>(keys.get<double>("llama.attention.layer_norm_rms_epsilon"));
  return shape;
}

} // namespace

support::Result<Checkpoint> parseCheckpoint(std::string_view bytes, const std::string &file, const Expected &expected) {
  support::Result<GgufFile> gguf = readGguf(bytes, file);
  if (!gguf)
    return gguf.error();
  auto refuse = [&](std::string reason) { return support::InputError{std::move(reason), file}; };
  Keys keys(*gguf, file);
  const std::string architecture = keys.get<std::string>("general.architecture");
  if (!keys.error() && architecture != "llama")
    return refuse(fmt::format("architecture '{}'; only 'llama' can be run", architecture));
  const unsigned version = keys.number("verilocc.format_version");
  if (!keys.error() && version != checkpoint_version)
    return refuse(fmt::format("checkpoint format {}; this program reads {}", version, checkpoint_version));
  Checkpoint checkpoint;
  Provenance &from = checkpoint.provenance;
  from.name = keys.get<std::string>("general.name", "");
  from.vocab_hash = keys.get<uint64_t>("verilocc.vocabulary_hash");
  from.data_hash = keys.get<uint64_t>("verilocc.data_hash");
  from.command = keys.get<std::string>("verilocc.command", "");
  from.trained_tokens = keys.get<uint64_t>("verilocc.trained_tokens", uint64_t(0));
  from.words = keys.get<std::vector<std::string>>("tokenizer.ggml.tokens", std::vector<std::string>());
  const uint64_t hash = keys.get<uint64_t>("verilocc.weights_hash");
  const Shape shape = readShape(keys);
  if (keys.error())
    return *keys.error();
  if (expected.vocab_hash && *expected.vocab_hash != from.vocab_hash)
    return refuse(fmt::format("trained with the vocabulary {:016x}, but this program's is {:016x}; train again, or use "
                              "the program that made it",
                              from.vocab_hash, *expected.vocab_hash));
  if (expected.data_hash && *expected.data_hash != from.data_hash)
    return refuse(
        fmt::format("trained on the data {:016x}, but {:016x} is given", from.data_hash, *expected.data_hash));
  if (expected.vocab_size && *expected.vocab_size != shape.vocab_size)
    return refuse(
        fmt::format("a vocabulary of {} words, but this program's has {}", shape.vocab_size, *expected.vocab_size));
  if (support::Status fits = shape.check(); !fits)
    return refuse(fits.error().message);
  // Before memory for the weights is asked for: the file must be long enough to hold them.
  if (shape.parameters() > bytes.size())
    return refuse(fmt::format("the shape has {} weights, the file {} bytes", shape.parameters(), bytes.size()));
  checkpoint.hash = hashOf(gguf->tensors);
  if (checkpoint.hash != hash)
    return refuse(
        fmt::format("the weights are damaged: their hash is {:016x}, and {:016x} was written", checkpoint.hash, hash));

  std::map<std::string, const GgufTensor *> by_name;
  for (const GgufTensor &tensor : gguf->tensors)
    by_name[tensor.name] = &tensor;
  checkpoint.weights = emptyWeights(shape);
  for (NamedTensor &wanted : tensorsOf(checkpoint.weights)) {
    auto found = by_name.find(wanted.name);
    if (found == by_name.end())
      return refuse(fmt::format("tensor '{}' is missing", wanted.name));
    const GgufTensor &tensor = *found->second;
    if (tensor.rows != wanted.rows || tensor.columns != wanted.columns)
      return refuse(fmt::format("tensor '{}' is {} by {}, not {} by {}", tensor.name, tensor.rows, tensor.columns,
                                wanted.rows, wanted.columns));
    *wanted.values = unpack(tensor);
    by_name.erase(found);
  }
  if (!by_name.empty())
    return refuse(fmt::format("tensor '{}' is not part of a model of this shape", by_name.begin()->first));
  return checkpoint;
}

support::Result<Checkpoint> readCheckpoint(const std::string &path, const Expected &expected) {
  support::Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseCheckpoint(*bytes, path, expected);
}

std::string formatCheckpoint(const Weights &weights, const Provenance &provenance, Storage storage) {
  Weights copy = weights; // tensorsOf gives write access
  const Shape &shape = weights.shape;
  GgufWriter writer;
  support::Hash hash;
  for (const NamedTensor &tensor : tensorsOf(copy)) {
    const Storage as = tensor.rows ? storage : Storage::F32;
    std::string bytes = pack(*tensor.values, as);
    hash.add(tensor.name).add(bytes);
    writer.tensor(tensor.name, tensor.rows, tensor.columns, as, std::move(bytes));
  }
  writer.text("general.architecture", "llama");
  writer.text("general.name", provenance.name);
  writer.number("general.alignment", 32);
  writer.number("llama.vocab_size", shape.vocab_size);
  writer.number("llama.context_length", shape.window);
  writer.number("llama.attention.sliding_window", shape.window);
  writer.number("llama.embedding_length", shape.width);
  writer.number("llama.block_count", shape.layers);
  writer.number("llama.feed_forward_length", shape.feed_forward);
  writer.number("llama.attention.head_count", shape.heads);
  writer.number("llama.attention.head_count_kv", shape.kv_heads);
  writer.number("llama.rope.dimension_count", shape.headWidth());
  writer.real("llama.rope.freq_base", shape.rope_base);
  writer.real("llama.attention.layer_norm_rms_epsilon", shape.norm_epsilon);
  writer.text("tokenizer.ggml.model", "no_vocab"); // token numbers in, token numbers out
  if (!provenance.words.empty())
    writer.texts("tokenizer.ggml.tokens", provenance.words);
  writer.number("verilocc.format_version", checkpoint_version);
  writer.wide("verilocc.vocabulary_hash", provenance.vocab_hash);
  writer.wide("verilocc.data_hash", provenance.data_hash);
  writer.wide("verilocc.weights_hash", hash.value());
  writer.wide("verilocc.trained_tokens", provenance.trained_tokens);
  writer.text("verilocc.command", provenance.command);
  return writer.finish();
}

support::Status writeCheckpoint(const std::string &path, const Weights &weights, const Provenance &provenance,
                                Storage storage) {
  return writeFile(path, formatCheckpoint(weights, provenance, storage));
}

} // namespace verilocc::model
