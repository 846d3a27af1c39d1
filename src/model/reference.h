// The decoder in its plainest form: what the fast one (native.h) is tested against. Everything is computed anew for
// every call, in double; time grows with the tokens times the window.
#pragma once

#include "model/backend.h"
#include "model/weights.h"

namespace verilocc::model {

/// The logits after each token, one row of vocab_size each.
std::vector<std::vector<double>> referenceLogits(const Weights &weights, std::span<const TokenId> tokens);

} // namespace verilocc::model
