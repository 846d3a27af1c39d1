// Which two instructions might become one VOPD instruction.
//
// LLVM decides that after allocation: its post-RA scheduler takes the candidates of a region in order, gives each the
// first later one that fits by banks and parity, and tries to bring the two together. Here the same is done on the code
// before scheduling, with dependences through virtual registers and, where the code names them, physical ones. It is a
// proxy: the scheduler need not succeed, and dependences that the allocation itself makes are not seen.
//
// Two steps, because an allocator moves registers to suit a matching, and LLVM matches to suit registers: `match`
// answers a matching for given homes; instructions that find no partner are then paired with what homes could allow.
#pragma once

#include "cost/shape.h"

namespace verilocc::cost {

constexpr problem::InstId no_partner = ~0u;

class Pairing {
public:
  static constexpr unsigned reach = 48; ///< instructions; how far apart two halves may stand

  Pairing(const problem::Problem &problem, const std::vector<Shape> &shapes);

  /// Partner by instruction, or no_partner; symmetric. `made`, if not empty, are partners that stay; last come partners
  /// that the homes do not (yet) allow.
  std::vector<problem::InstId> match(const Locator &where, const std::vector<problem::InstId> &made = {}) const;
  /// True if the second of a pair (first < second) needs nothing that is computed between the two: a scheduler that
  /// goes from the top can take it right after the first.
  bool isReady(problem::InstId first, problem::InstId second) const;

private:
  bool possible(problem::InstId i, problem::InstId j) const;

  const problem::Problem &problem;
  const std::vector<Shape> &shapes;
  std::vector<problem::InstId> candidates; ///< DualIssue instructions in order
  std::vector<uint64_t> reachable; ///< by candidate: bit k - 1: instruction + k is a candidate of the region without a
                                   ///< path of dependences
  std::vector<uint64_t> ready;     ///< likewise: of these, what isReady
  std::vector<uint32_t> index_of;  ///< by instruction, into the two
};

} // namespace verilocc::cost
