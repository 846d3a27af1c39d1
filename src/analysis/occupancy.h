// Who holds which register unit when, for an allocator that asks "does this vreg fit there?" and takes it if so.
//
// For each unit the taken segments, sorted and disjoint, each with its owner. Queries are per lane: two tuples may
// overlap as long as no unit is taken twice at one point. Adding is linear in what the unit holds already (a move of
// memory), asking logarithmic.
#pragma once

#include "analysis/live_ranges.h"

#include <optional>

namespace verilocc::analysis {

/// Why a vreg does not fit.
enum class Interference : uint8_t { None, VReg, Fixed };

struct Conflict {
  Interference kind = Interference::None;
  problem::VReg vreg = 0;    ///< kind VReg: an owner in the way (there may be more)
  problem::RegUnit unit = 0; ///< where
};

class Occupancy {
public:
  /// The physical registers that the code names are taken where they are live.
  Occupancy(const problem::Problem &problem, const LiveRanges &live);

  /// The first thing in the way of vreg `v` at [base, base + width).
  Conflict conflict(problem::VReg v, problem::RegUnit base) const;
  bool fits(problem::VReg v, problem::RegUnit base) const { return conflict(v, base).kind == Interference::None; }
  /// All vregs in the way; nothing if a fixed register is among them.
  std::optional<std::vector<problem::VReg>> vregsInTheWay(problem::VReg v, problem::RegUnit base) const;

  /// `v` must fit at `base`, respectively lie there.
  void add(problem::VReg v, problem::RegUnit base);
  void remove(problem::VReg v, problem::RegUnit base);

private:
  static constexpr problem::VReg fixed_owner = ~0u;
  struct Taken {
    Segment segment;
    problem::VReg owner;
  };
  /// Calls found(owner) for what is taken on `unit` within `segments`, until it answers false.
  template <typename Function> void forTaken(problem::RegUnit unit, Segments segments, Function found) const;

  const problem::Problem &problem;
  const LiveRanges &live;
  std::vector<std::vector<Taken>> units;
};

} // namespace verilocc::analysis
