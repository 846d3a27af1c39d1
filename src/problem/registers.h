// The register space of AMD GPUs as plain numbers, the same for every architecture.
//
// A RegUnit is one 32-bit register (for a vector register: 32 bits in each thread). The numbering is ours and fixed, so
// that text files, hashes and checkpoints of different architectures agree. A tuple such as v[12:15] is a run of
// consecutive units of one file. What a given GPU has of this space, MachineEnv says.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verilocc::problem {

using RegUnit = uint16_t;

constexpr RegUnit first_vgpr = 0;   // v0 .. v255
constexpr RegUnit first_agpr = 256; // a0 .. a255
constexpr RegUnit first_sgpr = 512; // s0 .. s105, then the named ones below
constexpr RegUnit vcc_lo = 618, vcc_hi = 619;
constexpr RegUnit first_ttmp = 620; // ttmp0 .. ttmp15
constexpr RegUnit m0 = 636, sgpr_null = 637;
constexpr RegUnit exec_lo = 638, exec_hi = 639;
constexpr RegUnit scc = 640, mode = 641;
constexpr RegUnit flat_scr_lo = 642, flat_scr_hi = 643;
constexpr RegUnit xnack_mask_lo = 644, xnack_mask_hi = 645;
constexpr RegUnit first_misc = 646; // misc0 .. misc121: what has no name above (constants, apertures, pseudo registers)
constexpr RegUnit num_units = 768;
constexpr RegUnit no_unit = 0xffff;

using UnitSet = std::bitset<num_units>;

/// Vector and Accum hold one value a thread, Scalar and Special one value a wave.
enum class RegFile : uint8_t { Vector, Accum, Scalar, Special };

constexpr RegFile fileOf(RegUnit unit) {
  return unit < first_agpr   ? RegFile::Vector
         : unit < first_sgpr ? RegFile::Accum
         : unit < m0         ? RegFile::Scalar
                             : RegFile::Special;
}
/// True where a unit holds one value a thread, so that EXEC matters.
constexpr bool isPerThread(RegUnit unit) {
  return unit < first_sgpr;
}
/// True if the tuple touches EXEC, either half.
constexpr bool overlapsExec(unsigned first, unsigned size) {
  return first <= exec_hi && first + size > exec_lo;
}

/// "v12", "a3", "s7", "vcc_lo", "exec_hi", "misc4".
std::string unitName(RegUnit unit);
/// "v[12:15]", or unitName for one unit; units of the Special file with no numbers print as "scc", "exec" (both
/// halves), "vcc" (both halves).
std::string tupleName(RegUnit first, unsigned num_units);
/// The inverse of tupleName: first unit and number of units; nothing if the text names no register.
struct UnitRange {
  RegUnit first;
  unsigned size;
};
std::optional<UnitRange> parseTuple(std::string_view text);

} // namespace verilocc::problem
