#include "cost/pairing.h"

#include "cost/instruction.h"

#include <algorithm>
#include <bit>

namespace verilocc::cost {

using namespace problem;

namespace {

/// LLVM schedules what lies between two of these.
bool endsRegion(const Inst &inst) {
  return inst.kind == InstKind::Call || inst.kind == InstKind::Barrier || inst.kind == InstKind::Branch ||
         inst.kind == InstKind::Return || inst.kind == InstKind::InlineAsm || inst.mask_op == MaskOp::AndSave ||
         inst.mask_op == MaskOp::OrSave || inst.mask_op == MaskOp::XorSave || inst.mask_op == MaskOp::AndNotSave ||
         inst.mask_op == MaskOp::NotAndSave || inst.mask_op == MaskOp::WholeQuadSave ||
         inst.mask_op == MaskOp::UnknownSave || inst.mask_op == MaskOp::CompareExec ||
         inst.mask_op == MaskOp::Unknown || inst.has(inst_flag::Terminator);
}

/// What the instructions that depend on one instruction write and read, by vreg (a bit a lane) and by unit.
class Taint {
public:
  explicit Taint(const Problem &problem) : marks(problem.vregs.size() + num_units), num_vregs(problem.vregs.size()) {}

  void clear() { ++stamp; }
  void add(const Operand &op) {
    forMarks(op, [&](Mark &mark, uint32_t lanes) { (op.isDef() ? mark.written : mark.read) |= lanes; });
  }
  bool writes(const Operand &op) {
    bool met = false;
    forMarks(op, [&](Mark &mark, uint32_t lanes) { met |= mark.written & lanes; });
    return met;
  }
  bool reads(const Operand &op) {
    bool met = false;
    forMarks(op, [&](Mark &mark, uint32_t lanes) { met |= mark.read & lanes; });
    return met;
  }

private:
  struct Mark {
    uint32_t stamp = 0, written = 0, read = 0;
  };
  template <typename Function> void forMarks(const Operand &op, Function function) {
    const auto fresh = [&](size_t index) -> Mark & {
      Mark &mark = marks[index];
      if (mark.stamp != stamp)
        mark = {stamp, 0, 0};
      return mark;
    };
    if (!op.fixed) {
      const uint32_t lanes = op.num_lanes >= 32 ? ~0u : (1u << op.num_lanes) - 1;
      function(fresh(op.reg), lanes << op.first_lane);
    } else {
      for (unsigned lane = 0; lane < op.num_lanes; ++lane)
        function(fresh(num_vregs + op.reg + lane), 1);
    }
  }
  std::vector<Mark> marks;
  size_t num_vregs;
  uint32_t stamp = 0;
};

bool isExec(const Operand &op) {
  return op.fixed && overlapsExec(op.reg, op.num_lanes);
}

} // namespace

Pairing::Pairing(const Problem &problem, const std::vector<Shape> &shapes) : problem(problem), shapes(shapes) {
  Taint taint(problem), between(problem);
  index_of.assign(problem.insts.size(), 0);
  for (const Block &block : problem.blocks)
    for (InstId i = block.first; i < block.last; ++i) {
      if (shapes[i].kind != ShapeKind::Dual)
        continue;
      taint.clear();
      between.clear();
      const auto follow = [&](Taint &set, InstId k) {
        for (const Operand &op : problem.operandsOf(problem.insts[k]))
          if (!isExec(op))
            set.add(op);
      };
      follow(taint, i);
      uint64_t free = 0, now = 0;
      for (InstId k = i + 1; k < block.last && k - i <= reach && !endsRegion(problem.insts[k]); ++k) {
        bool depends = false, reads_result = false, held = false;
        for (const Operand &op : problem.operandsOf(problem.insts[k])) {
          if (isExec(op))
            continue;
          // A pair reads both sides before it writes: what k writes, i itself may read.
          reads_result |= taint.writes(op);
          depends |= op.isDef() && taint.reads(op);
          held |= between.writes(op) || (op.isDef() && between.reads(op));
        }
        if (shapes[k].kind == ShapeKind::Dual && !reads_result && (!depends || k == i + 1)) {
          free |= 1ull << (k - i - 1);
          now |= held ? 0 : 1ull << (k - i - 1);
        }
        if (reads_result || depends)
          follow(taint, k);
        follow(between, k);
      }
      index_of[i] = static_cast<uint32_t>(candidates.size());
      candidates.push_back(i);
      reachable.push_back(free);
      ready.push_back(now);
    }
}

bool Pairing::isReady(InstId first, InstId second) const {
  return ready[index_of[first]] >> (second - first - 1) & 1;
}

bool Pairing::possible(InstId i, InstId j) const {
  const Shape &x = shapes[i], &y = shapes[j];
  if (x.only_y && y.only_y)
    return false;
  const auto same = [&](uint32_t a, uint32_t b) {
    if (a == no_operand || b == no_operand)
      return false;
    const Operand &p = problem.operands[a], &q = problem.operands[b];
    return p.fixed == q.fixed && p.reg == q.reg && (p.fixed || (p.first_lane - q.first_lane) % 4 == 0);
  };
  const Operand &p = problem.operands[x.def], &q = problem.operands[y.def];
  if (p.fixed && q.fixed ? p.reg % 2 == q.reg % 2
                         : !p.fixed && !q.fixed && p.reg == q.reg && p.first_lane % 2 == q.first_lane % 2)
    return false;
  return !same(x.src0, y.src0) && !same(x.src1, y.src1);
}

std::vector<InstId> Pairing::match(const Locator &where, const std::vector<InstId> &made) const {
  std::vector<InstId> partner = made;
  partner.resize(problem.insts.size(), no_partner);
  const auto round = [&](auto fits) {
    for (size_t c = 0; c < candidates.size(); ++c) {
      const InstId i = candidates[c];
      if (partner[i] != no_partner)
        continue;
      for (uint64_t rest = reachable[c]; rest; rest &= rest - 1) {
        const InstId j = i + 1 + static_cast<InstId>(std::countr_zero(rest));
        if (partner[j] != no_partner || !fits(i, j))
          continue;
        partner[i] = j;
        partner[j] = i;
        break;
      }
    }
  };
  round([&](InstId i, InstId j) { return banksPair(shapes[i], shapes[j], where); });
  round([&](InstId i, InstId j) { return possible(i, j); });
  return partner;
}

} // namespace verilocc::cost
