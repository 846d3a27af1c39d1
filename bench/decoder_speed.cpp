// Tokens a second of the native decoder, by shape, sequences and tokens a chunk.
//
//   decoder_speed [THREADS]
//
// Both by the clock on the wall and by processor time, which a busy machine does not spoil.

#include "model/native.h"
#include "support/rng.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>

using namespace verilocc;

namespace {

struct Speed {
  double wall, processor;
};

Speed tokensPerSecond(model::LmBackend &backend, size_t sequences, size_t chunk) {
  support::Rng rng(1);
  std::vector<model::Sequence> open;
  for (size_t i = 0; i < sequences; ++i)
    open.emplace_back(backend);
  std::vector<model::TokenId> tokens(sequences * chunk);
  model::Logits logits;
  size_t fed = 0;
  std::chrono::steady_clock::time_point start;
  double seconds = 0;
  std::clock_t processor = 0;
  const size_t warm = (backend.contextLength() + chunk - 1) / chunk; // the window is full when the clock starts
  for (size_t round = 0; round < warm || seconds < 0.5; ++round) {
    std::vector<model::Chunk> chunks;
    for (size_t i = 0; i < sequences; ++i) {
      for (size_t t = 0; t < chunk; ++t)
        tokens[i * chunk + t] = static_cast<model::TokenId>(rng.below(backend.vocabSize()));
      chunks.push_back({open[i].id(), std::span(tokens).subspan(i * chunk, chunk)});
    }
    if (round == warm)
      start = std::chrono::steady_clock::now(), processor = std::clock();
    backend.feed(chunks, logits);
    if (round >= warm) {
      fed += tokens.size();
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  }
  return {double(fed) / seconds, double(fed) * CLOCKS_PER_SEC / double(std::clock() - processor)};
}

} // namespace

int main(int argc, char **argv) {
  const unsigned threads = argc > 1 ? unsigned(std::atoi(argv[1])) : 1;
  const model::Shape shapes[] = {
      {.vocab_size = 600, .width = 128, .layers = 4, .heads = 4, .kv_heads = 4, .feed_forward = 352, .window = 256},
      {.vocab_size = 600, .width = 256, .layers = 4, .heads = 8, .kv_heads = 8, .feed_forward = 704, .window = 256}};
  fmt::print("{:>10} {:>6} {:>6} {:>12} {:>16}   ({} threads)\n", "weights", "k", "chunk", "tokens/s",
             "tokens/s of CPU", threads);
  for (const model::Shape &shape : shapes) {
    auto backend = model::nativeBackend(model::randomWeights(shape, 1), 0, {.threads = threads});
    for (size_t sequences : {1, 16, 64})
      for (size_t chunk : {1, 13}) {
        const Speed speed = tokensPerSecond(*backend, sequences, chunk);
        fmt::print("{:>10} {:>6} {:>6} {:>12.0f} {:>16.0f}\n", shape.parameters(), sequences, chunk, speed.wall,
                   speed.processor);
      }
  }
}
