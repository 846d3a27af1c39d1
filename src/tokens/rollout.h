// How good is each candidate really? Take it, let a rule decide what follows, and look at the cost.
//
// One step of policy improvement: whoever always takes the candidate with the least value does better than the rule
// alone. The values are what a model is taught (labels): it learns to see in the digest what costs a rollout
// milliseconds.
#pragma once

#include "tokens/episode.h"

namespace verilocc::tokens {

using Rule = unsigned (*)(std::span<const Candidate>);

struct RolloutOptions {
  Rule rule = cheapest;
  /// Steps that are played after the candidate; 0: to the end. Where it stops, Episode::outcome() stands for the rest.
  unsigned horizon = 0;
  /// Cycles for each execution of an instruction that names a vreg without a place: what a spill would cost, roughly.
  double dead_end = 32;
};

constexpr double untried = 1e300;

/// One value a candidate, in cycles: what the placement would cost from here on, dead ends included. An answer must be
/// due, and is again afterwards, with the same candidates.
/// `tried`: indices of the candidates to look at, empty for all; the others are `untried`.
std::vector<double> rollout(Episode &episode, const RolloutOptions &options = {}, std::span<const unsigned> tried = {});

/// softmax(-(value - least) / (temperature * unit)). `unit`: cycles that count as one, above 0.
std::vector<double> softLabels(std::span<const double> values, double unit, double temperature);

/// The cost that rollouts compare: the outcome, and dead ends.
double value(const Episode &episode, double dead_end);

} // namespace verilocc::tokens
