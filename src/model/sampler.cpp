#include "model/sampler.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace verilocc::model {
namespace {

/// The logits of the tokens in question, in a state fit for arithmetic: finite, or minus infinity for "never", with at
/// least one finite.
std::vector<double> usable(std::span<const float> logits, std::span<const TokenId> allowed) {
  const size_t count = allowed.empty() ? logits.size() : allowed.size();
  assert(count > 0);
  std::vector<double> scores(count);
  bool certain = false, possible = false;
  for (size_t i = 0; i < count; ++i) {
    const size_t token = allowed.empty() ? i : allowed[i];
    assert(token < logits.size());
    const float logit = logits[token];
    scores[i] = std::isnan(logit) ? -INFINITY : logit;
    certain |= scores[i] == INFINITY;
    possible |= std::isfinite(scores[i]);
  }
  for (double &score : scores) {
    if (certain) // the certain ones share everything
      score = score == INFINITY ? 0 : -INFINITY;
    else if (!possible)
      score = 0;
  }
  return scores;
}

/// Softmax of scores / temperature.
std::vector<double> softmax(const std::vector<double> &scores, double temperature) {
  const double top = std::ranges::max(scores);
  std::vector<double> result(scores.size());
  double sum = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    sum += result[i] = std::exp((scores[i] - top) / temperature);
  for (double &p : result)
    p /= sum;
  return result;
}

} // namespace

std::vector<double> probabilities(std::span<const float> logits, std::span<const TokenId> allowed) {
  return softmax(usable(logits, allowed), 1);
}

Sample sample(std::span<const float> logits, std::span<const TokenId> allowed, const SamplerOptions &options,
              support::Rng &rng) {
  assert(options.temperature >= 0 && options.top_p >= 0);
  const std::vector<double> scores = usable(logits, allowed);
  const std::vector<double> believed = softmax(scores, 1);
  auto answer = [&](size_t i) { return Sample{allowed.empty() ? static_cast<TokenId>(i) : allowed[i], believed[i]}; };
  if (options.temperature == 0)
    return answer(static_cast<size_t>(std::ranges::max_element(scores) - scores.begin()));

  std::vector<double> weights = softmax(scores, options.temperature);
  std::vector<uint32_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0u);
  if (options.top_k > 0 || options.top_p < 1) {
    std::ranges::sort(
        order, [&](uint32_t a, uint32_t b) { return weights[a] != weights[b] ? weights[a] > weights[b] : a < b; });
    size_t kept = options.top_k > 0 ? std::min<size_t>(options.top_k, order.size()) : order.size();
    double sum = 0;
    for (size_t i = 0; i < kept; ++i)
      if ((sum += weights[order[i]]) >= options.top_p)
        kept = i + 1;
    order.resize(kept);
  }
  double sum = 0;
  for (uint32_t i : order)
    sum += weights[i];
  double rest = rng.real() * sum;
  uint32_t chosen = order.front();
  for (uint32_t i : order) {
    if (weights[i] == 0)
      continue;
    chosen = i; // rounding may leave a rest behind the last
    rest -= weights[i];
    if (rest < 0)
      break;
  }
  return answer(chosen);
}

} // namespace verilocc::model
