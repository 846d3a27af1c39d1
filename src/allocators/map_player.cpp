#include "allocators/map_player.h"

#include "allocators/space.h"
#include "support/clock.h"
#include "tokens/map_after.h"
#include "tokens/map_words.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <memory>

namespace verilocc::allocators {

using namespace tokens;
using assignment::Homes;
using problem::no_unit;
using problem::Problem;
using problem::RegUnit;
using problem::VReg;

namespace {

/// Vector vregs that no answer is asked for hold nothing (undefined uses alone): any place will do. `empty`: nothing is
/// placed in it.
void placeUnasked(const Space &empty, const analysis::LiveRanges &live, Homes &homes) {
  std::vector<RegUnit> free;
  for (VReg v : empty.vregs())
    if (homes[v] == no_unit && live.hull(v).start == live.hull(v).end) {
      empty.freeBases(v, free);
      if (!free.empty())
        homes[v] = free.front();
    }
}

/// Of homes that are whole.
Outcome judged(const Problem &problem, const Homes &homes) {
  const auto verdict = checker::check(problem, assignment::fromHomes(problem, homes)).verdict;
  return verdict == checker::Verdict::Rejected || verdict == checker::Verdict::InvalidInput ? Outcome::Rejected
                                                                                            : Outcome::Accepted;
}

/// One attempt in the making.
class Speaker {
public:
  Speaker(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
          const MapQuestion &question, model::Sequence sequence, const model::SamplerOptions &sampler, uint64_t seed,
          bool mask)
      : problem(problem),
        question(question),
        space(problem, live, rules, Limits()),
        sequence(std::move(sequence)),
        sampler(sampler),
        rng(seed),
        mask(mask) {
    attempt.homes.assign(problem.vregs.size(), no_unit);
  }

  /// What the model is to read before the next answer; empty at the end.
  std::span<const TokenId> next() {
    if (ended || index == question.asked.size())
      return {};
    unseen.push_back(askWord(index));
    return unseen;
  }
  model::SequenceId id() const { return sequence.id(); }

  void answer(std::span<const float> logits) {
    const VReg v = question.asked[index++];
    ++attempt.decisions;
    const TokenId first_choice = model::sample(logits, {}, {.temperature = 0}, rng).token;
    attempt.legal += mayLie(v, registerOf(first_choice));
    std::vector<TokenId> allowed;
    if (mask) {
      std::vector<RegUnit> free;
      space.freeBases(v, free);
      std::ranges::transform(free, std::back_inserter(allowed), registerWord);
      if (allowed.empty()) {
        attempt.outcome = Outcome::DeadEnd;
        ended = true;
        return;
      }
    }
    const TokenId word = model::sample(logits, allowed, sampler, rng).token;
    const RegUnit home = registerOf(word);
    attempt.homes[v] = home;
    nonsense |= home == no_unit;
    // The space takes no two of one register: a wrong answer is left to the checker.
    if (mayLie(v, home))
      space.put(v, home);
    unseen.assign(1, word);
  }

  MapAttempt finish(const Space &empty, const analysis::LiveRanges &live) {
    if (attempt.outcome != Outcome::DeadEnd && !nonsense) {
      placeUnasked(empty, live, attempt.homes);
      attempt.outcome = judged(problem, attempt.homes);
    }
    return std::move(attempt);
  }

private:
  bool mayLie(VReg v, RegUnit home) const { return home != no_unit && space.fits(v, home); }

  const Problem &problem;
  const MapQuestion &question;
  Space space; ///< holds the answers that are legal beside those before them
  model::Sequence sequence;
  model::SamplerOptions sampler;
  support::Rng rng;
  bool mask, ended = false, nonsense = false;
  size_t index = 0;
  std::vector<TokenId> unseen;
  MapAttempt attempt;
};

} // namespace

MapPlayed playMap(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                  model::LmBackend &backend, const MapOptions &options) {
  assert(backend.vocabSize() == mapWords().size());
  assert(backend.vocabHash() == 0 || backend.vocabHash() == mapWords().hash());
  MapPlayed played;
  const double start = support::now();
  const MapQuestion question = mapQuestion(problem, analysis::Choices(problem));
  played.misfit = question.misfitWithin(backend.contextLength());
  if (played.misfit)
    return played;
  model::Logits logits;
  model::Sequence prompt(backend);
  const model::Chunk whole{prompt.id(), question.prompt, false};
  backend.feed({&whole, 1}, logits);
  played.tokens = question.prompt.size();

  const unsigned attempts = std::max(1u, options.attempts);
  std::vector<std::unique_ptr<Speaker>> speakers; // the masked one last
  for (unsigned i = 0; i <= attempts; ++i) {
    const bool greedy = i == 0 || i == attempts;
    speakers.push_back(std::make_unique<Speaker>(problem, live, rules, question, prompt.fork(),
                                                 model::SamplerOptions{.temperature = greedy ? 0 : options.temperature},
                                                 options.seed * 0x9e3779b97f4a7c15ull + i, i == attempts));
  }
  std::vector<model::Chunk> chunks;
  std::vector<Speaker *> due;
  while (true) {
    chunks.clear();
    due.clear();
    for (const auto &speaker : speakers)
      if (const auto words = speaker->next(); !words.empty()) {
        chunks.push_back({speaker->id(), words});
        played.tokens += words.size();
        due.push_back(speaker.get());
      }
    if (due.empty())
      break;
    backend.feed(chunks, logits);
    for (size_t i = 0; i < due.size(); ++i)
      due[i]->answer(logits.row(i));
  }
  const Space empty(problem, live, rules, Limits());
  for (unsigned i = 0; i < attempts; ++i)
    played.attempts.push_back(speakers[i]->finish(empty, live));
  played.masked = speakers.back()->finish(empty, live);
  played.seconds = support::now() - start;
  return played;
}

support::Result<MapPlayed> askMap(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                                  const model::RemoteOptions &server, const MapOptions &options) {
  MapPlayed played;
  const double start = support::now();
  model::CompletionRequest request;
  request.prompt = mapPrompt(problem);
  request.max_tokens = static_cast<unsigned>(64 + 16 * problem.vregs.size());
  request.seed = options.seed;
  std::vector<model::Completion> answers;
  for (unsigned asked = 0; asked < std::max(1u, options.attempts); asked += request.n) {
    request.n = asked == 0 ? 1 : options.attempts - 1;
    request.temperature = asked == 0 ? 0 : options.temperature;
    auto some = model::complete(server, request);
    if (!some)
      return some.error();
    answers.insert(answers.end(), some->begin(), some->end());
  }
  const Space empty(problem, live, rules, Limits());
  for (const model::Completion &answer : answers) {
    MapAttempt attempt;
    if (auto homes = parseMap(problem, answer.text, "answer")) {
      attempt.homes = std::move(*homes);
      placeUnasked(empty, live, attempt.homes);
      attempt.outcome = empty.choices.placesVectors(attempt.homes) ? judged(problem, attempt.homes) : Outcome::Illegal;
    }
    played.attempts.push_back(std::move(attempt));
  }
  played.seconds = support::now() - start;
  return played;
}

} // namespace verilocc::allocators
