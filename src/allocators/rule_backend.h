// Hand-made policies behind the interface of a language model: baselines that need no training, and the way to test the
// loop whole. They see what a model sees, the words.
#pragma once

#include "model/scripted.h"

namespace verilocc::allocators {

enum class WordRule {
  First,      ///< the first place offered: a blind alley, or the dearest
  Last,       ///< the last: tokens::weighed
  Foresighted ///< leaves room, then cost now, cost foreseen, borders, then the later one
};

/// The answer of the rule has all the probability.
model::ScriptedBackend ruleBackend(WordRule rule);

} // namespace verilocc::allocators
