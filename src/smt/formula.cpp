#include "smt/formula.h"

#include "smt/constraints.h"
#include "smt/steps.h"
#include "smt/threads.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace verilocc::smt {

using namespace problem;
using support::InputError;

namespace {

class Writer {
public:
  Writer(const Problem &problem, const assignment::Assignment &assignment, const Threads &threads)
      : problem(problem), assignment(assignment), threads(threads), steps(problem, assignment) {}

  /// False beyond the limit.
  bool write(Formula &formula, size_t max_pairs);

private:
  /// Where a pair is asked about: the start of a segment, for all of the wave, or for a thread in one state.
  struct Place {
    uint32_t segment = 0;
    int state = -1;
    auto operator<=>(const Place &) const = default;
  };
  bool isActive(Place place) const {
    return place.state >= 0 && threads.states()[static_cast<size_t>(place.state)].isActive();
  }
  Pairs backTo(Place place, InstId from, Pair pair) const;
  std::string all(Place place, InstId from, Pair pair);
  std::string nameOf(Place place, Pair pair);
  void writePair(Place place, Pair pair, std::string name);
  void writeUses(Place place);
  void demand(Demands &out, const std::string &formula, InstId inst, const std::string &what, Place place);

  const Problem &problem;
  const assignment::Assignment &assignment;
  const Threads &threads;
  Steps steps;
  std::map<std::pair<Place, Pair>, std::string> names;
  std::vector<std::pair<Place, Pair>> open; ///< named, and nothing written of them yet
  std::string declarations, implications;
  Demands demands, doubts;
};

/// The question `pair` before instruction `from`, put at the start of the place's segment.
Pairs Writer::backTo(Place place, InstId from, Pair pair) const {
  std::vector<Pair> pairs{pair};
  for (InstId id = from; id-- > threads.segments()[place.segment].first;) {
    std::vector<Pair> earlier;
    for (Pair now : pairs) {
      Pairs before = steps.before(id, isActive(place), now);
      if (!before)
        return std::nullopt;
      earlier.insert(earlier.end(), before->begin(), before->end());
    }
    std::sort(earlier.begin(), earlier.end());
    earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
    pairs = std::move(earlier);
    if (pairs.empty())
      break;
  }
  return pairs;
}

std::string Writer::all(Place place, InstId from, Pair pair) {
  const Pairs pairs = backTo(place, from, pair);
  if (!pairs)
    return "false";
  if (pairs->empty())
    return "true";
  if (pairs->size() == 1)
    return nameOf(place, pairs->front());
  std::string text = "(and";
  for (Pair now : *pairs)
    text += " " + nameOf(place, now);
  return text + ")";
}

std::string Writer::nameOf(Place place, Pair pair) {
  auto [it, is_new] = names.try_emplace({place, pair});
  if (is_new) {
    const Segment &segment = threads.segments()[place.segment];
    it->second = fmt::format("|{}.{}{} {}|", segment.block, segment.first - problem.blocks[segment.block].first,
                             place.state < 0 ? "" : fmt::format(" state {}", place.state), steps.describe(pair));
    declarations += "(declare-const " + it->second + " Bool)\n";
    open.push_back({place, pair});
  }
  return it->second;
}

void Writer::writePair(Place place, Pair pair, std::string name) {
  auto imply = [&](const std::string &what) {
    if (what != "true")
      implications += fmt::format("(assert (=> {} {}))\n", name, what);
  };
  const bool is_entry = place.state < 0 ? place.segment == 0 : threads.isEntry(static_cast<uint32_t>(place.state));
  if (is_entry && !steps.holdsAtEntry(pair))
    imply("false");
  auto from = [&](Place pred) { imply(all(pred, threads.segments()[pred.segment].last, pair)); };
  if (place.state < 0) {
    for (uint32_t pred : threads.segments()[place.segment].preds)
      if (threads.isReached(pred))
        from({pred, -1});
  } else {
    for (uint32_t pred : threads.states()[static_cast<size_t>(place.state)].preds)
      from({threads.states()[pred].segment, static_cast<int>(pred)});
  }
}

void Writer::demand(Demands &out, const std::string &formula, InstId inst, const std::string &what, Place place) {
  if (formula != "true")
    out.add(
        fmt::format("instruction {} {}{}", inst, what, place.state < 0 ? "" : fmt::format(", state {}", place.state)),
        formula);
}

/// Operands that read registers of threads other than the active ones: of a matrix instruction A and B.
bool readsOthers(const Inst &inst, std::span<const Operand> operands, uint32_t index) {
  auto isExplicitUse = [](const Operand &operand) { return operand.isUse() && !operand.has(operand_flag::Implicit); };
  return inst.has(inst_flag::CrossLane) &&
         (inst.kind != InstKind::Matrix ||
          std::count_if(operands.begin(), operands.begin() + index, isExplicitUse) < 2);
}

/// What the instructions of the place's segment demand: of the scalars, or of this thread's values.
void Writer::writeUses(Place place) {
  const Segment &segment = threads.segments()[place.segment];
  const bool of_wave = place.state < 0;
  for (InstId id = segment.first; id < segment.last; ++id) {
    const Inst &inst = problem.insts[id];
    auto operands = problem.operandsOf(inst);
    if (assignment.deleted[id]) {
      if (of_wave && inst.has(inst_flag::SideEffect))
        demand(demands, "false", id, "has an effect and is gone", place);
      continue;
    }
    if (inst.kind == InstKind::Kill || inst.kind == InstKind::ImplicitDef)
      continue;
    auto isVector = [&](uint32_t o) { return steps.span(inst.first_operand + o).per_thread; };
    bool has_vectors = false;
    UnitSet early;
    for (uint32_t o = 0; o < operands.size(); ++o) {
      has_vectors |= isVector(o);
      const RegUnit unit = assignment.units[inst.first_operand + o];
      if (operands[o].isDef() && operands[o].has(operand_flag::EarlyClobber) && unit != no_unit)
        for (unsigned lane = 0; lane < operands[o].num_lanes; ++lane)
          early.set(unit + lane);
    }
    for (unsigned word = 0;
         of_wave && has_vectors && !inst.has(inst_flag::AllThreads) && word < problem.env.wave_size / 32; ++word) {
      const auto unit = static_cast<RegUnit>(exec_lo + word);
      demand(demands, all(place, id, {false, steps.unitValue(unit), Steps::unitLocation(unit)}), id,
             fmt::format("needs EXEC, word {}", word), place);
    }
    for (uint32_t o = 0; o < operands.size(); ++o) {
      const Operand &operand = operands[o];
      const bool is_read = operand.isUse() || operand.has(operand_flag::HalfDword);
      const Span &span = steps.span(inst.first_operand + o);
      const bool concerns_others = !of_wave && !isActive(place) && readsOthers(inst, operands, o);
      if (!is_read || operand.has(operand_flag::Undef) || span.wrong_file || isVector(o) == of_wave ||
          (!of_wave && !isActive(place) && !concerns_others) ||
          (isActive(place) && !isReadBy(problem, inst, inst.first_operand + o, true)))
        continue;
      for (unsigned lane = 0; lane < span.count; ++lane) {
        if (lane < 32 && operand.unread >> lane & 1)
          continue;
        const bool is_lost =
            operand.isUse() && operand.tied_to < 0 && span.location < num_units && early.test(span.location + lane);
        const bool is_doubtful = concerns_others || (!is_lost && lane < 32 && operand.claimed_undefined >> lane & 1);
        demand(is_doubtful ? doubts : demands,
               all(place, id,
                   {span.per_thread, span.value + lane, is_lost && !concerns_others ? nowhere : span.location + lane}),
               id, fmt::format("operand {} lane {}", o, lane), place);
      }
    }
  }
}

bool Writer::write(Formula &formula, size_t max_pairs) {
  for (uint32_t segment = 0; segment < threads.segments().size(); ++segment)
    if (threads.isReached(segment))
      writeUses({segment, -1});
  for (size_t state = 0; state < threads.states().size(); ++state)
    writeUses({threads.states()[state].segment, static_cast<int>(state)});
  while (!open.empty()) {
    if (names.size() > max_pairs)
      return false;
    const auto [place, pair] = open.back();
    open.pop_back();
    writePair(place, pair, names.at({place, pair}));
  }
  Demands constraints;
  addConstraints(problem, assignment, constraints);
  formula.num_pairs = names.size();
  formula.text = "; 1. |B.I value in place|: where instruction I of block B begins, the place holds the value. With a\n"
                 "; state: of a thread in that state (in EXEC and in other masks, or not).\n" +
                 declarations + "; 2. If it holds, then this held at the end of each predecessor.\n" + implications +
                 "; 3. Each operand's register is one that the instruction takes.\n" + constraints.text +
                 "; 4. Each operand is read where its value lies.\n" + demands.text +
                 "; 5. And in threads outside EXEC that are read.\n" + doubts.text;
  formula.demands = std::move(constraints.names);
  formula.demands.insert(formula.demands.end(), demands.names.begin(), demands.names.end());
  formula.doubts = std::move(doubts.names);
  return true;
}

} // namespace

std::string Formula::file() const {
  std::string assumed;
  auto assume = [&](const std::vector<std::string> &names) {
    for (const std::string &name : names)
      assumed += " |" + name + "|";
    return "(check-sat-assuming (" + assumed + "))\n";
  };
  std::string file = "(set-logic QF_LIA)\n" + text;
  file += assume(demands);
  return file + assume(doubts);
}

support::Result<Formula> formulate(const Problem &problem, const assignment::Assignment &assignment,
                                   const FormulaLimits &limits) {
  if (!assignment.edits.empty())
    return InputError{fmt::format("there are {} inserted instructions; only allocations without splits, spills and "
                                  "other inserted code are put to the solver",
                                  assignment.edits.size())};
  const Threads threads(problem, limits.max_states);
  if (!threads.failure().empty())
    return InputError{threads.failure()};
  Formula formula;
  if (!Writer(problem, assignment, threads).write(formula, limits.max_pairs))
    return InputError{fmt::format("more than {} pairs of values and locations matter", limits.max_pairs)};
  return formula;
}

} // namespace verilocc::smt
