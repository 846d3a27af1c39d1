// Training data on disk: token sequences with the places where a decision is asked for, and how good each answer is.
//
// A shard is a little-endian file: the magic "VLSHARD1"; the vocabulary's hash (u64); the vocabulary's size (u32); the
// length of a description (u32) and the description (UTF-8: where the data comes from, e.g. a command); then sequences
// up to the end: token count (u32, not 0), decision count (u32), the tokens (u16 each), the decisions in order of
// position. A decision: position (u32) of the token that *is* the answer (so the prediction is made at position - 1,
// and position is not 0), weight (f32, positive), answer count (u8, 1 to 8), and for each answer its token (u16) and
// its probability (f32); these sum to 1. A file that is cut off within a sequence is an error; shards concatenate by
// reading one after the other.
//
// Which sequences a shard holds is the writer's business: training makes no difference between shards.
#pragma once

#include "model/backend.h"
#include "support/result.h"

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace verilocc::model {

constexpr unsigned max_answers = 8;

struct Decision {
  uint32_t position = 0; ///< of the answer in the sequence; not 0
  float weight = 1;      ///< of this decision in the loss; positive and finite
  struct Answer {
    TokenId token = 0;
    float probability = 0;
  };
  std::vector<Answer> answers = {}; ///< 1 to max_answers; probabilities sum to 1 within 1e-3
};

struct TrainingSequence {
  std::vector<TokenId> tokens = {};
  std::vector<Decision> decisions = {}; ///< strictly increasing positions
};

struct ShardHeader {
  uint64_t vocab_hash = 0;
  uint32_t vocab_size = 0;
  std::string description = {};
};

/// Writes to PATH.partial and renames it to PATH in finish(), so that a shard under its name is whole.
class ShardWriter {
public:
  static support::Result<ShardWriter> create(const std::string &path, const ShardHeader &header);
  ShardWriter(ShardWriter &&) = default;
  ShardWriter &operator=(ShardWriter &&) = default;
  /// The sequence must be well formed (asserted): see TrainingSequence.
  support::Status add(const TrainingSequence &sequence);
  support::Status finish();

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  ShardWriter(std::string path, uint32_t vocab_size, std::FILE *file)
      : path(std::move(path)), vocab_size(vocab_size), file(file) {}
  std::string path;
  uint32_t vocab_size;
  std::unique_ptr<std::FILE, Close> file;
};

struct Shard {
  ShardHeader header = {};
  std::vector<TrainingSequence> sequences = {};
  uint64_t hash = 0; ///< of the file's bytes
};

/// Reads a whole shard. Errors name the file and the byte offset.
support::Result<Shard> readShard(const std::string &path);
/// As readShard, from bytes.
support::Result<Shard> parseShard(std::string_view bytes, const std::string &file);

} // namespace verilocc::model
