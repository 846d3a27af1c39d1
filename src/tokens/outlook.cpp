#include "tokens/outlook.h"

#include "cost/shape.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace verilocc::tokens {

using namespace problem;
using cost::Shape;
using cost::ShapeKind;

namespace {

/// How far ahead tuples to come are looked for.
constexpr size_t coming_horizon = 192;

/// Minimum over ranges of a fixed sequence: n log n to build, constant to ask.
class RangeMinimum {
public:
  explicit RangeMinimum(std::vector<int> values) {
    levels.push_back(std::move(values));
    for (size_t span = 1; 2 * span <= levels[0].size(); span *= 2) {
      const std::vector<int> &below = levels.back();
      std::vector<int> next(below.size() - span);
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = std::min(below[i], below[i + span]);
      levels.push_back(std::move(next));
    }
  }
  /// Of [first, last), not empty.
  int operator()(size_t first, size_t last) const {
    const unsigned level = static_cast<unsigned>(std::bit_width(last - first)) - 1;
    return std::min(levels[level][first], levels[level][last - (size_t(1) << level)]);
  }

private:
  std::vector<std::vector<int>> levels;
};

DefRole defRole(const Inst &inst) {
  switch (inst.kind) {
  case InstKind::VectorAlu:
  case InstKind::DualIssue:
  case InstKind::Transcendental:
    return DefRole::Valu;
  case InstKind::LdsLoad:
    return DefRole::LdsLoad;
  case InstKind::VectorLoad:
  case InstKind::Atomic:
  case InstKind::Reload:
    return DefRole::MemoryLoad;
  case InstKind::Matrix:
    return DefRole::Matrix;
  case InstKind::Copy:
  case InstKind::AccumMove:
    return DefRole::Copy;
  default:
    return DefRole::Other;
  }
}

/// `source`: which of the shape's sources the operand is; 3 if none.
UseRole useRole(ShapeKind kind, unsigned source) {
  switch (kind) {
  case ShapeKind::Valu:
    return UseRole::Valu;
  case ShapeKind::Dual:
    return UseRole::Dual;
  case ShapeKind::Wmma:
  case ShapeKind::Mfma:
    return source == 0   ? UseRole::MatrixA
           : source == 1 ? UseRole::MatrixB
           : source == 2 ? UseRole::MatrixC
                         : UseRole::Other;
  case ShapeKind::Memory:
  case ShapeKind::Load:
    return UseRole::Memory;
  default:
    return UseRole::Other;
  }
}

} // namespace

Outlook::Outlook(const Problem &problem, const analysis::LiveRanges &live, const analysis::Choices &choices,
                 const cost::Rules &rules, const Limits &limits)
    : problem(problem), live(live), choices(choices) {
  collectOrder();
  collectTraits();
  collectLinks(rules);
  collectSpare(limits);
  collectComing();
}

void Outlook::collectOrder() {
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    if (choices.isUsed(v))
      decided.push_back(v);
  std::sort(decided.begin(), decided.end(), [&](VReg a, VReg b) {
    const auto key = [&](VReg v) { return std::tuple(live.hull(v).start, -int(problem.widthOf(v)), v); };
    return key(a) < key(b);
  });
}

void Outlook::collectTraits() {
  all_traits.resize(problem.vregs.size());
  const std::vector<Shape> shapes = cost::shapesOf(problem);
  std::vector<double> def_weight(problem.vregs.size(), -1), use_weight(problem.vregs.size(), -1);
  for (BlockId b = 0; b < problem.blocks.size(); ++b) {
    const Block &block = problem.blocks[b];
    for (InstId i = block.first; i < block.last; ++i) {
      const Inst &inst = problem.insts[i];
      for (uint32_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o) {
        const Operand &op = problem.operands[o];
        if (op.fixed)
          continue;
        Traits &traits = all_traits[op.reg];
        traits.depth = std::max(traits.depth, block.loop_depth);
        traits.hottest = std::max(traits.hottest, block.frequency);
        if (op.isDef()) {
          if (block.frequency > def_weight[op.reg]) {
            def_weight[op.reg] = block.frequency;
            traits.def = defRole(inst);
          }
          continue;
        }
        const auto *sources = shapes[i].sources;
        const auto source = static_cast<unsigned>(std::find(sources, sources + 3, o) - sources);
        const UseRole role = useRole(shapes[i].kind, source);
        // Of equally hot uses the one that banks or matrix fragments depend on tells more.
        const double weight = block.frequency * (role == UseRole::Other ? 0.5 : role == UseRole::Memory ? 0.75 : 1);
        if (weight > use_weight[op.reg]) {
          use_weight[op.reg] = weight;
          traits.use = role;
        }
      }
    }
    for (BlockId pred : block.preds)
      if (pred >= b)
        for (const analysis::BorderLanes &border : live.border(b))
          if (border.in)
            all_traits[border.vreg].carried = true;
  }
}

void Outlook::collectLinks(const cost::Rules &rules) {
  const std::vector<Shape> shapes = cost::shapesOf(problem);
  fixed_costs.assign(problem.vregs.size(), {});
  std::vector<std::map<VReg, ByBank>> links(problem.vregs.size());

  /// `bad`: the differences of units modulo 4, as bits, that cost `weight`.
  const auto link = [&](uint32_t a, uint32_t b, unsigned bad, double weight) {
    if (a == cost::no_operand || b == cost::no_operand || weight <= 0)
      return;
    const Operand &x = problem.operands[a], &y = problem.operands[b];
    const auto amount = static_cast<Cycles>(std::llround(weight * cycle));
    const auto isVgpr = [](const Operand &op) { return op.fixed && op.reg < first_agpr; };
    if (x.fixed && y.fixed)
      return;
    if (x.fixed || y.fixed) {
      const Operand &moving = x.fixed ? y : x, &standing = x.fixed ? x : y;
      if (!isVgpr(standing))
        return;
      for (unsigned bank = 0; bank < num_banks; ++bank) {
        const unsigned difference = (bank + moving.first_lane - standing.reg) % num_banks;
        if (bad >> (x.fixed ? (num_banks - difference) % num_banks : difference) & 1)
          fixed_costs[moving.reg][bank] += amount;
      }
      return;
    }
    if (x.reg == y.reg)
      return; // banks of one tuple's lanes are what they are
    for (unsigned d = 0; d < num_banks; ++d)
      if (bad >> ((d + x.first_lane - y.first_lane) % num_banks) & 1) {
        links[x.reg].try_emplace(y.reg).first->second[d] += amount;
        links[y.reg].try_emplace(x.reg).first->second[(num_banks - d) % num_banks] += amount;
      }
  };

  constexpr unsigned same = 1u << 0, same_parity = 1u << 0 | 1u << 2;
  for (const Block &block : problem.blocks)
    for (InstId i = block.first; i < block.last; ++i) {
      const Shape &shape = shapes[i];
      const bool valu = rules.valu_banks && (shape.kind == ShapeKind::Valu || shape.kind == ShapeKind::Dual);
      const bool wmma = rules.wmma_banks && shape.kind == ShapeKind::Wmma;
      if (valu || wmma)
        for (unsigned s = 0; s < shape.num_sources; ++s)
          for (unsigned t = s + 1; t < shape.num_sources; ++t)
            link(shape.sources[s], shape.sources[t], same, block.frequency * (wmma ? rules.wmma_conflict : 1));
      if (rules.vopd && i > block.first && shape.kind == ShapeKind::Dual && shapes[i - 1].kind == ShapeKind::Dual) {
        // Each instruction has two neighbours and pairs with one at most.
        const Shape &before = shapes[i - 1];
        const double half = block.frequency / 2;
        link(before.def, shape.def, same_parity, half);
        link(before.src0, shape.src0, same, half);
        link(before.src1, shape.src1, same, half);
      }
    }
  for (std::map<VReg, ByBank> &own : links) {
    first_link.push_back(static_cast<uint32_t>(all_links.size()));
    for (const auto &[other, by_difference] : own)
      all_links.push_back({other, by_difference});
  }
  first_link.push_back(static_cast<uint32_t>(all_links.size()));
}

void Outlook::collectSpare(const Limits &limits) {
  enum { VectorFile, AccumFile, AnyVector, ScalarFile, VectorOrEither, num_curves };
  const size_t points = 2 * problem.insts.size() + 2;
  std::vector<std::vector<int>> spare(num_curves, std::vector<int>(points));
  const auto take = [&](unsigned curve, analysis::Segments segments) {
    for (const analysis::Segment &segment : segments) {
      --spare[curve][segment.start];
      ++spare[curve][segment.end];
    }
  };
  // An AV class belongs to no file; the sum of both files bounds it.
  const auto curveOf = [](const RegClass &cls) -> unsigned {
    const size_t first = cls.bases._Find_first();
    if (first >= first_sgpr)
      return ScalarFile;
    if (first >= first_agpr)
      return AccumFile;
    return cls.bases._Find_next(first_agpr - 1) < first_sgpr ? AnyVector : VectorFile;
  };
  for (VReg v : decided) {
    const unsigned curve = curveOf(problem.classOf(v));
    for (unsigned lane = 0; lane < problem.widthOf(v); ++lane) {
      take(curve, live.lane(v, lane));
      if (curve < AnyVector)
        take(AnyVector, live.lane(v, lane));
      if (curve == VectorFile || curve == AnyVector)
        take(VectorOrEither, live.lane(v, lane));
    }
  }
  for (unsigned u = 0; u < vcc_lo; ++u) {
    const auto unit = static_cast<RegUnit>(u);
    take(u < first_agpr ? VectorFile : u < first_sgpr ? AccumFile : ScalarFile, live.unit(unit));
    if (u < first_sgpr)
      take(AnyVector, live.unit(unit));
    if (u < first_agpr)
      take(VectorOrEither, live.unit(unit));
  }
  int least = 0;
  const int start[num_curves] = {int(limits.vgprs), int(limits.agprs), int(limits.vgprs + limits.agprs),
                                 int(limits.sgprs), int(limits.vgprs)};
  std::vector<RangeMinimum> minimum;
  for (unsigned c = 0; c < num_curves; ++c) {
    int value = start[c];
    for (int &point : spare[c])
      point = value += point;
    minimum.emplace_back(std::move(spare[c]));
  }
  least = minimum[AnyVector](0, points);
  peak_lanes = static_cast<unsigned>(std::max(0, start[AnyVector] - least));
  for (VReg v : decided) {
    const analysis::Segment hull = live.hull(v);
    const size_t last = std::max<size_t>(hull.end, hull.start + 1);
    const unsigned curve = curveOf(problem.classOf(v));
    int found = minimum[curve](hull.start, last);
    if (curve < AnyVector)
      found = std::min(found, minimum[AnyVector](hull.start, last));
    all_traits[v].spare = found;
    all_traits[v].crowded = curve == AnyVector && minimum[VectorOrEither](hull.start, last) < 0;
  }
}

void Outlook::collectComing() {
  coming_tuples.resize(problem.vregs.size());
  num_coming.assign(problem.vregs.size(), 0);
  for (size_t i = 0; i < decided.size(); ++i) {
    const VReg v = decided[i];
    const analysis::Point end = live.hull(v).end;
    VReg next = v, widest = v;
    for (size_t j = i + 1; j < std::min(decided.size(), i + 1 + coming_horizon); ++j) {
      const VReg other = decided[j];
      if (live.hull(other).start >= end)
        break;
      if (problem.widthOf(other) < 2 || choices.isVector(other) != choices.isVector(v))
        continue;
      if (next == v)
        next = other;
      if (widest == v || problem.widthOf(other) > problem.widthOf(widest))
        widest = other;
    }
    if (next != v)
      coming_tuples[v][num_coming[v]++] = next;
    if (widest != next)
      coming_tuples[v][num_coming[v]++] = widest;
  }
}

} // namespace verilocc::tokens
