#include "cost/rules.h"

namespace verilocc::cost {

namespace {

constexpr Rules generic{};
constexpr Rules gfx10{.valu_banks = true};
// VOPD exists for waves of 32 only (LLVM: GCNSubtarget::hasVOPD, and the pairing pass asks for wave32).
constexpr Rules gfx11_wave32{.valu_banks = true, .wmma_banks = true, .vopd = true};
constexpr Rules gfx11_wave64{.valu_banks = true, .wmma_banks = true};
constexpr Rules gfx12_wave32{.valu_banks = true, .vopd = true};
constexpr Rules gfx12_wave64{.valu_banks = true};
constexpr Rules gfx90a{.matrix_waits = MatrixWaits::Gfx90a};
constexpr Rules gfx942{.matrix_waits = MatrixWaits::Gfx942};

} // namespace

const Rules &rulesFor(std::string_view arch, unsigned wave_size) {
  const bool wave32 = wave_size == 32;
  if (arch.starts_with("gfx10"))
    return gfx10;
  if (arch.starts_with("gfx11"))
    return wave32 ? gfx11_wave32 : gfx11_wave64;
  if (arch.starts_with("gfx12"))
    return wave32 ? gfx12_wave32 : gfx12_wave64;
  if (arch == "gfx90a")
    return gfx90a;
  if (arch.starts_with("gfx94"))
    return gfx942;
  return generic;
}

} // namespace verilocc::cost
