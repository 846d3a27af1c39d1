// Waves per SIMD that the vector registers allow. Source: hardware.md, "Waves per SIMD by VGPRs used", and for waves of 64
// on gfx10 to gfx12 the same measurement (llc 19.1.7's "Occupancy" of kernels that clobber one register each; a lane of
// such a wave takes twice the storage, so the steps are half as long). LDS and attributes may bound the waves further; the
// code object's own figure has that in it.
#pragma once

#include <string_view>

namespace verilocc::cost {

/// True if VGPRs and AGPRs share one file of 512 (gfx90a, gfx942).
bool hasUnifiedFile(std::string_view arch);
/// Registers as the architecture counts them: in a unified file VGPRs rounded up to 4, plus AGPRs; else the larger.
unsigned countedRegisters(std::string_view arch, unsigned vgprs, unsigned agprs);
/// `counted`: of countedRegisters. 0 where the table does not know the architecture and wave size.
unsigned wavesByVgprs(std::string_view arch, unsigned wave_size, unsigned counted);

} // namespace verilocc::cost
