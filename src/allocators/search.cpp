#include "allocators/search.h"

#include "allocators/cheapest.h"
#include "allocators/first_fit.h"
#include "support/rng.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace verilocc::allocators {

using namespace problem;
using assignment::Homes;

namespace {

class Search {
public:
  Search(Space &space, const analysis::LiveRanges &live, const cost::Rules &rules, const SearchOptions &options)
      : budget(options.moves ? options.moves : options.moves_per_vreg * space.vregs().size()),
        space(space),
        problem(space.problem),
        live(live),
        rules(rules),
        rng(options.seed) {
    frequency.assign(problem.vregs.size(), 0);
    for (const Block &block : problem.blocks)
      for (InstId i = block.first; i < block.last; ++i)
        for (const Operand &op : problem.operandsOf(problem.insts[i]))
          if (!op.fixed && space.takesPart(op.reg))
            frequency[op.reg] = std::max(frequency[op.reg], block.frequency);
    for (VReg v : space.vregs())
      if (!space.isTied(v))
        movable.push_back(v);
    banks = rules.wmma_banks ? fragmentBanks(problem) : std::vector<uint8_t>(problem.vregs.size(), 0xff);
  }

  uint64_t spent = 0;
  const uint64_t budget; ///< moves of one annealing, by default

  /// Homes that fit, in order; the rest is dropped.
  void adopt(const Homes &homes) {
    clear();
    space.placement.resetPairs();
    for (VReg v : space.vregs())
      if (v < homes.size() && homes[v] != no_unit && space.fits(v, homes[v]))
        space.put(v, homes[v]);
    space.placement.rematch();
  }

  unsigned unplaced() const {
    return static_cast<unsigned>(
        std::count_if(space.vregs().begin(), space.vregs().end(), [&](VReg v) { return space.home(v) == no_unit; }));
  }

  void construct(bool wide_first) {
    clear();
    space.placement.resetPairs();
    placeCheapest(space, definitionOrder(space, live, wide_first), banks, rules.wmma_conflict);
    spent += space.vregs().size();
    space.placement.rematch();
  }

  /// Finds room for what has none: puts one where the least is in the way and takes that out, which must not return to
  /// the same place for a while (a tabu search over partial placements, as for graph colouring: Bloechliger and
  /// Zufferey 2008). Keeps the state with the fewest registers' worth of vregs left; gives up after `patience` tries
  /// without one.
  void placeRest(uint64_t patience) {
    std::vector<VReg> waiting;
    const auto collect = [&] {
      waiting.clear();
      for (VReg v : space.vregs())
        if (space.home(v) == no_unit)
          waiting.push_back(v);
    };
    const auto missing = [&] {
      unsigned lanes = 0;
      for (VReg v : waiting)
        lanes += problem.widthOf(v);
      return lanes;
    };
    collect();
    if (waiting.empty())
      return;
    unsigned left = missing(), fewest = left;
    Homes fewest_homes = space.placement.homes();
    struct Tabu {
      RegUnit base = no_unit;
      uint64_t until = 0;
    };
    std::vector<std::array<Tabu, 4>> tabu(problem.vregs.size()); // the last few places
    std::vector<uint8_t> next_tabu(problem.vregs.size(), 0);
    const uint64_t tries = rest_tries * space.vregs().size() + 1000;
    uint64_t since_better = 0;
    for (uint64_t now = 1; now <= tries && !waiting.empty() && since_better < patience; ++now, ++since_better) {
      if (now % 8 == 0)
        ++spent; // much cheaper than pricing
      const size_t at = rng.below(waiting.size());
      const VReg v = waiting[at];
      if (space.isTied(v)) {
        space.freeBases(v, free);
        if (!free.empty()) {
          space.put(v, free.front());
          left -= problem.widthOf(v);
          waiting[at] = waiting.back();
          waiting.pop_back();
        }
        continue;
      }
      space.blockedBases(v, blocked);
      // A fragment in a wrong bank is worth moving one more register.
      const auto price = [&](const Space::Blocked &place) {
        return 2 * place.lanes + (banks[v] != 0xff && place.base % 4 != banks[v] ? 3 : 0);
      };
      unsigned least = ~0u;
      free.clear();
      for (const Space::Blocked &place : blocked) {
        if (price(place) > least)
          continue;
        const bool forbidden = std::any_of(tabu[v].begin(), tabu[v].end(),
                                           [&](const Tabu &t) { return t.base == place.base && t.until > now; });
        if (forbidden && place.lanes > 0)
          continue;
        if (price(place) < least)
          free.clear();
        least = price(place);
        free.push_back(place.base);
      }
      if (free.empty())
        continue;
      const RegUnit base = free[rng.below(free.size())];
      space.inTheWay(v, base, owners);
      if (std::any_of(owners.begin(), owners.end(), [&](VReg w) { return space.isTied(w); }))
        continue;
      waiting[at] = waiting.back();
      waiting.pop_back();
      left -= problem.widthOf(v);
      for (VReg w : owners) {
        tabu[w][next_tabu[w]++ % 4] = {space.home(w), now + 4 + waiting.size() + rng.below(10)};
        space.take(w);
        waiting.push_back(w);
        left += problem.widthOf(w);
      }
      space.put(v, base);
      if (left < fewest) {
        fewest = left;
        fewest_homes = space.placement.homes();
        since_better = 0;
      }
    }
    if (left > fewest)
      adopt(fewest_homes);
    space.placement.rematch();
  }

  void anneal(uint64_t moves) {
    if (movable.empty())
      return;
    constexpr double hot = 0.8, cold = 0.02; // cycles at the vreg's own frequency
    const uint64_t start = spent, end = spent + moves;
    best_total = space.placement.settled();
    best = space.placement.homes();
    const uint64_t round = std::max<uint64_t>(movable.size(), 64);
    uint64_t next_round = spent;
    while (spent < end) {
      const double progress = double(spent - start) / double(moves);
      const double heat = hot * std::pow(cold / hot, progress);
      if (spent >= next_round) {
        next_round = spent + round;
        space.placement.rematch();
        collectCostly();
        keepBest();
      }
      const VReg v = pick();
      if (rng.chance(0.35))
        eject(v, heat);
      else
        shift(v, heat);
    }
    descend();
    keepBest();
  }

  /// Each to its cheapest place, as long as that wins anything.
  void descend() {
    for (int pass = 0; pass < 2; ++pass) {
      space.placement.rematch();
      const double before = space.total();
      for (VReg v : movable) {
        shift(v, 0);
        if (pass == 0)
          eject(v, 0);
      }
      if (space.total() > before - 1e-9)
        break;
    }
    if (rules.wmma_banks)
      mendFragments();
    space.placement.rematch();
  }

  /// Each vreg of hot code to the place that is cheapest once LLVM's scheduler has made its pairs, which neither moves
  /// nor hopes foresee: priced by Placement::settled, at the few places that promise most. Spends at most `moves`,
  /// and gives up where nothing is won for long.
  void polish(uint64_t moves) {
    if (movable.empty())
      return;
    constexpr size_t most_places = 4, most_of_a_bank = 2;
    constexpr double cold = 1.0 / 20; // of the hottest frequency
    // Pricing takes time by the instruction.
    const uint64_t patience = std::clamp<uint64_t>(400'000 / problem.insts.size(), 20, 400);
    const double hottest = std::ranges::max(frequency);
    std::vector<VReg> order;
    std::ranges::copy_if(movable, std::back_inserter(order), [&](VReg v) { return frequency[v] >= cold * hottest; });
    rng.shuffle(order);
    const uint64_t end = spent + moves;
    uint64_t last_gain = spent;
    const auto isOver = [&] { return spent == end || spent - last_gain > patience; };
    best_total = space.placement.settled();
    std::vector<size_t> by_cost;
    for (VReg v : order) {
      if (isOver())
        break;
      const RegUnit old = space.home(v);
      space.take(v);
      space.freeBases(v, free);
      rng.shuffle(free); // equal places
      space.placement.added(v, free, costs);
      by_cost.resize(free.size());
      std::iota(by_cost.begin(), by_cost.end(), size_t(0));
      std::ranges::stable_sort(by_cost, {}, [&](size_t b) { return costs[b]; });
      std::array<size_t, 4> tried_of_bank{};
      size_t tried = 0;
      RegUnit cheapest = old;
      for (size_t b : by_cost) {
        if (tried == most_places || isOver())
          break;
        if (free[b] == old || tried_of_bank[free[b] % tried_of_bank.size()]++ >= most_of_a_bank)
          continue;
        ++tried;
        ++spent;
        space.put(v, free[b]);
        if (const double now = space.placement.settled(); now < best_total - 1e-9) {
          best_total = now;
          cheapest = free[b];
          last_gain = spent;
        }
        space.take(v);
      }
      space.put(v, cheapest);
    }
    best = space.placement.homes();
  }

  /// Fragments that still conflict, each with all that stands in its way.
  void mendFragments() {
    constexpr int rounds = 6;
    for (int round = 0; round < rounds; ++round) {
      std::vector<VReg> fragments;
      for (const cost::Charge &charge : space.placement.charges())
        if (charge.rule == cost::Rule::WmmaConflict)
          for (const Operand &op : problem.operandsOf(problem.insts[charge.inst]))
            if (!op.fixed && space.takesPart(op.reg) && !space.isTied(op.reg))
              fragments.push_back(op.reg);
      std::sort(fragments.begin(), fragments.end());
      fragments.erase(std::unique(fragments.begin(), fragments.end()), fragments.end());
      if (fragments.empty())
        return;
      const double before = space.total();
      constexpr int tries = 4; // chance decides which place and which chain
      for (VReg v : fragments)
        for (int t = 0; t < tries; ++t)
          eject(v, 0, true);
      if (round >= 2 && space.total() > before - 1e-9)
        return;
    }
  }

  /// True if fragments of a matrix instruction meet in a bank, where that costs.
  bool hasConflicts() const {
    if (!rules.wmma_banks)
      return false;
    const std::vector<cost::Charge> charges = space.placement.charges();
    return std::any_of(charges.begin(), charges.end(),
                       [](const cost::Charge &charge) { return charge.rule == cost::Rule::WmmaConflict; });
  }

  const Homes &bestHomes() const { return best; }

private:
  void clear() {
    for (VReg v : space.vregs())
      space.take(v);
  }

  void keepBest() {
    if (const double now = space.placement.settled(); now < best_total - 1e-9) {
      best_total = now;
      best = space.placement.homes();
    }
  }

  double noise(VReg v, double heat) {
    return heat > 0 ? -std::log(1 - rng.real()) * heat * std::max(frequency[v], 1e-3) : 0;
  }

  /// Puts `v` on a place among `free` that costs at most the least plus noise.
  void putCheapest(VReg v, double allowance) {
    space.placement.added(v, free, costs);
    const double least = *std::min_element(costs.begin(), costs.end());
    if (allowance <= 0) {
      space.put(v, free[static_cast<size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin())]);
      return;
    }
    size_t count = 0;
    for (size_t b = 0; b < free.size(); ++b)
      if (costs[b] <= least + allowance)
        free[count++] = free[b];
    space.put(v, free[rng.below(count)]);
  }

  /// Leaves at most so many of `free`, at random.
  void thin(size_t most) {
    if (free.size() <= most)
      return;
    for (size_t b = 0; b < most; ++b)
      std::swap(free[b], free[b + rng.below(free.size() - b)]);
    free.resize(most);
  }

  /// Moves `v` to a free place.
  void shift(VReg v, double heat) {
    ++spent;
    const RegUnit old = space.home(v);
    const double before = space.total();
    if (old != no_unit)
      space.take(v);
    space.freeBases(v, free);
    if (free.empty())
      return; // had no home
    if (heat <= 0 && old != no_unit) {
      // Equal places: stay.
      space.placement.added(v, free, costs);
      const auto at = static_cast<size_t>(std::find(free.begin(), free.end(), old) - free.begin());
      const auto least = static_cast<size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
      space.put(v, at < free.size() && costs[at] <= costs[least] + 1e-12 ? old : free[least]);
    } else {
      thin(sample);
      putCheapest(v, noise(v, heat));
    }
    if (old != no_unit && space.home(v) != old && !space.placement.isExact(v) &&
        space.total() > before + noise(v, heat) + 1e-9) {
      space.take(v);
      space.put(v, old);
    }
  }

  /// Moves `v` to a place that others hold, those to where they cost least, and where they find none, others in turn.
  void eject(VReg v, double heat, bool chains = false) {
    ++spent;
    const RegUnit old = space.home(v);
    if (old == no_unit)
      return;
    const double before = space.total();
    space.take(v);
    space.blockedBases(v, blocked);
    const unsigned most = std::max(4u, (chains ? 4 : 2) * problem.widthOf(v));
    free.clear();
    for (const Space::Blocked &place : blocked)
      if (place.lanes > 0 && place.lanes <= most && place.base != old)
        free.push_back(place.base);
    if (free.empty()) {
      space.put(v, old);
      return;
    }
    if (heat > 0)
      thin(sample);
    space.placement.added(v, free, costs);
    const double least = *std::min_element(costs.begin(), costs.end()) + noise(v, heat);
    size_t count = 0;
    for (size_t b = 0; b < free.size(); ++b)
      if (costs[b] <= least + 1e-12)
        free[count++] = free[b];
    const RegUnit target = free[rng.below(count)];
    std::vector<std::pair<VReg, RegUnit>> &moved = journal;
    moved.clear();
    moved.emplace_back(v, old);
    std::vector<VReg> &homeless = pending;
    homeless.clear();
    bool possible = displace(v, target);
    while (possible && !homeless.empty()) {
      ++spent;
      // The wide ones first: they find room most hardly.
      const auto widest = std::max_element(homeless.begin(), homeless.end(), [&](VReg a, VReg b) {
        return std::pair(problem.widthOf(a), b) < std::pair(problem.widthOf(b), a);
      });
      const VReg w = *widest;
      *widest = homeless.back();
      homeless.pop_back();
      space.freeBases(w, free);
      if (!free.empty())
        putCheapest(w, 0);
      else
        possible = chains && moved.size() < longest_chain && displaceNarrowest(w);
    }
    if (possible && space.total() <= before + noise(v, heat) + 1e-12)
      return;
    for (const auto &[w, base] : moved)
      if (space.home(w) != no_unit)
        space.take(w);
    for (const auto &[w, base] : moved)
      space.put(w, base);
  }

  /// Puts `v` at `base` and takes out what lies there; false, with nothing changed, if something there must stay.
  bool displace(VReg v, RegUnit base) {
    space.inTheWay(v, base, owners);
    for (VReg w : owners)
      if (space.isTied(w) ||
          std::any_of(journal.begin(), journal.end(), [&](const auto &entry) { return entry.first == w; }))
        return false;
    for (VReg w : owners) {
      journal.emplace_back(w, space.home(w));
      space.take(w);
      pending.push_back(w);
    }
    space.put(v, base);
    return true;
  }

  /// As displace, at one of the places where the fewest registers' worth of vregs are in the way.
  bool displaceNarrowest(VReg v) {
    space.blockedBases(v, blocked);
    const size_t start = blocked.empty() ? 0 : rng.below(blocked.size());
    std::rotate(blocked.begin(), blocked.begin() + static_cast<std::ptrdiff_t>(start), blocked.end());
    std::stable_sort(blocked.begin(), blocked.end(), [](const auto &a, const auto &b) { return a.lanes < b.lanes; });
    constexpr size_t tried = 6;
    for (size_t b = 0; b < std::min(tried, blocked.size()); ++b)
      if (displace(v, blocked[b].base))
        return true;
    return false;
  }

  /// Where the cost lies: instructions with charges, by what they cost.
  void collectCostly() {
    costly.clear();
    double sum = 0;
    for (const cost::Charge &charge : space.placement.charges()) {
      if (charge.cycles <= 0)
        continue;
      sum += charge.cycles * problem.blocks[problem.blockOf(charge.inst)].frequency;
      costly.emplace_back(sum, charge.inst);
    }
  }

  VReg pick() {
    if (!costly.empty() && rng.chance(0.6)) {
      const double at = rng.real() * costly.back().first;
      const auto found = std::upper_bound(costly.begin(), costly.end(), std::pair(at, InstId(~0u)));
      const InstId inst = found == costly.end() ? costly.back().second : found->second;
      const auto operands = problem.operandsOf(problem.insts[inst]);
      for (int tries = 0; tries < 4; ++tries) {
        const Operand &op = operands[rng.below(operands.size())];
        if (!op.fixed && space.takesPart(op.reg) && !space.isTied(op.reg))
          return op.reg;
      }
    }
    return movable[rng.below(movable.size())];
  }

  /// Vregs that one ejection may move.
  static constexpr size_t longest_chain = 24;
  /// Tries of placeRest for each vreg.
  static constexpr uint64_t rest_tries = 20;
  /// Places priced for one move: pricing is most of a move's time, and a part of the places does.
  static constexpr size_t sample = 24;

  Space &space;
  const Problem &problem;
  const analysis::LiveRanges &live;
  const cost::Rules &rules;
  support::Rng rng;
  std::vector<VReg> movable;
  std::vector<double> frequency;                 ///< by vreg: of its most frequent instruction
  std::vector<uint8_t> banks;                    ///< of fragmentBanks
  std::vector<std::pair<double, InstId>> costly; ///< cumulated cycles, instruction
  double best_total = 0;
  Homes best;
  std::vector<RegUnit> free;
  std::vector<double> costs;
  std::vector<Space::Blocked> blocked;
  std::vector<VReg> owners, pending;
  std::vector<std::pair<VReg, RegUnit>> journal;
};

} // namespace

SearchResult search(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                    const Homes &start, const SearchOptions &options) {
  Space space(problem, live, rules, options.limits, options.whole);
  Search search(space, live, rules, options);
  SearchResult result;

  struct State {
    Homes homes;
    unsigned unplaced;
    double cost;
    bool has_conflicts;
    bool operator<(const State &other) const {
      return std::pair(unplaced, cost) < std::pair(other.unplaced, other.cost);
    }
  };
  const auto present = [&] {
    return State{space.placement.homes(), search.unplaced(), space.placement.settled(), search.hasConflicts()};
  };
  const auto judge = [&](const Homes &homes) {
    search.adopt(homes);
    return present();
  };
  const State given = judge(start);
  State best = given;
  result.start_unplaced = given.unplaced;
  result.start_cost = given.cost;
  const auto consider = [&] {
    if (State state = present(); state < best)
      best = std::move(state);
  };
  // Long tries only where nobody knows yet that everything fits.
  constexpr uint64_t brief = 500, long_enough = 6000;
  if (given.unplaced > 0) {
    search.placeRest(long_enough);
    consider();
  }
  for (bool wide_first : {false, true}) {
    search.construct(wide_first);
    search.placeRest(best.unplaced > 0 ? long_enough : brief);
    consider();
  }
  if (best.unplaced > 0) {
    // Where registers are scarce, packed tightly beats placed cheaply.
    FirstFitOptions tight;
    tight.scalars = false;
    search.adopt(firstFit(problem, live, tight));
    search.placeRest(long_enough);
    consider();
  }
  const auto anneal = [&](uint64_t moves) {
    search.adopt(best.homes);
    search.anneal(moves);
    if (State state = judge(search.bestHomes()); state < best)
      best = std::move(state);
  };
  anneal(search.budget);
  // Where one annealing leaves fragments in one bank, another often does not.
  constexpr uint64_t most_extra_moves = 400'000;
  uint64_t moves = 2 * search.budget, extra = moves;
  for (; !options.moves && best.unplaced == 0 && best.has_conflicts && extra <= most_extra_moves;
       moves *= 2, extra += moves)
    anneal(moves);
  if (rules.vopd && best.unplaced == 0) {
    search.adopt(best.homes);
    search.polish(search.budget);
    if (State state = judge(search.bestHomes()); state < best)
      best = std::move(state);
  }
  result.homes = best.homes;
  result.unplaced = best.unplaced;
  result.cost = best.cost;
  result.moves = search.spent;
  return result;
}

} // namespace verilocc::allocators
