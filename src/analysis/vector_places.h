// Where vregs of vector files may lie: what their operands allow within given registers, beside fixed registers, and
// beside the homes of one another. What allocators and plans that move vregs about ask for again and again.
#pragma once

#include "analysis/choices.h"
#include "analysis/conflicts.h"

#include <functional>

namespace verilocc::analysis {

class VectorPlaces {
public:
  /// `takes_part`: by vreg, 1 for vectors that lie somewhere. `within` says if a run of registers may be used. `whole`:
  /// see Conflicts. `problem` must outlive it.
  VectorPlaces(const problem::Problem &problem, const LiveRanges &live, const Choices &choices,
               const std::vector<uint8_t> &takes_part,
               const std::function<bool(problem::RegUnit base, unsigned width)> &within,
               std::span<const uint8_t> whole = {});

  bool takesPart(problem::VReg v) const { return set_of[v] != none; }
  /// True if a tied operand makes another's home decide this one's.
  bool isTied(problem::VReg v) const { return tied[v]; }
  bool allows(problem::VReg v, problem::RegUnit base) const {
    return base < num_vector_units && sets[set_of[v]].test(base) && !conflicts.fixed(v).test(base);
  }
  /// Bases that `allows` answers true for.
  VectorUnits allowed(problem::VReg v) const;
  /// Of these, where nothing that has a home is in the way; ties are not asked. `homes`: by vreg.
  VectorUnits free(problem::VReg v, std::span<const problem::RegUnit> homes) const;
  /// Calls found(vreg) for what lies in the way of `v` at `base`; it may take that vreg's home.
  template <typename Function>
  void forInTheWay(problem::VReg v, problem::RegUnit base, std::span<const problem::RegUnit> homes,
                   Function found) const {
    for (const Edge &edge : conflicts.of(v))
      if (edge.meets(base, problem.widthOf(v), homes[edge.other]))
        found(edge.other);
  }
  /// Calls found(base, vreg) for each base of `v` and each vreg in the way there; the class of `v` is not asked.
  template <typename Function>
  void forBlocked(problem::VReg v, std::span<const problem::RegUnit> homes, Function found) const {
    for (const Edge &edge : conflicts.of(v)) {
      if (homes[edge.other] == problem::no_unit)
        continue;
      const int first = int(homes[edge.other]) + 1 - int(problem.widthOf(v));
      for (uint64_t rest = edge.distances; rest; rest &= rest - 1)
        if (const int base = first + __builtin_ctzll(rest); base >= 0 && base < int(num_vector_units))
          found(static_cast<problem::RegUnit>(base), edge.other);
    }
  }

  const Conflicts conflicts;

private:
  const problem::Problem &problem;
  static constexpr uint32_t none = ~0u;
  std::vector<uint8_t> tied;
  std::vector<VectorUnits> sets; ///< of bases
  std::vector<uint32_t> set_of;  ///< by vreg; none: takes no part
};

} // namespace verilocc::analysis
