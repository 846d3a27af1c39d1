// Register pressure: how many registers of each file hold a live value, at most, and where; and how many an allocation
// uses. The first is a lower bound of the second.
#pragma once

#include "analysis/live_ranges.h"
#include "assignment/assignment.h"

#include <array>
#include <string>

namespace verilocc::analysis {

/// Vector: v registers; Accum: a registers; VectorOrAccum: vregs whose class allows both; Scalar: s registers and VCC.
enum class PressureSet : uint8_t { Vector, Accum, VectorOrAccum, Scalar };
constexpr unsigned num_pressure_sets = 4;
const char *name(PressureSet set);
/// By the files in which the class has bases.
PressureSet pressureSet(const problem::RegClass &cls);

struct Peak {
  unsigned lanes = 0;       ///< dwords live at once, the fixed registers of the set among them
  problem::InstId inst = 0; ///< the first instruction at which it is so many
};

struct Pressure {
  std::array<Peak, num_pressure_sets> peaks;
  Peak any_vector; ///< Vector, Accum and VectorOrAccum together
  const Peak &operator[](PressureSet set) const { return peaks[static_cast<size_t>(set)]; }
};

Pressure measurePressure(const problem::Problem &problem, const LiveRanges &live);

/// Highest register used, plus one, and vregs placed.
struct RegisterCounts {
  unsigned vgprs = 0, agprs = 0, sgprs = 0; ///< VCC and other named scalars do not count
  unsigned placed = 0, unplaced = 0;        ///< vregs with operands: with a register at each, and without at some
};

RegisterCounts countRegisters(const problem::Problem &problem, const assignment::Assignment &assignment);

/// A table for people: peaks with the instructions at which they occur.
std::string printPressure(const problem::Problem &problem, const Pressure &pressure);

} // namespace verilocc::analysis
