#include "pipeline/recolour.h"

#include "allocators/cheapest.h"
#include "allocators/learned.h"
#include "allocators/search.h"

#include <chrono>

namespace verilocc::pipeline {

using assignment::Homes;

namespace {

/// Of a search from the model's answer, which is about as good as one of 20 from elsewhere (docs/experiment.md).
constexpr uint64_t moves_after_model = 5;

/// Of a placement made anew: how many of the vector vregs of `start` have no home in it.
unsigned countLost(const Homes &start, const Homes &homes, const problem::Problem &problem) {
  unsigned lost = 0;
  for (problem::VReg v = 0; v < start.size(); ++v)
    lost += problem.classOf(v).isPerThread() && start[v] != problem::no_unit && homes[v] == problem::no_unit;
  return lost;
}

/// The best of the model's attempts; what it left open stays open.
Homes askModel(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
               const allocators::Limits &limits, const Homes &start, const RecolourOptions &options,
               RecolourReport &report) {
  allocators::LearnedOptions learned_options;
  learned_options.episode.scalars = false;
  learned_options.episode.limits = {limits.vgprs, limits.agprs, problem.env.max_sgprs};
  learned_options.attempts = options.attempts;
  learned_options.sampler.temperature = options.temperature;
  learned_options.seed = options.seed;
  report.attempts.model = options.model_hash;
  Homes homes = allocators::learned(problem, live, rules, *options.model, learned_options, &report.attempts).homes;
  // Scalars are physical by now, but for those that nothing here may move.
  for (problem::VReg v = 0; v < homes.size(); ++v)
    if (!problem.classOf(v).isPerThread())
      homes[v] = start[v];
  return homes;
}

} // namespace

Homes recolour(Recolour how, const problem::Problem &problem, const Homes &start, const RecolourOptions &options,
               RecolourReport &report) {
  const auto began = std::chrono::steady_clock::now();
  const analysis::LiveRanges live(problem);
  const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
  const allocators::Limits limits =
      allocators::sameWaves(problem.env, allocators::registersOf(problem, start), options.waves);

  Homes result = start;
  report.cost_before = cost::settledCost(problem, live, rules, start);
  Homes homes = start;
  if (how == Recolour::Cheapest)
    homes = allocators::cheapest(problem, live, rules, {.limits = limits});
  if (how == Recolour::Learned || how == Recolour::LearnedSearch)
    homes = askModel(problem, live, rules, limits, start, options, report);
  if (how == Recolour::Search || how == Recolour::LearnedSearch) {
    allocators::SearchOptions search_options;
    search_options.seed = options.seed;
    search_options.moves = options.moves;
    search_options.limits = limits;
    // Where the model found no room for all, the search begins where LLVM ended.
    const bool from_start = countLost(start, homes, problem) > 0;
    if (how == Recolour::LearnedSearch && !from_start)
      search_options.moves_per_vreg = moves_after_model;
    allocators::SearchResult found =
        allocators::search(problem, live, rules, from_start ? start : homes, search_options);
    report.moves = found.moves;
    homes = std::move(found.homes);
  }
  report.dead_ends = countLost(start, homes, problem);
  if (!report.dead_ends)
    result = std::move(homes);
  report.cost_after = cost::settledCost(problem, live, rules, result);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

} // namespace verilocc::pipeline
