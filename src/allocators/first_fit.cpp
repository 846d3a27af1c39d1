#include "allocators/first_fit.h"

#include "allocators/choices.h"
#include "analysis/occupancy.h"
#include "analysis/pressure.h"

#include <algorithm>
#include <tuple>

namespace verilocc::allocators {

using namespace problem;
using analysis::LiveRanges;
using analysis::Occupancy;
using assignment::Homes;

namespace {

/// More vregs than this: one pass an order, no restarts, no tightening. Functions of this size are rare, and a pass
/// takes a tenth of a second there.
constexpr size_t many_vregs = 4000;

struct Run {
  Homes homes;
  std::vector<VReg> left_over;
  unsigned registers = 0; ///< v and a, or s, registers in use
  double copies = 0;      ///< executions of copies that stay
};

/// The vregs of one kind, vector or scalar.
class Domain {
public:
  Domain(const Problem &problem, const LiveRanges &live, const Choices &choices, const FirstFitOptions &options,
         const Occupancy &taken, const Homes &given, bool vectors)
      : problem(problem), live(live), choices(choices), options(options), taken(taken), given(given), vectors(vectors) {
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
    const bool many = vregs.size() > many_vregs;
    const unsigned restarts = many ? 0 : options.restarts;
    Run winner;
    std::vector<VReg> winning_order;
    for (std::vector<VReg> &order : orders()) {
      Run run = runWithRestarts(order, restarts, no_limit);
      if (winner.homes.empty() || better(run, winner)) {
        winner = std::move(run);
        winning_order = std::move(order);
      }
    }
    if (vectors && options.tighten && !many && winner.left_over.empty())
      tighten(winner, std::move(winning_order));
    return std::move(winner.homes);
  }

private:
  static constexpr unsigned no_limit = num_units;

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
      std::stable_sort(order.begin(), order.end(), [&](VReg a, VReg b) { return key(a) < key(b); });
    };
    by(result[0], [&](VReg v) { return std::tuple(start(v), width(v)); });
    by(result[1], [&](VReg v) { return std::tuple(width(v), start(v)); });
    by(result[2], [&](VReg v) { return std::tuple(-weight[v], width(v)); });
    by(result[3], [&](VReg v) { return std::tuple(-area[v], width(v)); });
    return result;
  }

  bool better(const Run &a, const Run &b) const {
    const auto key = [&](const Run &run) {
      double left_over = 0;
      for (VReg v : run.left_over)
        left_over += choices.uses(v);
      const unsigned granule = std::max(options.granule, 1u);
      return std::tuple(run.left_over.size(), left_over, (run.registers + granule - 1) / granule, run.copies,
                        run.registers);
    };
    return key(a) < key(b);
  }

  /// `order` becomes the last one tried.
  Run runWithRestarts(std::vector<VReg> &order, unsigned restarts, unsigned limit) const {
    Run best_run = run(order, limit);
    std::vector<VReg> left_over = best_run.left_over;
    while (restarts-- > 0 && !left_over.empty()) {
      std::vector<uint8_t> first(problem.vregs.size());
      for (VReg v : left_over)
        first[v] = 1;
      std::stable_partition(order.begin(), order.end(), [&](VReg v) { return first[v]; });
      Run next = run(order, limit);
      left_over = next.left_over;
      if (better(next, best_run))
        best_run = std::move(next);
    }
    return best_run;
  }

  Run run(const std::vector<VReg> &order, unsigned limit) const {
    Run result;
    result.homes = given;
    Occupancy occupancy = taken;
    Counts counts = floor;
    for (VReg v : order) {
      const RegUnit home = place(v, occupancy, result.homes, limit);
      if (home == no_unit) {
        result.left_over.push_back(v);
        continue;
      }
      occupancy.add(v, home);
      result.homes[v] = home;
      countUnits(counts, home, problem.widthOf(v));
    }
    result.registers = vectors ? counts.v + counts.a : counts.s;
    for (const CopyLink &link : choices.copies()) {
      if (choices.isVector(link.target) != vectors)
        continue;
      const RegUnit target = result.homes[link.target];
      const int source = link.fixed ? int(link.source) : int(result.homes[link.source]);
      if (target == no_unit || source == no_unit || target != source + link.offset)
        result.copies += link.weight;
    }
    return result;
  }

  RegUnit place(VReg v, const Occupancy &occupancy, const Homes &homes, unsigned limit) const {
    const unsigned width = problem.widthOf(v);
    const auto within = [&](RegUnit base) {
      return limit == no_limit || base >= first_agpr || base + width <= first_vgpr + limit;
    };
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
      return within(demanded) && occupancy.fits(v, demanded) ? demanded : no_unit;
    std::stable_sort(wishes.begin(), wishes.end(), [](const Wish &a, const Wish &b) { return a.weight > b.weight; });
    for (const Wish &wish : wishes)
      if (within(wish.base) && occupancy.fits(v, wish.base))
        return wish.base;
    for (RegUnit base : choices.candidates(v))
      if (within(base) && occupancy.fits(v, base))
        return base;
    return no_unit;
  }

  /// Bisects the number of VGPRs between what the pressure demands and what the winner uses.
  void tighten(Run &winner, std::vector<VReg> order) const {
    const auto vgprs = [&](const Run &run) {
      Counts counts = floor;
      for (VReg v : vregs)
        countUnits(counts, run.homes[v], problem.widthOf(v));
      return counts.v;
    };
    const unsigned granule = std::max(options.granule, 1u);
    unsigned low = std::max(analysis::measurePressure(problem, live)[analysis::PressureSet::Vector].lanes, floor.v);
    unsigned high = vgprs(winner); // fits
    while (low + granule <= high) {
      const unsigned limit = low + (high - low) / 2 / granule * granule;
      std::vector<VReg> attempt = order;
      Run run = runWithRestarts(attempt, options.restarts, limit);
      if (!run.left_over.empty()) {
        low = limit + 1;
        continue;
      }
      high = std::min(limit, vgprs(run));
      if (better(run, winner)) {
        winner = std::move(run);
        order = std::move(attempt);
      }
    }
  }

  const Problem &problem;
  const LiveRanges &live;
  const Choices &choices;
  const FirstFitOptions &options;
  const Occupancy &taken; ///< fixed registers and given homes
  const Homes &given;
  const bool vectors;
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
