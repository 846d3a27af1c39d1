#include "cost/loads.h"

#include <algorithm>

namespace verilocc::cost {

using namespace problem;

namespace {

/// What a load may not pass: barriers and calls, and stores to the same memory.
bool stops(const Inst &inst, bool lds) {
  switch (inst.kind) {
  case InstKind::Barrier:
  case InstKind::Call:
  case InstKind::InlineAsm:
  case InstKind::Branch:
  case InstKind::Atomic:
    return true;
  case InstKind::LdsStore:
    return lds;
  case InstKind::VectorStore:
    return !lds;
  default:
    return false;
  }
}

} // namespace

std::vector<LoadWish> loadWishes(const Problem &problem, const std::vector<Shape> &shapes, const Rules &rules) {
  std::vector<LoadWish> wishes;
  // Last definition and next use, by vreg and by fixed unit, of the block at hand.
  constexpr InstId none = ~0u;
  std::vector<InstId> vreg_def(problem.vregs.size(), none), unit_def(num_units, none);
  std::vector<InstId> ceiling(problem.insts.size());
  std::vector<InstId> next_use(problem.vregs.size(), none), unit_use(num_units, none);
  for (const Block &block : problem.blocks) {
    InstId last_stop[2] = {block.first, block.first};
    const auto inBlock = [&](InstId i) { return i != none && i >= block.first && i < block.last; };
    for (InstId i = block.first; i < block.last; ++i) {
      const Inst &inst = problem.insts[i];
      if (shapes[i].kind == ShapeKind::Load) {
        InstId top = last_stop[shapes[i].from_lds];
        for (const Operand &op : problem.operandsOf(inst))
          if (op.isUse())
            for (unsigned lane = 0; lane < (op.fixed ? op.num_lanes : 1u); ++lane) {
              const InstId def = op.fixed ? unit_def[op.reg + lane] : vreg_def[op.reg];
              if (inBlock(def))
                top = std::max(top, def + 1);
            }
        ceiling[i] = top;
      }
      for (const Operand &op : problem.operandsOf(inst))
        if (op.isDef()) {
          if (!op.fixed)
            vreg_def[op.reg] = i;
          else
            std::fill_n(unit_def.begin() + op.reg, op.num_lanes, i);
        }
      for (bool lds : {false, true})
        if (stops(inst, lds))
          last_stop[lds] = i + 1;
    }
    for (InstId i = block.last; i-- > block.first;) {
      const Inst &inst = problem.insts[i];
      const Shape &shape = shapes[i];
      if (shape.kind == ShapeKind::Load) {
        const Operand &def = problem.operands[shape.def];
        InstId use = none;
        for (unsigned lane = 0; lane < (def.fixed ? def.num_lanes : 1u); ++lane)
          if (const InstId at = def.fixed ? unit_use[def.reg + lane] : next_use[def.reg]; inBlock(at))
            use = std::min(use, at);
        const unsigned distance = (use == none ? block.last : use) - i;
        const unsigned latency = shape.from_lds ? rules.lds_latency : rules.vmem_latency;
        const unsigned room = i - std::min(ceiling[i], i);
        if (distance < latency && room > 0)
          wishes.push_back({i, shape.def, std::min(latency - distance, room)});
      }
      for (const Operand &op : problem.operandsOf(inst))
        if (op.isUse() && !op.has(operand_flag::Undef)) {
          if (!op.fixed)
            next_use[op.reg] = i;
          else
            std::fill_n(unit_use.begin() + op.reg, op.num_lanes, i);
        }
    }
  }
  std::sort(wishes.begin(), wishes.end(), [](const LoadWish &a, const LoadWish &b) { return a.inst < b.inst; });
  return wishes;
}

} // namespace verilocc::cost
