// The cost of a placement, whole or partial, kept up to date as vregs move. Unit: cycles for one execution of the
// function by one wave, each instruction weighted by its block's frequency. Only rules with a source (rules.h); waves
// per SIMD are not in it (occupancy.h): who moves vregs bounds the registers itself.
//
// total() is the sum of
//   - VALU bank stalls, WMMA conflicts, copies that move something, AGPR moves, spills and reloads, by instruction;
//   - for a pair of VOPD candidates (pairing.h, schedule.h) whose registers let them pair: minus one cycle, and no
//     stalls, times the chance that the scheduler brings them together;
//   - NOPs after matrix instructions, block by block from its start, with those inserted before counted as waiting;
//   - for each load: Rules::reuse for each cycle of its latency that it could be issued earlier but for the last reader
//     of a register that it writes.
// Invariant: after any sequence of moves it is what a fresh Placement with the same homes and pairs gives.
#pragma once

#include "analysis/live_ranges.h"
#include "assignment/assignment.h"
#include "cost/rules.h"

#include <memory>
#include <span>
#include <vector>

namespace verilocc::cost {

enum class Rule : uint8_t {
  BankStall,    ///< a VALU instruction reads several VGPRs of one bank
  WmmaConflict, ///< A, B and C of a WMMA do not start in three banks
  VopdPair,     ///< two instructions issue as one: negative
  MatrixWait,   ///< NOPs before this instruction, for a matrix instruction above it
  AccumMove,    ///< a move from, to or between AGPRs
  Copy,
  Spill,
  Reload,
  LoadReuse ///< a load kept from going up by a recent reader of its register
};
constexpr unsigned num_rules = 9;
const char *name(Rule rule); ///< "bank stall"

struct Charge {
  Rule rule;
  problem::InstId inst;
  double cycles; ///< for one execution of the instruction
};

class Placement {
public:
  /// Nothing placed. The three must outlive it.
  Placement(const problem::Problem &problem, const analysis::LiveRanges &live, const Rules &rules);
  ~Placement();

  problem::RegUnit home(problem::VReg v) const;
  const assignment::Homes &homes() const;
  /// Moves `v` to [base, base + width), or takes it out (no_unit). Does not ask whether it fits.
  void place(problem::VReg v, problem::RegUnit base);
  /// What place(v, base) would change total() by. Operands without a home cost nothing yet. Time: proportional to the
  /// uses of `v`, times the logarithm of what its registers hold.
  double delta(problem::VReg v, problem::RegUnit base) const;
  /// What placing `v`, which has no home, at each of `bases` would add: delta() without the NOPs after matrix
  /// instructions, for many places at once and much faster.
  void added(problem::VReg v, std::span<const problem::RegUnit> bases, std::vector<double> &costs) const;
  /// True if added() leaves nothing out for `v`: no matrix instruction is near that could wait.
  bool isExact(problem::VReg v) const;
  double total() const;
  /// total() with the pairs that LLVM's scheduler would make of these homes (schedule.h) in place of the chances; equal
  /// to it where there is no VOPD. Time: of the whole function.
  double settled() const;
  /// What total() consists of, in program order; a pair is charged at its first instruction, its stalls at each. The
  /// sum of cycles times block frequency is total().
  std::vector<Charge> charges() const;

  /// Chooses anew which candidates are to pair: those that LLVM's scheduler would make with the present homes
  /// (schedule.h), at no risk; of the rest as it would match them, and then what homes could allow, by their chance.
  /// total() may grow. At the start: what homes could allow.
  void rematch();
  /// Pairs are what LLVM's scheduler would make with the present homes, no others: total() is settled().
  void settle();
  /// Pairs as a fresh Placement has them, so that what follows does not depend on what was.
  void resetPairs();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// settled() of vregs placed at `homes`; those without one cost nothing.
double settledCost(const problem::Problem &problem, const analysis::LiveRanges &live, const Rules &rules,
                   const assignment::Homes &homes);

} // namespace verilocc::cost
