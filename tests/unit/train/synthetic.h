// A small task that only attention can solve: after a mark, answer with the token that came `back` before it. Some
// decisions have two equally good answers.
#pragma once

#include "model/shards.h"
#include "support/rng.h"

namespace verilocc::train {

constexpr unsigned synthetic_vocab = 24;
constexpr model::TokenId synthetic_mark = 23;

inline model::TrainingSequence syntheticSequence(support::Rng &rng, uint32_t length, uint32_t back = 3) {
  model::TrainingSequence sequence;
  for (uint32_t i = 0; i < length; ++i)
    sequence.tokens.push_back(static_cast<model::TokenId>(rng.below(16)));
  for (uint32_t at = back + 2; at < length; at += 4 + static_cast<uint32_t>(rng.below(5))) {
    const model::TokenId answer = sequence.tokens[at - 1 - back];
    sequence.tokens[at - 1] = synthetic_mark;
    sequence.tokens[at] = answer;
    model::Decision decision{at, 1, {{answer, 1}}};
    if (answer < 2) { // 0 and 1 are as good as 16 and 17
      decision.answers = {{answer, 0.5f}, {static_cast<model::TokenId>(answer + 16), 0.5f}};
    }
    sequence.decisions.push_back(std::move(decision));
  }
  return sequence;
}

inline std::vector<model::TrainingSequence> syntheticSet(uint64_t seed, size_t count, uint32_t longest) {
  support::Rng rng(seed);
  std::vector<model::TrainingSequence> set;
  while (set.size() < count)
    set.push_back(syntheticSequence(rng, 10 + static_cast<uint32_t>(rng.below(longest))));
  return set;
}

inline std::string writeSynthetic(const std::string &path, uint64_t seed, size_t count, uint32_t longest,
                                  uint64_t vocab_hash = 77) {
  auto writer = model::ShardWriter::create(path, {vocab_hash, synthetic_vocab, "synthetic"});
  for (const model::TrainingSequence &sequence : syntheticSet(seed, count, longest))
    if (!writer || !writer->add(sequence))
      return {};
  return writer->finish() ? path : std::string();
}

} // namespace verilocc::train
