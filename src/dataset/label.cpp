#include "dataset/label.h"

#include "allocators/planned.h"
#include "support/rng.h"
#include "tokens/replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace verilocc::dataset {

using namespace tokens;
using problem::Problem;

namespace {

class Labeller {
public:
  Labeller(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
           const LabelOptions &options)
      : problem(problem),
        live(live),
        rules(rules),
        options(options),
        rng(options.seed),
        game(allocators::planned(problem, live, rules)) {}

  Labelled run() {
    const unsigned decisions = chooseRule();
    std::vector<unsigned> starts = windows(decisions);
    Episode episode(problem, live, rules, game);
    std::vector<TokenId> words;
    unsigned decided = 0;
    size_t next = 0;
    // Windows in order; the player walks on from one to the next.
    while (next < starts.size() && episode.advance(words)) {
      const unsigned first = starts[next], labelled = first + std::min(first, options.lead);
      if (decided < first) {
        const unsigned answer = stray(episode, best_rule(episode.candidates()));
        episode.answer(answer);
        words.clear(); // context begins with the window
      } else {
        const bool due = decided >= labelled;
        const unsigned answer = due ? labelOne(episode) : stray(episode, best_rule(episode.candidates()));
        words.push_back(episode.answerWord(answer));
        if (due)
          sequence.decisions.back().position = static_cast<uint32_t>(words.size() - 1);
        episode.answer(answer);
      }
      ++decided;
      if (decided == labelled + options.window) {
        finish(words);
        ++next;
      }
    }
    finish(words);
    return std::move(result);
  }

private:
  /// The rule that does best on this problem plays on in rollouts and between windows. Answers the number of decisions.
  unsigned chooseRule() {
    double least = 0;
    unsigned decisions = 0;
    best_rule = nullptr;
    for (Rule rule : {cheapest, foresighted, packed}) {
      Episode episode(problem, live, rules, game);
      std::vector<TokenId> words;
      while (episode.advance(words)) {
        words.clear();
        episode.answer(rule(episode.candidates()));
      }
      const double found = value(episode, options.dead_end);
      if (!best_rule || found < least) {
        best_rule = rule;
        least = found;
        tight = episode.outlook().peak() > tight_need * (problem.env.max_vgprs + problem.env.max_agprs);
        decisions = countDecisions(episode.steps());
      }
    }
    return decisions;
  }

  /// Decisions at which windows start, heads of the word stream: evenly spread from a random offset.
  std::vector<unsigned> windows(unsigned decisions) {
    const unsigned whole = options.window + options.lead;
    // Tight problems are where dead ends are learned.
    const double share = options.share * (tight ? 2 : 1);
    const auto wanted = static_cast<unsigned>(std::ceil(share * decisions / options.window));
    const unsigned count = std::clamp(wanted, 1u, std::max(1u, std::min(options.max_windows, decisions / whole)));
    const unsigned spare = decisions > count * whole ? decisions - count * whole : 0;
    std::vector<unsigned> starts;
    for (unsigned w = 0; w < count; ++w) {
      const unsigned room = spare * (w + 1) / count - spare * w / count;
      const auto start = static_cast<unsigned>(w * whole + spare * w / count + rng.below(room + 1));
      starts.push_back(start / decisions_a_head * decisions_a_head);
    }
    return starts;
  }

  unsigned stray(Episode &episode, unsigned answer) {
    if (!rng.chance(options.stray))
      return answer;
    const auto other = static_cast<unsigned>(rng.below(episode.candidates().size()));
    return episode.candidates()[other].leaves == 0 ? answer : other;
  }

  /// Those the rules would take, and the best of the others.
  std::vector<unsigned> worthTrying(std::span<const Candidate> candidates) const {
    std::vector<unsigned> order(candidates.size());
    std::iota(order.begin(), order.end(), 0u);
    const unsigned by_rule[] = {best_rule(candidates), cheapest(candidates), foresighted(candidates),
                                packed(candidates)};
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      const auto key = [&](unsigned c) {
        const auto rank = std::find(std::begin(by_rule), std::end(by_rule), c) - std::begin(by_rule);
        return std::tuple(rank, candidates[c].leaves == 0, candidates[c].total(), candidates[c].borders, c);
      };
      return key(a) < key(b);
    });
    order.resize(std::min<size_t>(order.size(), std::max(options.max_tried, 1u)));
    return order;
  }

  unsigned labelOne(Episode &episode) {
    const auto candidates = episode.candidates();
    const double unit = std::max(1.0, episode.outlook().traits(episode.vreg()).hottest);
    const unsigned ruled = best_rule(candidates), cheap = cheapest(candidates);
    RolloutOptions rollouts;
    rollouts.rule = best_rule;
    rollouts.horizon = options.horizon;
    rollouts.dead_end = options.dead_end;
    std::vector<double> values = rollout(episode, rollouts, worthTrying(candidates));
    const bool choice = std::ranges::any_of(candidates, [](const Candidate &c) { return c.leaves > 0; });
    for (unsigned c = 0; c < values.size(); ++c)
      if (choice && candidates[c].leaves == 0)
        values[c] += options.blind_alley * unit;
    std::vector<double> handicapped = values;
    handicapped[ruled] -= options.margin * unit;
    const std::vector<double> labels = softLabels(handicapped, unit, options.temperature);
    auto best = static_cast<unsigned>(std::min_element(values.begin(), values.end()) - values.begin());
    if (values[ruled] <= values[best] + options.margin * unit)
      best = ruled;

    const double lost = std::min(values[cheap] - values[best], 1e9);
    model::Decision decision;
    // Nine in ten decisions are as the rule has them; the others are what there is to learn.
    decision.weight = static_cast<float>(0.5 + std::min(3.0, lost / unit) + (best != cheap ? 0.5 : 0));
    for (unsigned c = 0; c < labels.size(); ++c)
      if (labels[c] > 1e-4)
        decision.answers.push_back({episode.answerWord(c), static_cast<float>(labels[c])});
    float sum = 0;
    for (const auto &answer : decision.answers)
      sum += answer.probability;
    for (auto &answer : decision.answers)
      answer.probability /= sum;
    sequence.decisions.push_back(std::move(decision));
    const bool agrees = lost <= options.margin * unit;
    window_agreeing += agrees;
    window_regret += agrees ? 0 : lost;
    return stray(episode, best);
  }

  void finish(std::vector<TokenId> &words) {
    if (!sequence.decisions.empty() && (window_regret > 0 || tight || rng.chance(options.keep_dull))) {
      result.decisions += static_cast<unsigned>(sequence.decisions.size());
      result.agreeing += window_agreeing;
      result.regret += window_regret;
      sequence.tokens = words;
      result.sequences.push_back(std::move(sequence));
    }
    window_regret = 0;
    window_agreeing = 0;
    sequence = {};
    words.clear();
  }

  const Problem &problem;
  const analysis::LiveRanges &live;
  const cost::Rules &rules;
  const LabelOptions &options;
  support::Rng rng;
  const EpisodeOptions game;
  Rule best_rule = nullptr;
  static constexpr double tight_need = 0.82;
  bool tight = false;
  model::TrainingSequence sequence;
  double window_regret = 0;
  unsigned window_agreeing = 0;
  Labelled result;
};

} // namespace

Labelled label(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
               const LabelOptions &options) {
  return Labeller(problem, live, rules, options).run();
}

} // namespace verilocc::dataset
