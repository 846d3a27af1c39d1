#include "smt/constraints.h"

#include <iterator>

namespace verilocc::smt {

using namespace problem;

namespace {

/// A run of numbers first, first + step, ..., last.
struct Run {
  unsigned first, last, step;
};

/// A set as runs; alignment makes steps of two and four.
std::vector<Run> runsOf(const UnitSet &set) {
  std::vector<Run> runs;
  for (unsigned unit = 0; unit < num_units; ++unit) {
    if (!set.test(unit))
      continue;
    unsigned step = 1;
    while (unit + step < num_units && !set.test(unit + step))
      ++step;
    if (unit + step >= num_units)
      step = 1;
    unsigned last = unit;
    auto onlyNextIn = [&](unsigned from) { // from + step is in, and nothing between
      if (from + step >= num_units)
        return false;
      for (unsigned gap = from + 1; gap < from + step; ++gap)
        if (set.test(gap))
          return false;
      return set.test(from + step);
    };
    while (onlyNextIn(last))
      last += step;
    runs.push_back({unit, last, step});
    unit = last;
  }
  return runs;
}

std::string inSet(const std::string &number, const UnitSet &set) {
  std::string text = "(or false";
  for (const Run &run : runsOf(set)) {
    text += fmt::format(" (and (<= {} {}) (<= {} {})", run.first, number, number, run.last);
    if (run.step > 1)
      text += fmt::format(" (= 0 (mod (- {} {}) {}))", number, run.first, run.step);
    text += ")";
  }
  return text + ")";
}

/// The lanes [number, number + count) meet none of the set.
std::string apartFrom(const std::string &number, unsigned count, const UnitSet &set) {
  std::string text = "(and true";
  for (const Run &run : runsOf(set))
    for (unsigned first = run.first; first <= run.last; first += run.step) {
      const unsigned last = run.step == 1 ? run.last : first;
      text += fmt::format(" (or (<= (+ {} {}) {}) (< {} {}))", number, count, first, last, number);
      if (run.step == 1)
        break;
    }
  return text + ")";
}

} // namespace

void addConstraints(const Problem &problem, const assignment::Assignment &assignment, Demands &demands) {
  auto out = std::back_inserter(demands.text);

  for (InstId id = 0; id < problem.insts.size(); ++id) {
    const Inst &inst = problem.insts[id];
    if (assignment.deleted[id] || inst.kind == InstKind::Kill || inst.kind == InstKind::ImplicitDef)
      continue;
    auto operands = problem.operandsOf(inst);
    auto isPlaced = [&](uint32_t o) { return assignment.units[inst.first_operand + o] != no_unit; };
    auto number = [&](uint32_t o) { return fmt::format("r{}.{}", id, o); };
    auto demand = [&](const std::string &what, const char *kind, uint32_t o) {
      demands.add(fmt::format("instruction {} operand {}: {}", id, o, kind), what);
    };
    for (uint32_t o = 0; o < operands.size(); ++o)
      if (isPlaced(o))
        fmt::format_to(out, "(define-fun {} () Int {}) ; {}\n", number(o), assignment.units[inst.first_operand + o],
                       unitName(assignment.units[inst.first_operand + o]));
    for (uint32_t o = 0; o < operands.size(); ++o) {
      const Operand &operand = operands[o];
      if (!isPlaced(o))
        continue;
      const std::string r = number(o);
      const unsigned count = operand.num_lanes;
      if (operand.fixed) {
        demand(fmt::format("(= {} {})", r, operand.reg), "its register", o);
        continue;
      }
      demand(problem.isPerThread(operand) ? fmt::format("(<= (+ {} {}) {})", r, count, first_sgpr)
                                          : fmt::format("(<= {} {})", first_sgpr, r),
             "register file", o);
      if (operand.constraint != no_class)
        demand(inSet(r, problem.env.classes[operand.constraint].bases), "class", o);
      if (operand.isUse() && operand.tied_to >= 0)
        demand(isPlaced(static_cast<uint32_t>(operand.tied_to))
                   ? fmt::format("(= {} {})", r, number(static_cast<uint32_t>(operand.tied_to)))
                   : "false",
               "tie", o);
      if (operand.isUse() && operand.has(operand_flag::Undef))
        continue; // read by nobody: it may name any register
      demand(apartFrom(r, count, problem.env.reserved), "not reserved", o);
      const MachineEnv &env = problem.env;
      demand(
          fmt::format("(and (=> (< {0} {1}) (<= (+ {0} {2}) {3})) (=> (and (<= {1} {0}) (< {0} {4})) (<= (+ {0} {2}) "
                      "{5})) (=> (and (<= {4} {0}) (<= (+ {0} {2}) {6})) (<= (+ {0} {2}) {7})))",
                      r, first_agpr, count, first_vgpr + env.max_vgprs, first_sgpr, first_agpr + env.max_agprs, vcc_lo,
                      first_sgpr + env.max_sgprs),
          "limit", o);
    }
    for (uint32_t x = 0; x < operands.size(); ++x)
      for (uint32_t y = x + 1; y < operands.size(); ++y) {
        const Operand &a = operands[x], &b = operands[y];
        if (!a.isDef() || !b.isDef() || !isPlaced(x) || !isPlaced(y) || (a.fixed && b.fixed))
          continue;
        std::string same = "false";
        if (!a.fixed && !b.fixed && a.reg == b.reg)
          same = fmt::format("(= (- {} {}) (- {} {}))", number(x), a.first_lane, number(y), b.first_lane);
        demand(fmt::format("(or {} (<= (+ {} {}) {}) (<= (+ {} {}) {}))", same, number(x), a.num_lanes, number(y),
                           number(y), b.num_lanes, number(x)),
               fmt::format("apart from operand {}", x).c_str(), y);
      }
  }
}

} // namespace verilocc::smt
