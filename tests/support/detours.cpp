#include "tests/support/detours.h"

#include "support/rng.h"
#include "tests/support/edit_list.h"

#include <algorithm>
#include <optional>

namespace verilocc::tests {

using namespace problem;
using assignment::Assignment;
using assignment::Homes;

namespace {

/// Instructions [first, last) of a block. Moves out stand before `first`, moves back before `last`.
struct Stretch {
  BlockId block;
  InstId first, last;
};

class Detours {
public:
  Detours(const Problem &problem, const Homes &homes, uint64_t seed)
      : problem(problem), homes(homes), rng(seed), result(assignment::fromHomes(problem, homes)), maker(result) {
    taken = problem.env.reserved;
    for (size_t o = 0; o < problem.operands.size(); ++o)
      for (unsigned lane = 0; lane < problem.operands[o].num_lanes && result.units[o] != no_unit; ++lane)
        taken.set(result.units[o] + lane);
    for (const Inst &inst : problem.insts)
      next_slot = inst.slot == no_slot ? next_slot : std::max(next_slot, inst.slot + 1);
  }

  Assignment run(unsigned count) {
    for (unsigned i = 0; i < count && !problem.vregs.empty(); ++i) {
      const auto vreg = static_cast<VReg>(rng.below(problem.vregs.size()));
      if (homes[vreg] == no_unit)
        continue;
      const auto stretch = chooseStretch();
      switch (rng.below(4)) {
      case 0:
        rematerialise(vreg);
        break;
      case 1:
        if (stretch)
          exchange(vreg, *stretch);
        break;
      default:
        if (stretch)
          moveAside(vreg, *stretch);
      }
    }
    deleteIdentities();
    packEdits(std::move(items), result);
    return std::move(result);
  }

private:
  /// Some copies that move nothing are deleted, as LLVM's rewriter does with all of them.
  void deleteIdentities() {
    for (InstId i = 0; i < problem.insts.size(); ++i) {
      const Inst &inst = problem.insts[i];
      const auto operands = problem.operandsOf(inst);
      if (inst.kind == InstKind::Copy && operands.size() == 2 && operands[0].num_lanes == operands[1].num_lanes &&
          operands[0].isDef() && operands[1].isUse() &&
          !((operands[0].flags | operands[1].flags) & operand_flag::HalfDword))
        result.deleted[i] = result.units[inst.first_operand] != no_unit &&
                            result.units[inst.first_operand] == result.units[inst.first_operand + 1] && rng.chance(0.7);
    }
  }

  bool isVector(VReg vreg) const { return isPerThread(homes[vreg]); }

  std::optional<Stretch> chooseStretch() {
    const auto block = static_cast<BlockId>(rng.below(problem.blocks.size()));
    InstId first = problem.blocks[block].first, last = first;
    while (last < problem.blocks[block].last && problem.insts[last].kind != InstKind::Branch)
      ++last;
    if (last == first)
      return {};
    Stretch stretch{block, static_cast<InstId>(rng.between(first, last)),
                    static_cast<InstId>(rng.between(first, last))};
    if (stretch.first > stretch.last)
      std::swap(stretch.first, stretch.last);
    if (stretch.first == stretch.last)
      return {};
    return stretch;
  }

  /// Units that nothing names and that the Problem's classes allow for this vreg; taken from then on.
  std::optional<RegUnit> spare(const RegClass &cls, const Stretch *stretch) {
    std::vector<RegUnit> free;
    for (size_t base = cls.bases._Find_first(); base < num_units; base = cls.bases._Find_next(base)) {
      bool fits = true;
      for (unsigned lane = 0; lane < cls.width && fits; ++lane)
        fits = isFree(static_cast<RegUnit>(base + lane), stretch);
      if (fits)
        free.push_back(static_cast<RegUnit>(base));
    }
    if (free.empty())
      return {};
    const RegUnit unit = rng.pick(free);
    for (unsigned lane = 0; lane < cls.width; ++lane)
      taken.set(unit + lane);
    return unit;
  }

  bool isFree(RegUnit unit, const Stretch *stretch) const {
    const MachineEnv &env = problem.env;
    const bool in_limits = unit < first_agpr   ? unit < env.max_vgprs
                           : unit < first_sgpr ? unit - first_agpr < static_cast<int>(env.max_agprs)
                                               : unit - first_sgpr < static_cast<int>(env.max_sgprs);
    if (!in_limits || taken.test(unit))
      return false;
    for (InstId i = stretch ? stretch->first : 0; stretch && i < stretch->last; ++i)
      if (problem.insts[i].clobbers >= 0 && problem.clobber_sets[problem.insts[i].clobbers].test(unit))
        return false;
    return true;
  }

  /// True if within the stretch only `owners` use the units [first, first + count), and no earlier detour does.
  bool ownsUnits(const Stretch &stretch, RegUnit first, unsigned count, std::initializer_list<VReg> owners) const {
    for (const auto &[other, units] : used)
      if (other.block == stretch.block && other.first <= stretch.last && stretch.first <= other.last)
        for (unsigned i = 0; i < count; ++i)
          if (units.test(first + i))
            return false;
    for (InstId i = stretch.first; i < stretch.last; ++i) {
      const Inst &inst = problem.insts[i];
      for (unsigned k = 0; inst.clobbers >= 0 && k < count; ++k)
        if (problem.clobber_sets[inst.clobbers].test(first + k))
          return false;
      for (unsigned o = 0; o < inst.num_operands; ++o) {
        const Operand &op = problem.operandsOf(inst)[o];
        const RegUnit unit = op.fixed                   ? static_cast<RegUnit>(op.reg)
                             : homes[op.reg] == no_unit ? no_unit
                                                        : static_cast<RegUnit>(homes[op.reg] + op.first_lane);
        const bool meets = unit != no_unit && unit < first + count && first < unit + op.num_lanes;
        if (meets && (op.fixed || std::find(owners.begin(), owners.end(), op.reg) == owners.end()))
          return false;
      }
    }
    return true;
  }

  /// Calls `body(instruction, operand index)` for each mention of the vreg in the stretch.
  template <typename Body> void forMentions(VReg vreg, const Stretch &stretch, Body body) const {
    for (InstId i = stretch.first; i < stretch.last; ++i)
      for (unsigned o = 0; o < problem.insts[i].num_operands; ++o)
        if (const Operand &op = problem.operandsOf(problem.insts[i])[o]; !op.fixed && op.reg == vreg)
          body(problem.insts[i], o);
  }

  /// True if the vreg may lie at `home` throughout: constraints hold, ties stay whole, no instruction that ignores
  /// EXEC.
  bool mayLieAt(VReg vreg, RegUnit home, const Stretch &stretch) const {
    bool may = true;
    forMentions(vreg, stretch, [&](const Inst &inst, unsigned o) {
      const auto operands = problem.operandsOf(inst);
      const Operand &op = operands[o];
      may &= op.constraint == no_class || problem.env.classes[op.constraint].bases.test(home + op.first_lane);
      may &= !inst.has(inst_flag::AllThreads) && result.units[inst.first_operand + o] == homes[vreg] + op.first_lane;
      for (const Operand &other : operands)
        if (other.tied_to >= 0 && (&other == &op || &operands[other.tied_to] == &op))
          may &= !other.fixed && !operands[other.tied_to].fixed && other.reg == operands[other.tied_to].reg;
    });
    return may;
  }

  void place(VReg vreg, RegUnit home, const Stretch &stretch) {
    forMentions(vreg, stretch, [&](const Inst &inst, unsigned o) {
      result.units[inst.first_operand + o] = static_cast<RegUnit>(home + problem.operandsOf(inst)[o].first_lane);
    });
  }

  bool writesExec(const Stretch &stretch) const {
    for (InstId i = stretch.first; i < stretch.last; ++i) {
      const Inst &inst = problem.insts[i];
      if (inst.mask_op >= MaskOp::AndSave && inst.mask_op != MaskOp::Compare)
        return true;
      for (const Operand &op : problem.operandsOf(inst))
        if (op.fixed && op.isDef() && op.reg <= exec_hi && op.reg + op.num_lanes > exec_lo)
          return true;
    }
    return false;
  }

  /// True if nothing behind `inst` in its block reads the SCC that stands there; false if that is not certain.
  bool sccIsFree(const Stretch &stretch, InstId inst) const {
    for (; inst < problem.blocks[stretch.block].last; ++inst) {
      bool defined = false;
      for (const Operand &op : problem.operandsOf(problem.insts[inst]))
        if (op.fixed && op.reg == scc) {
          if (op.isUse())
            return false;
          defined = true;
        }
      if (defined)
        return true;
    }
    return problem.blocks[stretch.block].succs.empty();
  }

  void add(BlockId block, InstId before, EditItem item) {
    item.edit.block = block;
    item.edit.before = before;
    items.push_back(std::move(item));
  }

  void note(const Stretch &stretch, RegUnit first, unsigned count) {
    UnitSet units;
    for (unsigned i = 0; i < count; ++i)
      units.set(first + i);
    used.push_back({stretch, units});
  }

  /// The moves at one end of a stretch, if need be with all threads turned on around them.
  void addMoves(const Stretch &stretch, InstId before, std::vector<EditItem> moves, std::optional<RegUnit> saved) {
    const unsigned dwords = problem.env.wave_size / 32;
    if (saved)
      add(stretch.block, before, maker.saveExec(*saved, dwords));
    for (EditItem &move : moves)
      add(stretch.block, before, std::move(move));
    if (saved)
      add(stretch.block, before, maker.restoreExec(*saved, dwords));
  }

  void moveAside(VReg vreg, const Stretch &stretch) {
    const RegClass &cls = problem.classOf(vreg);
    const RegUnit home = homes[vreg];
    if (!ownsUnits(stretch, home, cls.width, {vreg}))
      return;
    // Across a change of EXEC every thread's value must move.
    const bool vector = isVector(vreg), all = vector && (writesExec(stretch) || rng.chance(0.2));
    std::optional<RegUnit> saved;
    if (all && rng.chance(0.5) && sccIsFree(stretch, stretch.first) && sccIsFree(stretch, stretch.last)) {
      RegClass mask{"", static_cast<uint8_t>(problem.env.wave_size / 32), {}};
      for (unsigned unit = first_sgpr; unit < first_sgpr + problem.env.max_sgprs; unit += 2)
        mask.bases.set(unit);
      saved = spare(mask, &stretch);
    }
    const uint16_t flags = all && !saved ? inst_flag::AllThreads : 0;

    const uint64_t way = rng.below(vector ? 3 : 4);
    const auto aside = spare(cls, &stretch);
    if (!aside || !mayLieAt(vreg, *aside, stretch))
      return;
    const unsigned width = cls.width;
    std::vector<EditItem> out, back;
    if (way == 0) {
      out = {maker.copy(*aside, home, width, flags)};
      back = {maker.copy(home, *aside, width, flags)};
    } else if (way == 1) {
      const uint32_t slot = next_slot++;
      out = {maker.spill(slot, home, width, flags), maker.reload(*aside, slot, width, flags)};
      back = {maker.copy(home, *aside, width, flags)};
    } else if (way == 2) {
      const uint32_t slot = next_slot++, slot_back = next_slot++;
      out = {maker.spill(slot, home, width, flags), maker.reload(*aside, slot, width, flags)};
      back = {maker.spill(slot_back, *aside, width, flags), maker.reload(home, slot_back, width, flags)};
    } else {
      RegClass one{"", 1, {}};
      for (unsigned unit = 0; unit < problem.env.max_vgprs; ++unit)
        one.bases.set(unit);
      const auto vector_unit = spare(one, &stretch);
      if (!vector_unit)
        return;
      const auto first_lane = static_cast<unsigned>(rng.below(problem.env.wave_size));
      const auto lane = [&](unsigned i) { return (first_lane + i) % problem.env.wave_size; };
      const auto at = [](RegUnit unit, unsigned i) { return static_cast<RegUnit>(unit + i); };
      for (unsigned i = 0; i < width; ++i)
        out.push_back(maker.writeLane(*vector_unit, lane(i), at(home, i)));
      for (unsigned i = 0; i < width; ++i)
        out.push_back(maker.readLane(at(*aside, i), *vector_unit, lane(i)));
      back = {maker.copy(home, *aside, width)};
    }
    addMoves(stretch, stretch.first, std::move(out), saved);
    addMoves(stretch, stretch.last, std::move(back), saved);
    place(vreg, *aside, stretch);
    note(stretch, home, width);
  }

  void exchange(VReg vreg, const Stretch &stretch) {
    const auto other = static_cast<VReg>(rng.below(problem.vregs.size()));
    const unsigned width = problem.widthOf(vreg);
    if (other == vreg || homes[other] == no_unit || problem.widthOf(other) != width || !isVector(vreg) ||
        !isVector(other) || fileOf(homes[vreg]) != fileOf(homes[other]) || writesExec(stretch))
      return;
    const RegUnit a = homes[vreg], b = homes[other];
    if ((a < b + width && b < a + width) || !ownsUnits(stretch, a, width, {vreg, other}) ||
        !ownsUnits(stretch, b, width, {vreg, other}) || !mayLieAt(vreg, b, stretch) || !mayLieAt(other, a, stretch))
      return;
    add(stretch.block, stretch.first, maker.exchange(a, b, width));
    add(stretch.block, stretch.last, maker.exchange(a, b, width));
    place(vreg, b, stretch);
    place(other, a, stretch);
    note(stretch, a, width);
    note(stretch, b, width);
  }

  /// Computes a constant again at one of its uses.
  void rematerialise(VReg vreg) {
    const Inst *def = nullptr;
    std::vector<std::pair<InstId, unsigned>> uses;
    for (InstId i = 0; i < problem.insts.size(); ++i)
      for (unsigned o = 0; o < problem.insts[i].num_operands; ++o) {
        const Operand &op = problem.operandsOf(problem.insts[i])[o];
        if (op.fixed || op.reg != vreg)
          continue;
        if (op.isDef()) {
          if (def)
            return;
          def = &problem.insts[i];
        } else if (op.tied_to < 0 && !problem.insts[i].has(inst_flag::AllThreads) &&
                   problem.insts[i].kind != InstKind::Branch && op.first_lane == 0 &&
                   op.num_lanes == problem.widthOf(vreg)) {
          uses.emplace_back(i, o);
        }
      }
    if (!def || uses.empty() || !def->has(inst_flag::Pure))
      return;
    std::vector<Operand> operands(problem.operandsOf(*def).begin(), problem.operandsOf(*def).end());
    for (const Operand &op : operands)
      if (op.isUse() ? !(op.fixed && op.reg == exec_lo && op.has(operand_flag::Implicit))
                     : op.fixed || op.num_lanes != problem.widthOf(vreg))
        return;
    const auto [inst, o] = rng.pick(uses);
    const Operand &use = problem.operandsOf(problem.insts[inst])[o];
    const BlockId block = problem.blockOf(inst);
    for (InstId i = problem.blocks[block].first; i < inst; ++i)
      if (problem.insts[i].kind == InstKind::Branch)
        return;
    const auto aside = spare(problem.classOf(vreg), nullptr);
    if (!aside || (use.constraint != no_class && !problem.env.classes[use.constraint].bases.test(*aside)))
      return;
    for (Operand &op : operands)
      if (op.isDef()) {
        op.fixed = true;
        op.reg = *aside;
        op.flags = 0;
      }
    EditItem item = maker.make(problem.opcodes[def->opcode], def->kind, def->flags, operands);
    const uint32_t opcode = item.edit.inst.opcode;
    item.edit.inst = *def;
    item.edit.inst.opcode = opcode;
    add(block, inst, std::move(item));
    result.units[problem.insts[inst].first_operand + o] = *aside;
  }

  const Problem &problem;
  const Homes &homes;
  support::Rng rng;
  Assignment result;
  EditMaker maker;
  std::vector<EditItem> items;
  UnitSet taken;
  uint32_t next_slot = 0;
  std::vector<std::pair<Stretch, UnitSet>> used;
};

} // namespace

Assignment withDetours(const Problem &problem, const Homes &homes, const DetourOptions &options) {
  return Detours(problem, homes, options.seed).run(options.count);
}

} // namespace verilocc::tests
