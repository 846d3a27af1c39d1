// A way to the end, kept while an episode is played: is there still room for everything that is to come?
//
// The problem: a place that looks harmless can make a tuple homeless a hundred decisions later, and no look at the next
// few tuples tells. The idea: keep a witness. A Plan is a whole allocation, made by whoever is good at finding room and
// cares for nothing else (first-fit), in which what was decided lies where it was put. A place that the plan can
// follow, by moving vregs that are not decided yet, provably leaves room for all of them; where the plan cannot follow
// within a few moves, nobody knows. And since a plan is whole, so is its price: what a place makes of it tells what the
// vregs to come lose by it, all rules of the cost model included.
//
// Invariants: no two vregs of the plan meet while live; decided vregs never move; settle() and unsettle() are a stack,
// and after unsettle() everything is as it was. If no vreg is missing() and every decision keeps the plan (Keeps or
// Moves), none ever will be: the planned place of the next vreg always keeps it.
#pragma once

#include "analysis/vector_places.h"
#include "assignment/assignment.h"
#include "cost/placement.h"

#include <optional>
#include <vector>

namespace verilocc::tokens {

class Plan {
public:
  /// `start`: by vreg, no_unit where unknown. Homes that meet earlier ones, or lie outside `within`, are found anew;
  /// vregs for which `takes_part` is 0 lie nowhere. All but the last three must outlive it.
  Plan(const problem::Problem &problem, const analysis::LiveRanges &live, const analysis::Choices &choices,
       const cost::Rules &rules, const problem::UnitSet &within, const assignment::Homes &start,
       const std::vector<uint8_t> &takes_part);

  /// What putting a vreg somewhere does to the plan.
  enum class Effect : uint8_t {
    Breaks, ///< some vreg loses its place in it, and none is found in a few moves
    Moves,  ///< vregs to come lie elsewhere afterwards
    Keeps   ///< nothing is in the way
  };
  bool takesPart(problem::VReg v) const { return places.takesPart(v); }
  /// Vregs without a place.
  unsigned missing() const { return homeless; }
  problem::RegUnit home(problem::VReg v) const { return homes[v]; }
  /// Where nothing is in the way of `v`, which is not decided.
  analysis::VectorUnits freeBases(problem::VReg v) const { return places.free(v, homes); }

  /// `v` is not decided, and fits at `base` beside what is.
  Effect effect(problem::VReg v, problem::RegUnit base) { return effect(v, base, nullptr); }
  /// And by how many cycles the plan becomes dearer; means nothing where it breaks, since some vreg is left out then.
  Effect effect(problem::VReg v, problem::RegUnit base, double *dearer);
  /// The same with the pairs that LLVM's scheduler would make of each (Placement::settled). Time: of whole regions.
  double dearerSettled(problem::VReg v, problem::RegUnit base);
  /// A vreg that takes no part counts in cost() only.
  void settle(problem::VReg v, problem::RegUnit base);
  /// Takes back the last settle().
  void unsettle();
  /// cost::Placement's of the plan and of what was settled beside it.
  double cost() const { return placement.total(); }
  /// cost::Placement::settled of the same.
  double settledCost() const { return placement.settled(); }

private:
  struct Moved {
    problem::VReg vreg;
    problem::RegUnit old;
  };
  /// True if the vreg may not lose its place to the one that is being put.
  bool stays(problem::VReg v) const { return decided[v] || places.isTied(v) || stamp[v] == now; }
  Effect put(problem::VReg v, problem::RegUnit base);
  bool makeRoom(problem::VReg v, problem::RegUnit base);
  bool placePending(unsigned budget);
  problem::RegUnit cheapestFree(problem::VReg v);
  void move(problem::VReg v, problem::RegUnit base);
  void undo(size_t size);

  const problem::Problem &problem;
  const analysis::VectorPlaces places;
  cost::Placement placement; ///< of homes, and of what takes no part
  assignment::Homes homes;
  std::vector<uint8_t> decided;
  unsigned homeless = 0;
  std::vector<Moved> journal;
  std::vector<size_t> frames;         ///< sizes of the journal, one a settle()
  std::vector<problem::VReg> settled; ///< parallel to frames
  std::optional<double> settled_cost; ///< settledCost(), from the first time that it is asked
  // Of one put(): vregs taken out that want a place, and which were moved already.
  std::vector<problem::VReg> pending;
  std::vector<uint32_t> stamp;
  uint32_t now = 0;
  std::vector<problem::RegUnit> free_bases; ///< of cheapestFree, and
  std::vector<double> costs;
};

} // namespace verilocc::tokens
