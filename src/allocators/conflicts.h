// Kept so that allocators may say allocators::Conflicts; the thing itself lies in src/analysis, where tokens need it
// too.
#pragma once

#include "analysis/conflicts.h"

namespace verilocc::allocators {

using analysis::Conflicts;
using analysis::Edge;
using analysis::max_width;
using analysis::num_vector_units;
using analysis::VectorUnits;

} // namespace verilocc::allocators
