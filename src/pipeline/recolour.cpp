#include "pipeline/recolour.h"

#include "allocators/cheapest.h"
#include "allocators/search.h"

#include <chrono>

namespace verilocc::pipeline {

using assignment::Homes;

namespace {

/// Of a placement made anew: how many of the vector vregs of `start` have no home in it.
unsigned countLost(const Homes &start, const Homes &homes, const problem::Problem &problem) {
  unsigned lost = 0;
  for (problem::VReg v = 0; v < start.size(); ++v)
    lost += problem.classOf(v).isPerThread() && start[v] != problem::no_unit && homes[v] == problem::no_unit;
  return lost;
}

double costOf(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
              const Homes &homes) {
  cost::Placement placement(problem, live, rules);
  for (problem::VReg v = 0; v < homes.size(); ++v)
    if (homes[v] != problem::no_unit)
      placement.place(v, homes[v]);
  placement.rematch();
  return placement.total();
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
  if (how == Recolour::Cheapest) {
    Homes homes = allocators::cheapest(problem, live, rules, {.limits = limits});
    report.cost_before = costOf(problem, live, rules, start);
    report.cost_after = costOf(problem, live, rules, homes);
    report.dead_ends = countLost(start, homes, problem);
    if (!report.dead_ends)
      result = std::move(homes);
  } else if (how == Recolour::Search) {
    allocators::SearchOptions search_options;
    search_options.seed = options.seed;
    search_options.moves = options.moves;
    search_options.limits = limits;
    allocators::SearchResult found = allocators::search(problem, live, rules, start, search_options);
    report.cost_before = found.start_cost;
    report.cost_after = found.cost;
    report.moves = found.moves;
    report.dead_ends = countLost(start, found.homes, problem);
    if (!report.dead_ends)
      result = std::move(found.homes);
  }
  if (report.dead_ends)
    report.cost_after = report.cost_before;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

} // namespace verilocc::pipeline
