#include "tokens/rollout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace verilocc::tokens {

double value(const Episode &episode, double dead_end) {
  return episode.outcome() + dead_end * episode.deadEndWeight();
}

std::vector<double> rollout(Episode &episode, const RolloutOptions &options, std::span<const unsigned> tried) {
  const size_t start = episode.steps().size();
  const size_t offered = episode.candidates().size();
  std::vector<double> values;
  std::vector<TokenId> words;
  for (unsigned candidate = 0; candidate < offered; ++candidate) {
    if (!tried.empty() && std::find(tried.begin(), tried.end(), candidate) == tried.end()) {
      values.push_back(untried);
      continue;
    }
    episode.answer(candidate);
    while (options.horizon == 0 || episode.steps().size() < start + 1 + options.horizon) {
      words.clear();
      if (!episode.advance(words))
        break;
      episode.answer(options.rule(episode.candidates()));
    }
    values.push_back(value(episode, options.dead_end));
    episode.rewind(start);
    words.clear();
    [[maybe_unused]] const bool due = episode.advance(words);
    assert(due && episode.candidates().size() == offered);
  }
  return values;
}

std::vector<double> softLabels(std::span<const double> values, double unit, double temperature) {
  assert(unit > 0 && temperature > 0);
  std::vector<double> labels;
  const double least = *std::min_element(values.begin(), values.end());
  double sum = 0;
  for (double value : values)
    sum += labels.emplace_back(std::exp(-(value - least) / (unit * temperature)));
  for (double &label : labels)
    label /= sum;
  return labels;
}

} // namespace verilocc::tokens
