// The plan of an episode (tokens/plan.h): first-fit's allocation, or search's where first-fit leaves vregs over.
#pragma once

#include "tokens/episode.h"

namespace verilocc::allocators {

/// `options` with a plan; one that has one, or decides no vectors, stays as it is. Deterministic.
tokens::EpisodeOptions planned(const problem::Problem &problem, const analysis::LiveRanges &live,
                               const cost::Rules &rules, tokens::EpisodeOptions options = {});

} // namespace verilocc::allocators
