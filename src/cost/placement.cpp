#include "cost/placement.h"

#include "cost/instruction.h"
#include "cost/loads.h"
#include "cost/pairing.h"
#include "cost/schedule.h"

#include <algorithm>
#include <cassert>

namespace verilocc::cost {

using namespace problem;
using analysis::Segment;

namespace {

constexpr unsigned num_vector_units = first_sgpr;
constexpr uint32_t no_load = ~0u;

/// The last instruction whose access a live segment ends with.
InstId lastAccess(const Segment &segment) {
  return (segment.end - 1) / 2;
}

/// Instructions at which a register is accessed for the last time, with repetition.
class Accesses {
public:
  void add(InstId inst) { list.insert(std::upper_bound(list.begin(), list.end(), inst), inst); }
  void remove(InstId inst) {
    const auto at = std::lower_bound(list.begin(), list.end(), inst);
    assert(at != list.end() && *at == inst);
    list.erase(at);
  }
  /// Instructions between `inst` and the last access before it; a large number if there is none.
  uint32_t distanceBefore(InstId inst) const {
    const auto at = std::lower_bound(list.begin(), list.end(), inst);
    return at == list.begin() ? ~0u : inst - *(at - 1) - 1;
  }

  /// The first access after `inst`; a large number if there is none.
  InstId nextAfter(InstId inst) const {
    const auto at = std::upper_bound(list.begin(), list.end(), inst);
    return at == list.end() ? ~0u : *at;
  }

private:
  std::vector<InstId> list;
};

} // namespace

struct Placement::State {
  State(const Problem &problem, const analysis::LiveRanges &live, const Rules &rules)
      : problem(problem),
        live(live),
        rules(rules),
        homes(problem.vregs.size(), no_unit),
        where(problem, &homes),
        shapes(shapesOf(problem)),
        pairing(rules.vopd ? std::make_unique<Pairing>(problem, shapes) : nullptr) {
    weight.resize(problem.insts.size());
    for (const Block &block : problem.blocks)
      std::fill(weight.begin() + block.first, weight.begin() + block.last, block.frequency);
    collectUses();
    collectLoads();
    for (unsigned u = 0; u < num_vector_units; ++u)
      for (const Segment &segment : live.unit(static_cast<RegUnit>(u)))
        accesses[u].add(lastAccess(segment));
    if (pairing)
      setPartners(first_pairs = pairing->match(where), {});
    local.assign(problem.insts.size(), 0);
    for (InstId i = 0; i < problem.insts.size(); ++i)
      if (leads(i))
        total += local[i] = localCost(i);
    for (size_t w = 0; w < wishes.size(); ++w)
      total += load_cost[w] = loadCost(w);
    if (window) {
      findNearMatrix();
      nops.assign(problem.insts.size(), 0);
      for (const Block &block : problem.blocks)
        renewNops(block.first, block.last);
    }
  }

  bool leads(InstId i) const { return partner.empty() || partner[i] == no_partner || i < partner[i]; }
  InstId leaderOf(InstId i) const { return leads(i) ? i : partner[i]; }

  /// Calls found(rule, instruction, cycles) for everything but loads and NOPs, of an instruction or the pair it leads.
  template <typename Function> void forLocal(InstId i, Function found) const {
    const Shape &shape = shapes[i];
    const auto stalls = [&](InstId inst, double share) {
      if (share > 0)
        if (const unsigned cycles = bankStalls(rules, shapes[inst], where))
          found(Rule::BankStall, inst, cycles * share);
    };
    switch (shape.kind) {
    case ShapeKind::Dual:
      if (!partner.empty() && partner[i] != no_partner) {
        const InstId j = partner[i];
        const bool pairs = banksPair(shape, shapes[j], where);
        const double chance = !pairs ? 0 : !made_though_held[i] && isHeld(i, j) ? rules.pair_held : pair_chance[i];
        if (pairs)
          found(Rule::VopdPair, i, -chance);
        stalls(i, 1 - chance);
        stalls(j, 1 - chance);
        return;
      }
      stalls(i, 1);
      return;
    case ShapeKind::Valu:
      if (problem.insts[i].kind == InstKind::AccumMove)
        found(Rule::AccumMove, i, rules.accum_move);
      else
        stalls(i, 1);
      return;
    case ShapeKind::Wmma:
      if (rules.wmma_banks && wmmaConflict(shape, where))
        found(Rule::WmmaConflict, i, rules.wmma_conflict);
      return;
    case ShapeKind::Copy:
      if (const CopyCost copy = copyCost(rules, shape, where); copy.cycles > 0)
        found(copy.accum ? Rule::AccumMove : Rule::Copy, i, copy.cycles);
      return;
    case ShapeKind::Memory:
      if (problem.insts[i].kind == InstKind::Spill)
        found(Rule::Spill, i, rules.spill * lanesMoved(i));
      return;
    case ShapeKind::Load:
      if (problem.insts[i].kind == InstKind::Reload)
        found(Rule::Reload, i, rules.reload * lanesMoved(i));
      return;
    default:
      return;
    }
  }
  /// True if the register that the second half writes is accessed between the halves.
  bool isHeld(InstId i, InstId j) const {
    if (assume_held == i)
      return true;
    const RegUnit unit = where(shapes[j].def);
    return unit < num_vector_units && accesses[unit].distanceBefore(j) < j - i - 1;
  }
  double localCost(InstId i) const {
    double cycles = 0;
    forLocal(i, [&](Rule, InstId, double charged) { cycles += charged; });
    return weight[i] * cycles;
  }
  unsigned lanesMoved(InstId i) const {
    const Shape &shape = shapes[i];
    const uint32_t moved = shape.def != no_operand ? shape.def : shape.sources[0];
    return moved == no_operand ? 1 : where.width(moved);
  }

  double loadCost(uint32_t w) const {
    const LoadWish &wish = wishes[w];
    const Operand &def = problem.operands[wish.def];
    const RegUnit base = where(def);
    if (base == no_unit)
      return 0;
    uint32_t free = ~0u;
    for (unsigned lane = 0; lane < def.num_lanes; ++lane)
      free = std::min(free, accesses[base + lane].distanceBefore(wish.inst));
    return free < wish.wanted ? weight[wish.inst] * rules.reuse * (wish.wanted - free) : 0;
  }

  void collectUses() {
    std::vector<std::pair<VReg, InstId>> pairs;
    for (InstId i = 0; i < problem.insts.size(); ++i)
      if (shapes[i].kind != ShapeKind::Other)
        for (const Operand &op : problem.operandsOf(problem.insts[i]))
          if (!op.fixed && problem.isPerThread(op))
            pairs.emplace_back(op.reg, i);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    first_use.assign(problem.vregs.size() + 1, 0);
    for (const auto &[v, i] : pairs) {
      ++first_use[v + 1];
      uses.push_back(i);
    }
    for (size_t v = 0; v < problem.vregs.size(); ++v)
      first_use[v + 1] += first_use[v];
    window = maxWaitStates(rules);
    if (std::none_of(shapes.begin(), shapes.end(), [](const Shape &s) { return s.kind == ShapeKind::Mfma; }))
      window = 0;
  }

  void collectLoads() {
    wishes = loadWishes(problem, shapes, rules);
    load_cost.assign(wishes.size(), 0);
    stamps.assign(wishes.size(), 0);
    raised.resize(wishes.size());
    accesses.resize(num_vector_units);
    loads_on.resize(num_vector_units);
    seconds_on.resize(num_vector_units);
    pair_stamps.assign(problem.insts.size(), 0);
    wish_of.assign(problem.insts.size(), no_load);
    for (uint32_t w = 0; w < wishes.size(); ++w) {
      wish_of[wishes[w].inst] = w;
      furthest = std::max(furthest, wishes[w].wanted);
      const Operand &def = problem.operands[wishes[w].def];
      if (def.fixed)
        for (unsigned lane = 0; lane < def.num_lanes; ++lane)
          loads_on[def.reg + lane].push_back(wishes[w].inst);
    }
  }

  std::span<const InstId> usesOf(VReg v) const { return {uses.data() + first_use[v], first_use[v + 1] - first_use[v]}; }

  void move(VReg v, RegUnit base) {
    if (homes[v] == base)
      return;
    made_is_known = false;
    touched_loads.clear();
    touched_pairs.clear();
    ++stamp_now;
    if (homes[v] != no_unit && homes[v] < num_vector_units)
      fill(v, homes[v], false);
    homes[v] = base;
    if (base != no_unit && base < num_vector_units)
      fill(v, base, true);
    const auto renew = [&](InstId leader) {
      if (const double now = localCost(leader); now != local[leader]) {
        total += now - local[leader];
        local[leader] = now;
      }
    };
    for (InstId leader : touched_pairs)
      renew(leader);
    for (InstId i : usesOf(v)) {
      renew(leaderOf(i));
      if (const uint32_t w = wish_of[i]; w != no_load)
        touchLoad(w);
    }
    for (uint32_t w : touched_loads) {
      const double now = loadCost(w);
      total += now - load_cost[w];
      load_cost[w] = now;
    }
    if (window)
      renewNopsAround(v);
  }

  void touchLoad(uint32_t w) {
    if (stamps[w] == stamp_now)
      return;
    stamps[w] = stamp_now;
    touched_loads.push_back(w);
  }

  void touchPair(InstId leader) {
    if (pair_stamps[leader] == stamp_now)
      return;
    pair_stamps[leader] = stamp_now;
    touched_pairs.push_back(leader);
  }

  /// See Placement::added.
  void added(VReg v, std::span<const RegUnit> bases, std::vector<double> &costs) {
    assert(homes[v] == no_unit);
    costs.assign(bases.size(), 0);
    // Rules about banks ask only for the bank: once for each, and for AGPRs apart.
    constexpr unsigned num_sorts = 8;
    double by_sort[num_sorts];
    bool known[num_sorts] = {};
    std::vector<InstId> &leaders = scratch_insts;
    leaders.clear();
    std::vector<InstId> &moves = scratch_moves; ///< what asks for more than the bank
    moves.clear();
    double without = 0;
    for (InstId i : usesOf(v)) {
      if (shapes[i].kind == ShapeKind::Copy) {
        moves.push_back(i);
        continue;
      }
      const InstId leader = leaderOf(i);
      if (leader != i && defines(i, v)) {
        moves.push_back(leader);
        without += local[leader];
        continue;
      }
      if (shapes[leader].kind == ShapeKind::Memory || shapes[leader].kind == ShapeKind::Load ||
          std::find(leaders.begin(), leaders.end(), leader) != leaders.end())
        continue;
      leaders.push_back(leader);
      without += local[leader];
    }
    for (size_t b = 0; b < bases.size(); ++b) {
      const RegUnit base = bases[b];
      homes[v] = base;
      const unsigned sort = base % 4 + (base < first_agpr ? 0 : 4);
      if (!known[sort]) {
        by_sort[sort] = -without;
        for (InstId leader : leaders)
          by_sort[sort] += localCost(leader);
        known[sort] = true;
      }
      costs[b] = by_sort[sort];
      for (InstId i : moves)
        costs[b] += localCost(i);
      if (base < num_vector_units)
        costs[b] += addedReuse(v, base) + addedHolds(v, base);
    }
    homes[v] = no_unit;
  }

  bool defines(InstId i, VReg v) const {
    const Operand &def = problem.operands[shapes[i].def];
    return !def.fixed && def.reg == v;
  }

  /// What `v` at `base` costs pairs of others whose second half it would hold back.
  double addedHolds(VReg v, RegUnit base) {
    double cost = 0;
    ++stamp_now;
    for (unsigned lane = 0; lane < problem.widthOf(v) && base + lane < num_vector_units; ++lane)
      if (!seconds_on[base + lane].empty())
        for (const Segment &segment : live.lane(v, lane))
          forHeldBack(base + lane, lastAccess(segment), [&](InstId i) {
            if (pair_stamps[i] == stamp_now || isHeld(i, partner[i]))
              return;
            pair_stamps[i] = stamp_now;
            cost -= localCost(i);
            assume_held = i;
            cost += localCost(i);
            assume_held = no_partner;
          });
    return cost;
  }

  /// Calls found(inst) for those of `list`, instructions that write `unit`, that come within `reach` after an access at
  /// `end`, with no other between: what lies behind the next access does not see this one.
  template <typename Function>
  void forNext(const std::vector<InstId> &list, unsigned unit, InstId end, uint32_t reach, Function found) const {
    auto at = std::upper_bound(list.begin(), list.end(), end);
    if (at == list.end() || *at - end > reach)
      return;
    const InstId next = accesses[unit].nextAfter(end);
    for (; at != list.end() && *at <= next && *at - end <= reach; ++at)
      found(*at);
  }

  /// Calls found(leader) for the pairs between whose halves an access of `unit` at `end` holds the second back.
  template <typename Function> void forHeldBack(unsigned unit, InstId end, Function found) const {
    forNext(seconds_on[unit], unit, end, widest_pair, [&](InstId second) {
      if (partner[second] < end)
        found(partner[second]);
    });
  }

  /// What `v` at `base` adds to the cost of loads: its own, and those that its last readers would keep down.
  double addedReuse(VReg v, RegUnit base) {
    double cost = 0;
    ++stamp_now;
    for (unsigned lane = 0; lane < problem.widthOf(v) && base + lane < num_vector_units; ++lane) {
      const std::vector<InstId> &loads = loads_on[base + lane];
      if (loads.empty())
        continue;
      for (const Segment &segment : live.lane(v, lane)) {
        const InstId end = lastAccess(segment);
        forNext(loads, base + lane, end, furthest, [&](InstId load) {
          const uint32_t w = wish_of[load];
          const uint32_t free = load - end - 1;
          if (free >= wishes[w].wanted)
            return;
          const double now = weight[load] * rules.reuse * (wishes[w].wanted - free);
          if (raised[w].stamp != stamp_now)
            raised[w] = {stamp_now, load_cost[w]};
          if (now > raised[w].cost) {
            cost += now - raised[w].cost;
            raised[w].cost = now;
          }
        });
      }
    }
    for (InstId i : usesOf(v)) {
      const uint32_t w = wish_of[i];
      if (w == no_load)
        continue;
      const Operand &def = problem.operands[wishes[w].def];
      if (def.fixed || def.reg != v)
        continue;
      uint32_t free = ~0u;
      for (unsigned lane = 0; lane < def.num_lanes; ++lane) {
        const unsigned own = def.first_lane + lane;
        free = std::min(free, accesses[base + own].distanceBefore(i));
        // Earlier stretches of its own life end in the same register.
        for (const Segment &segment : live.lane(v, own))
          if (const InstId end = lastAccess(segment); end < i)
            free = std::min(free, i - end - 1);
      }
      if (free < wishes[w].wanted)
        cost += weight[i] * rules.reuse * (wishes[w].wanted - free);
    }
    return cost;
  }

  bool isExact(VReg v) const {
    if (!window)
      return true;
    // A copy that vanishes moves what follows it.
    return std::none_of(usesOf(v).begin(), usesOf(v).end(), [&](InstId i) {
      return near_matrix[i] || shapes[i].kind == ShapeKind::Mfma || shapes[i].kind == ShapeKind::Copy;
    });
  }

  /// Enters what `v` means for others into its registers, or takes it out.
  void fill(VReg v, RegUnit base, bool in) {
    for (unsigned lane = 0; lane < problem.widthOf(v); ++lane) {
      const unsigned u = base + lane;
      if (u >= num_vector_units)
        return;
      for (const Segment &segment : live.lane(v, lane)) {
        const InstId end = lastAccess(segment);
        if (in)
          accesses[u].add(end);
        else
          accesses[u].remove(end);
        forHeldBack(u, end, [&](InstId leader) { touchPair(leader); });
        forNext(loads_on[u], u, end, furthest, [&](InstId load) { touchLoad(wish_of[load]); });
      }
    }
    const auto enter = [&](std::vector<InstId> &list, InstId i) {
      const auto at = std::lower_bound(list.begin(), list.end(), i);
      if (in)
        list.insert(at, i);
      else
        list.erase(at);
    };
    for (InstId i : usesOf(v)) {
      if (!leads(i) && defines(i, v))
        enter(seconds_on[base + problem.operands[shapes[i].def].first_lane], i);
      const uint32_t w = wish_of[i];
      if (w == no_load)
        continue;
      const Operand &def = problem.operands[wishes[w].def];
      if (def.fixed || def.reg != v)
        continue;
      for (unsigned lane = 0; lane < def.num_lanes; ++lane)
        enter(loads_on[base + def.first_lane + lane], i);
    }
  }

  /// Machine instructions that the instruction becomes, as far as wait states go.
  unsigned issued(InstId i) const {
    const InstKind kind = problem.insts[i].kind;
    if (kind == InstKind::ImplicitDef || kind == InstKind::Kill)
      return 0;
    return shapes[i].kind != ShapeKind::Copy || copyCost(rules, shapes[i], where).cycles > 0 ||
           where(shapes[i].def) == no_unit;
  }

  /// Instructions that may have to wait for a matrix instruction, whatever the homes.
  void findNearMatrix() {
    near_matrix.assign(problem.insts.size(), 0);
    for (const Block &block : problem.blocks) {
      unsigned waited = window;
      for (InstId i = block.first; i < block.last; ++i) {
        near_matrix[i] = waited < window && shapes[i].kind != ShapeKind::Other;
        const InstKind kind = problem.insts[i].kind;
        const bool may_vanish =
            kind == InstKind::ImplicitDef || kind == InstKind::Kill || shapes[i].kind == ShapeKind::Copy;
        waited = shapes[i].kind == ShapeKind::Mfma ? 0 : waited + !may_vanish;
      }
    }
  }

  unsigned nopsBefore(InstId j, InstId block_first) const {
    if (!near_matrix[j] || !issued(j))
      return 0;
    unsigned waited = 0, need = 0;
    for (InstId i = j; i-- > block_first && waited < window;) {
      if (shapes[i].kind == ShapeKind::Mfma)
        if (const unsigned wanted = waitStates(rules, shapes[i], shapes[j], where); wanted > waited)
          need = std::max(need, wanted - waited);
      waited += issued(i) + nops[i];
    }
    return need;
  }

  /// Renews [first, last), and on as long as anything changes within reach.
  void renewNops(InstId first, InstId last) {
    const Block &block = problem.blocks[problem.blockOf(first)];
    unsigned quiet = 0; // wait states without a change after `last`
    for (InstId j = first; j < block.last && (j < last || quiet < window); ++j) {
      const unsigned now = nopsBefore(j, block.first);
      if (now != nops[j]) {
        total += weight[j] * (double(now) - nops[j]);
        nops[j] = static_cast<uint8_t>(now);
        quiet = 0;
      } else if (j >= last)
        quiet += issued(j);
    }
  }

  /// One past the last instruction that a wait state before `i` may still concern.
  InstId endOfReach(InstId i) const {
    const Block &block = problem.blocks[problem.blockOf(i)];
    InstId j = i + 1;
    for (unsigned waited = 0; j < block.last && waited < window; ++j)
      waited += issued(j);
    return j;
  }

  void renewNopsAround(VReg v) {
    // Uses are in program order; ranges that meet are renewed together.
    InstId first = 0, last = 0, block_last = 0;
    for (InstId i : usesOf(v)) {
      const bool far = shapes[i].kind == ShapeKind::Mfma || shapes[i].kind == ShapeKind::Copy;
      const InstId end = far ? endOfReach(i) : i + 1;
      if (last > 0 && i <= last && i < block_last) {
        last = std::max(last, end);
        continue;
      }
      if (last > 0)
        renewNops(first, last);
      first = i;
      last = end;
      block_last = problem.blocks[problem.blockOf(i)].last;
    }
    if (last > 0)
      renewNops(first, last);
  }

  void rematch() {
    if (!pairing)
      return;
    adopt(pairing->match(where, made()), made());
  }
  void settle() {
    if (!pairing)
      return;
    adopt(made(), made());
  }
  /// The pairs that LLVM's scheduler makes with the present homes.
  const std::vector<InstId> &made() {
    if (!schedule)
      schedule = std::make_unique<PostSchedule>(problem, shapes);
    if (!made_is_known)
      made_pairs = schedule->pairs(where);
    made_is_known = true;
    return made_pairs;
  }
  /// `made`: which of them LLVM's scheduler makes with the present homes; may be empty.
  void setPartners(std::vector<InstId> pairs, const std::vector<InstId> &made) {
    partner = std::move(pairs);
    pair_chance.assign(partner.size(), 0);
    made_though_held.assign(partner.size(), 0);
    widest_pair = 0;
    for (std::vector<InstId> &seconds : seconds_on)
      seconds.clear();
    for (InstId i = 0; i < partner.size(); ++i) {
      const InstId j = partner[i];
      if (j == no_partner || j < i)
        continue;
      widest_pair = std::max(widest_pair, j - i);
      pair_chance[i] = holdsItself(i, j)        ? rules.pair_held
                       : pairing->isReady(i, j) ? rules.pair_ready
                                                : rules.pair_apart;
      if (!made.empty() && made[i] == j) {
        pair_chance[i] = 1;
        made_though_held[i] = isHeld(i, j);
      }
    }
    for (InstId j = 0; j < partner.size(); ++j)
      if (!leads(j))
        if (const RegUnit unit = where(shapes[j].def); unit < num_vector_units)
          seconds_on[unit].push_back(j);
  }
  /// True if an earlier stretch of the life of what `j` writes, which shares its register, ends between `i` and `j`.
  bool holdsItself(InstId i, InstId j) const {
    const Operand &def = problem.operands[shapes[j].def];
    if (def.fixed)
      return false;
    const auto segments = live.lane(def.reg, def.first_lane);
    return std::any_of(segments.begin(), segments.end(),
                       [&](const Segment &s) { return i < lastAccess(s) && lastAccess(s) < j; });
  }
  void adopt(std::vector<InstId> pairs, const std::vector<InstId> &made) {
    setPartners(std::move(pairs), made);
    for (InstId i = 0; i < problem.insts.size(); ++i) {
      if (shapes[i].kind != ShapeKind::Dual)
        continue;
      const double now = leads(i) ? localCost(i) : 0;
      total += now - local[i];
      local[i] = now;
    }
  }

  double settled() {
    double cost = total;
    if (!pairing)
      return cost;
    const std::vector<InstId> &partners = made();
    for (InstId i = 0; i < problem.insts.size(); ++i)
      if (shapes[i].kind == ShapeKind::Dual) {
        cost -= local[i];
        if (partners[i] == no_partner)
          cost += weight[i] * bankStalls(rules, shapes[i], where);
        else if (i < partners[i])
          cost -= weight[i];
      }
    return cost;
  }

  std::vector<Charge> charges() const {
    std::vector<Charge> list;
    for (InstId i = 0; i < problem.insts.size(); ++i) {
      if (leads(i))
        forLocal(i, [&](Rule rule, InstId inst, double cycles) { list.push_back({rule, inst, cycles}); });
      if (window && nops[i])
        list.push_back({Rule::MatrixWait, i, double(nops[i])});
      if (const uint32_t w = wish_of[i]; w != no_load && load_cost[w] > 0)
        list.push_back({Rule::LoadReuse, i, load_cost[w] / weight[i]});
    }
    std::stable_sort(list.begin(), list.end(), [](const Charge &a, const Charge &b) { return a.inst < b.inst; });
    return list;
  }

  const Problem &problem;
  const analysis::LiveRanges &live;
  const Rules &rules;
  assignment::Homes homes;
  Locator where;
  std::vector<Shape> shapes;
  std::vector<double> weight; ///< by instruction: executions
  double total = 0;

  std::vector<uint32_t> first_use; ///< by vreg, into uses
  std::vector<InstId> uses;

  std::unique_ptr<Pairing> pairing;
  std::unique_ptr<PostSchedule> schedule; ///< from the first time that it is asked
  std::vector<InstId> made_pairs;
  bool made_is_known = false;            ///< made_pairs are those of the present homes
  std::vector<InstId> partner;           ///< empty: no VOPD
  std::vector<InstId> first_pairs;       ///< before anything was placed
  std::vector<uint8_t> made_though_held; ///< by instruction that leads a pair: the scheduler moves what is in the way
  std::vector<double> pair_chance;       ///< by instruction that leads a pair: if nothing holds the second half back
  std::vector<std::vector<InstId>> seconds_on; ///< by unit: second halves of pairs that write it
  uint32_t widest_pair = 0; ///< instructions from the first half to the second; the scheduler's know no bound
  std::vector<InstId> touched_pairs;
  std::vector<uint32_t> pair_stamps; ///< by instruction that leads a pair
  InstId assume_held = no_partner;   ///< leader for which isHeld answers true, whatever the registers
  std::vector<double> local;         ///< by instruction; 0 for the second of a pair

  std::vector<LoadWish> wishes;
  std::vector<double> load_cost; ///< by wish
  std::vector<uint32_t> wish_of; ///< by instruction
  uint32_t furthest = 0;
  std::vector<Accesses> accesses;            ///< by unit
  std::vector<std::vector<InstId>> loads_on; ///< by unit: loads with a wish that write it
  struct Raised {
    uint32_t stamp = 0;
    double cost = 0;
  };
  std::vector<uint32_t> touched_loads, stamps;
  std::vector<Raised> raised; ///< by wish, within addedReuse
  std::vector<InstId> scratch_insts, scratch_moves;
  uint32_t stamp_now = 0;

  unsigned window = 0;              ///< of wait states; 0: none
  std::vector<uint8_t> near_matrix; ///< by instruction
  std::vector<uint8_t> nops;        ///< by instruction: before it
};

const char *name(Rule rule) {
  static constexpr const char *names[num_rules] = {
      "bank stall", "WMMA conflict", "VOPD pair", "matrix wait", "AGPR move", "copy", "spill", "reload", "load reuse"};
  return names[static_cast<unsigned>(rule)];
}

Placement::Placement(const Problem &problem, const analysis::LiveRanges &live, const Rules &rules)
    : state(std::make_unique<State>(problem, live, rules)) {}
Placement::~Placement() = default;

RegUnit Placement::home(VReg v) const {
  return state->homes[v];
}
const assignment::Homes &Placement::homes() const {
  return state->homes;
}
void Placement::place(VReg v, RegUnit base) {
  state->move(v, base);
}
double Placement::delta(VReg v, RegUnit base) const {
  const RegUnit old = state->homes[v];
  const double before = state->total;
  state->move(v, base);
  const double after = state->total;
  state->move(v, old);
  state->total = before; // no rounding may stay
  return after - before;
}
void Placement::added(VReg v, std::span<const RegUnit> bases, std::vector<double> &costs) const {
  state->added(v, bases, costs);
}
bool Placement::isExact(VReg v) const {
  return state->isExact(v);
}
double Placement::total() const {
  return state->total;
}
double Placement::settled() const {
  return state->settled();
}
std::vector<Charge> Placement::charges() const {
  return state->charges();
}
double settledCost(const Problem &problem, const analysis::LiveRanges &live, const Rules &rules,
                   const assignment::Homes &homes) {
  Placement placement(problem, live, rules);
  for (VReg v = 0; v < homes.size(); ++v)
    if (homes[v] != no_unit)
      placement.place(v, homes[v]);
  return placement.settled();
}
void Placement::resetPairs() {
  if (state->pairing)
    state->adopt(state->first_pairs, {});
}
void Placement::rematch() {
  state->rematch();
}
void Placement::settle() {
  state->settle();
}

} // namespace verilocc::cost
