#include "tokens/replay.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace verilocc::tokens {

const char *name(Reason reason) {
  constexpr const char *names[] = {"dead end", "rejected", "costly", "other"};
  return names[static_cast<unsigned>(reason)];
}

std::vector<TokenId> withdrawal(Reason reason, unsigned decisions) {
  assert(decisions > 0);
  std::vector<TokenId> words;
  for (int power = 7; power >= 0; --power)
    for (; decisions >= 1u << power; decisions -= 1u << power)
      words.push_back(tokenOf({Family::Withdrawn, {static_cast<uint8_t>(reason), static_cast<uint8_t>(power)}}));
  return words;
}

unsigned countDecisions(std::span<const Step> steps) {
  return static_cast<unsigned>(std::count_if(steps.begin(), steps.end(), [](const Step &s) { return s.offered > 1; }));
}

size_t stepsWithout(std::span<const Step> steps, unsigned decisions) {
  size_t left = steps.size();
  for (size_t i = steps.size(); i-- > 0 && decisions > 0;)
    if (steps[i].offered > 1) {
      left = i;
      --decisions;
    }
  assert(decisions == 0);
  return left;
}

support::Result<Replay> replay(Episode &episode, std::span<const TokenId> words) {
  Replay result;
  size_t at = 0;
  const auto bad = [&](const std::string &expected) {
    const std::string found = at >= words.size()        ? "the end of the sequence"
                              : words[at] < vocabSize() ? "'" + textOf(words[at]) + "'"
                                                        : fmt::format("the unknown word {}", words[at]);
    return support::InputError{fmt::format("word {}: expected {}, found {}", at, expected, found)};
  };
  std::vector<TokenId> expected;
  while (true) {
    expected.clear();
    const bool due = episode.advance(expected);
    for (TokenId word : expected) {
      if (at >= words.size() || words[at] != word)
        return bad("'" + textOf(word) + "'");
      ++at;
    }
    unsigned withdrawn = 0;
    while (at < words.size() && words[at] < vocabSize() && wordOf(words[at]).family == Family::Withdrawn)
      withdrawn += 1u << wordOf(words[at++]).values[1];
    if (withdrawn) {
      if (withdrawn > countDecisions(episode.steps()))
        return bad(fmt::format("no more than {} decisions to be withdrawn", countDecisions(episode.steps())));
      result.withdrawn += withdrawn;
      episode.rewind(stepsWithout(episode.steps(), withdrawn));
      continue;
    }
    if (!due)
      break;
    const int candidate = at < words.size() && words[at] < vocabSize() ? episode.candidateOf(words[at]) : -1;
    if (candidate < 0)
      return bad(fmt::format("an answer among {}", episode.candidates().size()));
    ++at;
    episode.answer(static_cast<unsigned>(candidate));
  }
  if (at < words.size())
    return bad("nothing after the end");
  result.homes = episode.homes();
  result.dead_ends = episode.deadEnds();
  result.cost = episode.cost();
  result.decisions = countDecisions(episode.steps());
  return result;
}

std::vector<TokenId> encode(Episode &episode, std::span<const uint8_t> answers,
                            unsigned (*rule)(std::span<const Candidate>)) {
  std::vector<TokenId> words;
  for (size_t i = 0; episode.advance(words); ++i) {
    const unsigned answer = i < answers.size() ? answers[i] : rule(episode.candidates());
    words.push_back(episode.answerWord(answer));
    episode.answer(answer);
  }
  return words;
}

} // namespace verilocc::tokens
