// Backends without weights, for hand-made policies and for tests: the logits are any function of the tokens so far.
#pragma once

#include "model/backend.h"

#include <functional>
#include <memory>

namespace verilocc::model {

/// Writes the logits that follow `history`, the whole sequence from its start. Must depend on nothing else.
using Script = std::function<void(std::span<const TokenId> history, std::span<float> logits)>;

class ScriptedBackend final : public LmBackend {
public:
  ScriptedBackend(unsigned vocab_size, unsigned context_length, Script script);

  unsigned vocabSize() const override { return vocab_size; }
  uint64_t vocabHash() const override { return 0; }
  unsigned contextLength() const override { return context_length; }
  SequenceId start() override;
  SequenceId fork(SequenceId from) override;
  void release(SequenceId sequence) override;
  void feed(std::span<const Chunk> chunks, Logits &logits) override;

private:
  SequenceId take(std::vector<TokenId> history);
  std::vector<TokenId> &live(SequenceId sequence);

  unsigned vocab_size, context_length;
  Script script;
  std::vector<std::unique_ptr<std::vector<TokenId>>> histories; // null: free
};

/// The kinds of nonsense a broken or untrained model may answer.
enum class Nonsense {
  Random,   ///< independent of anything sensible, spread like an untrained model's
  Peaked,   ///< one random token is certain, the others impossible (-infinity)
  Constant, ///< all tokens alike
  Repeat,   ///< always the last token again
  NotANumber,
  Infinite, ///< +infinity at some tokens
  Mixed     ///< each of these at times
};

/// Logits drawn from (seed, the last `context_length` tokens): the same history gives the same logits, forked or not.
ScriptedBackend nonsenseBackend(unsigned vocab_size, unsigned context_length, uint64_t seed, Nonsense kind);

} // namespace verilocc::model
