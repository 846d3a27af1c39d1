// From sequences of any length to batches of one: which pieces are trained on, in which order. Everything follows from
// the seed and the number of the epoch, so that an interrupted run goes on where it was. No libtorch.
#pragma once

#include "model/shards.h"
#include "support/rng.h"

#include <vector>

namespace verilocc::train {

/// A stretch of a sequence that goes through the network at once. Its first `overlap` tokens (except at the start of
/// the sequence) are only context: their decisions belong to the piece before.
struct Piece {
  const model::TrainingSequence *sequence;
  uint32_t begin, length;
  uint32_t first_decision, last_decision; ///< into sequence->decisions, half open, not empty
};

struct CutOptions {
  uint32_t context = 256; ///< longest piece
  uint32_t overlap = 64;  ///< below context
};

/// Each decision of each sequence is in exactly one piece. With `jitter` the places of the cuts are random; it is used
/// for that only. Pieces without decisions are left out. The sequences must outlive the pieces.
std::vector<Piece> cut(const std::vector<model::TrainingSequence> &sequences, const CutOptions &options,
                       support::Rng *jitter);

/// Shuffles and groups the pieces: at most `tokens` in a batch, filling included (but at least one piece). Pieces of
/// like length come together, so that there is little filling.
std::vector<std::vector<Piece>> group(std::vector<Piece> pieces, uint32_t tokens, support::Rng &rng);

/// A batch as rectangular arrays. Rows are filled at their end: tokens with 0, decisions with weight 0 at the last
/// position.
struct Batch {
  size_t rows = 0, time = 0, decisions = 0;
  std::vector<int64_t> tokens = {};      ///< [rows, time]
  std::vector<int64_t> asked = {};       ///< [rows, decisions]: the position before the answer
  std::vector<int64_t> answers = {};     ///< [rows, decisions, max_answers]
  std::vector<float> probabilities = {}; ///< the same; 0 beyond the last answer
  std::vector<float> weights = {};       ///< [rows, decisions]
};
Batch makeBatch(const std::vector<Piece> &pieces);

} // namespace verilocc::train
