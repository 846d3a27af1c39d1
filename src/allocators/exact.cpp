#include "allocators/exact.h"

#include "cost/bounds.h"
#include "cost/instruction.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#ifdef VERILOCC_Z3
#include <z3++.h>
#endif

namespace verilocc::allocators {

using namespace problem;
using assignment::Homes;

cost::Rules exactRules(const cost::Rules &rules) {
  cost::Rules reduced = rules;
  reduced.vopd = false;
  reduced.matrix_waits = cost::MatrixWaits::None;
  reduced.reuse = 0;
  return reduced;
}

namespace {

constexpr double tolerance = 1e-5; // of weights as decimals

/// Spills, reloads, v_accvgpr instructions and copies between fixed registers: the same for every assignment.
double fixedCost(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules) {
  double cycles = 0;
  // With no vreg placed, only what is fixed costs anything; bounds and model count banks themselves.
  for (const cost::Charge &charge : cost::Placement(problem, live, rules).charges())
    if (charge.rule != cost::Rule::BankStall && charge.rule != cost::Rule::WmmaConflict)
      cycles += charge.cycles * problem.blocks[problem.blockOf(charge.inst)].frequency;
  return cycles;
}

#ifdef VERILOCC_Z3

class Model {
public:
  Model(const Space &space, const cost::Rules &rules)
      : space(space), problem(space.problem), rules(rules), opt(context) {}

  /// False if the clauses would be too many.
  bool build(size_t max_literals) {
    std::vector<std::vector<RegUnit>> bases(problem.vregs.size());
    for (VReg v : space.vregs()) {
      places.emplace(v, std::vector<Place>());
      space.places.allowed(v).forEach([&](RegUnit base) { bases[v].push_back(base); });
    }
    size_t literals = 0;
    for (VReg v : space.vregs())
      for (const analysis::Edge &edge : space.places.conflicts.of(v))
        if (edge.other > v)
          literals += 2 * bases[v].size() * static_cast<size_t>(__builtin_popcountll(edge.distances));
    if (literals > max_literals)
      return false;
    for (VReg v : space.vregs()) {
      z3::expr_vector all(context);
      for (RegUnit base : bases[v]) {
        const z3::expr at = context.bool_const(("x" + std::to_string(v) + "_" + std::to_string(base)).c_str());
        places[v].push_back({base, at});
        all.push_back(at);
      }
      if (all.empty())
        return impossible = true;
      opt.add(z3::mk_or(all));
      opt.add(z3::atmost(all, 1));
    }
    for (VReg v : space.vregs()) {
      for (const analysis::Edge &edge : space.places.conflicts.of(v)) {
        if (edge.other < v)
          continue;
        for (const Place &mine : places[v])
          for (uint64_t rest = edge.distances; rest; rest &= rest - 1) {
            // bit = base(v) - base(other) + width(v) - 1
            const int other = int(mine.base) + int(problem.widthOf(v)) - 1 - __builtin_ctzll(rest);
            if (const z3::expr *theirs = find(edge.other, other))
              opt.add(!mine.at || !*theirs);
          }
      }
      for (const analysis::Hint &hint : space.choices.hints(v))
        if (hint.hard)
          tie(v, hint);
    }
    addCosts();
    return true;
  }

  /// The optimum or what is known of it at the time limit.
  void solve(double seconds, ExactResult &result, Homes &found) {
    if (impossible) {
      result.infeasible = true;
      return;
    }
    z3::params params(context);
    params.set("timeout", static_cast<unsigned>(std::min(seconds * 1000, 4e9)));
    opt.set(params);
    const z3::optimize::handle goal = soft_count ? opt.minimize(objective()) : z3::optimize::handle(0);
    const z3::check_result answer = opt.check();
    if (answer == z3::unsat) {
      result.infeasible = true;
      return;
    }
    if (soft_count) {
      const z3::expr lower = opt.lower(goal);
      if (lower.is_numeral())
        bound = std::strtod(lower.get_decimal_string(9).c_str(), nullptr);
    }
    if (answer != z3::sat)
      return; // the time is up; the bound stands
    const z3::model model = opt.get_model();
    found.assign(problem.vregs.size(), no_unit);
    for (VReg v : space.vregs())
      for (const Place &place : places[v])
        if (model.eval(place.at, true).is_true())
          found[v] = place.base;
  }

  double bound = 0; ///< of what depends on the assignment

private:
  struct Place {
    RegUnit base;
    z3::expr at;
  };
  const z3::expr *find(VReg v, int base) {
    std::vector<Place> &list = places.at(v);
    const auto at =
        std::lower_bound(list.begin(), list.end(), base, [](const Place &p, int wanted) { return p.base < wanted; });
    return at != list.end() && at->base == base ? &at->at : nullptr;
  }

  void tie(VReg v, const analysis::Hint &hint) {
    for (const Place &mine : places[v]) {
      if (hint.fixed) {
        if (mine.base != hint.unit)
          opt.add(!mine.at);
      } else if (const z3::expr *theirs = find(hint.vreg, int(mine.base) - hint.offset))
        opt.add(!mine.at || *theirs);
      else
        opt.add(!mine.at);
    }
  }

  /// True where the operand starts in a VGPR of the bank.
  z3::expr inBank(uint32_t operand, unsigned bank) {
    const Operand &op = problem.operands[operand];
    if (op.fixed)
      return context.bool_val(op.reg < first_agpr && op.reg % 4 == bank);
    const auto [known, fresh] = banks.try_emplace({op.reg, (bank + 4 - op.first_lane % 4) % 4}, context);
    if (fresh) {
      const z3::expr in =
          context.bool_const(("b" + std::to_string(op.reg) + "_" + std::to_string(known->first.second)).c_str());
      for (const Place &place : places[op.reg])
        if (place.base < first_agpr && place.base % 4 == known->first.second)
          opt.add(!place.at || in); // soft goals want it false
      known->second = in;
    }
    return known->second;
  }

  /// A Boolean that is true if the two operands lie in one bank; nothing if they are the same register.
  z3::expr sameBank(uint32_t a, uint32_t b) {
    const Operand &p = problem.operands[a], &q = problem.operands[b];
    if (p.fixed == q.fixed && p.reg == q.reg && p.first_lane == q.first_lane)
      return context.bool_val(false);
    std::pair<std::pair<uint64_t, unsigned>, std::pair<uint64_t, unsigned>> key{
        {p.reg + (uint64_t(p.fixed) << 32), p.first_lane % 4u}, {q.reg + (uint64_t(q.fixed) << 32), q.first_lane % 4u}};
    if (key.second < key.first)
      std::swap(key.first, key.second);
    const auto [known, fresh] = pairs.try_emplace(key, context);
    if (fresh) {
      const z3::expr same = freshBool();
      for (unsigned bank = 0; bank < 4; ++bank)
        opt.add(!inBank(a, bank) || !inBank(b, bank) || same);
      known->second = same;
    }
    return known->second;
  }
  z3::expr freshBool() { return context.bool_const(("t" + std::to_string(count++)).c_str()); }

  void pay(const z3::expr &condition, double weight) {
    if (weight <= 0)
      return;
    terms.emplace_back(condition, weight);
    ++soft_count;
  }
  z3::expr objective() {
    z3::expr_vector all(context);
    for (const auto &[condition, weight] : terms) {
      char text[64];
      std::snprintf(text, sizeof text, "%.9f", weight);
      all.push_back(z3::ite(condition, context.real_val(text), context.real_val(0)));
    }
    return z3::sum(all);
  }

  void addCosts() {
    const std::vector<cost::Shape> shapes = cost::shapesOf(problem);
    // Instructions that read the same registers cost the same: together.
    std::map<std::vector<std::pair<uint64_t, unsigned>>, std::pair<std::vector<uint32_t>, double>> readers[2];
    for (const Block &block : problem.blocks)
      for (InstId i = block.first; i < block.last; ++i) {
        const cost::Shape &shape = shapes[i];
        const bool valu = rules.valu_banks && problem.insts[i].kind != InstKind::AccumMove &&
                          (shape.kind == cost::ShapeKind::Valu || shape.kind == cost::ShapeKind::Dual);
        const bool wmma = rules.wmma_banks && shape.kind == cost::ShapeKind::Wmma && shape.num_sources >= 2;
        if (shape.kind == cost::ShapeKind::Copy)
          addCopy(shape, block.frequency);
        if (!valu && !wmma)
          continue;
        std::vector<std::pair<uint64_t, unsigned>> key;
        std::vector<uint32_t> operands;
        const auto add = [&](uint32_t operand) {
          const Operand &op = problem.operands[operand];
          const std::pair<uint64_t, unsigned> name{op.reg + (uint64_t(op.fixed) << 32), op.first_lane};
          if (!wmma && std::find(key.begin(), key.end(), name) != key.end())
            return;
          key.push_back(name);
          operands.push_back(operand);
        };
        for (unsigned s = 0; s < shape.num_sources; ++s)
          add(shape.sources[s]);
        if (wmma && shape.num_sources == 2 && shape.def != cost::no_operand)
          add(shape.def);
        if (operands.size() < 2)
          continue;
        auto &entry = readers[wmma][key];
        entry.first = operands;
        entry.second += block.frequency;
      }
    for (const auto &[key, entry] : readers[0]) {
      const auto &[operands, weight] = entry;
      const z3::expr ab = sameBank(operands[0], operands[1]);
      if (operands.size() == 2) {
        pay(ab, weight);
        continue;
      }
      const z3::expr ac = sameBank(operands[0], operands[2]), bc = sameBank(operands[1], operands[2]);
      pay(ab || ac || bc, weight);
      pay(ab && ac, weight); // all three; the third pair follows
    }
    for (const auto &[key, entry] : readers[1]) {
      const auto &[operands, weight] = entry;
      z3::expr any = sameBank(operands[0], operands[1]);
      if (operands.size() > 2)
        any = any || sameBank(operands[0], operands[2]) || sameBank(operands[1], operands[2]);
      pay(any, weight * rules.wmma_conflict);
    }
  }

  void addCopy(const cost::Shape &shape, double frequency) {
    const Operand &to = problem.operands[shape.def], &from = problem.operands[shape.sources[0]];
    const unsigned dwords = std::min(to.num_lanes, from.num_lanes);
    if (to.fixed && from.fixed)
      return;
    if (!to.fixed && !from.fixed && to.reg == from.reg && to.first_lane == from.first_lane)
      return;
    const Operand &moving = to.fixed ? from : to, &standing = to.fixed ? to : from;
    const z3::expr moves = freshBool();
    for (const Place &place : places[moving.reg]) {
      const int unit = int(place.base) + moving.first_lane;
      if (standing.fixed) {
        if (unit != int(standing.reg))
          opt.add(!place.at || moves);
      } else if (const z3::expr *theirs = find(standing.reg, unit - standing.first_lane))
        opt.add(!place.at || *theirs || moves);
      else
        opt.add(!place.at || moves);
    }
    // Moves of VGPRs and of AGPRs cost the same by every table so far.
    pay(moves, frequency * dwords * std::min(rules.copy, rules.accum_move));
  }

  const Space &space;
  const Problem &problem;
  const cost::Rules &rules;
  z3::context context;
  z3::optimize opt;
  std::map<VReg, std::vector<Place>> places;
  std::map<std::pair<VReg, unsigned>, z3::expr> banks;
  std::map<std::pair<std::pair<uint64_t, unsigned>, std::pair<uint64_t, unsigned>>, z3::expr> pairs;
  std::vector<std::pair<z3::expr, double>> terms;
  unsigned count = 0, soft_count = 0;
  bool impossible = false;
};

#endif

} // namespace

bool hasExact() {
#ifdef VERILOCC_Z3
  return true;
#else
  return false;
#endif
}

ExactResult exact(const Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                  const Homes &known, const ExactOptions &options) {
  const auto start = std::chrono::steady_clock::now();
  ExactResult result;
  const cost::Rules reduced = exactRules(rules);
  Space space(problem, live, reduced, options.limits);
  const double fixed = fixedCost(problem, live, reduced);
  const auto judge = [&](const Homes &homes) {
    for (VReg v : space.vregs())
      space.take(v);
    for (VReg v : space.vregs()) {
      if (v >= homes.size() || homes[v] == no_unit || !space.fits(v, homes[v]))
        return;
      space.put(v, homes[v]);
    }
    if (result.homes.empty() || space.total() < result.cost) {
      result.homes = space.placement.homes();
      result.cost = space.total();
    }
  };
  judge(known);
  const cost::BankBound counted = cost::bankBound(problem, reduced);
  result.lower_bound = counted.stalls + counted.conflicts + fixed;

#ifdef VERILOCC_Z3
  const bool open = result.homes.empty() || result.cost > result.lower_bound + tolerance;
  if (open && options.seconds > 0) {
    Model model(space, reduced);
    if (model.build(options.max_literals)) {
      result.solver_asked = true;
      Homes found;
      model.solve(options.seconds, result, found);
      result.lower_bound = std::max(result.lower_bound, model.bound + fixed);
      if (!found.empty())
        judge(found);
    }
  }
#endif
  result.proven = !result.homes.empty() && result.cost <= result.lower_bound + tolerance;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace verilocc::allocators
