// What a model in training is worth: not how well it predicts labels, but what it makes of problems.
#pragma once

#include "support/result.h"
#include "train/train.h"

#include <string>

namespace verilocc::train {

struct JudgeOptions {
  std::string problems = "build/problems", manifest = "kernels/manifest.txt";
  unsigned limit = 4; ///< problems of the validation split, an architecture
};

/// For TrainOptions::judge: plays the validation problems once with each model, greedily, and returns "accepted" (share
/// without a dead end) and "cost_to_rule" (geometric mean of the cost to that of the rule that always takes the
/// cheapest place). Errors: no such problems.
support::Result<decltype(TrainOptions::judge)> makeJudge(const JudgeOptions &options);

} // namespace verilocc::train
