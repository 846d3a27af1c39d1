// Where each vreg may lie, and where it would like to: what any allocator needs to know before it starts.
#pragma once

#include "problem/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace verilocc::analysis {

/// home(v) = home(other) + offset would make a copy superfluous, or (`hard`) is demanded by a tied operand.
struct Hint {
  problem::VReg vreg = 0;    ///< the other one; unless `fixed`
  problem::RegUnit unit = 0; ///< fixed: where v itself would have to lie
  int16_t offset = 0;
  bool fixed = false;
  bool hard = false;
  double weight = 0; ///< executions of the copy
};

/// A copy that vanishes if both sides meet.
struct CopyLink {
  bool fixed = false; ///< `source` is a unit
  uint32_t target = 0, source = 0;
  int16_t offset = 0; ///< home(target) = source + offset
  double weight = 0;
};

class Choices {
public:
  explicit Choices(const problem::Problem &problem);

  /// False for vregs without operands.
  bool isUsed(problem::VReg v) const { return set_of[v] >= 0; }
  bool isVector(problem::VReg v) const { return vector[v]; }
  /// True if every used vreg of the vector files has a home.
  bool placesVectors(std::span<const problem::RegUnit> homes) const;
  /// The units at which `v` may start: of its class, of every operand's constraint, not reserved, within the function's
  /// limits; in order of preference (ascending; for vregs that may be VGPR or AGPR the preferred file first).
  std::span<const problem::RegUnit> candidates(problem::VReg v) const { return sets[set_of[v]].ordered; }
  bool allows(problem::VReg v, problem::RegUnit base) const { return sets[set_of[v]].allowed[base]; }
  std::span<const Hint> hints(problem::VReg v) const {
    return {all_hints.data() + first_hint[v], first_hint[v + 1] - first_hint[v]};
  }
  const std::vector<CopyLink> &copies() const { return links; }
  /// Sum of the executions of the instructions that name `v`.
  double uses(problem::VReg v) const { return use_count[v]; }

private:
  struct Set {
    problem::UnitSet allowed;
    std::vector<problem::RegUnit> ordered;
  };
  void collectConstraints(const problem::Problem &problem);
  void collectLinks(const problem::Problem &problem);
  void preferFiles(const problem::Problem &problem);
  void sortHints(const problem::Problem &problem);

  std::vector<int32_t> set_of; ///< by vreg
  std::vector<Set> sets;
  std::vector<uint8_t> vector;
  std::vector<double> use_count;
  std::vector<CopyLink> links, ties;
  std::vector<uint32_t> first_hint;
  std::vector<Hint> all_hints;
};

} // namespace verilocc::analysis
