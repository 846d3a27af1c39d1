// From logits to one token: greedy, temperature, top-k, top-p, under a mask, seeded.
//
// Whatever the logits are (NaN and infinities included), the token is one that the mask allows: NaN counts as minus
// infinity, and where nothing finite is left the allowed tokens are alike.
#pragma once

#include "model/backend.h"
#include "support/rng.h"

#include <span>
#include <vector>

namespace verilocc::model {

struct SamplerOptions {
  double temperature = 1; ///< 0: greedy, the first of the most probable
  unsigned top_k = 0;     ///< keep only so many of the most probable; 0: all
  double top_p = 1;       ///< keep only the fewest most probable that reach this probability
};

/// Probabilities of the tokens of `allowed` (empty: of all), in its order, at the temperature 1 and without top-k and
/// top-p: what the model believes. They sum to 1.
std::vector<double> probabilities(std::span<const float> logits, std::span<const TokenId> allowed = {});

struct Sample {
  TokenId token = 0;
  double probability = 0; ///< what the model believed (see probabilities), not what the options made of it
};

/// Draws one token of `allowed` (empty: of all). Ties go to the earlier one. Takes one number from `rng` unless greedy.
Sample sample(std::span<const float> logits, std::span<const TokenId> allowed, const SamplerOptions &options,
              support::Rng &rng);

} // namespace verilocc::model
