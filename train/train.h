// Training of a decoder (src/model) on shards of decisions, from nothing or from a checkpoint.
//
// The loss is the cross-entropy against the soft labels of each decision, weighted. AdamW (arXiv 1711.05101), a linear
// warm-up, then a cosine down to a tenth, gradients clipped by their norm. Everything that a run needs to go on is in
// one file of its folder, replaced whole, so a run may be killed at any moment and started again by the same command;
// it then gives the same weights as one that was never killed (with a limit of steps rather than of minutes).
//
// The folder: state.pt (to go on), log.jsonl (docs/model-format.md), best.gguf (lowest validation loss so far),
// last.gguf (when the run ends).
#pragma once

#include "model/gguf.h"
#include "model/weights.h"
#include "support/result.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace verilocc::train {

struct TrainOptions {
  std::vector<std::string> training = {};   ///< shards; all with one vocabulary
  std::vector<std::string> validation = {}; ///< may be empty: then best.gguf is the last
  std::string folder = {};
  std::string initial = {}; ///< a checkpoint to go on from (fine-tuning); its shape is taken
  std::string name = "verilocc";
  std::string command = {};            ///< goes into the checkpoint
  std::vector<std::string> words = {}; ///< the vocabulary, for the checkpoint; may be empty
  /// The features of each word (decoder.h); empty: none. Left out for a vocabulary of another size.
  std::vector<std::vector<uint32_t>> features = {};
  model::Shape shape = {}; ///< vocab_size is taken from the shards
  model::Storage storage = model::Storage::F16;

  uint32_t context = 256;       ///< tokens of a piece
  uint32_t overlap = 64;        ///< of these, context of earlier pieces
  uint32_t batch_tokens = 4096; ///< a step
  uint64_t max_steps = 0;       ///< 0: no limit
  double max_minutes = 0;       ///< of training, over all restarts; 0: no limit. One limit must be set
  double learning_rate = 2e-3;
  double final_rate = 0.1; ///< share of learning_rate at the end
  uint64_t warmup_steps = 100;
  double regret_share = 1;   ///< of the expected regret (see Scores) in the loss, beside the divergence
  bool label_weights = true; ///< weight the divergence as the shards say
  double weight_decay = 0.05;
  double clip = 1;
  uint64_t seed = 1;
  unsigned threads = 2;
  uint64_t validate_every = 500;       ///< steps
  uint64_t validate_decisions = 20000; ///< at most so many of the validation set
  unsigned patience = 0;               ///< stop after so many validations without improvement; 0: never
  double save_seconds = 60;

  /// Called at each validation with the present weights; what it returns goes into the log under these names.
  std::function<std::map<std::string, double>(const model::Weights &)> judge = {};
  /// Called after each line of the log with its text.
  std::function<void(const std::string &)> progress = {};
};

struct Scores {
  double loss = 0;     ///< cross-entropy minus the entropy of the labels: 0 is perfect
  double accuracy = 0; ///< of decisions where the most probable token is one of the best answers
  double mass = 0;     ///< mean label probability of the most probable token
  /// Mean of log(label of the best answer / label of the most probable token). With labels that are a softmax of costs
  /// that is what the choice costs, in units of their temperature. An answer without a label counts as 20.
  double regret = 0;
  double rule_regret = 0; ///< the same for the one token that is best if it is always chosen
};

struct TrainResult {
  uint64_t steps = 0, tokens = 0;
  double minutes = 0;
  Scores validation = {};      ///< best
  std::string stopped_by = {}; ///< "steps", "minutes", "patience" or "signal"
};

/// Errors: shards or checkpoints that cannot be read or do not fit together, a folder that cannot be written, a state
/// that belongs to other options. SIGINT and SIGTERM save and return.
support::Result<TrainResult> train(const TrainOptions &options);

} // namespace verilocc::train
