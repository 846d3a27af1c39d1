// What static analysis knows of each vreg before any has a place: in which order they are decided, what they are, with
// whom their banks clash, and how much room their life leaves.
//
// A Link is the part of the cost model that looks at two registers at once, as far as it depends on their banks: VALU
// sources, the fragments of a WMMA, the halves of a VOPD pair. cost::Placement knows the exact cost once both have a
// place; links serve to foresee it while one has not. Sums of pairs overstate three-way conflicts a little.
#pragma once

#include "analysis/choices.h"
#include "analysis/live_ranges.h"
#include "cost/rules.h"
#include "tokens/limits.h"

#include <array>
#include <span>

namespace verilocc::tokens {

constexpr unsigned num_banks = 4;
/// 1024 units a cycle: integers, so that what is added can be taken away again exactly.
using Cycles = int64_t;
constexpr double cycle = 1024;
using ByBank = std::array<Cycles, num_banks>;

struct Link {
  problem::VReg other = 0;
  ByBank cost = {}; ///< [d]: lost if home(this) - home(other) is d modulo 4
};

enum class DefRole : uint8_t { Valu, LdsLoad, MemoryLoad, Matrix, Copy, Other };
enum class UseRole : uint8_t { Other, Valu, Dual, MatrixA, MatrixB, MatrixC, Memory };

struct Traits {
  DefRole def = DefRole::Other;
  UseRole use = UseRole::Other; ///< of the instructions that are executed most
  uint16_t depth = 0;           ///< of the deepest block that names it
  bool carried = false;         ///< live round a loop
  double hottest = 0;           ///< executions of the block most executed that names it
  int spare = 0;                ///< registers within the limits minus live lanes, at the worst point of its life
  /// May lie in v and a registers, and the v registers do not suffice at some point of its life for all that may.
  bool crowded = false;
};

class Outlook {
public:
  /// All four must outlive it.
  Outlook(const problem::Problem &problem, const analysis::LiveRanges &live, const analysis::Choices &choices,
          const cost::Rules &rules, const Limits &limits);

  /// Every vreg with operands, by the start of its life; wider first.
  const std::vector<problem::VReg> &order() const { return decided; }
  const Traits &traits(problem::VReg v) const { return all_traits[v]; }
  std::span<const Link> links(problem::VReg v) const {
    return {all_links.data() + first_link[v], first_link[v + 1] - first_link[v]};
  }
  /// What the code's fixed registers cost `v`, by the bank of its home.
  const ByBank &fixedCost(problem::VReg v) const { return fixed_costs[v]; }
  /// Tuples decided later while `v` lives, for which its place may leave no room: the next, and the widest.
  std::span<const problem::VReg> coming(problem::VReg v) const { return {coming_tuples[v].data(), num_coming[v]}; }
  /// Executions of the instructions that name `v`; 0 if it is not used.
  double uses(problem::VReg v) const { return choices.uses(v); }
  /// Most live lanes of vector registers at one point.
  unsigned peak() const { return peak_lanes; }

private:
  void collectOrder();
  void collectTraits();
  void collectLinks(const cost::Rules &rules);
  void collectSpare(const Limits &limits);
  void collectComing();

  const problem::Problem &problem;
  const analysis::LiveRanges &live;
  const analysis::Choices &choices;
  std::vector<problem::VReg> decided;
  std::vector<Traits> all_traits;
  std::vector<uint32_t> first_link;
  std::vector<Link> all_links;
  std::vector<ByBank> fixed_costs;
  std::vector<std::array<problem::VReg, 2>> coming_tuples;
  std::vector<uint8_t> num_coming;
  unsigned peak_lanes = 0;
};

} // namespace verilocc::tokens
