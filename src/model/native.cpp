#include "model/native.h"

#include "model/kernels.h"
#include "model/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <thread>

namespace verilocc::model {
namespace {

constexpr size_t max_rows = 192;       // activations of so many tokens stay near the second-level cache
constexpr size_t rows_together = 12;   // of one sequence, in attention
constexpr size_t rows_of_a_thread = 8; // below this a second thread costs more than it saves

/// Tokens of one sequence that go through the network together with others.
struct Piece {
  KvCache *cache;
  std::span<const TokenId> tokens;
  float *logits; ///< where those after the last token go, or null
};

struct PackedLayer {
  std::vector<float> attention_norm, feed_norm;
  PackedMatrix query_key_value, attention_output, gate_up, down;
};

/// The scratch memory of one thread.
struct Scratch {
  std::vector<float> x, normal, qkv, mixed, gate_up, change, scores, sums, turn, logits;
};

class NativeBackend final : public LmBackend {
public:
  NativeBackend(const Weights &weights, uint64_t vocab_hash, const NativeOptions &options);

  unsigned vocabSize() const override { return shape.vocab_size; }
  uint64_t vocabHash() const override { return vocab_hash; }
  unsigned contextLength() const override { return shape.window; }
  SequenceId start() override { return take(KvCache(shape)); }
  SequenceId fork(SequenceId from) override { return take(live(from)); }
  void release(SequenceId sequence) override {
    live(sequence);
    caches[sequence].reset();
    free.push_back(sequence);
  }
  void feed(std::span<const Chunk> chunks, Logits &logits) override;

private:
  SequenceId take(KvCache cache);
  KvCache &live(SequenceId sequence) {
    assert(sequence < caches.size() && caches[sequence] && "no such sequence");
    return *caches[sequence];
  }
  void runAll(std::span<const Piece> pieces, Scratch &scratch) const;
  void run(std::span<const Piece> pieces, Scratch &s) const;
  void attend(const KvCache &cache, size_t layer, size_t position, size_t count, const float *queries, size_t stride,
              Scratch &s, float *out) const;

  Shape shape;
  uint64_t vocab_hash;
  NativeOptions options;
  const Kernels &kernel;
  std::vector<float> embedding, output_norm, frequencies;
  std::vector<PackedLayer> layers;
  PackedMatrix output;
  std::vector<std::optional<KvCache>> caches;
  std::vector<SequenceId> free;
  std::vector<Scratch> scratches;
};

NativeBackend::NativeBackend(const Weights &weights, uint64_t vocab_hash, const NativeOptions &options)
    : shape(weights.shape),
      vocab_hash(vocab_hash),
      options(options),
      kernel(options.plain_kernels ? plainKernels() : kernels()),
      embedding(weights.embedding.values),
      output_norm(weights.output_norm),
      output({&weights.output}),
      scratches(std::max(1u, options.threads)) {
  assert(shape.check());
  for (const Layer &layer : weights.layers)
    layers.push_back({layer.attention_norm, layer.feed_norm, PackedMatrix({&layer.query, &layer.key, &layer.value}),
                      PackedMatrix({&layer.attention_output}), PackedMatrix({&layer.gate, &layer.up}),
                      PackedMatrix({&layer.down})});
  for (unsigned i = 0; i < shape.headWidth(); i += 2)
    frequencies.push_back(
        static_cast<float>(std::pow(double(shape.rope_base), -double(i) / double(shape.headWidth()))));
}

SequenceId NativeBackend::take(KvCache cache) {
  if (free.empty()) {
    caches.emplace_back(std::move(cache));
    return static_cast<SequenceId>(caches.size() - 1);
  }
  const SequenceId id = free.back();
  free.pop_back();
  caches[id] = std::move(cache);
  return id;
}

void NativeBackend::feed(std::span<const Chunk> chunks, Logits &logits) {
  logits.vocab_size = shape.vocab_size;
  logits.values.resize(chunks.size() * shape.vocab_size);
  std::vector<Piece> pieces;
  size_t rows = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    const Chunk &chunk = chunks[i];
    assert(!chunk.tokens.empty());
    for (TokenId token : chunk.tokens)
      assert(token < shape.vocab_size);
    pieces.push_back({&live(chunk.sequence), chunk.tokens, chunk.wants_logits ? logits.row(i).data() : nullptr});
    pieces.back().cache->own();
    rows += chunk.tokens.size();
  }
  const size_t threads = std::min({scratches.size(), pieces.size(), std::max<size_t>(1, rows / rows_of_a_thread)});
  // Whole chunks a thread, in order, each about an equal share of the rows.
  std::vector<std::jthread> workers;
  size_t begin = 0, taken = 0;
  for (size_t t = 0; t < threads; ++t) {
    size_t end = begin;
    for (; end < pieces.size() && (taken < rows * (t + 1) / threads || t + 1 == threads); ++end)
      taken += pieces[end].tokens.size();
    const std::span<const Piece> share = std::span(pieces).subspan(begin, end - begin);
    begin = end;
    if (t + 1 == threads)
      runAll(share, scratches[t]);
    else
      workers.emplace_back([this, share, t] { runAll(share, scratches[t]); });
  }
}

/// Cuts the pieces so that no more than max_rows go through at once.
void NativeBackend::runAll(std::span<const Piece> pieces, Scratch &scratch) const {
  std::vector<Piece> batch;
  size_t rows = 0;
  auto flush = [&] {
    if (!batch.empty())
      run(batch, scratch);
    batch.clear();
    rows = 0;
  };
  for (const Piece &piece : pieces) {
    std::span<const TokenId> tokens = piece.tokens;
    while (!tokens.empty()) {
      const size_t count = std::min(tokens.size(), max_rows - rows);
      const bool last = count == tokens.size();
      batch.push_back({piece.cache, tokens.first(count), last ? piece.logits : nullptr});
      tokens = tokens.subspan(count);
      rows += count;
      if (rows == max_rows)
        flush();
    }
  }
  flush();
}

/// Attention of `count` tokens of one sequence, from `position` on, each over its window, all heads. Together, since
/// they see nearly the same; what a token does not see gets the weight 0, which changes no sum.
void NativeBackend::attend(const KvCache &cache, size_t layer, size_t position, size_t count, const float *queries,
                           size_t stride, Scratch &s, float *out) const {
  const size_t head = shape.headWidth(), shared = shape.heads / shape.kv_heads;
  const size_t first_page = cache.firstSeen(position) / page_tokens;
  const size_t last_page = (position + count - 1) / page_tokens;
  const size_t seen = (last_page - first_page + 1) * page_tokens;
  const float scale = 1 / std::sqrt(static_cast<float>(head));
  s.scores.resize(std::max(s.scores.size(), count * seen));
  s.sums.resize(std::max(s.sums.size(), count));
  for (size_t h = 0; h < shape.heads; ++h) {
    for (size_t page = first_page; page <= last_page; ++page)
      kernel.scores(queries + h * head, stride, count, cache.keys(layer, h / shared, page * page_tokens), head,
                    s.scores.data() + (page - first_page) * page_tokens, seen);
    for (size_t r = 0; r < count; ++r) {
      float *scores = s.scores.data() + r * seen;
      std::fill(scores, scores + (cache.firstSeen(position + r) - first_page * page_tokens), -INFINITY);
      std::fill(scores + (position + r + 1 - first_page * page_tokens), scores + seen, -INFINITY);
      s.sums[r] = kernel.softmax(scores, seen, scale);
      std::fill_n(out + r * shape.width + h * head, head, 0.0f);
    }
    float *result = out + h * head;
    for (size_t page = first_page; page <= last_page; ++page)
      kernel.accumulate(s.scores.data() + (page - first_page) * page_tokens, seen, count,
                        cache.values(layer, h / shared, page * page_tokens), head, result, shape.width);
    for (size_t r = 0; r < count; ++r)
      for (size_t i = 0; i < head; ++i)
        result[r * shape.width + i] /= s.sums[r];
  }
}

void turnHeads(float *x, size_t width, const float *turn, size_t head) {
  for (size_t start = 0; start < width; start += head)
    for (size_t i = 0; i < head; i += 2) {
      const float a = x[start + i], b = x[start + i + 1], cosine = turn[i], sine = turn[i + 1];
      x[start + i] = a * cosine - b * sine;
      x[start + i + 1] = a * sine + b * cosine;
    }
}

void NativeBackend::run(std::span<const Piece> pieces, Scratch &s) const {
  const size_t width = shape.width, head = shape.headWidth(), kv = shape.kvWidth();
  struct Row {
    const KvCache *cache;
    size_t position;
  };
  std::vector<Row> rows;
  std::vector<size_t> asked; // rows whose logits are wanted
  std::vector<float *> answers;
  for (const Piece &piece : pieces) {
    const size_t start = piece.cache->length();
    piece.cache->grow(piece.tokens.size());
    for (size_t i = 0; i < piece.tokens.size(); ++i)
      rows.push_back({piece.cache, start + i});
    if (piece.logits) {
      asked.push_back(rows.size() - 1);
      answers.push_back(piece.logits);
    }
  }
  size_t count = rows.size();
  s.x.resize(count * width);
  s.normal.resize(count * width);
  s.qkv.resize(count * (width + 2 * kv));
  s.mixed.resize(count * width);
  s.change.resize(count * width);
  s.gate_up.resize(count * 2 * shape.feed_forward);
  s.turn.resize(count * head);
  float *x = s.x.data();
  for (const Piece &piece : pieces)
    for (TokenId token : piece.tokens)
      x = std::copy_n(embedding.data() + size_t(token) * width, width, x);
  x = s.x.data();
  for (size_t r = 0; r < count; ++r)
    for (size_t i = 0; i < head; i += 2) {
      // In double: a stream may be millions of tokens long.
      const double angle = double(rows[r].position) * frequencies[i / 2];
      s.turn[r * head + i] = static_cast<float>(std::cos(angle));
      s.turn[r * head + i + 1] = static_cast<float>(std::sin(angle));
    }

  for (size_t l = 0; l < layers.size(); ++l) {
    const PackedLayer &layer = layers[l];
    const size_t stride = width + 2 * kv;
    kernel.normalize(x, layer.attention_norm.data(), shape.norm_epsilon, width, count, s.normal.data());
    kernel.multiply(s.normal.data(), width, count, layer.query_key_value, s.qkv.data(), stride);
    size_t row = 0;
    for (const Piece &piece : pieces)
      for (size_t i = 0; i < piece.tokens.size(); ++i, ++row) {
        float *qkv = s.qkv.data() + row * stride;
        turnHeads(qkv, width + kv, s.turn.data() + row * head, head);
        piece.cache->put(l, rows[row].position, qkv + width, qkv + width + kv);
      }
    if (l + 1 == layers.size()) { // only the keys and values of the other rows are still needed
      for (size_t i = 0; i < asked.size(); ++i) {
        std::copy_n(s.qkv.data() + asked[i] * stride, width, s.qkv.data() + i * stride);
        std::copy_n(x + asked[i] * width, width, x + i * width);
        rows[i] = rows[asked[i]];
      }
      count = asked.size();
    }
    for (size_t r = 0; r < count;) {
      size_t together = 1;
      while (r + together < count && together < rows_together && rows[r + together].cache == rows[r].cache)
        ++together;
      attend(*rows[r].cache, l, rows[r].position, together, s.qkv.data() + r * stride, stride, s,
             s.mixed.data() + r * width);
      r += together;
    }
    kernel.multiply(s.mixed.data(), width, count, layer.attention_output, s.change.data(), width);
    kernel.add(x, s.change.data(), count * width);

    kernel.normalize(x, layer.feed_norm.data(), shape.norm_epsilon, width, count, s.normal.data());
    kernel.multiply(s.normal.data(), width, count, layer.gate_up, s.gate_up.data(), 2 * shape.feed_forward);
    kernel.gate(s.gate_up.data(), shape.feed_forward, count);
    kernel.multiply(s.gate_up.data(), 2 * shape.feed_forward, count, layer.down, s.change.data(), width);
    kernel.add(x, s.change.data(), count * width);
  }
  kernel.normalize(x, output_norm.data(), shape.norm_epsilon, width, count, s.normal.data());
  s.logits.resize(count * output.paddedRows());
  kernel.multiply(s.normal.data(), width, count, output, s.logits.data(), output.paddedRows());
  for (size_t i = 0; i < count; ++i)
    std::copy_n(s.logits.data() + i * output.paddedRows(), shape.vocab_size, answers[i]);
}

} // namespace

std::unique_ptr<LmBackend> nativeBackend(const Weights &weights, uint64_t vocab_hash, const NativeOptions &options) {
  return std::make_unique<NativeBackend>(weights, vocab_hash, options);
}

} // namespace verilocc::model
