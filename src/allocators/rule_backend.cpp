#include "allocators/rule_backend.h"

#include "tokens/vocab.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace verilocc::allocators {

using namespace tokens;

namespace {

constexpr unsigned max_places = 8;

std::tuple<unsigned, unsigned, unsigned, unsigned> keyOf(WordRule rule, const Word &place, unsigned back) {
  const auto &[bank, cost, ahead, plan, leaves, borders] = place.values;
  switch (rule) {
  case WordRule::First:
    return {max_places - back, 0, 0, 0};
  case WordRule::Last:
    return {back, 0, 0, 0};
  case WordRule::Foresighted:
    return {leaves == 0, cost, ahead, borders * max_places + back};
  }
  return {};
}

} // namespace

model::ScriptedBackend ruleBackend(WordRule rule) {
  constexpr unsigned context = 64; // a decision is at most 15 words
  return model::ScriptedBackend(
      vocabSize(), context, [rule](std::span<const model::TokenId> history, std::span<float> logits) {
        std::fill(logits.begin(), logits.end(), -std::numeric_limits<float>::infinity());
        size_t first = history.size();
        while (first > 0 && wordOf(history[first - 1]).family == Family::Place)
          --first;
        if (first == history.size())
          return; // nothing is asked
        const auto key = [&](size_t i) {
          return keyOf(rule, wordOf(history[i]), static_cast<unsigned>(history.size() - 1 - i));
        };
        size_t best = first;
        for (size_t i = first + 1; i < history.size(); ++i)
          if (key(i) < key(best))
            best = i;
        logits[tokenOf({Family::Take, {static_cast<uint8_t>(history.size() - 1 - best)}})] = 0;
      });
}

} // namespace verilocc::allocators
