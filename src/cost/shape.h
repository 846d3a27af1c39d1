// What the rules look at in one instruction, found once: which operands are its sources and its result, and where those
// lie under a given choice of homes.
//
// The Problem keeps registers and drops immediates, so the slot of a source follows from what encodings allow: the
// second source of a VOP2 instruction is always a VGPR, so where one register is left besides a tied accumulator it is
// src1 (v_mov_b32, with one source, has src0).
#pragma once

#include "assignment/assignment.h"

#include <vector>

namespace verilocc::cost {

enum class ShapeKind : uint8_t {
  Other, ///< no rule looks at it, except as an instruction that takes an issue cycle
  Valu,  ///< reads VGPRs by the bank rule
  Dual,  ///< likewise, and may become half of a VOPD pair
  Wmma,
  Mfma,
  Memory, ///< vector memory, LDS: reads and writes VGPRs without banks
  Load,   ///< a Memory instruction that defines registers
  Copy,   ///< of vector registers
};

constexpr uint32_t no_operand = ~0u;

struct Shape {
  ShapeKind kind = ShapeKind::Other;
  uint8_t num_sources = 0;
  uint8_t passes = 0;        ///< Mfma
  bool only_y = false;       ///< Dual: has a form for the second half of a pair only
  bool xdl = true;           ///< Mfma: of the matrix core's reduced-precision half, which has wait states of its own
  bool from_lds = false;     ///< Load
  uint32_t def = no_operand; ///< first explicit per-thread definition: index into Problem::operands
  uint32_t sources[3] = {no_operand, no_operand, no_operand}; ///< explicit per-thread uses, tied ones included
  uint32_t src0 = no_operand, src1 = no_operand;              ///< Dual: by slot
};

/// One Shape an instruction.
std::vector<Shape> shapesOf(const problem::Problem &problem);

/// Where operands lie: the homes of vregs (by reference, so that they may move), or, without homes, fixed ones only.
class Locator {
public:
  Locator(const problem::Problem &problem, const assignment::Homes *homes) : problem(problem), homes(homes) {}

  /// The unit of the first accessed lane; no_unit if it has no home.
  problem::RegUnit operator()(const problem::Operand &op) const {
    if (op.fixed)
      return static_cast<problem::RegUnit>(op.reg);
    const problem::RegUnit base = home(op.reg);
    return base == problem::no_unit ? base : static_cast<problem::RegUnit>(base + op.first_lane);
  }
  problem::RegUnit home(problem::VReg v) const { return homes ? (*homes)[v] : problem::no_unit; }
  problem::RegUnit operator()(uint32_t operand) const {
    return operand == no_operand ? problem::no_unit : (*this)(problem.operands[operand]);
  }
  unsigned width(uint32_t operand) const { return problem.operands[operand].num_lanes; }

private:
  const problem::Problem &problem;
  const assignment::Homes *homes;
};

} // namespace verilocc::cost
