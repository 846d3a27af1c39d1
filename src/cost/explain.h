// What code with registers costs, and why: reasons, counts, and an estimate of its time.
//
// The code is a Problem whose operands are fixed: an Assignment put into its Problem (allocatedCode), or what the
// reader finds after allocation or at the very end. Final code holds its VOPD pairs and NOPs as instructions; before
// that they are predicted by the same rules that Placement uses.
#pragma once

#include "cost/placement.h"

#include <array>

namespace verilocc::cost {

/// The code that an Assignment makes of its Problem. Operands without a register stay virtual.
struct AllocatedCode {
  problem::Problem code;
  std::vector<problem::InstId> origin; ///< by instruction of `code`: that of the Problem; no_origin for an Edit
  static constexpr problem::InstId no_origin = ~0u;
};
AllocatedCode allocatedCode(const problem::Problem &problem, const assignment::Assignment &assignment);

struct ExplainOptions {
  bool final_code = false; ///< NOPs and VOPD pairs are in the code: predict none
  unsigned waves = 0;      ///< per SIMD; 0: what the registers used allow (occupancy.h), 1 where that is not known
};

/// Weighted by block frequency unless it says otherwise.
struct Explanation {
  std::vector<Charge> charges; ///< in program order
  std::array<double, num_rules> by_rule{};
  double total = 0; ///< of by_rule

  double bank_stalls = 0, nop_cycles = 0; ///< cycles
  double wmma_conflicts = 0, vopd_pairs = 0, agpr_moves = 0, copies = 0;
  double issued = 0; ///< instructions, a pair as one; NOPs as their wait states
  /// Unweighted, as they stand in the code.
  unsigned static_wmma_conflicts = 0, static_vopd_pairs = 0, static_nop_cycles = 0, static_copies = 0, static_wmma = 0;

  unsigned vgprs = 0, agprs = 0, waves = 0;
  double issue_cycles = 0;  ///< time for which the function occupies an issue port or the matrix unit
  double single_cycles = 0; ///< time of one wave alone, by the in-order simulation (simulate.h)
  double est_cycles = 0;    ///< max(issue_cycles, single_cycles / waves)
};

/// `code` is well-formed; registers of other files than v and a do not matter.
Explanation explain(const problem::Problem &code, const Rules &rules, const ExplainOptions &options = {});

} // namespace verilocc::cost
