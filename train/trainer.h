// One step of training and one pass of validation: the numeric part of train.cpp.
#pragma once

#include "train/batches.h"
#include "train/decoder.h"
#include "train/train.h"

namespace verilocc::train {

struct StepReport {
  double loss = 0, gradient_norm = 0; ///< loss as in Scores
  uint64_t tokens = 0, decisions = 0;
};

class Trainer {
public:
  Trainer(const model::Weights &initial, const TrainOptions &options);

  StepReport step(const Batch &batch, double learning_rate);
  Scores validate(const std::vector<std::vector<Piece>> &batches);
  model::Weights weights() const { return decoder->weights(); }

  void save(torch::serialize::OutputArchive &archive) const;
  void load(torch::serialize::InputArchive &archive);

private:
  const TrainOptions &options;
  std::shared_ptr<Decoder> decoder;
  std::unique_ptr<torch::optim::AdamW> optimizer;
};

} // namespace verilocc::train
