#include "tests/support/mutate.h"

#include "tests/support/edit_list.h"

#include <algorithm>
#include <fmt/format.h>

namespace verilocc::tests {

using namespace problem;
using assignment::Assignment;

namespace {

class Mutator {
public:
  Mutator(const Problem &problem, const Assignment &original, support::Rng &rng)
      : problem(problem), original(original), rng(rng), result(original) {}

  std::optional<Mutant> run(Mutation mutation) {
    const std::string what = apply(mutation);
    if (what.empty() || result == original || !assignment::wellFormed(problem, result) || cannotBeEncoded())
      return {};
    return Mutant{mutation, std::move(result), what};
  }

private:
  /// True if some tuple lies in two register files, or an exchange overlaps itself: no machine code says that.
  bool cannotBeEncoded() const {
    const auto leaves = [](unsigned unit, unsigned lanes) {
      return isPerThread(static_cast<RegUnit>(unit)) &&
             fileOf(static_cast<RegUnit>(unit)) != fileOf(static_cast<RegUnit>(unit + lanes - 1));
    };
    for (const auto &edit : result.edits)
      if (edit.inst.kind == InstKind::Exchange) {
        const auto operands = result.operandsOf(edit);
        if (std::abs(static_cast<int>(operands[0].reg) - static_cast<int>(operands[1].reg)) < operands[0].num_lanes)
          return true;
      }
    for (const Operand &op : result.edit_operands)
      if (leaves(op.reg, op.num_lanes))
        return true;
    for (size_t o = 0; o < result.units.size(); ++o)
      if (result.units[o] != no_unit && leaves(result.units[o], problem.operands[o].num_lanes))
        return true;
    return false;
  }

  /// Changes `result`; an empty answer: nothing of this sort is there.
  std::string apply(Mutation mutation) {
    switch (mutation) {
    case Mutation::SwapHomes:
      return swapHomes();
    case Mutation::SwapOperands:
      return swapOperands();
    case Mutation::MergeHomes:
      return mergeHomes();
    case Mutation::MoveOperand:
    case Mutation::ShiftOperand:
    case Mutation::BreakTie:
      return moveOperand(mutation);
    case Mutation::ShiftHome:
      return shiftHome();
    case Mutation::Delete:
    case Mutation::Undelete:
      return toggleDeleted(mutation == Mutation::Delete);
    default:
      return changeEdits(mutation);
    }
  }

  // ---- operands of the Problem

  int unitOf(size_t operand) const { return original.units[operand]; }

  /// Sets an operand's first unit if all its units exist.
  bool setUnit(size_t operand, int unit) {
    if (unit < 0 || unit + problem.operands[operand].num_lanes > int(num_units))
      return false;
    result.units[operand] = static_cast<RegUnit>(unit);
    return true;
  }

  /// Operands with a register that are not fixed and satisfy `wanted`.
  template <typename Wanted> std::vector<size_t> operandsWhere(Wanted wanted) const {
    std::vector<size_t> found;
    for (size_t o = 0; o < problem.operands.size(); ++o)
      if (!problem.operands[o].fixed && original.units[o] != no_unit && wanted(problem.operands[o]))
        found.push_back(o);
    return found;
  }

  /// A vreg and its first unit, by a random operand of it.
  struct Home {
    VReg vreg;
    int unit;
  };
  std::optional<Home> pickHome() {
    const auto all = operandsWhere([](const Operand &) { return true; });
    if (all.empty())
      return {};
    const size_t o = rng.pick(all);
    return Home{problem.operands[o].reg, unitOf(o) - problem.operands[o].first_lane};
  }

  /// Adds `by` to every operand of the vreg that has a register.
  bool shift(VReg vreg, int by) {
    bool fits = true;
    for (size_t o = 0; o < problem.operands.size(); ++o)
      if (!problem.operands[o].fixed && problem.operands[o].reg == vreg && original.units[o] != no_unit)
        fits &= setUnit(o, unitOf(o) + by);
    return fits;
  }

  std::string swapHomes() {
    const auto a = pickHome(), b = pickHome();
    if (!a || !b || a->vreg == b->vreg || problem.widthOf(a->vreg) != problem.widthOf(b->vreg))
      return {};
    if (!shift(a->vreg, b->unit - a->unit) || !shift(b->vreg, a->unit - b->unit))
      return {};
    return fmt::format("%{} and %{} trade places", a->vreg, b->vreg);
  }

  std::string mergeHomes() {
    const auto a = pickHome(), b = pickHome();
    if (!a || !b || a->vreg == b->vreg || !shift(a->vreg, b->unit - a->unit))
      return {};
    return fmt::format("%{} moves to %{}'s place", a->vreg, b->vreg);
  }

  std::string shiftHome() {
    const auto home = pickHome();
    const int by = rng.chance(0.5) ? 1 : -1;
    if (!home || !shift(home->vreg, by))
      return {};
    return fmt::format("%{} shifted by {}", home->vreg, by);
  }

  std::string place(size_t operand) const {
    const auto after =
        std::upper_bound(problem.insts.begin(), problem.insts.end(), operand,
                         [](size_t o, const Inst &inst) { return o < inst.first_operand + inst.num_operands; });
    return fmt::format("instruction {} operand {}", after - problem.insts.begin(), operand - after->first_operand);
  }

  std::string swapOperands() {
    std::vector<InstId> found;
    for (InstId i = 0; i < problem.insts.size(); ++i)
      if (problem.insts[i].num_operands >= 2)
        found.push_back(i);
    if (found.empty())
      return {};
    const InstId inst = rng.pick(found);
    const Inst &code = problem.insts[inst];
    const unsigned i = static_cast<unsigned>(rng.below(code.num_operands)),
                   j = static_cast<unsigned>(rng.below(code.num_operands));
    const size_t a = code.first_operand + i, b = code.first_operand + j;
    if (problem.operands[a].fixed || problem.operands[b].fixed ||
        problem.operands[a].access != problem.operands[b].access)
      return {};
    std::swap(result.units[a], result.units[b]);
    return fmt::format("instruction {} operands {} and {} trade places", inst, i, j);
  }

  std::string moveOperand(Mutation mutation) {
    const auto found =
        operandsWhere([&](const Operand &op) { return mutation != Mutation::BreakTie || op.tied_to >= 0; });
    if (found.empty())
      return {};
    const size_t operand = rng.pick(found);
    int unit = unitOf(operand);
    if (mutation == Mutation::ShiftOperand || rng.chance(0.2)) {
      unit += rng.chance(0.5) ? 1 : -1;
    } else if (rng.chance(0.7)) {
      unit = unitOf(rng.pick(found)); // a register that is in use is the likelier mistake
    } else {
      const RegFile file = fileOf(static_cast<RegUnit>(unit));
      const int first = file == RegFile::Vector ? first_vgpr : file == RegFile::Accum ? first_agpr : first_sgpr;
      const int size = file == RegFile::Scalar || file == RegFile::Special ? 106 : 256;
      unit = first + static_cast<int>(rng.below(size));
    }
    if (!setUnit(operand, unit))
      return {};
    return fmt::format("{} at {} instead of {}", place(operand), unitName(result.units[operand]),
                       unitName(original.units[operand]));
  }

  std::string toggleDeleted(bool erase) {
    std::vector<InstId> found;
    for (InstId i = 0; i < problem.insts.size(); ++i)
      if (bool(original.deleted[i]) != erase)
        found.push_back(i);
    if (found.empty())
      return {};
    const InstId inst = rng.pick(found);
    result.deleted[inst] = erase;
    return fmt::format("instruction {} {}", inst, erase ? "deleted" : "kept");
  }

  // ---- edits

  static bool isMove(const EditItem &item) {
    const InstKind kind = item.edit.inst.kind;
    return kind == InstKind::Copy || kind == InstKind::Spill || kind == InstKind::Reload || kind == InstKind::Exchange;
  }
  static bool hasSlot(const EditItem &item) {
    return item.edit.inst.kind == InstKind::Spill || item.edit.inst.kind == InstKind::Reload;
  }
  static bool hasLane(const EditItem &item) {
    return item.edit.inst.kind == InstKind::LaneWrite || item.edit.inst.kind == InstKind::LaneRead;
  }

  bool writesExec(InstId inst) const {
    const Inst &code = problem.insts[inst];
    if (code.mask_op >= MaskOp::AndSave && code.mask_op != MaskOp::Compare)
      return true;
    for (const Operand &op : problem.operandsOf(code))
      if (op.fixed && op.isDef() && op.reg <= exec_hi && op.reg + op.num_lanes > exec_lo)
        return true;
    return false;
  }

  /// One of the edits that satisfy `wanted`, as an index; -1 if there are none.
  template <typename Wanted> int pickEdit(Wanted wanted) {
    std::vector<int> found;
    for (size_t e = 0; e < items.size(); ++e)
      if (wanted(items[e]))
        found.push_back(static_cast<int>(e));
    return found.empty() ? -1 : rng.pick(found);
  }

  InstId elsewhere(const assignment::Edit &edit) {
    const Block &block = problem.blocks[edit.block];
    return static_cast<InstId>(rng.between(block.first, block.last));
  }

  std::string changeEdits(Mutation mutation) {
    items = unpackEdits(original);
    const int index = pickEdit([&](const EditItem &item) {
      switch (mutation) {
      case Mutation::RedirectSlot:
        return hasSlot(item);
      case Mutation::RedirectLane:
        return hasLane(item);
      case Mutation::WidenMove:
      case Mutation::NarrowMove:
        return isMove(item);
      case Mutation::SomeThreads:
        return item.edit.inst.has(inst_flag::AllThreads) && isMove(item);
      case Mutation::DropRemat:
        return !isMove(item) && !hasLane(item) && item.edit.inst.mask_op == MaskOp::None;
      default:
        return true;
      }
    });
    if (index < 0)
      return {};
    const std::string what = changeEdit(mutation, static_cast<size_t>(index));
    if (!what.empty())
      packEdits(std::move(items), result);
    return what;
  }

  std::string changeEdit(Mutation mutation, size_t index) {
    EditItem &item = items[index];
    switch (mutation) {
    case Mutation::DropEdit:
    case Mutation::DropRemat:
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
      return fmt::format("edit {} dropped", index);
    case Mutation::MoveEdit: {
      const InstId from = item.edit.before;
      item.edit.before = elsewhere(item.edit);
      return fmt::format("edit {} before instruction {} instead of {}", index, item.edit.before, from);
    }
    case Mutation::DoubleEdit: {
      EditItem again = item;
      again.edit.before = elsewhere(item.edit);
      items.push_back(again);
      return fmt::format("edit {} again before instruction {}", index, again.edit.before);
    }
    case Mutation::AcrossExec:
      return moveAcrossExec(index);
    case Mutation::SwapEdits: {
      if (index + 1 >= items.size() || items[index + 1].edit.block != item.edit.block ||
          items[index + 1].edit.before != item.edit.before)
        return {};
      std::swap(item, items[index + 1]);
      return fmt::format("edits {} and {} change order", index, index + 1);
    }
    case Mutation::RedirectSlot: {
      const int other = pickEdit(hasSlot);
      const uint32_t slot =
          rng.chance(0.7) ? items[static_cast<size_t>(other)].edit.inst.slot : item.edit.inst.slot + 1;
      item.edit.inst.slot = slot;
      return fmt::format("edit {} to slot {}", index, slot);
    }
    case Mutation::RedirectLane: {
      const int other = pickEdit(hasLane);
      item.edit.inst.lane = rng.chance(0.5) ? items[static_cast<size_t>(other)].edit.inst.lane
                                            : static_cast<uint8_t>(rng.below(problem.env.wave_size));
      return fmt::format("edit {} to lane {}", index, item.edit.inst.lane);
    }
    case Mutation::ShiftEdit: {
      Operand &op = rng.pick(item.operands);
      if (op.has(operand_flag::Implicit))
        return {};
      op.reg += rng.chance(0.5) ? 1 : -1;
      return fmt::format("edit {} with an operand at unit {}", index, op.reg);
    }
    case Mutation::WidenMove:
    case Mutation::NarrowMove: {
      const int by = mutation == Mutation::WidenMove ? 1 : -1;
      for (Operand &op : item.operands) {
        if (op.has(operand_flag::Implicit))
          continue;
        if (op.num_lanes + by < 1)
          return {};
        op.num_lanes = static_cast<uint8_t>(op.num_lanes + by);
      }
      return fmt::format("edit {} {} by a dword", index, by > 0 ? "wider" : "narrower");
    }
    case Mutation::SomeThreads:
      item.edit.inst.flags &= static_cast<uint16_t>(~inst_flag::AllThreads);
      return fmt::format("edit {} for active threads only", index);
    default:
      return {};
    }
  }

  std::string moveAcrossExec(size_t index) {
    assignment::Edit &edit = items[index].edit;
    const Block &block = problem.blocks[edit.block];
    std::vector<InstId> targets;
    for (InstId i = edit.before; i < block.last; ++i)
      if (writesExec(i)) {
        targets.push_back(i + 1);
        break;
      }
    for (InstId i = edit.before; i > block.first; --i)
      if (writesExec(i - 1)) {
        targets.push_back(i - 1);
        break;
      }
    if (targets.empty())
      return {};
    edit.before = rng.pick(targets);
    return fmt::format("edit {} across EXEC to before instruction {}", index, edit.before);
  }

  const Problem &problem;
  const Assignment &original;
  support::Rng &rng;
  Assignment result;
  std::vector<EditItem> items;
};

} // namespace

const char *name(Mutation mutation) {
  static constexpr const char *names[num_mutations] = {
      "swap-homes", "swap-operands", "merge-homes",  "move-operand", "shift-operand", "shift-home",    "break-tie",
      "drop-edit",  "move-edit",     "across-exec",  "swap-edits",   "redirect-slot", "redirect-lane", "shift-edit",
      "widen-move", "narrow-move",   "some-threads", "drop-remat",   "double-edit",   "delete",        "undelete"};
  return names[static_cast<unsigned>(mutation)];
}

std::optional<Mutant> mutate(const Problem &problem, const Assignment &assignment, Mutation mutation,
                             support::Rng &rng) {
  return Mutator(problem, assignment, rng).run(mutation);
}

std::optional<Mutant> mutate(const Problem &problem, const Assignment &assignment, support::Rng &rng) {
  for (unsigned tries = 0; tries < 100; ++tries)
    if (auto mutant = mutate(problem, assignment, static_cast<Mutation>(rng.below(num_mutations)), rng))
      return mutant;
  return {};
}

} // namespace verilocc::tests
