#include "train/decoder.h"

#include "train/attention.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace verilocc::train {
namespace {

torch::Tensor toTensor(const model::NamedTensor &named) {
  std::vector<int64_t> sizes;
  if (named.rows)
    sizes.push_back(static_cast<int64_t>(named.rows));
  sizes.push_back(static_cast<int64_t>(named.columns));
  return torch::from_blob(named.values->data(), sizes, torch::kFloat32).clone();
}

torch::Tensor normalize(const torch::Tensor &x, const torch::Tensor &scale, double epsilon) {
  return x * torch::rsqrt(x.square().mean(-1, true) + epsilon) * scale;
}

/// x[b, positions[b, i]] for each b and i: [batch, count, width].
torch::Tensor pick(const torch::Tensor &x, const torch::Tensor &positions) {
  return x.gather(1, positions.unsqueeze(-1).expand({-1, -1, x.size(2)}));
}

} // namespace

Decoder::Decoder(const model::Weights &initial, const Features &features)
    : form(initial.shape), blocks(initial.shape.layers) {
  model::Weights copy = initial; // tensorsOf gives write access
  std::map<std::string, torch::Tensor> named;
  for (const model::NamedTensor &tensor : model::tensorsOf(copy)) {
    std::string name = tensor.name; // torch does not take dots
    std::replace(name.begin(), name.end(), '.', '_');
    named[tensor.name] = register_parameter(name, toTensor(tensor));
  }
  embedding = named.at("token_embd.weight");
  output_norm = named.at("output_norm.weight");
  output = named.at("output.weight");
  for (size_t i = 0; i < blocks.size(); ++i) {
    auto part = [&](const char *name) { return named.at(fmt::format("blk.{}.{}.weight", i, name)); };
    blocks[i] = {part("attn_norm"), part("attn_q"),   part("attn_k"), part("attn_v"),  part("attn_output"),
                 part("ffn_norm"),  part("ffn_gate"), part("ffn_up"), part("ffn_down")};
  }
  if (features.empty())
    return;
  TORCH_CHECK(features.size() == form.vocab_size, "features of ", features.size(), " words");
  std::vector<int64_t> list, starts;
  int64_t count = 1;
  for (const std::vector<uint32_t> &word : features) {
    starts.push_back(static_cast<int64_t>(list.size()));
    for (uint32_t feature : word) {
      list.push_back(feature);
      count = std::max<int64_t>(count, feature + 1);
    }
  }
  feature_list = torch::tensor(list, torch::kInt64);
  feature_starts = torch::tensor(starts, torch::kInt64);
  shared = register_parameter("features", torch::zeros({count, form.width}));
}

torch::Tensor Decoder::embeddingTable() const {
  if (!shared.defined())
    return embedding;
  return embedding + std::get<0>(torch::embedding_bag(shared, feature_list, feature_starts));
}

std::vector<torch::Tensor> Decoder::parametersOf(int64_t dimensions) const {
  std::vector<torch::Tensor> result;
  for (const torch::Tensor &parameter : parameters())
    if (parameter.dim() == dimensions)
      result.push_back(parameter);
  return result;
}

model::Weights Decoder::weights() const {
  torch::NoGradGuard no_gradients;
  model::Weights weights = model::emptyWeights(form);
  const auto named = named_parameters();
  for (const model::NamedTensor &tensor : model::tensorsOf(weights)) {
    std::string name = tensor.name;
    std::replace(name.begin(), name.end(), '.', '_');
    const torch::Tensor &parameter = tensor.values == &weights.embedding.values ? embeddingTable() : named[name];
    const torch::Tensor values = parameter.detach().contiguous();
    std::copy_n(values.data_ptr<float>(), tensor.values->size(), tensor.values->data());
  }
  return weights;
}

torch::Tensor Decoder::forward(const torch::Tensor &tokens, const torch::Tensor &asked) {
  using torch::linear;
  const double epsilon = form.norm_epsilon;
  const torch::Tensor all = torch::arange(tokens.size(1)).expand({tokens.size(0), -1});
  torch::Tensor x = torch::embedding(embeddingTable(), tokens);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block &block = blocks[i];
    const bool last = i + 1 == blocks.size();
    const torch::Tensor normal = normalize(x, block.attention_norm, epsilon);
    if (last)
      x = pick(x, asked);
    const torch::Tensor query = linear(last ? pick(normal, asked) : normal, block.query);
    const torch::Tensor mixed =
        attention(query, linear(normal, block.key), linear(normal, block.value), last ? asked : all, form);
    x = x + linear(mixed, block.attention_output);
    const torch::Tensor fed = normalize(x, block.feed_norm, epsilon);
    x = x + linear(torch::silu(linear(fed, block.gate)) * linear(fed, block.up), block.down);
  }
  return linear(normalize(x, output_norm, epsilon), output);
}

} // namespace verilocc::train
