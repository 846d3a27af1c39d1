// Which units are free over a vreg's life: the question an episode asks at every decision, answered for all places at
// once. Like analysis::Occupancy, but a set of units at a time, and with what lay in a unit last.
#pragma once

#include "analysis/live_ranges.h"

namespace verilocc::tokens {

class Room {
public:
  /// Fixed registers are taken where they are live. Both must outlive it.
  Room(const problem::Problem &problem, const analysis::LiveRanges &live);

  /// Those of `bases` at which `v` meets nothing. Time: lanes of different life times units times log(what they hold).
  problem::UnitSet fits(problem::VReg v, const problem::UnitSet &bases) const;
  /// Units of `among` free wherever lane 0 of `v` is live.
  problem::UnitSet freeFor(problem::VReg v, const problem::UnitSet &among) const;
  /// Instructions between the end of what lay in [base, base + width) before `point` and `point`: the least of the
  /// units; `never` where nothing did. What lies there at `point` counts as 0.
  unsigned idleFor(problem::RegUnit base, unsigned width, analysis::Point point) const;
  static constexpr unsigned never = 1u << 20;
  /// Points free around `point` beyond `life` on the unit, both sides together; how loosely it fits.
  unsigned gapAround(problem::RegUnit unit, analysis::Segment life) const;

  /// `v` must fit, respectively lie there.
  void add(problem::VReg v, problem::RegUnit base);
  void remove(problem::VReg v, problem::RegUnit base);
  /// What is in the way of `v` at `base`; empty where it fits. `fixed`: a physical register of the code is among it.
  std::vector<problem::VReg> inTheWay(problem::VReg v, problem::RegUnit base, bool &fixed) const;

private:
  static constexpr problem::VReg fixed_owner = ~0u;
  struct Taken {
    analysis::Segment segment;
    problem::VReg owner;
  };
  bool isFree(problem::RegUnit unit, analysis::Segments segments) const;

  const problem::Problem &problem;
  const analysis::LiveRanges &live;
  std::vector<std::vector<Taken>> units;
};

} // namespace verilocc::tokens
