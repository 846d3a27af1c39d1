#include "smt/steps.h"

#include <algorithm>
#include <fmt/format.h>

namespace verilocc::smt {

using namespace problem;

namespace {

/// The implicit use of EXEC: it decides which threads act, not what they compute.
bool isExecUse(const Operand &operand) {
  return operand.isUse() && operand.fixed && operand.has(operand_flag::Implicit) && operand.reg >= exec_lo &&
         operand.reg <= exec_hi;
}

/// The one definition of an instruction that computes the same from nothing wherever it stands; null if it is none.
const Operand *constantDef(const Problem &problem, const Inst &inst) {
  if (!inst.has(inst_flag::Pure) || inst.has(inst_flag::SideEffect) || inst.clobbers >= 0)
    return nullptr;
  const Operand *def = nullptr;
  for (const Operand &operand : problem.operandsOf(inst)) {
    if (isExecUse(operand))
      continue;
    const bool is_exec = operand.fixed && operand.reg >= exec_lo && operand.reg <= exec_hi;
    if (operand.isUse() || def || is_exec || operand.has(operand_flag::Implicit | operand_flag::HalfDword))
      return nullptr;
    def = &operand;
  }
  return def;
}

bool hasNoCode(InstKind kind) {
  return kind == InstKind::ImplicitDef || kind == InstKind::Kill;
}

} // namespace

bool isReadBy(const Problem &problem, const Inst &inst, uint32_t operand, bool is_active) {
  if (!inst.has(inst_flag::SetsInactive))
    return true;
  uint32_t first = inst.first_operand;
  auto isExplicitUse = [](const Operand &o) { return o.isUse() && !o.has(operand_flag::Implicit); };
  while (!isExplicitUse(problem.operands[first]) && first < operand)
    ++first;
  return !isExplicitUse(problem.operands[operand]) || (first == operand) == is_active;
}

namespace {

bool writesOneLane(const Inst &inst) {
  return inst.kind == InstKind::LaneWrite && inst.has(inst_flag::AllThreads) && inst.has(inst_flag::CrossLane);
}

} // namespace

Steps::Steps(const Problem &problem, const assignment::Assignment &assignment)
    : problem(problem), assignment(assignment) {
  uint32_t count = 0;
  for (VReg v = 0; v < problem.vregs.size(); ++v) {
    vreg_value.push_back(count);
    count += problem.widthOf(v);
  }
  first_unit_value = count;
  first_constant = count + num_units;

  // Constants: all instructions of the signature load one, of one shape.
  std::unordered_map<uint64_t, std::pair<unsigned, bool>> shapes;
  std::unordered_map<uint64_t, bool> is_constant;
  for (const Inst &inst : problem.insts) {
    if (inst.kind == InstKind::Copy || hasNoCode(inst.kind))
      continue;
    bool &all = is_constant.try_emplace(inst.signature, true).first->second;
    const Operand *def = constantDef(problem, inst);
    if (def) {
      const std::pair<unsigned, bool> shape{def->num_lanes, problem.isPerThread(*def)};
      all &= shapes.try_emplace(inst.signature, shape).first->second == shape;
    } else {
      all = false;
    }
  }
  uint32_t value = first_constant;
  for (const Inst &inst : problem.insts)
    if (auto it = is_constant.find(inst.signature); it != is_constant.end() && it->second)
      if (constants.try_emplace(inst.signature, Constant{value, num_units + value}).second)
        value += shapes[inst.signature].first;

  for (size_t o = 0; o < problem.operands.size(); ++o) {
    const Operand &operand = problem.operands[o];
    const RegUnit unit = assignment.units[o];
    Span span;
    span.count = operand.num_lanes;
    span.per_thread = problem.isPerThread(operand);
    span.value =
        operand.fixed ? unitValue(static_cast<RegUnit>(operand.reg)) : vreg_value[operand.reg] + operand.first_lane;
    span.location = unit == no_unit ? num_units + span.value : unit;
    for (unsigned lane = 0; unit != no_unit && lane < span.count; ++lane)
      span.wrong_file |= isPerThread(static_cast<RegUnit>(unit + lane)) != span.per_thread;
    spans.push_back(span);
  }
  for (InstId id = 0; id < problem.insts.size(); ++id) {
    first_step.push_back(static_cast<uint32_t>(steps.size()));
    addSteps(id);
  }
  first_step.push_back(static_cast<uint32_t>(steps.size()));
}

/// A copy of lanes within a file, or of a constant from where it always is.
std::optional<Steps::Step> Steps::copyOf(InstId id) const {
  const Inst &inst = problem.insts[id];
  const auto constant = constants.find(inst.signature);
  const bool loads = constant != constants.end();
  if (inst.kind != InstKind::Copy && !loads)
    return std::nullopt;
  const Span *def = nullptr, *use = nullptr;
  for (uint32_t o = 0; o < inst.num_operands; ++o) {
    const Operand &operand = problem.operands[inst.first_operand + o];
    if (operand.has(operand_flag::Implicit))
      continue;
    const Span *&span = operand.isDef() ? def : use;
    if (span || (operand.isUse() && (loads || operand.has(operand_flag::Undef))) ||
        operand.has(operand_flag::HalfDword))
      return std::nullopt;
    span = &spans[inst.first_operand + o];
  }
  if (!def || (!loads && (!use || use->per_thread != def->per_thread || use->count != def->count)))
    return std::nullopt;
  Step step;
  step.kind = Step::Kind::Copy;
  step.per_thread = def->per_thread;
  step.count = def->count;
  step.value = def->value;
  step.location = def->location;
  step.from_value = loads ? constant->second.value : use->value;
  step.from_location = loads ? constant->second.location : use->location;
  step.copies_values = true;
  step.copies_locations = !assignment.deleted[id] && !def->wrong_file && (loads || !use->wrong_file);
  return step;
}

void Steps::addSteps(InstId id) {
  const Inst &inst = problem.insts[id];
  const bool is_deleted = assignment.deleted[id];
  const std::optional<Step> copy = copyOf(id);
  bool undefines = inst.kind == InstKind::ImplicitDef;
  for (const Operand &operand : problem.operandsOf(inst))
    undefines |= inst.kind == InstKind::Copy && operand.isUse() && !operand.has(operand_flag::Implicit) &&
                 operand.has(operand_flag::Undef);

  auto add = [&](Step::Kind kind, bool per_thread, uint32_t value, uint32_t location) {
    Step step;
    step.kind = kind;
    step.per_thread = per_thread;
    step.value = value;
    step.location = location;
    steps.push_back(step);
  };
  for (bool receives : {false, true})
    for (uint32_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o) {
      const Operand &operand = problem.operands[o];
      const Span &span = spans[o];
      if (!operand.isDef())
        continue;
      const bool is_written = !is_deleted && !span.wrong_file && !undefines;
      const bool is_copied = copy && !operand.has(operand_flag::Implicit);
      if (receives) {
        for (unsigned lane = 0; is_written && !is_copied && !writesOneLane(inst) && lane < span.count; ++lane)
          add(Step::Kind::Put, span.per_thread, span.value + lane, span.location + lane);
        continue;
      }
      if (is_copied) {
        steps.push_back(*copy);
        for (unsigned lane = 0; is_written && !copy->copies_locations && lane < span.count; ++lane)
          add(Step::Kind::Clear, span.per_thread, 0, span.location + lane);
      } else {
        for (unsigned lane = 0; lane < span.count; ++lane) {
          if (writesOneLane(inst) && span.per_thread && is_written) {
            add(Step::Kind::KeepWhereHeld, true, span.value + lane, span.location + lane);
            continue;
          }
          add(undefines ? Step::Kind::Undefine : Step::Kind::Define, span.per_thread, span.value + lane, 0);
          if (is_written)
            add(Step::Kind::Clear, span.per_thread, 0, span.location + lane);
        }
      }
      // `undef` on the definition of some lanes: the vreg's others become undefined.
      if (operand.has(operand_flag::Undef) && !operand.fixed)
        for (unsigned lane = 0; lane < problem.widthOf(operand.reg); ++lane)
          if (lane < operand.first_lane || lane >= operand.first_lane + operand.num_lanes)
            add(Step::Kind::Undefine, span.per_thread, vreg_value[operand.reg] + lane, 0);
    }
}

Pairs Steps::before(InstId id, bool is_active, Pair pair) const {
  const Inst &inst = problem.insts[id];
  const bool ignores_exec = inst.has(inst_flag::AllThreads);
  std::vector<Pair> pairs{pair};
  if (!pair.per_thread || ignores_exec || is_active) {
    Pair &now = pairs.front();
    for (uint32_t s = first_step[id + 1]; s-- > first_step[id];) {
      const Step &step = steps[s];
      if (step.per_thread != now.per_thread)
        continue;
      const bool is_value = now.value == step.value, is_location = now.location == step.location;
      if (step.kind == Step::Kind::Copy) {
        const uint32_t value = now.value - step.value, location = now.location - step.location;
        if (step.copies_values && value < step.count)
          now.value = step.from_value + value;
        if (step.copies_locations && location < step.count)
          now.location = step.from_location + location;
      } else if (step.kind == Step::Kind::Define && is_value) {
        return std::nullopt;
      } else if (step.kind == Step::Kind::Undefine && is_value) {
        return std::vector<Pair>{};
      } else if (step.kind == Step::Kind::Clear && is_location) {
        now.location = nowhere;
      } else if (step.kind == Step::Kind::KeepWhereHeld && is_value != is_location) {
        if (is_value)
          return std::nullopt;
        now.location = nowhere;
      } else if (step.kind == Step::Kind::Put && is_value && is_location) {
        // What ignores EXEC computes the same in each thread only from the same.
        pairs.clear();
        for (uint32_t o = inst.first_operand;
             step.per_thread && ignores_exec && o < inst.first_operand + inst.num_operands; ++o) {
          const Span &span = spans[o];
          if (!problem.operands[o].isUse() || problem.operands[o].has(operand_flag::Undef) || !span.per_thread ||
              !isReadBy(problem, inst, o, is_active))
            continue;
          if (span.wrong_file)
            return std::nullopt;
          for (unsigned lane = 0; lane < span.count; ++lane)
            pairs.push_back({true, span.value + lane, span.location + lane});
        }
        break;
      }
    }
  }
  if (inst.clobbers < 0 || (pair.per_thread && !is_active))
    return pairs;
  // A call puts the same unknown values into both programs' registers, before it defines its results.
  const UnitSet &clobbered = problem.clobber_sets[static_cast<size_t>(inst.clobbers)];
  std::vector<Pair> left;
  for (Pair now : pairs) {
    const uint32_t unit = now.value - first_unit_value;
    if (unit < num_units && clobbered.test(unit)) {
      if (now.location != unit)
        return std::nullopt;
      continue;
    }
    if (now.location < num_units && clobbered.test(now.location))
      now.location = nowhere;
    left.push_back(now);
  }
  return left;
}

bool Steps::holdsAtEntry(Pair pair) const {
  if (pair.value < first_unit_value)
    return true; // every vreg is undefined
  if (pair.value < first_constant)
    return pair.location == pair.value - first_unit_value;
  return pair.location == num_units + pair.value;
}

std::string Steps::describe(Pair pair) const {
  std::string text;
  auto lane = [&](uint32_t value) {
    auto after = std::upper_bound(vreg_value.begin(), vreg_value.end(), value);
    return fmt::format("%{}[{}]", after - vreg_value.begin() - 1, value - *(after - 1));
  };
  if (pair.value < first_unit_value)
    text = lane(pair.value);
  else if (pair.value < first_constant)
    text = unitName(static_cast<RegUnit>(pair.value - first_unit_value));
  else
    text = fmt::format("constant{}", pair.value - first_constant);
  if (pair.location == nowhere)
    return text + " undefined";
  if (pair.location < num_units)
    return text + " in " + unitName(static_cast<RegUnit>(pair.location));
  if (pair.location - num_units < first_unit_value)
    return text + " in its own " + lane(pair.location - num_units);
  return fmt::format("{} in the place of constant{}", text, pair.location - num_units - first_constant);
}

} // namespace verilocc::smt
