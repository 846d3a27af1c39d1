#include "model/scripted.h"

#include "support/hash.h"
#include "support/rng.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace verilocc::model {

ScriptedBackend::ScriptedBackend(unsigned vocab_size, unsigned context_length, Script script)
    : vocab_size(vocab_size), context_length(context_length), script(std::move(script)) {
  assert(vocab_size > 0 && context_length > 0);
}

SequenceId ScriptedBackend::take(std::vector<TokenId> history) {
  auto owned = std::make_unique<std::vector<TokenId>>(std::move(history));
  const auto free = std::ranges::find_if(histories, [](const auto &one) { return !one; });
  const auto id = static_cast<SequenceId>(free - histories.begin());
  if (free == histories.end())
    histories.push_back(std::move(owned));
  else
    *free = std::move(owned);
  return id;
}

std::vector<TokenId> &ScriptedBackend::live(SequenceId sequence) {
  assert(sequence < histories.size() && histories[sequence] && "no such sequence");
  return *histories[sequence];
}

SequenceId ScriptedBackend::start() {
  return take({});
}

SequenceId ScriptedBackend::fork(SequenceId from) {
  return take(live(from));
}

void ScriptedBackend::release(SequenceId sequence) {
  live(sequence);
  histories[sequence] = nullptr;
}

void ScriptedBackend::feed(std::span<const Chunk> chunks, Logits &logits) {
  logits.vocab_size = vocab_size;
  logits.values.assign(chunks.size() * vocab_size, 0);
  for (size_t i = 0; i < chunks.size(); ++i) {
    std::vector<TokenId> &history = live(chunks[i].sequence);
    assert(!chunks[i].tokens.empty());
    for (TokenId token : chunks[i].tokens) {
      assert(token < vocab_size);
      history.push_back(token);
    }
    if (chunks[i].wants_logits)
      script(history, logits.row(i));
  }
}

namespace {

void writeNonsense(Nonsense kind, support::Rng &rng, TokenId last, std::span<float> logits) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  switch (kind) {
  case Nonsense::Random:
    for (float &logit : logits) // the sum of four uniforms is near enough to normal
      logit = static_cast<float>(rng.real() + rng.real() + rng.real() + rng.real() - 2) * 3;
    return;
  case Nonsense::Peaked:
    std::ranges::fill(logits, -infinity);
    logits[rng.below(logits.size())] = 0;
    return;
  case Nonsense::Constant:
    std::ranges::fill(logits, 1);
    return;
  case Nonsense::Repeat:
    std::ranges::fill(logits, 0);
    logits[last] = 20;
    return;
  case Nonsense::NotANumber:
    for (float &logit : logits)
      logit = rng.chance(0.5) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(rng.real());
    return;
  case Nonsense::Infinite:
    for (float &logit : logits)
      logit = rng.chance(0.1) ? infinity : static_cast<float>(rng.real());
    return;
  case Nonsense::Mixed:
    return writeNonsense(static_cast<Nonsense>(rng.below(unsigned(Nonsense::Mixed))), rng, last, logits);
  }
}

} // namespace

ScriptedBackend nonsenseBackend(unsigned vocab_size, unsigned context_length, uint64_t seed, Nonsense kind) {
  return ScriptedBackend(vocab_size, context_length, [=](std::span<const TokenId> history, std::span<float> logits) {
    support::Hash hash;
    hash.add(seed);
    for (TokenId token : history.last(std::min<size_t>(history.size(), context_length)))
      hash.add(uint64_t(token));
    support::Rng rng(hash.value());
    writeNonsense(kind, rng, history.back(), logits);
  });
}

} // namespace verilocc::model
