// Cases written as .ra text inside tests, with the register classes that nearly all of them need.
#pragma once

#include "assignment/case.h"

#include <string_view>

namespace verilocc::tests {

/// Parses the lines of a case, without "ra 1" and without classes. The classes are vgpr_32, vreg_64, vreg_128, agpr_32,
/// av_32, sgpr_32, sgpr_64; EXEC is reserved. Lines before the first block (wave, reserved, clobbers, more classes) may
/// be given. Throws std::runtime_error, with the parser's message, for text that is no case.
assignment::Case caseOf(std::string_view lines);

} // namespace verilocc::tests
