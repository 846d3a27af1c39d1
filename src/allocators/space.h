// The state that cheapest and search work on: who holds which register, what it costs, and where a vreg may go.
//
// Only vregs of vector files take part; scalars have no home here. Invariant: no two vregs, and no vreg and a fixed
// register, hold one register at one point; each vreg lies where its operands allow and below the limits; vregs tied to
// one another lie together, or have no home.
#pragma once

#include "analysis/vector_places.h"
#include "cost/placement.h"

#include <optional>

namespace verilocc::allocators {

/// Registers that may be used: v0 up to v(vgprs - 1), a0 up to a(agprs - 1). The function's own limits hold besides.
struct Limits {
  unsigned vgprs = 256, agprs = 256;
};

/// The registers that fixed operands and `homes` name: highest plus one, by file.
Limits registersOf(const problem::Problem &problem, const assignment::Homes &homes);

/// As many registers as possible without fewer waves per SIMD (cost/occupancy.h) than with `used`, or than
/// `waves_anyway` where something else bounds the waves (0: nothing does). `used` itself where waves are not known.
Limits sameWaves(const problem::MachineEnv &env, const Limits &used, unsigned waves_anyway = 0);

class Space {
public:
  /// The first three must outlive it. `whole`: see analysis::Conflicts.
  Space(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
        const Limits &limits, std::span<const uint8_t> whole = {});

  /// Vregs that take part, by number.
  const std::vector<problem::VReg> &vregs() const { return members; }
  bool takesPart(problem::VReg v) const { return places.takesPart(v); }
  /// True if a tied operand makes another vreg's home decide this one's.
  bool isTied(problem::VReg v) const { return places.isTied(v); }
  bool allows(problem::VReg v, problem::RegUnit base) const { return places.allows(v, base); }
  /// Where `v`, which need not be taken out, may lie now, in ascending order.
  void freeBases(problem::VReg v, std::vector<problem::RegUnit> &free) const;
  bool fits(problem::VReg v, problem::RegUnit base) const;
  /// Vregs in the way of `v` at `base`, which it allows.
  void inTheWay(problem::VReg v, problem::RegUnit base, std::vector<problem::VReg> &owners) const;
  /// For each place that `v` allows, in ascending order: how many registers' worth of vregs are in the way.
  struct Blocked {
    problem::RegUnit base;
    unsigned lanes;
  };
  void blockedBases(problem::VReg v, std::vector<Blocked> &bases) const;

  problem::RegUnit home(problem::VReg v) const { return homes[v]; }
  /// Places `v`, which has no home, where it fits.
  void put(problem::VReg v, problem::RegUnit base) { placement.place(v, base); }
  void take(problem::VReg v) { placement.place(v, problem::no_unit); }
  double total() const { return placement.total(); }

  const problem::Problem &problem;
  const analysis::Choices choices;
  const analysis::VectorPlaces places;
  cost::Placement placement; ///< homes change through put and take only

private:
  /// True if the homes of those tied to `v` let it lie at `base`.
  bool tiesAllow(problem::VReg v, problem::RegUnit base) const;

  const assignment::Homes &homes; ///< of placement
  std::vector<problem::VReg> members;
};

} // namespace verilocc::allocators
