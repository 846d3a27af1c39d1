// Waves per SIMD that the vector registers allow. Source: hardware.md, "Waves per SIMD by VGPRs used" (measured with
// llc 19.1.7). LDS and attributes may bound the waves further; the code object's own figure has that in it.
#pragma once

#include <string_view>

namespace verilocc::cost {

/// `vgprs`: registers of the file as it is counted on the architecture (gfx90a, gfx942: VGPRs rounded up to 4, plus
/// AGPRs). 0 where the table does not know the architecture and wave size.
unsigned wavesByVgprs(std::string_view arch, unsigned wave_size, unsigned vgprs);

} // namespace verilocc::cost
