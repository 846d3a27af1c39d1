// New homes for the vector registers of an allocation that is finished: the stage between LLVM's allocator and its
// rewriter. What is spilled and split stays so; each vreg lies somewhere else, where it costs less.
#pragma once

#include "allocators/learned.h"
#include "analysis/live_ranges.h"
#include "assignment/assignment.h"
#include "pipeline/strategy.h"

#include <memory>

namespace verilocc::pipeline {

struct RecolourOptions {
  uint64_t seed = 1;
  /// Of the search; 0: its own default, which grows with the function.
  uint64_t moves = 0;
  /// Waves per SIMD that the function runs anyway, for another reason than its registers (LDS); 0: not known. Registers
  /// that do not lower it may be used.
  unsigned waves = 0;
  /// For Learned and LearnedSearch. Not null there, and trained for tokens::vocabulary.
  std::shared_ptr<model::LmBackend> model = nullptr;
  uint64_t model_hash = 0; ///< of the checkpoint, for the log
  unsigned attempts = 1;   ///< of the model; the first answers greedily, the others draw
  unsigned draws = 1;      ///< answers of each search that are compiled to the end, to be judged by their final code
  double temperature = 0.7;
};

struct RecolourReport {
  double cost_before = 0, cost_after = 0; ///< cost::Placement's
  uint64_t moves = 0;
  unsigned dead_ends = 0; ///< vregs for which no register was left: the start is kept
  double seconds = 0;
  allocators::AttemptLog attempts = {};
};

/// Never beyond the waves of `start`, and by search never costlier; where not every vreg finds a home, `start` itself.
/// `start` has a home for each vector vreg that is live.
assignment::Homes recolour(Recolour how, const problem::Problem &problem, const assignment::Homes &start,
                           const RecolourOptions &options, RecolourReport &report);

} // namespace verilocc::pipeline
