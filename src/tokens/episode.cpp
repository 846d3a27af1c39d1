#include "tokens/episode.h"

#include "tokens/digest.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace verilocc::tokens {

using namespace problem;
using analysis::Choices;
using analysis::Hint;
using analysis::Segment;

namespace {

/// Fits left to a tuple to come, and what that is called.
constexpr unsigned few_fits = 3;
/// Of the most frequent block's executions: vregs named in no block above that are priced by what is hoped for.
constexpr double cold = 1.0 / 20;
/// Instructions scheduled for all places that may be offered, up to which LLVM's pairs are worth their time: seconds.
constexpr double most_scheduled = 8e6;
/// Soft hints (copies) whose places are looked at.
constexpr unsigned max_hints = 3;

/// Far from where it rounds for all multiples of a power of two and of a fifth, which costs are made of: the order in
/// which doubles were added must not show.
Cycles inCycles(double cost) {
  return static_cast<Cycles>(std::floor(cost * double(cycle) + 0.618));
}

/// The last of the places offered: the one of least total() that leaves room, and fills a hole, and is lowest.
std::tuple<bool, Cycles, uint8_t, RegUnit> rankOf(const Candidate &c) {
  return {c.leaves == 0, c.total(), c.borders, c.base};
}

/// Units of [base, base + width).
UnitSet unitsOf(RegUnit base, unsigned width) {
  UnitSet units;
  for (unsigned lane = 0; lane < width; ++lane)
    units.set(base + lane);
  return units;
}

UnitSet accumUnits() {
  UnitSet units;
  for (unsigned u = first_agpr; u < first_sgpr; ++u)
    units.set(u);
  return units;
}

} // namespace

const char *name(Exclusion why) {
  constexpr const char *names[] = {"offered", "class", "limit", "tied", "fixed register", "vreg", "alike"};
  return names[static_cast<unsigned>(why)];
}

struct Episode::State {
  State(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
        EpisodeOptions given_options)
      : problem(problem),
        live(live),
        rules(rules),
        options(std::move(given_options)),
        choices(problem),
        limits(narrowed(problem.env, options.limits)),
        outlook(problem, live, choices, rules, limits),
        room(problem, live),
        placement(problem, live, rules),
        homes(problem.vregs.size(), no_unit),
        pending(problem.vregs.size()) {
    assert(options.max_candidates >= 1 && options.max_candidates <= 8);
    assert(options.given.empty() || options.given.size() == homes.size());
    for (unsigned u = 0; u < num_units; ++u)
      within[u] = u < first_agpr   ? u < first_vgpr + limits.vgprs
                  : u < first_sgpr ? u < first_agpr + limits.agprs
                                   : u >= vcc_lo || u < first_sgpr + limits.sgprs;
    for (VReg v = 0; v < homes.size(); ++v)
      pending[v] = outlook.fixedCost(v);
    for (const Block &block : problem.blocks)
      warm = std::max(warm, cold * block.frequency);
    if (!options.plan.empty())
      makePlan();
    for (VReg v = 0; v < options.given.size(); ++v)
      if (const RegUnit home = options.given[v]; home != no_unit && choices.isUsed(v)) {
        UnitSet only;
        only.set(home);
        if (room.fits(v, only).any())
          settle(v, home);
      }
    for (VReg v : outlook.order())
      if (homes[v] == no_unit && (choices.isVector(v) ? options.vectors : options.scalars))
        order.push_back(v);
    steps.reserve(order.size());
  }

  void makePlan() {
    assert(options.plan.size() == homes.size());
    std::vector<uint8_t> takes_part(homes.size(), 0);
    for (VReg v : outlook.order())
      takes_part[v] =
          choices.isVector(v) && (options.vectors || (!options.given.empty() && options.given[v] != no_unit));
    plan = std::make_unique<Plan>(problem, live, choices, rules, within, options.plan, takes_part);
    matchPairs();
    const auto hot = std::ranges::count_if(
        outlook.order(), [&](VReg v) { return plan->takesPart(v) && outlook.traits(v).hottest >= warm; });
    settles = rules.vopd && double(hot) * double(problem.insts.size()) * options.max_candidates <= most_scheduled;
  }
  /// Pairs are hoped for where the plan, as it begins, has them.
  void matchPairs() {
    const auto placeAll = [&](bool in) {
      for (VReg v = 0; v < homes.size(); ++v)
        if (plan->takesPart(v))
          placement.place(v, in ? plan->home(v) : no_unit);
    };
    placeAll(true);
    placement.rematch();
    placeAll(false);
  }
  bool isPlanned(VReg v) const { return plan && plan->takesPart(v); }

  static Limits narrowed(const MachineEnv &env, const Limits &wanted) {
    const Limits own = limitsOf(env);
    return {std::min(own.vgprs, wanted.vgprs), std::min(own.agprs, wanted.agprs), std::min(own.sgprs, wanted.sgprs)};
  }

  void settle(VReg v, RegUnit home) {
    room.add(v, home);
    placement.place(v, home);
    homes[v] = home;
    spread(v, home, 1);
    if (plan)
      plan->settle(v, home);
  }
  /// The last that was settled.
  void unsettle(VReg v) {
    if (plan)
      plan->unsettle();
    spread(v, homes[v], -1);
    placement.place(v, no_unit);
    room.remove(v, homes[v]);
    homes[v] = no_unit;
  }
  /// Enters into each partner what it loses by its own bank from now on, or takes it out. Banks are those of v
  /// registers.
  void spread(VReg v, RegUnit home, int sign) {
    if (home >= first_agpr)
      return;
    for (const Link &link : outlook.links(v))
      for (unsigned bank = 0; bank < num_banks; ++bank)
        pending[link.other][bank] += sign * link.cost[(home + num_banks - bank) % num_banks];
  }

  /// What an open partner must lose more than now if `v` came to lie in `bank`.
  Cycles aheadOf(VReg v, unsigned bank) const {
    Cycles sum = 0;
    for (const Link &link : outlook.links(v)) {
      if (homes[link.other] != no_unit)
        continue;
      const ByBank &now = pending[link.other];
      Cycles then = now[0] + link.cost[bank % num_banks];
      for (unsigned other = 1; other < num_banks; ++other)
        then = std::min(then, now[other] + link.cost[(bank - other) % num_banks]);
      sum += then - *std::min_element(now.begin(), now.end());
    }
    return sum;
  }

  Partners partnersOf(VReg v) const {
    Partners partners;
    for (const Link &link : outlook.links(v)) {
      if (homes[link.other] != no_unit) {
        ++partners.placed;
        continue;
      }
      ++partners.open;
      partners.widest = std::max(partners.widest, problem.widthOf(link.other));
      const ByBank &now = pending[link.other];
      const Cycles least = *std::min_element(now.begin(), now.end());
      const auto free = std::count(now.begin(), now.end(), least);
      partners.settled += free == 1;
      partners.leaning += free == 2 || free == 3;
    }
    return partners;
  }

  /// The one place that a tied operand demands; no_unit if none does; `impossible` if two demand different ones.
  RegUnit demanded(VReg v, bool &impossible) const {
    RegUnit found = no_unit;
    impossible = false;
    for (const Hint &hint : choices.hints(v)) {
      if (!hint.hard || (!hint.fixed && homes[hint.vreg] == no_unit))
        continue;
      const int base = hint.fixed ? int(hint.unit) : homes[hint.vreg] + hint.offset;
      impossible |= base < 0 || base >= int(num_units) || (found != no_unit && found != base);
      found = static_cast<RegUnit>(base);
    }
    return found;
  }

  UnitSet allowedBases(VReg v) const {
    UnitSet allowed;
    bool impossible = false;
    const RegUnit demand = demanded(v, impossible);
    if (impossible)
      return allowed;
    const unsigned width = problem.widthOf(v);
    for (RegUnit base : choices.candidates(v))
      if ((demand == no_unit || base == demand) && within[base] && within[base + width - 1])
        allowed.set(base);
    return allowed;
  }

  void preselect(VReg v, const UnitSet &fits, const analysis::VectorUnits &keeping, std::vector<RegUnit> &bases) const;
  void evaluate(VReg v, const UnitSet &fits);

  const Problem &problem;
  const analysis::LiveRanges &live;
  const cost::Rules &rules;
  EpisodeOptions options;
  Choices choices;
  Limits limits;
  Outlook outlook;
  Room room;
  cost::Placement placement;
  std::unique_ptr<Plan> plan;
  assignment::Homes homes;
  std::vector<ByBank> pending; ///< by vreg: what it loses by the bank of its home, to partners that have a place
  UnitSet within;
  double warm = 0;      ///< executions of a block from which on it counts as hot code
  bool settles = false; ///< in hot code the plan is priced with the pairs that LLVM would make

  std::vector<VReg> order;
  std::vector<Step> steps; ///< of order[0 .. size)
  unsigned dead_ends = 0;
  unsigned asked = 0; ///< steps that were
  size_t own_words = 0;
  bool due = false, ended = false;
  std::vector<Candidate> candidates;
};

/// Of each bank of each file: the lowest place, the one idle longest, the tightest, and the lowest and the tightest of
/// those that keep the plan. And where copies would vanish, and where the plan has it. All places of one bank cost the
/// same to banks, so these differ in all that matters.
void Episode::State::preselect(VReg v, const UnitSet &fits, const analysis::VectorUnits &keeping,
                               std::vector<RegUnit> &bases) const {
  struct Best {
    RegUnit lowest = no_unit, idlest = no_unit, tightest = no_unit, keeping = no_unit, tightest_keeping = no_unit;
    unsigned idle = 0, gap = 0, keeping_gap = 0;
  };
  std::array<Best, 3 * num_banks> best;
  const unsigned width = problem.widthOf(v);
  const Segment life = live.hull(v);
  for (size_t u = fits._Find_first(); u < num_units; u = fits._Find_next(u)) {
    const auto base = static_cast<RegUnit>(u);
    const unsigned file = base < first_agpr ? 0 : base < first_sgpr ? 1 : 2;
    Best &own = best[file * num_banks + base % num_banks];
    const unsigned idle = room.idleFor(base, width, life.start), gap = room.gapAround(base, life);
    if (own.lowest == no_unit)
      own.lowest = base;
    if (own.idlest == no_unit || idle > own.idle) {
      own.idlest = base;
      own.idle = idle;
    }
    if (own.tightest == no_unit || gap < own.gap) {
      own.tightest = base;
      own.gap = gap;
    }
    if (base >= analysis::num_vector_units || !keeping.test(base))
      continue;
    if (own.keeping == no_unit)
      own.keeping = base;
    if (own.tightest_keeping == no_unit || gap < own.keeping_gap) {
      own.tightest_keeping = base;
      own.keeping_gap = gap;
    }
  }
  if (isPlanned(v) && plan->home(v) != no_unit && fits[plan->home(v)])
    bases.push_back(plan->home(v));
  for (const Best &own : best)
    for (RegUnit base : {own.lowest, own.idlest, own.tightest, own.keeping, own.tightest_keeping})
      if (base != no_unit)
        bases.push_back(base);
  unsigned hinted = 0;
  for (const Hint &hint : choices.hints(v)) {
    if (!hint.fixed && homes[hint.vreg] == no_unit)
      continue;
    const int base = hint.fixed ? int(hint.unit) : homes[hint.vreg] + hint.offset;
    if (base >= 0 && base < int(num_units) && fits[static_cast<size_t>(base)] && hinted++ < max_hints)
      bases.push_back(static_cast<RegUnit>(base));
  }
  std::sort(bases.begin(), bases.end());
  bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
}

void Episode::State::evaluate(VReg v, const UnitSet &fits) {
  std::vector<RegUnit> bases;
  // Places at which nothing planned is in the way.
  const analysis::VectorUnits keeping = isPlanned(v) ? plan->freeBases(v) : analysis::VectorUnits();
  preselect(v, fits, keeping, bases);
  const unsigned width = problem.widthOf(v);
  const Segment life = live.hull(v);

  struct Coming {
    UnitSet fits;
    unsigned count = 0, width = 0;
  };
  std::vector<Coming> coming;
  if (bases.size() > 1 && !isPlanned(v))
    for (VReg other : outlook.coming(v))
      if (homes[other] == no_unit) {
        Coming entry;
        entry.fits = room.fits(other, allowedBases(other));
        entry.count = static_cast<unsigned>(entry.fits.count());
        entry.width = problem.widthOf(other);
        if (entry.count)
          coming.push_back(entry);
      }

  // Whether the registers beside a place are free as well: for the place alone, so that wide tuples keep whole holes.
  UnitSet beside;
  if (bases.size() > 1)
    for (RegUnit base : bases)
      for (unsigned unit : {base - 1u, unsigned(base) + width})
        if (unit < num_units && unit / 256 == base / 256u && within[unit] && !problem.env.reserved[unit])
          beside.set(unit);
  beside = room.freeFor(v, beside);

  ByBank ahead = {};
  for (unsigned bank = 0; bank < num_banks; ++bank)
    ahead[bank] = bases.size() > 1 ? aheadOf(v, bank) : 0;

  const bool exact = placement.isExact(v);
  std::vector<double> costs;
  if (exact && bases.size() > 1)
    placement.added(v, bases, costs);
  candidates.clear();
  for (RegUnit base : bases) {
    Candidate candidate;
    candidate.base = base;
    candidate.borders = static_cast<uint8_t>((base > 0 && base % 256 > 0 && beside[base - 1]) +
                                             ((base + width) % 256 > 0 && beside[base + width]));
    if (bases.size() > 1) {
      const double added = exact ? costs[candidates.size()] : placement.delta(v, base);
      candidate.cost = inCycles(added);
      candidate.ahead = base < first_agpr ? ahead[base % num_banks] : 0;
      candidate.idle = room.idleFor(base, width, life.start);
      candidate.gap = room.gapAround(base, life);
      if (isPlanned(v)) {
        double dearer = 0;
        candidate.leaves = static_cast<uint8_t>(plan->effect(v, base, &dearer));
        candidate.plan = candidate.leaves ? inCycles(dearer) : 0;
      }
      for (const Coming &entry : coming) {
        // Places of the tuple to come that would be hit.
        UnitSet hit;
        const UnitSet own = unitsOf(base, width);
        for (unsigned lane = 0; lane < entry.width; ++lane)
          hit |= own >> lane;
        const auto left = static_cast<unsigned>((entry.fits & ~hit).count());
        candidate.leaves = std::min<uint8_t>(candidate.leaves, left == 0 ? 0 : left < few_fits ? 1 : 2);
      }
    }
    candidates.push_back(candidate);
  }
  const auto unit = static_cast<Cycles>(std::max(1.0, outlook.traits(v).hottest * cycle));
  const auto describe = [&] {
    describePlaces(candidates, unit, rules.valu_banks);
    // What says the same is offered once.
    std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
      return std::tuple(a.word, rankOf(a)) < std::tuple(b.word, rankOf(b));
    });
    const auto alike = std::unique(candidates.begin(), candidates.end(),
                                   [](const Candidate &a, const Candidate &b) { return a.word == b.word; });
    candidates.erase(alike, candidates.end());
  };
  describe();
  if (candidates.size() > options.max_candidates) {
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate &a, const Candidate &b) { return rankOf(a) < rankOf(b); });
    // The best of each bank of each file first, then the best of the rest: what leaves no room is dropped first.
    std::array<bool, 3 * num_banks> seen = {};
    std::stable_partition(candidates.begin(), candidates.end(), [&](const Candidate &candidate) {
      const unsigned file = candidate.base < first_agpr ? 0 : candidate.base < first_sgpr ? 1 : 2;
      return !std::exchange(seen[file * num_banks + candidate.base % num_banks], true);
    });
    candidates.resize(options.max_candidates);
  }
  if (settles && candidates.size() > 1 && isPlanned(v) && outlook.traits(v).hottest >= warm) {
    for (Candidate &candidate : candidates)
      if (candidate.leaves)
        candidate.plan = inCycles(plan->dearerSettled(v, candidate.base));
    describe();
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) { return rankOf(a) > rankOf(b); });
}

Episode::Episode(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                 EpisodeOptions options)
    : state(std::make_unique<State>(problem, live, rules, std::move(options))) {}
Episode::~Episode() = default;
Episode::Episode(Episode &&) noexcept = default;

bool Episode::advance(std::vector<TokenId> &out) {
  State &s = *state;
  assert(!s.due);
  while (s.steps.size() < s.order.size()) {
    const VReg v = s.order[s.steps.size()];
    UnitSet fits = s.room.fits(v, s.allowedBases(v));
    // What may lie in either file leaves a crowded one to those that may not.
    if (s.outlook.traits(v).crowded)
      if (UnitSet accum = fits & accumUnits(); accum.any()) {
        if (s.isPlanned(v) && s.plan->home(v) != no_unit && fits[s.plan->home(v)])
          accum.set(s.plan->home(v));
        fits = accum;
      }
    if (fits.none()) {
      s.steps.push_back({v, no_unit, 0, 0});
      ++s.dead_ends;
      out.push_back(tokenOf({Family::DeadEnd}));
      continue;
    }
    s.evaluate(v, fits);
    if (s.candidates.size() > 1) {
      const size_t before = out.size();
      if (s.asked % decisions_a_head == 0)
        describeProblem(s.problem, s.rules, s.limits, s.outlook.peak(), out);
      describeVReg(s.problem, s.live, s.outlook, v, s.partnersOf(v), static_cast<unsigned>(fits.count()), out);
      for (const Candidate &candidate : s.candidates)
        out.push_back(candidate.word);
      s.own_words = out.size() - before;
      s.due = true;
      return true;
    }
    s.steps.push_back({v, s.candidates.front().base, 0, 1});
    s.settle(v, s.candidates.front().base);
  }
  if (!s.ended)
    out.push_back(tokenOf({Family::End}));
  s.ended = true;
  return false;
}

VReg Episode::vreg() const {
  assert(state->due);
  return state->order[state->steps.size()];
}
size_t Episode::ownWords() const {
  assert(state->due);
  return state->own_words;
}
std::span<const Candidate> Episode::candidates() const {
  assert(state->due);
  return state->candidates;
}
TokenId Episode::answerWord(unsigned candidate) const {
  assert(candidate < candidates().size());
  return tokenOf({Family::Take, {static_cast<uint8_t>(candidates().size() - 1 - candidate)}});
}
int Episode::candidateOf(TokenId word) const {
  const Word parts = wordOf(word);
  const unsigned back = parts.values[0];
  return parts.family == Family::Take && back < candidates().size() ? int(candidates().size() - 1 - back) : -1;
}

void Episode::answer(unsigned candidate) {
  State &s = *state;
  const VReg v = vreg();
  const RegUnit home = candidates()[candidate].base;
  s.steps.push_back({v, home, static_cast<uint8_t>(candidate), static_cast<uint8_t>(candidates().size())});
  s.settle(v, home);
  ++s.asked;
  s.due = false;
}

Excluded Episode::excluded(RegUnit base) const {
  const State &s = *state;
  const VReg v = vreg();
  const unsigned width = s.problem.widthOf(v);
  for (const Candidate &candidate : s.candidates)
    if (candidate.base == base)
      return {};
  if (!s.problem.classOf(v).bases[base])
    return {Exclusion::Class};
  if (!s.within[base] || !s.within[base + width - 1])
    return {Exclusion::Limit};
  if (!s.choices.allows(v, base))
    return {Exclusion::Class};
  if (!s.allowedBases(v)[base])
    return {Exclusion::Tied};
  bool fixed = false;
  std::vector<VReg> owners = s.room.inTheWay(v, base, fixed);
  if (fixed)
    return {Exclusion::Fixed};
  if (!owners.empty())
    return {Exclusion::VReg, std::move(owners)};
  return {Exclusion::Alike};
}

std::span<const Step> Episode::steps() const {
  return state->steps;
}

size_t Episode::blame(size_t dead, unsigned skip) const {
  const State &s = *state;
  assert(dead < s.steps.size() && s.steps[dead].home == no_unit);
  const VReg v = s.steps[dead].vreg;
  std::vector<size_t> step_of(s.problem.vregs.size(), nobody);
  for (size_t i = 0; i < s.steps.size(); ++i)
    step_of[s.steps[i].vreg] = i;
  std::vector<size_t> possible;
  const UnitSet bases = s.allowedBases(v);
  for (size_t base = bases._Find_first(); base < num_units; base = bases._Find_next(base)) {
    bool fixed = false;
    size_t first = dead;
    for (VReg other : s.room.inTheWay(v, static_cast<RegUnit>(base), fixed)) {
      fixed |= step_of[other] == nobody; // given
      first = std::min(first, step_of[other]);
    }
    while (!fixed && first != nobody && s.steps[first].offered <= 1)
      first = first == 0 ? nobody : first - 1;
    if (!fixed && first != nobody)
      possible.push_back(first);
  }
  std::sort(possible.rbegin(), possible.rend());
  possible.erase(std::unique(possible.begin(), possible.end()), possible.end());
  return possible.empty() ? nobody : possible[std::min<size_t>(skip, possible.size() - 1)];
}

void Episode::rewind(size_t count) {
  State &s = *state;
  assert(count <= s.steps.size());
  s.due = s.ended = false;
  while (s.steps.size() > count) {
    const Step &step = s.steps.back();
    s.asked -= step.offered > 1;
    if (step.home == no_unit)
      --s.dead_ends;
    else
      s.unsettle(step.vreg);
    s.steps.pop_back();
  }
}

const assignment::Homes &Episode::homes() const {
  return state->homes;
}
unsigned Episode::deadEnds() const {
  return state->dead_ends;
}
double Episode::deadEndWeight() const {
  double sum = 0;
  if (state->dead_ends)
    for (const Step &step : state->steps)
      sum += step.home == no_unit ? state->choices.uses(step.vreg) : 0;
  return sum;
}
double Episode::cost() const {
  return state->placement.total();
}
double Episode::outcome() const {
  if (state->plan)
    return state->plan->settledCost();
  Cycles sum = 0;
  for (size_t i = state->steps.size(); i < state->order.size(); ++i) {
    const ByBank &pending = state->pending[state->order[i]];
    sum += *std::min_element(pending.begin(), pending.end());
  }
  return cost() + double(sum) / cycle;
}
const Outlook &Episode::outlook() const {
  return state->outlook;
}
unsigned Episode::unplanned() const {
  return state->plan ? state->plan->missing() : 0;
}

namespace {

template <typename Key> unsigned least(std::span<const Candidate> candidates, Key key) {
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [&](const Candidate &a, const Candidate &b) { return key(a) < key(b); });
  return static_cast<unsigned>(best - candidates.begin());
}

} // namespace

unsigned cheapest(std::span<const Candidate> candidates) {
  return least(candidates, [](const Candidate &c) { return std::pair(c.cost, c.base); });
}

unsigned foresighted(std::span<const Candidate> candidates) {
  return least(candidates,
               [](const Candidate &c) { return std::tuple(c.leaves == 0, c.cost, c.ahead, c.borders, c.base); });
}

unsigned packed(std::span<const Candidate> candidates) {
  return least(candidates,
               [](const Candidate &c) { return std::tuple(c.leaves == 0, c.cost, c.borders, c.ahead, c.base); });
}

unsigned weighed(std::span<const Candidate> candidates) {
  return least(candidates, rankOf);
}

} // namespace verilocc::tokens
