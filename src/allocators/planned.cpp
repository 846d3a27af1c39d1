#include "allocators/planned.h"

#include "allocators/cheapest.h"
#include "allocators/first_fit.h"
#include "allocators/search.h"

#include <algorithm>

namespace verilocc::allocators {

using namespace problem;

tokens::EpisodeOptions planned(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                               tokens::EpisodeOptions options) {
  if (!options.vectors || !options.plan.empty())
    return options;
  const analysis::Choices choices(problem);
  const Limits limits = {std::min(problem.env.max_vgprs, options.limits.vgprs),
                         std::min(problem.env.max_agprs, options.limits.agprs)};
  if (options.given.empty()) {
    options.plan = cheapest(problem, live, rules, {limits, {}});
    if (choices.placesVectors(options.plan))
      return options;
  }
  FirstFitOptions first_fit;
  first_fit.scalars = false;
  first_fit.given = options.given;
  options.plan = firstFit(problem, live, first_fit);
  if (choices.placesVectors(options.plan))
    return options;
  SearchOptions search_options;
  search_options.limits = limits;
  search_options.moves = problem.vregs.size();
  options.plan = search(problem, live, rules, options.plan, search_options).homes;
  return options;
}

} // namespace verilocc::allocators
