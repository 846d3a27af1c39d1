// The plan of an episode (tokens/plan.h): the linear pass of cheapest.h, which knows costs; where that leaves vregs
// over, first-fit's allocation; where that does too, what search makes of it.
#pragma once

#include "tokens/episode.h"

namespace verilocc::allocators {

/// `options` with a plan; one that has one, or decides no vectors, stays as it is. Deterministic.
tokens::EpisodeOptions planned(const problem::Problem &problem, const analysis::LiveRanges &live,
                               const cost::Rules &rules, tokens::EpisodeOptions options = {});

} // namespace verilocc::allocators
