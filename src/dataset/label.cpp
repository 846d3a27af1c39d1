#include "dataset/label.h"

#include "allocators/planned.h"
#include "support/rng.h"
#include "tokens/replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

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
    std::vector<unsigned> starts = windows(decisionsOfRule());
    Episode episode(problem, live, rules, game);
    std::vector<TokenId> words;
    unsigned decided = 0;
    size_t next = 0;
    // Windows in order; the player walks on from one to the next.
    while (next < starts.size()) {
      const size_t before = words.size();
      if (!episode.advance(words))
        break;
      unread.insert(unread.end(), words.begin() + static_cast<std::ptrdiff_t>(before), words.end());
      const unsigned played = play(episode);
      const unsigned first = starts[next], labelled = first + std::min(first, options.lead);
      if (decided < first) {
        answerWith(episode, stray(episode, played));
        words.clear(); // context begins with the window
      } else {
        const bool due = decided >= labelled;
        unsigned answer = played;
        if (due) {
          const unsigned best = labelOne(episode);
          answer = options.player && rng.chance(played_share) ? played : best;
        }
        words.push_back(answerWith(episode, stray(episode, answer)));
        if (due)
          sequence.decisions.back().position = static_cast<uint32_t>(words.size() - 1);
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
  unsigned decisionsOfRule() {
    Episode episode(problem, live, rules, game);
    encode(episode, {}, weighed);
    tight = episode.outlook().peak() > tight_need * (problem.env.max_vgprs + problem.env.max_agprs);
    return countDecisions(episode.steps());
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

  /// What the player answers: the model's first choice of those that are no blind alley, or the rule's.
  unsigned play(Episode &episode) {
    const auto candidates = episode.candidates();
    const unsigned ruled = weighed(candidates);
    if (!options.player)
      return ruled;
    if (!sequence_read)
      sequence_read.emplace(*options.player);
    const model::Chunk chunk{sequence_read->id(), unread};
    options.player->feed(std::span(&chunk, 1), logits);
    unread.clear();
    unsigned best = ruled;
    for (unsigned c = 0; c < candidates.size(); ++c)
      if ((candidates[c].leaves > 0 || candidates[ruled].leaves == 0) &&
          logits.row(0)[episode.answerWord(c)] > logits.row(0)[episode.answerWord(best)])
        best = c;
    return best;
  }

  TokenId answerWith(Episode &episode, unsigned answer) {
    const TokenId word = episode.answerWord(answer);
    unread.push_back(word);
    episode.answer(answer);
    return word;
  }

  unsigned stray(Episode &episode, unsigned answer) {
    if (!rng.chance(options.stray))
      return answer;
    const auto other = static_cast<unsigned>(rng.below(episode.candidates().size()));
    return episode.candidates()[other].leaves == 0 ? answer : other;
  }

  /// Those that the rules would take, and the best of the others. Never a blind alley where there is another way.
  std::vector<unsigned> worthTrying(std::span<const Candidate> candidates) const {
    std::vector<unsigned> order(candidates.size());
    std::iota(order.rbegin(), order.rend(), 0u); // the last is the best at first sight
    const auto blind = [&](unsigned c) { return candidates[c].leaves == 0; };
    if (!std::ranges::all_of(order, blind))
      std::erase_if(order, blind);
    const unsigned by_rule[] = {weighed(candidates), foresighted(candidates), packed(candidates)};
    std::ranges::stable_sort(order, {}, [&](unsigned c) {
      return std::find(std::begin(by_rule), std::end(by_rule), c) - std::begin(by_rule);
    });
    order.resize(std::min<size_t>(order.size(), std::max(options.max_tried, 1u)));
    return order;
  }

  unsigned labelOne(Episode &episode) {
    const auto candidates = episode.candidates();
    const double unit = std::max(1.0, episode.outlook().traits(episode.vreg()).hottest);
    const unsigned ruled = weighed(candidates);
    RolloutOptions rollouts;
    rollouts.rule = weighed;
    rollouts.horizon = options.horizon;
    rollouts.dead_end = options.dead_end;
    const bool alleys = candidates.front().leaves == 0;
    const std::vector<double> values = rollout(episode, rollouts, worthTrying(candidates));
    std::vector<double> handicapped = values;
    handicapped[ruled] -= options.margin * unit;
    const std::vector<double> labels = softLabels(handicapped, unit, options.temperature);
    auto best = static_cast<unsigned>(std::min_element(values.begin(), values.end()) - values.begin());
    if (values[ruled] <= values[best] + options.margin * unit)
      best = ruled;

    const double lost = std::min(values[ruled] - values[best], 1e9);
    model::Decision decision;
    // Nine in ten decisions are as the rule has them; the others are what there is to learn.
    decision.weight =
        static_cast<float>(0.5 + std::min(3.0, lost / unit) + (best != ruled ? 0.5 : 0) + (alleys ? 0.5 : 0));
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
    return best;
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
  static constexpr double tight_need = 0.82;
  static constexpr double played_share = 0.75;
  bool tight = false;
  std::vector<TokenId> unread; ///< by the player
  std::optional<model::Sequence> sequence_read;
  model::Logits logits;
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
