// The checkpoints in models/: each loads, speaks this vocabulary, and plays kernels that it never saw to the end without a
// mask. A change of words or of the format that leaves a checkpoint behind shows here.
#include "pipeline/model_file.h"

#include "allocators/learned.h"
#include "tests/support/random_problem.h"
#include "tokens/vocab.h"

#include <gtest/gtest.h>

namespace verilocc::pipeline {
namespace {

class Checkpoint : public testing::TestWithParam<const char *> {};

TEST_P(Checkpoint, PlaysWithoutAMask) {
  auto loaded = loadModel(std::string(VERILOCC_SOURCE_DIR "/models/") + GetParam());
  ASSERT_TRUE(loaded) << loaded.error().str();
  ASSERT_EQ(loaded->backend->vocabHash(), tokens::vocabHash());
  unsigned played = 0, right = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    options.undefined = 0;
    problem::Problem problem = tests::randomProblem(options);
    problem.env.arch = options.aligned ? "gfx90a" : seed % 2 ? "gfx1030" : "gfx1100";
    const analysis::LiveRanges live(problem);
    const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
    allocators::LearnedOptions alone;
    alone.mask = alone.finish = false;
    alone.repairs = 0;
    allocators::AttemptLog log;
    const auto result = allocators::learned(problem, live, rules, *loaded->backend, alone, &log);
    EXPECT_NE(result.verdict, checker::Verdict::Rejected) << "seed " << seed;
    ++played;
    right += log.attempts.front().outcome == allocators::Outcome::Accepted;
  }
  EXPECT_GE(right, played * 9 / 10) << "of " << played;
}

INSTANTIATE_TEST_SUITE_P(Models, Checkpoint, testing::Values("stream.gguf", "small.gguf"),
                         [](const auto &info) { return std::string(info.param, std::string(info.param).find('.')); });

} // namespace
} // namespace verilocc::pipeline
