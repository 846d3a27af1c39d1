#include "cost/shape.h"

#include <algorithm>

namespace verilocc::cost {

using namespace problem;

namespace {

bool isWmma(const std::string &opcode) {
  return opcode.find("WMMA") != std::string::npos;
}

/// V_MFMA_F32_16X16X4F32 and its like (not 8XF32): the type of A and B follows the shape's last digit.
bool isSinglePrecision(const std::string &opcode) {
  for (size_t at = opcode.find("F32"); at != std::string::npos; at = opcode.find("F32", at + 1))
    if (at > 0 && opcode[at - 1] >= '0' && opcode[at - 1] <= '9')
      return true;
  return false;
}

ShapeKind kindOf(const Problem &problem, const Inst &inst) {
  switch (inst.kind) {
  case InstKind::VectorAlu:
  case InstKind::Transcendental:
  case InstKind::Compare:
    return ShapeKind::Valu;
  case InstKind::DualIssue:
    return ShapeKind::Dual;
  case InstKind::Matrix:
    return isWmma(problem.opcodes[inst.opcode]) ? ShapeKind::Wmma : ShapeKind::Mfma;
  case InstKind::Copy:
    return ShapeKind::Copy;
  case InstKind::LdsLoad:
  case InstKind::VectorLoad:
  case InstKind::Atomic:
  case InstKind::Reload:
    return ShapeKind::Load;
  case InstKind::LdsStore:
  case InstKind::VectorStore:
  case InstKind::Spill:
    return ShapeKind::Memory;
  // Vector instructions for the wait states after a matrix instruction; single sources, so banks do not matter.
  case InstKind::AccumMove:
  case InstKind::Exchange:
  case InstKind::LaneRead:
  case InstKind::LaneWrite:
    return ShapeKind::Valu;
  default:
    return ShapeKind::Other;
  }
}

} // namespace

std::vector<Shape> shapesOf(const Problem &problem) {
  std::vector<Shape> shapes(problem.insts.size());
  for (InstId i = 0; i < problem.insts.size(); ++i) {
    const Inst &inst = problem.insts[i];
    Shape &shape = shapes[i];
    shape.kind = kindOf(problem, inst);
    if (shape.kind == ShapeKind::Other)
      continue;
    uint32_t tied = no_operand, uses[4];
    unsigned num_uses = 0;
    for (uint32_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o) {
      const Operand &op = problem.operands[o];
      if (op.has(operand_flag::Implicit) || !problem.isPerThread(op))
        continue;
      if (op.isDef()) {
        if (shape.def == no_operand)
          shape.def = o;
        continue;
      }
      if (num_uses < 4)
        uses[num_uses++] = o;
      if (op.tied_to >= 0)
        tied = o;
    }
    shape.num_sources = static_cast<uint8_t>(std::min(num_uses, 3u));
    std::copy_n(uses, shape.num_sources, shape.sources);
    // Sparse matrix instructions have an index besides A, B and C; there C is the tied one.
    if (inst.kind == InstKind::Matrix && tied != no_operand && num_uses > 2)
      shape.sources[2] = tied;
    const std::string &opcode = problem.opcodes[inst.opcode];
    switch (shape.kind) {
    case ShapeKind::Dual: {
      if (shape.def == no_operand || problem.operands[shape.def].num_lanes != 1) {
        shape.kind = ShapeKind::Valu;
        break;
      }
      uint32_t slots[3];
      unsigned filled = 0;
      for (unsigned s = 0; s < shape.num_sources; ++s)
        if (shape.sources[s] != tied)
          slots[filled++] = shape.sources[s];
      if (opcode.starts_with("V_MOV"))
        shape.src0 = filled ? slots[0] : no_operand;
      else if (filled > 0) {
        shape.src1 = slots[filled - 1];
        shape.src0 = filled > 1 ? slots[filled - 2] : no_operand;
      }
      shape.only_y =
          opcode.starts_with("V_ADD_U32") || opcode.starts_with("V_LSHLREV") || opcode.starts_with("V_AND_B32");
      break;
    }
    case ShapeKind::Mfma:
      shape.passes = inst.latency;
      shape.xdl = !isSinglePrecision(opcode);
      if (opcode.find("F64") != std::string::npos)
        shape.passes = 0; // no sourced row for double precision
      break;
    case ShapeKind::Load:
      shape.from_lds = inst.kind == InstKind::LdsLoad;
      if (shape.def == no_operand)
        shape.kind = ShapeKind::Memory;
      break;
    case ShapeKind::Copy:
      if (shape.def == no_operand || shape.num_sources == 0)
        shape.kind = ShapeKind::Other; // of scalars, or from one side to the other
      break;
    default:
      break;
    }
  }
  return shapes;
}

} // namespace verilocc::cost
