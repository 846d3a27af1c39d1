#include "train/batches.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace verilocc::train {
namespace {

template <typename T> void shuffle(std::vector<T> &items, support::Rng &rng) {
  for (size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[rng.below(i)]);
}

} // namespace

std::vector<Piece> cut(const std::vector<model::TrainingSequence> &sequences, const CutOptions &options,
                       support::Rng *jitter) {
  assert(options.overlap < options.context);
  std::vector<Piece> pieces;
  for (const model::TrainingSequence &sequence : sequences) {
    const auto size = static_cast<uint32_t>(sequence.tokens.size());
    const auto decisions = static_cast<uint32_t>(sequence.decisions.size());
    uint32_t begin = 0, decision = 0;
    uint32_t length =
        jitter ? options.overlap + 1 + static_cast<uint32_t>(jitter->below(options.context - options.overlap))
               : options.context;
    while (decision < decisions) {
      const uint32_t end = std::min(size, begin + length);
      uint32_t last = decision;
      while (last < decisions && sequence.decisions[last].position <= end) // the answer itself need not be inside
        ++last;
      if (last > decision)
        pieces.push_back({&sequence, begin, end - begin, decision, last});
      decision = last;
      begin = end > options.overlap ? end - options.overlap : 0;
      length = options.context;
    }
  }
  return pieces;
}

std::vector<std::vector<Piece>> group(std::vector<Piece> pieces, uint32_t tokens, support::Rng &rng) {
  constexpr size_t batches_sorted_together = 32;
  shuffle(pieces, rng);
  std::vector<std::vector<Piece>> batches;
  size_t start = 0;
  while (start < pieces.size()) {
    size_t end = start, sum = 0;
    while (end < pieces.size() && sum < tokens * batches_sorted_together)
      sum += pieces[end++].length;
    std::vector<size_t> order(end - start);
    std::iota(order.begin(), order.end(), start);
    std::ranges::sort(order, [&](size_t a, size_t b) {
      return pieces[a].length != pieces[b].length ? pieces[a].length > pieces[b].length : a < b;
    });
    std::vector<Piece> batch;
    for (size_t at : order) { // the first of a batch is its longest
      if (!batch.empty() && (batch.size() + 1) * batch.front().length > tokens)
        batches.push_back(std::exchange(batch, {}));
      batch.push_back(pieces[at]);
    }
    start = end;
    batches.push_back(std::move(batch));
  }
  shuffle(batches, rng);
  return batches;
}

Batch makeBatch(const std::vector<Piece> &pieces) {
  Batch batch;
  batch.rows = pieces.size();
  for (const Piece &piece : pieces) {
    batch.time = std::max<size_t>(batch.time, piece.length);
    batch.decisions = std::max<size_t>(batch.decisions, piece.last_decision - piece.first_decision);
  }
  constexpr size_t answers = model::max_answers;
  batch.tokens.resize(batch.rows * batch.time);
  batch.asked.resize(batch.rows * batch.decisions);
  batch.answers.resize(batch.rows * batch.decisions * answers);
  batch.probabilities.resize(batch.answers.size());
  batch.weights.resize(batch.asked.size());
  for (size_t r = 0; r < pieces.size(); ++r) {
    const Piece &piece = pieces[r];
    std::copy_n(piece.sequence->tokens.begin() + piece.begin, piece.length,
                batch.tokens.begin() + static_cast<std::ptrdiff_t>(r * batch.time));
    int64_t position = 0;
    for (size_t i = 0; i < batch.decisions; ++i) {
      const size_t at = r * batch.decisions + i, from = piece.first_decision + i;
      if (from < piece.last_decision) {
        const model::Decision &decision = piece.sequence->decisions[from];
        position = int64_t(decision.position) - 1 - piece.begin;
        batch.weights[at] = decision.weight;
        for (size_t k = 0; k < decision.answers.size(); ++k) {
          batch.answers[at * answers + k] = decision.answers[k].token;
          batch.probabilities[at * answers + k] = decision.answers[k].probability;
        }
      }
      assert(position >= 0 && position < piece.length);
      batch.asked[at] = position;
    }
  }
  return batch;
}

} // namespace verilocc::train
