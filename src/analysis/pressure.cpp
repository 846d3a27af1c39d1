#include "analysis/pressure.h"

#include <algorithm>
#include <fmt/format.h>

namespace verilocc::analysis {

using namespace problem;

namespace {

/// The number of live lanes at each point, as differences.
class Curve {
public:
  explicit Curve(size_t num_insts) : change(2 * num_insts + 2) {}
  void add(Segments segments) {
    for (const Segment &segment : segments) {
      ++change[segment.start];
      --change[segment.end];
    }
  }
  Curve &operator+=(const Curve &other) {
    for (size_t i = 0; i < change.size(); ++i)
      change[i] += other.change[i];
    return *this;
  }
  Peak peak() const {
    Peak peak;
    int lanes = 0;
    for (Point point = 0; point < change.size(); ++point) {
      lanes += change[point];
      if (lanes > int(peak.lanes))
        peak = {static_cast<unsigned>(lanes), instAt(point)};
    }
    return peak;
  }

private:
  std::vector<int> change;
};

} // namespace

const char *name(PressureSet set) {
  constexpr const char *names[] = {"vgpr", "agpr", "vgpr-or-agpr", "sgpr"};
  return names[static_cast<size_t>(set)];
}

PressureSet pressureSet(const RegClass &cls) {
  const size_t first = cls.bases._Find_first();
  if (first < first_agpr) {
    const size_t accum = cls.bases._Find_next(first_agpr - 1);
    return accum < first_sgpr ? PressureSet::VectorOrAccum : PressureSet::Vector;
  }
  return first < first_sgpr ? PressureSet::Accum : PressureSet::Scalar;
}

Pressure measurePressure(const Problem &problem, const LiveRanges &live) {
  std::vector<Curve> curves(num_pressure_sets, Curve(problem.insts.size()));
  const auto curve = [&](PressureSet set) -> Curve & { return curves[static_cast<size_t>(set)]; };
  std::vector<PressureSet> set_of;
  for (const RegClass &cls : problem.env.classes)
    set_of.push_back(pressureSet(cls));
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    for (unsigned lane = 0; lane < problem.widthOf(v); ++lane)
      curve(set_of[problem.vregs[v]]).add(live.lane(v, lane));
  for (unsigned u = 0; u < m0; ++u)
    curve(u < first_agpr   ? PressureSet::Vector
          : u < first_sgpr ? PressureSet::Accum
                           : PressureSet::Scalar)
        .add(live.unit(static_cast<RegUnit>(u)));
  Pressure result;
  for (unsigned set = 0; set < num_pressure_sets; ++set)
    result.peaks[set] = curves[set].peak();
  result.any_vector =
      ((curve(PressureSet::Vector) += curve(PressureSet::Accum)) += curve(PressureSet::VectorOrAccum)).peak();
  return result;
}

RegisterCounts countRegisters(const Problem &problem, const assignment::Assignment &assignment) {
  RegisterCounts counts;
  const auto use = [&](unsigned first, unsigned size) {
    const unsigned last = first + size - 1;
    if (last < first_agpr)
      counts.vgprs = std::max(counts.vgprs, last - first_vgpr + 1);
    else if (last < first_sgpr)
      counts.agprs = std::max(counts.agprs, last - first_agpr + 1);
    else if (last < vcc_lo)
      counts.sgprs = std::max(counts.sgprs, last - first_sgpr + 1);
  };
  enum : uint8_t { Unused, Placed, Unplaced };
  std::vector<uint8_t> state(problem.vregs.size(), Unused);
  for (size_t o = 0; o < problem.operands.size(); ++o) {
    const Operand &op = problem.operands[o];
    const RegUnit unit = assignment.units[o];
    if (unit != no_unit)
      use(unit, op.num_lanes);
    if (!op.fixed)
      state[op.reg] = std::max<uint8_t>(state[op.reg], unit == no_unit ? Unplaced : Placed);
  }
  for (const Operand &op : assignment.edit_operands)
    use(op.reg, op.num_lanes);
  for (uint8_t s : state) {
    counts.placed += s == Placed;
    counts.unplaced += s == Unplaced;
  }
  return counts;
}

std::string printPressure(const Problem &problem, const Pressure &pressure) {
  std::string out = fmt::format("{:<14}{:>6}  {}\n", "registers", "peak", "at");
  const auto row = [&](const char *what, const Peak &peak) {
    out += fmt::format("{:<14}{:>6}", what, peak.lanes);
    if (peak.lanes && peak.inst < problem.insts.size()) {
      const BlockId block = problem.blockOf(peak.inst);
      out += fmt::format("  block {}, instruction {}: {}", block, peak.inst,
                         problem.opcodes[problem.insts[peak.inst].opcode]);
    }
    out += "\n";
  };
  for (unsigned set = 0; set < num_pressure_sets; ++set)
    if (const Peak &peak = pressure.peaks[set]; peak.lanes || set == 0)
      row(name(static_cast<PressureSet>(set)), peak);
  if (pressure.any_vector.lanes != pressure[PressureSet::Vector].lanes)
    row("all vector", pressure.any_vector);
  return out;
}

} // namespace verilocc::analysis
