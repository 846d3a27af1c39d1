#include "allocators/first_fit.h"

#include "analysis/choices.h"
#include "analysis/occupancy.h"
#include "analysis/pressure.h"
#include "cost/occupancy.h"

#include <algorithm>
#include <tuple>

namespace verilocc::allocators {

using namespace problem;
using analysis::Choices;
using analysis::CopyLink;
using analysis::Hint;
using analysis::LiveRanges;
using analysis::Occupancy;
using assignment::Homes;

namespace {

/// More vregs than this: no ejections. Functions of this size are rare, and a run takes a tenth of a second there.
constexpr size_t many_vregs = 6000;

/// The steps in which vector registers cost waves. Source: "Register files" and "Waves per SIMD" in
/// hardware.md (measured with llc 19).
struct VectorFile {
  unsigned step = 8;
  unsigned free = 0; ///< so many registers cost nothing

  unsigned steps(unsigned registers) const { return registers <= free ? 0 : (registers - free + step - 1) / step; }
};

VectorFile vectorFile(const MachineEnv &env) {
  const std::string_view arch = env.arch;
  const bool wave32 = env.wave_size == 32;
  if (arch.starts_with("gfx11") || arch.starts_with("gfx12"))
    return {wave32 ? 24u : 12u, wave32 ? 96u : 48u};
  if (arch.starts_with("gfx10"))
    return {wave32 ? 16u : 8u, wave32 ? 64u : 32u};
  if (cost::hasUnifiedFile(arch))
    return {8, 64};
  return {4, 24};
}

struct Run {
  Homes homes;
  std::vector<VReg> left_over;
  unsigned vgprs = 0, agprs = 0, sgprs = 0; ///< in use
  double copies = 0;                        ///< executions of copies that stay
};

/// The vregs of one kind, vector or scalar.
class Domain {
public:
  Domain(const Problem &problem, const LiveRanges &live, const Choices &choices, const FirstFitOptions &options,
         const Occupancy &taken, const Homes &given, bool vectors)
      : problem(problem),
        live(live),
        choices(choices),
        options(options),
        taken(taken),
        given(given),
        vectors(vectors),
        file(vectorFile(problem.env)) {
    if (options.step) {
      file.step = options.step;
      file.free = 0;
    }
    for (VReg v = 0; v < problem.vregs.size(); ++v)
      if (choices.isUsed(v) && choices.isVector(v) == vectors && given[v] == no_unit)
        vregs.push_back(v);
    weight.resize(problem.vregs.size());
    area.resize(problem.vregs.size());
    for (VReg v : vregs) {
      double points = 0;
      for (unsigned lane = 0; lane < problem.widthOf(v); ++lane)
        for (const analysis::Segment &segment : live.lane(v, lane))
          points += segment.end - segment.start;
      area[v] = points;
      weight[v] = choices.uses(v) / (points + 1);
    }
    for (const Operand &op : problem.operands)
      if (op.fixed)
        countUnits(floor, op.reg, op.num_lanes);
  }

  Homes best() {
    if (vregs.empty())
      return given;
    Run winner;
    std::vector<VReg> winning_order;
    for (std::vector<VReg> &order : orders()) {
      Run run = runOnce(order, {}, 0);
      if (winner.homes.empty() || better(run, winner)) {
        winner = std::move(run);
        winning_order = std::move(order);
      }
    }
    const unsigned ejections = vregs.size() > many_vregs ? 0 : options.ejections;
    if (ejections && !winner.left_over.empty())
      if (Run run = runOnce(winning_order, {}, ejections); better(run, winner))
        winner = std::move(run);
    if (ejections && vectors && winner.left_over.empty())
      tighten(winner, winning_order, ejections);
    return std::move(winner.homes);
  }

private:
  /// Numbers of registers that a run may use.
  struct Limits {
    unsigned vgprs = num_units, agprs = num_units;
  };

  /// Highest v, a and s register in use, plus one.
  struct Counts {
    unsigned v = 0, a = 0, s = 0;
  };
  static void countUnits(Counts &counts, unsigned first, unsigned size) {
    const unsigned end = first + size;
    if (end <= first_agpr)
      counts.v = std::max(counts.v, end - first_vgpr);
    else if (end <= first_sgpr)
      counts.a = std::max(counts.a, end - first_agpr);
    else if (end <= vcc_lo)
      counts.s = std::max(counts.s, end - first_sgpr);
  }

  std::vector<std::vector<VReg>> orders() const {
    std::vector<std::vector<VReg>> result(4, vregs);
    const auto start = [&](VReg v) { return live.hull(v).start; };
    const auto width = [&](VReg v) { return -int(problem.widthOf(v)); };
    const auto by = [&](std::vector<VReg> &order, auto key) {
      std::sort(order.begin(), order.end(),
                [&](VReg a, VReg b) { return std::pair(key(a), a) < std::pair(key(b), b); });
    };
    by(result[0], [&](VReg v) { return std::tuple(start(v), width(v)); });
    by(result[1], [&](VReg v) { return std::tuple(width(v), start(v)); });
    by(result[2], [&](VReg v) { return std::tuple(-weight[v], width(v)); });
    by(result[3], [&](VReg v) { return std::tuple(-area[v], width(v)); });
    return result;
  }

  unsigned registers(const Run &run) const {
    return vectors ? cost::countedRegisters(problem.env.arch, run.vgprs, run.agprs) : run.sgprs;
  }
  bool better(const Run &a, const Run &b) const {
    const auto key = [&](const Run &run) {
      double left_over = 0;
      for (VReg v : run.left_over)
        left_over += choices.uses(v);
      const unsigned used = registers(run);
      // Scalar registers cost no occupancy on the architectures of today; few of them still keep the code simple.
      const unsigned steps = vectors ? file.steps(used) : (used + 7) / 8;
      return std::tuple(run.left_over.size(), left_over, steps, run.copies, used);
    };
    return key(a) < key(b);
  }

  Run runOnce(const std::vector<VReg> &order, const Limits &limits, unsigned ejections) const {
    Run result;
    result.homes = given;
    Occupancy occupancy = taken;
    std::vector<VReg> waiting(order.rbegin(), order.rend()); // the next one last
    std::vector<unsigned> ejected(ejections ? problem.vregs.size() : 0);
    while (!waiting.empty()) {
      const VReg v = waiting.back();
      waiting.pop_back();
      RegUnit home = place(v, occupancy, result.homes, limits);
      if (home == no_unit && ejections > 0) {
        std::vector<VReg> victims;
        home = cheapestEjection(v, occupancy, limits, ejected, victims);
        ejections -= std::min<size_t>(ejections, victims.size());
        for (VReg victim : victims) {
          occupancy.remove(victim, result.homes[victim]);
          result.homes[victim] = no_unit;
          ++ejected[victim];
          waiting.push_back(victim);
        }
      }
      if (home == no_unit) {
        result.left_over.push_back(v);
        continue;
      }
      occupancy.add(v, home);
      result.homes[v] = home;
    }
    // Ejections may have made room for what was left over before them.
    std::erase_if(result.left_over, [&](VReg v) {
      const RegUnit home = place(v, occupancy, result.homes, limits);
      if (home != no_unit)
        occupancy.add(v, home);
      result.homes[v] = home;
      return home != no_unit;
    });
    measure(result);
    return result;
  }

  void measure(Run &run) const {
    Counts counts = floor;
    for (VReg v : vregs)
      if (run.homes[v] != no_unit)
        countUnits(counts, run.homes[v], problem.widthOf(v));
    run.vgprs = counts.v;
    run.agprs = counts.a;
    run.sgprs = counts.s;
    for (const CopyLink &link : choices.copies()) {
      if (choices.isVector(link.target) != vectors)
        continue;
      const RegUnit target = run.homes[link.target];
      const int source = link.fixed ? int(link.source) : int(run.homes[link.source]);
      if (target == no_unit || source == no_unit || target != source + link.offset)
        run.copies += link.weight;
    }
  }

  bool within(VReg v, RegUnit base, const Limits &limits) const {
    const unsigned end = base + problem.widthOf(v);
    return base < first_agpr ? end <= first_vgpr + limits.vgprs
                             : base >= first_sgpr || end <= first_agpr + limits.agprs;
  }

  /// The place for `v` whose present owners are cheapest to move: few, narrow, and not moved often before. no_unit if
  /// fixed registers or tied vregs are in the way everywhere.
  RegUnit cheapestEjection(VReg v, const Occupancy &occupancy, const Limits &limits,
                           const std::vector<unsigned> &ejected, std::vector<VReg> &victims) const {
    const auto tied = [&](VReg w) {
      const auto hints = choices.hints(w);
      return std::any_of(hints.begin(), hints.end(), [](const Hint &hint) { return hint.hard; });
    };
    RegUnit best_base = no_unit;
    unsigned best_cost = ~0u;
    if (tied(v))
      return no_unit;
    for (RegUnit base : choices.candidates(v)) {
      if (!within(v, base, limits))
        continue;
      auto owners = occupancy.vregsInTheWay(v, base);
      if (!owners)
        continue;
      unsigned cost = 0;
      for (VReg w : *owners) {
        cost += problem.widthOf(w) * (1 + ejected[w]);
        if (given[w] != no_unit || tied(w))
          cost = ~0u;
        if (cost >= best_cost)
          break;
      }
      if (cost < best_cost) {
        best_cost = cost;
        best_base = base;
        victims = std::move(*owners);
      }
    }
    return best_base;
  }

  RegUnit place(VReg v, const Occupancy &occupancy, const Homes &homes, const Limits &limits) const {
    struct Wish {
      RegUnit base;
      double weight;
    };
    std::vector<Wish> wishes;
    RegUnit demanded = no_unit;
    for (const Hint &hint : choices.hints(v)) {
      if (!hint.fixed && homes[hint.vreg] == no_unit)
        continue;
      const int base = hint.fixed ? int(hint.unit) : homes[hint.vreg] + hint.offset;
      const bool possible = base >= 0 && base < int(num_units) && choices.allows(v, static_cast<RegUnit>(base));
      if (hint.hard) {
        if (!possible || (demanded != no_unit && demanded != base))
          return no_unit;
        demanded = static_cast<RegUnit>(base);
      }
      if (!possible)
        continue;
      const auto same = std::find_if(wishes.begin(), wishes.end(), [&](const Wish &w) { return w.base == base; });
      if (same == wishes.end())
        wishes.push_back({static_cast<RegUnit>(base), hint.weight});
      else
        same->weight += hint.weight;
    }
    if (demanded != no_unit)
      return within(v, demanded, limits) && occupancy.fits(v, demanded) ? demanded : no_unit;
    std::sort(wishes.begin(), wishes.end(),
              [](const Wish &a, const Wish &b) { return std::pair(-a.weight, a.base) < std::pair(-b.weight, b.base); });
    for (const Wish &wish : wishes)
      if (within(v, wish.base, limits) && occupancy.fits(v, wish.base))
        return wish.base;
    for (RegUnit base : choices.candidates(v))
      if (within(v, base, limits) && occupancy.fits(v, base))
        return base;
    return no_unit;
  }

  /// Goes down in steps of occupancy as long as everything still fits.
  void tighten(Run &winner, const std::vector<VReg> &order, unsigned ejections) const {
    const analysis::Pressure pressure = analysis::measurePressure(problem, live);
    const bool is_unified = cost::hasUnifiedFile(problem.env.arch);
    const unsigned bound =
        std::max(is_unified ? pressure.any_vector.lanes : pressure[analysis::PressureSet::Vector].lanes,
                 cost::countedRegisters(problem.env.arch, floor.v, floor.a));
    while (const unsigned steps = file.steps(registers(winner))) {
      const unsigned goal = file.free + (steps - 1) * file.step;
      if (goal < bound)
        return;
      Limits limits{goal, goal};
      if (is_unified && winner.agprs) {
        limits.agprs = std::min(winner.agprs, goal);
        limits.vgprs = (goal - limits.agprs) / 4 * 4;
      }
      Run run = runOnce(order, limits, ejections);
      if (!run.left_over.empty() || !better(run, winner))
        return;
      winner = std::move(run);
    }
  }

  const Problem &problem;
  const LiveRanges &live;
  const Choices &choices;
  const FirstFitOptions &options;
  const Occupancy &taken; ///< fixed registers and given homes
  const Homes &given;
  const bool vectors;
  VectorFile file;
  std::vector<VReg> vregs;
  std::vector<double> weight, area; ///< by vreg
  Counts floor;                     ///< registers that the code names
};

} // namespace

Homes firstFit(const Problem &problem, const LiveRanges &live, const FirstFitOptions &options) {
  const Choices choices(problem);
  Occupancy taken(problem, live);
  Homes homes(problem.vregs.size(), no_unit);
  assert(options.given.empty() || options.given.size() == homes.size());
  for (VReg v = 0; v < options.given.size(); ++v)
    if (const RegUnit home = options.given[v]; home != no_unit && taken.fits(v, home)) {
      taken.add(v, home);
      homes[v] = home;
    }
  for (bool vectors : {true, false})
    if (vectors ? options.vectors : options.scalars)
      homes = Domain(problem, live, choices, options, taken, homes, vectors).best();
  return homes;
}

} // namespace verilocc::allocators
