// The decoder of src/model/weights.h as a libtorch module, for training.
//
// A word of the vocabulary may be described by features (its kind, and each value that it says). Then its embedding is
// trained as a sum: one part of its own and one of each feature, so that a rare word is known by what it shares with
// frequent ones. In the weights that come out the sum is made: they are those of an ordinary model.
//
// Only the positions that precede a decision are asked for logits. So in the last block the other positions need keys
// and values but no query, no feed-forward and no output: about one block less of work, since a decision comes only
// every ten tokens or so.
#pragma once

#include "model/weights.h"

#include <torch/torch.h>

namespace verilocc::train {

/// The features of each word, any number from 0 up; empty: none.
using Features = std::vector<std::vector<uint32_t>>;

class Decoder : public torch::nn::Module {
public:
  explicit Decoder(const model::Weights &initial, const Features &features = {});

  /// tokens: [batch, time], int64. asked: [batch, count], int64, positions in time whose next token is wanted.
  /// Returns logits [batch, count, vocab_size].
  torch::Tensor forward(const torch::Tensor &tokens, const torch::Tensor &asked);

  /// The present weights.
  model::Weights weights() const;
  const model::Shape &shape() const { return form; }
  /// Those that weight decay applies to (matrices), and the others (norms).
  std::vector<torch::Tensor> matrices() const { return parametersOf(2); }
  std::vector<torch::Tensor> vectors() const { return parametersOf(1); }

private:
  /// [vocab_size, width]
  torch::Tensor embeddingTable() const;
  std::vector<torch::Tensor> parametersOf(int64_t dimensions) const;
  struct Block {
    torch::Tensor attention_norm, query, key, value, attention_output, feed_norm, gate, up, down;
  };
  model::Shape form;
  torch::Tensor embedding, output_norm, output;
  torch::Tensor shared;                       ///< [features, width]; undefined without features
  torch::Tensor feature_list, feature_starts; ///< of all words, one after the other; where each word's begin
  std::vector<Block> blocks;
};

} // namespace verilocc::train
