// A trained model in one file that says what it is: weights, shape, and where they come from. The container is GGUF
// with the architecture "llama", so that llama.cpp can run the same file. Keys: docs/model-format.md.
#pragma once

#include "model/gguf.h"
#include "model/weights.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <vector>

namespace verilocc::model {

constexpr uint32_t checkpoint_version = 1;

struct Provenance {
  std::string name = {};
  uint64_t vocab_hash = 0;
  uint64_t data_hash = 0; ///< of the training shards
  std::string command = {};
  uint64_t trained_tokens = 0;
  std::vector<std::string> words = {}; ///< of the vocabulary, in order; may be empty
};

struct Checkpoint {
  Weights weights = {};
  Provenance provenance = {};
  uint64_t hash = 0; ///< of the weights as stored
};

/// What the caller needs the checkpoint to be. A mismatch is an InputError that names both values.
struct Expected {
  std::optional<uint64_t> vocab_hash = {};
  std::optional<uint64_t> data_hash = {};
  std::optional<unsigned> vocab_size = {};
};

support::Result<Checkpoint> readCheckpoint(const std::string &path, const Expected &expected = {});
/// As readCheckpoint, from bytes.
support::Result<Checkpoint> parseCheckpoint(std::string_view bytes, const std::string &file,
                                            const Expected &expected = {});

/// Norms are always F32.
std::string formatCheckpoint(const Weights &weights, const Provenance &provenance, Storage storage);
support::Status writeCheckpoint(const std::string &path, const Weights &weights, const Provenance &provenance,
                                Storage storage);

} // namespace verilocc::model
