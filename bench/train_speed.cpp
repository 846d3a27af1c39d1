// Tokens a second of training, by shape and batch, on made-up sequences with a decision every 13 tokens.
//
//   train_speed [THREADS]
//
// Both by the clock on the wall and by processor time, which a busy machine does not spoil.

#include "model/shards.h"
#include "support/rng.h"
#include "train/trainer.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>

using namespace verilocc;

int main(int argc, char **argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  torch::set_num_threads(threads);
  constexpr unsigned vocab = 600;
  support::Rng rng(1);
  std::vector<model::TrainingSequence> sequences(60);
  for (model::TrainingSequence &sequence : sequences) {
    for (unsigned i = 0; i < 4000; ++i)
      sequence.tokens.push_back(static_cast<model::TokenId>(rng.below(vocab)));
    for (uint32_t at = 12; at < 4000; at += 13)
      sequence.decisions.push_back({at, 1, {{sequence.tokens[at], 1}}});
  }
  fmt::print("{:>10} {:>8} {:>8} {:>8} {:>10} {:>16}   ({} threads)\n", "weights", "window", "context", "batch",
             "tokens/s", "tokens/s of CPU", threads);
  auto measure = [&](unsigned width, unsigned layers, uint32_t window, uint32_t context, uint32_t batch_tokens) {
    train::TrainOptions options;
    options.shape = {.vocab_size = vocab,
                     .width = width,
                     .layers = layers,
                     .heads = width / 32,
                     .kv_heads = width / 32,
                     .feed_forward = width * 11 / 4 / 32 * 32,
                     .window = window};
    train::Trainer trainer(model::randomWeights(options.shape, 1), options);
    support::Rng order(2);
    const auto batches = train::group(train::cut(sequences, {context, 64}, &order), batch_tokens, order);
    size_t tokens = 0, next = 0;
    double seconds = 0;
    std::chrono::steady_clock::time_point start;
    std::clock_t processor = 0;
    for (unsigned step = 0; step < 3 || seconds < 3; ++step) {
      if (step == 2)
        start = std::chrono::steady_clock::now(), processor = std::clock();
      const auto report = trainer.step(train::makeBatch(batches[next++ % batches.size()]), 1e-3);
      if (step >= 2) {
        tokens += report.tokens;
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      }
    }
    fmt::print("{:>10} {:>8} {:>8} {:>8} {:>10.0f} {:>16.0f}\n", options.shape.parameters(), window, context,
               batch_tokens, double(tokens) / seconds,
               double(tokens) * CLOCKS_PER_SEC / double(std::clock() - processor));
    std::fflush(stdout);
  };
  measure(128, 4, 256, 256, 4096);
  measure(128, 4, 256, 256, 8192);
  measure(128, 4, 256, 512, 8192);
  measure(128, 3, 192, 256, 8192);
  measure(192, 4, 256, 256, 8192);
}
