#include "model/weights.h"

#include "support/rng.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace verilocc::model {

size_t Shape::parameters() const {
  const size_t block =
      2 * size_t(width) + size_t(width) * (2 * width + 2 * kvWidth()) + 3 * size_t(width) * feed_forward;
  return 2 * size_t(vocab_size) * width + layers * block + width;
}

support::Status Shape::check() const {
  auto wrong = [](std::string reason) { return support::InputError{"model shape: " + std::move(reason)}; };
  auto range = [](unsigned value, unsigned low, unsigned high) { return value >= low && value <= high; };
  if (!range(vocab_size, 1, 65536))
    return wrong(fmt::format("a vocabulary of {} (1 to 65536)", vocab_size));
  if (!range(width, 32, 8192) || width % 32)
    return wrong(fmt::format("width {} (a multiple of 32 up to 8192)", width));
  if (!range(layers, 1, 128))
    return wrong(fmt::format("{} layers (1 to 128)", layers));
  if (heads == 0 || width % heads || headWidth() % 8)
    return wrong(fmt::format("{} heads of a width of {} (a head is a multiple of 8 wide)", heads, width));
  if (kv_heads == 0 || heads % kv_heads || kvWidth() % 16)
    return wrong(fmt::format("{} key heads for {} heads", kv_heads, heads));
  if (!range(feed_forward, 32, 65536) || feed_forward % 32)
    return wrong(fmt::format("feed-forward width {} (a multiple of 32 up to 65536)", feed_forward));
  if (!range(window, 1, 1u << 20))
    return wrong(fmt::format("a window of {} tokens (1 to {})", window, 1u << 20));
  if (!(rope_base >= 1 && rope_base <= 1e9f) || !(norm_epsilon > 0 && norm_epsilon < 1))
    return wrong(fmt::format("rotary base {}, norm epsilon {}", rope_base, norm_epsilon));
  return support::Ok{};
}

Weights emptyWeights(const Shape &shape) {
  Weights weights;
  weights.shape = shape;
  weights.layers.resize(shape.layers);
  auto make = [](Matrix &matrix, size_t rows, size_t columns) {
    matrix = {rows, columns, std::vector<float>(rows * columns)};
  };
  make(weights.embedding, shape.vocab_size, shape.width);
  for (Layer &layer : weights.layers) {
    layer.attention_norm.assign(shape.width, 1);
    layer.feed_norm.assign(shape.width, 1);
    make(layer.query, shape.width, shape.width);
    make(layer.key, shape.kvWidth(), shape.width);
    make(layer.value, shape.kvWidth(), shape.width);
    make(layer.attention_output, shape.width, shape.width);
    make(layer.gate, shape.feed_forward, shape.width);
    make(layer.up, shape.feed_forward, shape.width);
    make(layer.down, shape.width, shape.feed_forward);
  }
  weights.output_norm.assign(shape.width, 1);
  make(weights.output, shape.vocab_size, shape.width);
  return weights;
}

Weights randomWeights(const Shape &shape, uint64_t seed, float gain) {
  Weights weights = emptyWeights(shape);
  support::Rng rng(seed);
  auto normal = [&] { // Box and Muller 1958
    return std::sqrt(-2 * std::log(1 - rng.real())) * std::cos(2 * std::numbers::pi * rng.real());
  };
  for (NamedTensor &tensor : tensorsOf(weights)) {
    if (tensor.rows == 0)
      continue;
    double deviation = 0.02 * gain;
    if (tensor.name.ends_with("attn_output.weight") || tensor.name.ends_with("ffn_down.weight"))
      deviation /= std::sqrt(2.0 * shape.layers);
    for (float &value : *tensor.values)
      value = static_cast<float>(normal() * deviation);
  }
  return weights;
}

std::vector<NamedTensor> tensorsOf(Weights &weights) {
  std::vector<NamedTensor> tensors;
  auto matrix = [&](std::string name, Matrix &m) {
    tensors.push_back({std::move(name), &m.values, m.rows, m.columns});
  };
  auto vector = [&](std::string name, std::vector<float> &v) { tensors.push_back({std::move(name), &v, 0, v.size()}); };
  matrix("token_embd.weight", weights.embedding);
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    Layer &layer = weights.layers[i];
    const std::string block = fmt::format("blk.{}.", i);
    vector(block + "attn_norm.weight", layer.attention_norm);
    matrix(block + "attn_q.weight", layer.query);
    matrix(block + "attn_k.weight", layer.key);
    matrix(block + "attn_v.weight", layer.value);
    matrix(block + "attn_output.weight", layer.attention_output);
    vector(block + "ffn_norm.weight", layer.feed_norm);
    matrix(block + "ffn_gate.weight", layer.gate);
    matrix(block + "ffn_up.weight", layer.up);
    matrix(block + "ffn_down.weight", layer.down);
  }
  vector("output_norm.weight", weights.output_norm);
  matrix("output.weight", weights.output);
  return tensors;
}

} // namespace verilocc::model
