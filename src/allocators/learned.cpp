#include "allocators/learned.h"

#include "allocators/planned.h"
#include "allocators/search.h"
#include "support/clock.h"
#include "tokens/replay.h"
#include "tokens/rollout.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <memory>
#include <set>

namespace verilocc::allocators {

using namespace tokens;
using problem::no_unit;
using problem::Problem;
using problem::RegUnit;
using problem::VReg;

namespace {

/// What a vreg without a home costs when attempts are compared, a dead end being worse than any cost saved.
constexpr double dead_end_cost = 1e6;

/// One attempt in the making.
class Player {
public:
  Player(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules, model::LmBackend &backend,
         const LearnedOptions &options, const EpisodeOptions &game, unsigned number)
      : options(options),
        backend(backend),
        episode(problem, live, rules, game),
        sequence(backend),
        rng(options.seed * 0x9e3779b97f4a7c15ull + number),
        sampler(options.sampler) {
    attempt.seed = options.seed * 0x9e3779b97f4a7c15ull + number;
    if (number == 0)
      sampler.temperature = 0;
    attempt.temperature = sampler.temperature;
  }

  /// Goes on to the next decision, repairing on the way; false at the end.
  bool proceed() {
    while (true) {
      const unsigned dead_ends = episode.deadEnds();
      const size_t written = line.size();
      const bool due = episode.advance(line);
      attempt.words.insert(attempt.words.end(), line.begin() + static_cast<std::ptrdiff_t>(written), line.end());
      if (episode.deadEnds() > dead_ends && repair())
        continue;
      if (due)
        marks.push_back({episode.steps().size(), line.size() - episode.ownWords()});
      else
        finish();
      return due;
    }
  }

  /// What the model has not seen yet.
  std::span<const TokenId> unseen() const { return std::span(line).subspan(seen); }
  model::SequenceId id() const { return sequence.id(); }

  /// False if the attempt ends here.
  bool decide(std::span<const float> logits) {
    seen = line.size();
    const auto candidates = episode.candidates();
    ++attempt.decisions;
    const TokenId first_choice = firstChoice(logits);
    const bool legal = episode.candidateOf(first_choice) >= 0;
    attempt.legal += legal;

    const std::vector<TokenId> allowed = allowedAnswers();
    attempt.overruled += legal && std::find(allowed.begin(), allowed.end(), first_choice) == allowed.end();
    TokenId word;
    if (options.mask) {
      word = model::sample(logits, allowed, sampler, rng).token;
    } else {
      word = model::sample(logits, {}, sampler, rng).token;
      if (episode.candidateOf(word) < 0) {
        attempt.words.push_back(word);
        attempt.outcome = Outcome::Illegal;
        ended = true;
        return false;
      }
    }
    if (options.observe && attempt.temperature == 0 && attempt.repairs == 0) {
      std::vector<TokenId> all;
      for (unsigned c = 0; c < candidates.size(); ++c)
        all.push_back(episode.answerWord(c));
      options.observe(episode, model::probabilities(logits, all));
    }
    line.push_back(word);
    attempt.words.push_back(word);
    episode.answer(static_cast<unsigned>(episode.candidateOf(word)));
    return true;
  }

  void outOfTime() {
    attempt.outcome = Outcome::OutOfTime;
    ended = true;
  }

  Episode &game() { return episode; }
  Attempt attempt;
  bool ended = false;

private:
  /// The mask: not what led to a dead end before, nor what leads to one visibly; where decisions were withdrawn, up to
  /// the vreg that found no place, only what breaks the fewest holes. What is left must not be nothing.
  std::vector<TokenId> allowedAnswers() const {
    const auto candidates = episode.candidates();
    const auto banned_here = banned.find(episode.steps().size());
    const bool careful = repairing && episode.steps().size() <= careful_until;
    const auto rank = [&](unsigned c) {
      const Candidate &candidate = candidates[c];
      const bool tried = banned_here != banned.end() && banned_here->second.contains(c);
      const bool blocks = options.avoid_dead_ends && candidate.leaves == 0;
      return std::tuple(tried, blocks, careful ? 2 - int(candidate.leaves) : 0, careful ? int(candidate.borders) : 0);
    };
    auto least = rank(0);
    for (unsigned c = 1; c < candidates.size(); ++c)
      least = std::min(least, rank(c));
    std::vector<TokenId> allowed;
    for (unsigned c = 0; c < candidates.size(); ++c)
      if (rank(c) == least)
        allowed.push_back(episode.answerWord(c));
    return allowed;
  }

  static TokenId firstChoice(std::span<const float> logits) {
    size_t best = 0;
    for (size_t token = 1; token < logits.size(); ++token)
      if (logits[token] > logits[best] || std::isnan(logits[best]))
        best = token;
    return static_cast<TokenId>(best);
  }

  /// Takes back decisions up to the one that is in the way of the last dead end. False if there is none, or no repair
  /// is left.
  bool repair() {
    if (!options.mask || attempt.repairs >= options.repairs)
      return false;
    const auto steps = episode.steps();
    size_t dead = steps.size();
    while (dead > 0 && steps[dead - 1].offered != 0)
      --dead;
    if (dead == 0)
      return false;
    const VReg stuck = steps[dead - 1].vreg;
    if (episode.outlook().traits(stuck).spare < 0)
      return false; // more values live than registers: some vreg must do without
    // Once more at the same vreg: further back each time.
    const size_t step = episode.blame(dead - 1, repairs_for[stuck]++);
    if (step == Episode::nobody)
      return false;
    unsigned decisions = 0;
    for (size_t i = step; i < steps.size(); ++i)
      decisions += steps[i].offered > 1;
    banned[step].insert(steps[step].answer);
    // What was learned about later decisions held for the answer now withdrawn.
    banned.erase(banned.upper_bound(step), banned.end());
    for (TokenId word : withdrawal(Reason::DeadEnd, decisions))
      attempt.words.push_back(word);
    attempt.withdrawn += decisions;
    ++attempt.repairs;
    careful_until = dead - 1;
    repairing = true;
    episode.rewind(step);
    while (marks.back().steps > step)
      marks.pop_back();
    assert(marks.back().steps == step);
    line.resize(marks.back().words);
    marks.pop_back();
    restart();
    return true;
  }

  /// The model reads on from a truncated line: as much of it as it can see.
  void restart() {
    sequence = model::Sequence(backend);
    seen = line.size() - std::min<size_t>(line.size(), backend.contextLength());
  }

  void finish() {
    ended = true;
    attempt.outcome = episode.deadEnds() ? Outcome::DeadEnd : Outcome::Accepted;
  }

  struct Mark {
    size_t steps, words; ///< before a decision
  };
  const LearnedOptions &options;
  model::LmBackend &backend;
  Episode episode;
  model::Sequence sequence;
  support::Rng rng;
  model::SamplerOptions sampler;
  std::vector<TokenId> line; ///< words of what stands
  std::vector<Mark> marks;
  size_t seen = 0;
  std::map<size_t, std::set<unsigned>> banned; ///< by step: answers that led to a dead end
  std::map<VReg, unsigned> repairs_for;
  bool repairing = false;
  size_t careful_until = 0; ///< step of the last dead end
};

/// The attempts [first, first + players) side by side, one feed a decision.
void playTogether(std::vector<std::unique_ptr<Player>> &players, model::LmBackend &backend, double deadline) {
  model::Logits logits;
  std::vector<model::Chunk> chunks;
  std::vector<Player *> due;
  while (true) {
    chunks.clear();
    due.clear();
    for (auto &player : players)
      if (!player->ended && player->proceed()) {
        if (deadline > 0 && support::now() > deadline) {
          player->outOfTime();
          continue;
        }
        due.push_back(player.get());
        chunks.push_back({player->id(), player->unseen()});
      }
    if (due.empty())
      return;
    backend.feed(chunks, logits);
    for (size_t i = 0; i < due.size(); ++i)
      due[i]->decide(logits.row(i));
  }
}

/// Vector vregs only. Taken if fewer are left over, or as many that cost less, and the checker agrees.
void finishBySearch(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                    const LearnedOptions &options, LearnedResult &result) {
  SearchOptions search_options;
  search_options.seed = options.seed;
  const tokens::Limits own = limitsOf(problem.env), &wanted = options.episode.limits;
  search_options.limits = {std::min(own.vgprs, wanted.vgprs), std::min(own.agprs, wanted.agprs)};
  SearchResult found = search(problem, live, rules, result.homes, search_options);
  if (std::pair(found.unplaced, found.cost) >= std::pair(found.start_unplaced, found.start_cost))
    return;
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    if (!problem.classOf(v).isPerThread())
      found.homes[v] = result.homes[v];
  const auto verdict = checker::check(problem, assignment::fromHomes(problem, found.homes)).verdict;
  if (verdict != checker::Verdict::Accepted)
    return;
  result.homes = std::move(found.homes);
  result.cost = found.cost;
  result.dead_ends -= std::min(result.dead_ends, found.start_unplaced - found.unplaced);
  result.verdict = verdict;
  result.finished = true;
}

} // namespace

const char *name(Outcome outcome) {
  constexpr const char *names[] = {"accepted", "dead-end", "illegal", "rejected", "out-of-time"};
  return names[static_cast<unsigned>(outcome)];
}

LearnedResult learned(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                      model::LmBackend &backend, const LearnedOptions &options, AttemptLog *log) {
  assert(backend.vocabSize() >= vocabSize());
  assert(backend.vocabHash() == 0 || backend.vocabHash() == vocabHash());
  LearnedResult result;
  result.homes.assign(problem.vregs.size(), no_unit);
  if (log)
    log->vocabulary = vocabHash();
  const double start = support::now(), deadline = options.seconds > 0 ? start + options.seconds : 0;
  const EpisodeOptions game = planned(problem, live, rules, options.episode);
  double least = 0;
  unsigned number = 0;
  bool any = false;
  while (number < std::max(1u, options.attempts)) {
    if (number > 0 && deadline > 0 && support::now() > deadline)
      break;
    const unsigned end = std::min(std::max(1u, options.attempts), number + std::max(1u, options.together));
    const double began = support::now();
    std::vector<std::unique_ptr<Player>> players;
    for (unsigned i = number; i < end; ++i)
      players.push_back(std::make_unique<Player>(problem, live, rules, backend, options, game, i));
    playTogether(players, backend, deadline);
    const double each = (support::now() - began) / double(players.size());
    for (auto &player : players) {
      Attempt &attempt = player->attempt;
      Episode &episode = player->game();
      attempt.dead_ends = episode.deadEnds();
      attempt.cost = cost::settledCost(problem, live, rules, episode.homes());
      attempt.seconds = each;
      // An attempt that ended early leaves vregs that were not reached: those count as unplaced.
      double unplaced = 0;
      for (VReg v = 0; v < problem.vregs.size(); ++v)
        unplaced += episode.homes()[v] == no_unit ? episode.outlook().uses(v) : 0;
      const double found = attempt.cost + dead_end_cost * unplaced;
      if (!any || found < least) {
        const auto verdict = checker::check(problem, assignment::fromHomes(problem, episode.homes())).verdict;
        if (verdict == checker::Verdict::Rejected || verdict == checker::Verdict::InvalidInput) {
          attempt.outcome = Outcome::Rejected;
        } else {
          any = true;
          least = found;
          result = {episode.homes(), attempt.cost, attempt.dead_ends, verdict, number};
        }
      }
      if (log)
        log->attempts.push_back(std::move(attempt));
      ++number;
    }
  }
  if (options.finish && result.dead_ends)
    finishBySearch(problem, live, rules, options, result);
  return result;
}

support::Result<assignment::Homes> replayAttempt(const Problem &problem, const analysis::LiveRanges &live,
                                                 const cost::Rules &rules, const EpisodeOptions &options,
                                                 const Attempt &attempt) {
  Episode episode(problem, live, rules, planned(problem, live, rules, options));
  auto result = replay(episode, attempt.words);
  if (!result)
    return result.error();
  return std::move(result->homes);
}

} // namespace verilocc::allocators
