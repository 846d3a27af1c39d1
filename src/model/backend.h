// What a language model is to its callers: sequences of tokens that grow by chunks, and after each chunk the logits of
// the next token. Sequences can be forked; forks share what they have in common, so that k candidates cost one prompt,
// and a fork kept aside is the snapshot that a repair goes back to.
//
// In the terms of docs/model-format.md: prefill is one feed of one chunk, fork(k) is k forks, step is one feed of k
// chunks. Chunks of one feed may differ in length, since analysis writes a different number of words in each candidate;
// longer chunks and more of them in a feed are faster, and neither changes a single bit of any logit.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace verilocc::model {

using TokenId = uint16_t;
using SequenceId = uint32_t;

/// Tokens to append to a sequence. Not empty; a sequence occurs at most once in a feed.
struct Chunk {
  SequenceId sequence = 0;
  std::span<const TokenId> tokens = {};
  bool wants_logits = true; ///< false: the tokens are only context, the row of the answer is not to be read
};

/// One row of vocabSize() logits a chunk, in the order of the chunks. Kept between feeds to save allocations.
struct Logits {
  unsigned vocab_size = 0;
  std::vector<float> values = {};
  std::span<const float> row(size_t chunk) const { return std::span(values).subspan(chunk * vocab_size, vocab_size); }
  std::span<float> row(size_t chunk) { return std::span(values).subspan(chunk * vocab_size, vocab_size); }
};

class LmBackend {
public:
  virtual ~LmBackend() = default;

  virtual unsigned vocabSize() const = 0;
  /// Hash of the vocabulary that the model was trained with; 0 if it fits any (test backends).
  virtual uint64_t vocabHash() const = 0;
  /// A token sees at least this many tokens, itself included; what lies further back costs no memory.
  virtual unsigned contextLength() const = 0;

  /// An empty sequence. Ids are reused after release.
  virtual SequenceId start() = 0;
  /// A sequence that continues as `from` would; both go their own ways from here. Cheap: nothing is copied that either
  /// would not change.
  virtual SequenceId fork(SequenceId from) = 0;
  virtual void release(SequenceId sequence) = 0;
  /// Appends each chunk to its sequence; logits.row(i) then belongs to the token after chunk i. Tokens are below
  /// vocabSize(). The values may be anything if the weights are (NaN included): samplers are written for that.
  virtual void feed(std::span<const Chunk> chunks, Logits &logits) = 0;
};

/// A sequence that is released when it goes out of scope.
class Sequence {
public:
  explicit Sequence(LmBackend &backend) : backend(&backend), sequence(backend.start()) {}
  Sequence(Sequence &&other) noexcept : backend(other.backend), sequence(other.sequence) { other.backend = nullptr; }
  Sequence &operator=(Sequence &&other) noexcept {
    std::swap(backend, other.backend);
    std::swap(sequence, other.sequence);
    return *this;
  }
  ~Sequence() {
    if (backend)
      backend->release(sequence);
  }
  Sequence fork() const { return Sequence(*backend, backend->fork(sequence)); }
  SequenceId id() const { return sequence; }
  /// One chunk alone.
  void feed(std::span<const TokenId> tokens, Logits &logits) {
    const Chunk chunk{sequence, tokens};
    backend->feed({&chunk, 1}, logits);
  }

private:
  Sequence(LmBackend &backend, SequenceId sequence) : backend(&backend), sequence(sequence) {}
  LmBackend *backend;
  SequenceId sequence;
};

} // namespace verilocc::model
