// Kept so that allocators may say allocators::Choices; the thing itself lies in src/analysis, where tokens need it too.
#pragma once

#include "analysis/choices.h"

namespace verilocc::allocators {

using analysis::Choices;
using analysis::CopyLink;
using analysis::Hint;

} // namespace verilocc::allocators
