#include "interp/code.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

namespace verilocc::interp {

using namespace problem;
using assignment::Assignment;

namespace {

class Compiler {
public:
  Compiler(const Problem &problem, const Assignment &assignment, Code &code)
      : problem(problem), assignment(assignment), code(code) {}

  void run(unsigned threads) {
    chooseLanes(threads);
    layOut();
    nameEntryUnits();
    code.insts.clear();
    code.operands.clear();
    code.block_first.clear();
    size_t edit = 0;
    for (BlockId b = 0; b < problem.blocks.size(); ++b) {
      code.block_first.push_back(code.insts.size());
      const Block &block = problem.blocks[b];
      bool after_branch = false;
      for (InstId i = block.first; i <= block.last; ++i) {
        for (;
             edit < assignment.edits.size() && assignment.edits[edit].block == b && assignment.edits[edit].before == i;
             ++edit)
          addEdit(edit, after_branch);
        if (i == block.last)
          break;
        addInst(i);
        after_branch |= problem.insts[i].kind == InstKind::Branch;
      }
    }
    assert(edit == assignment.edits.size() && "edits out of order");
    code.block_first.push_back(code.insts.size());
  }

private:
  void chooseLanes(unsigned threads) {
    assert(threads >= 1 && threads <= 32);
    std::vector<uint8_t> &lanes = code.lanes;
    lanes.clear();
    // In waves of 64 half of the threads sit in the upper half, so that losing exec_hi shows.
    for (unsigned t = 0; t < threads; ++t)
      lanes.push_back(problem.env.wave_size == 64 && t >= (threads + 1) / 2 ? 32 + t - (threads + 1) / 2 : t);
    const auto add = [&](const Inst &inst) {
      if (inst.kind != InstKind::LaneWrite && inst.kind != InstKind::LaneRead)
        return;
      uint8_t lane = inst.lane % problem.env.wave_size;
      if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end())
        lanes.push_back(lane);
    };
    for (const Inst &inst : problem.insts)
      add(inst);
    for (const auto &edit : assignment.edits)
      add(edit.inst);
    assert(lanes.size() <= max_threads);
  }

  void layOut() {
    const unsigned threads = code.threads();
    class_is_vector.clear();
    for (const RegClass &cls : problem.env.classes)
      class_is_vector.push_back(isPerThread(RegUnit(cls.bases._Find_first())));
    uint32_t next = first_sgpr * threads + (num_units - first_sgpr);
    code.vregs.clear();
    for (VReg v = 0; v < problem.vregs.size(); ++v) {
      const bool vector = class_is_vector[problem.vregs[v]];
      Place place;
      place.base = next;
      place.lane_step = vector ? threads : 1;
      place.thread_step = vector;
      code.vregs.push_back(place);
      next += problem.widthOf(v) * place.lane_step;
    }
    std::unordered_map<uint32_t, unsigned> dwords;
    const auto add = [&](const Inst &inst, std::span<const Operand> operands) {
      if (inst.kind == InstKind::Spill || inst.kind == InstKind::Reload)
        for (const Operand &op : operands)
          dwords[inst.slot] = std::max<unsigned>(dwords[inst.slot], op.num_lanes);
    };
    for (const Inst &inst : problem.insts)
      add(inst, problem.operandsOf(inst));
    for (const auto &edit : assignment.edits)
      add(edit.inst, assignment.operandsOf(edit));
    slot_base.clear();
    for (auto [slot, size] : dwords) {
      slot_base[slot] = next;
      next += size * threads;
    }
    code.words = next;
  }

  void nameEntryUnits() {
    UnitSet named;
    named.set(exec_lo);
    named.set(exec_hi);
    for (const Operand &op : problem.operands)
      if (op.fixed)
        for (unsigned i = 0; i < op.num_lanes; ++i)
          named.set(op.reg + i);
    code.entry_units.clear();
    for (size_t unit = named._Find_first(); unit < num_units; unit = named._Find_next(unit))
      code.entry_units.push_back(RegUnit(unit));
  }

  Place units(uint32_t first, unsigned lanes) const {
    Place place;
    if (first + lanes > num_units) {
      place.lost = true;
      return place;
    }
    const RegFile from = fileOf(RegUnit(first)), to = fileOf(RegUnit(first + lanes - 1));
    place = code.unit(RegUnit(first));
    place.lost = from != to && (isPerThread(RegUnit(first)) || isPerThread(RegUnit(first + lanes - 1)));
    return place;
  }

  Place own(const Operand &op) const {
    Place place = code.vregs[op.reg];
    place.base += op.first_lane * place.lane_step;
    return place;
  }

  bool touchesExec(uint32_t first, unsigned lanes) const {
    const uint32_t end = exec_lo + problem.env.wave_size / 32;
    return first < end && first + lanes > exec_lo;
  }

  CodeOperand common(const Operand &op, unsigned index) const {
    CodeOperand result;
    result.lanes = op.num_lanes;
    result.flags = op.flags;
    result.is_use = op.isUse();
    result.unread_lanes = op.unread;
    result.index = index;
    result.is_exec = op.fixed && touchesExec(op.reg, op.num_lanes);
    result.is_exec_guard = op.isUse() && op.has(operand_flag::Implicit) && result.is_exec;
    return result;
  }

  void addInst(InstId id) {
    const Inst &inst = problem.insts[id];
    const auto operands = problem.operandsOf(inst);
    CodeInst result = begin(inst, id);
    result.is_deleted = assignment.deleted[id];
    for (unsigned o = 0; o < operands.size(); ++o) {
      const Operand &op = operands[o];
      CodeOperand operand = common(op, o);
      operand.ref = op.fixed ? units(op.reg, op.num_lanes) : own(op);
      operand.is_vector = operand.ref.isVector();
      unsigned source = o; // whose register the machine reads
      const auto unit = [&](unsigned i) { return assignment.units[inst.first_operand + i]; };
      if (op.tied_to >= 0 && unit(o) != no_unit && unit(op.tied_to) != no_unit)
        source = op.tied_to;
      operand.is_tie_broken = unit(source) != unit(o);
      operand.alloc = unit(source) == no_unit ? operand.ref : units(unit(source), op.num_lanes);
      operand.alloc.lost |= operand.alloc.isVector() != operand.is_vector;
      operand.starts_undefined = op.isDef() && !op.fixed && op.has(operand_flag::Undef);
      if (!op.fixed) {
        operand.first_lane = op.first_lane;
        operand.width = problem.widthOf(op.reg);
      }
      if (op.isDef()) {
        result.writes_ref_exec |= operand.is_exec;
        result.writes_alloc_exec |= unit(o) != no_unit && touchesExec(unit(o), op.num_lanes);
      }
      code.operands.push_back(operand);
    }
    end(result);
  }

  void addEdit(size_t id, bool after_branch) {
    const auto &edit = assignment.edits[id];
    const auto operands = assignment.operandsOf(edit);
    CodeInst result = begin(edit.inst, id);
    result.is_edit = true;
    result.is_after_branch = after_branch;
    for (unsigned o = 0; o < operands.size(); ++o) {
      const Operand &op = operands[o];
      CodeOperand operand = common(op, o);
      operand.alloc =
          units(op.tied_to >= 0 && op.tied_to < int(operands.size()) ? operands[op.tied_to].reg : op.reg, op.num_lanes);
      operand.is_vector = operand.alloc.isVector();
      if (op.isDef()) {
        result.writes_alloc_exec |= operand.is_exec;
      }
      code.operands.push_back(operand);
    }
    end(result);
  }

  CodeInst begin(const Inst &inst, uint32_t id) const {
    CodeInst result;
    result.inst = &inst;
    result.id = id;
    result.first = code.operands.size();
    result.action = actionOf(inst);
    result.has_effect = inst.has(inst_flag::SideEffect) || inst.kind == InstKind::Branch ||
                        inst.kind == InstKind::Return || inst.kind == InstKind::Call || inst.kind == InstKind::Barrier;
    return result;
  }

  static Action actionOf(const Inst &inst) {
    switch (inst.kind) {
    case InstKind::Kill:
      return Action::Nothing;
    case InstKind::ImplicitDef:
      return Action::Undefine;
    case InstKind::Copy:
    case InstKind::AccumMove:
      return Action::Copy;
    case InstKind::Exchange:
      return Action::Exchange;
    case InstKind::Spill:
      return Action::Spill;
    case InstKind::Reload:
      return Action::Reload;
    case InstKind::LaneWrite:
      return Action::LaneWrite;
    case InstKind::LaneRead:
      return Action::LaneRead;
    default:
      return inst.mask_op == MaskOp::None || inst.mask_op == MaskOp::Unknown ? Action::Compute : Action::Mask;
    }
  }

  /// Finds what a move moves; what turns out not to be a plain move is computed.
  void end(CodeInst &result) {
    result.count = code.operands.size() - result.first;
    const auto operand = [&](int i) -> CodeOperand & { return code.operands[result.first + i]; };
    bool plain = true;
    for (unsigned o = 0; o < result.count; ++o) {
      CodeOperand &op = operand(o);
      if (op.has(operand_flag::Implicit))
        continue;
      if (result.action == Action::LaneWrite && op.is_use && op.is_vector)
        continue; // the register's other lanes
      int16_t &first = op.is_use ? result.use : result.def, &second = op.is_use ? result.use2 : result.def2;
      plain &= !op.has(operand_flag::HalfDword) && second < 0;
      (first < 0 ? first : second) = o;
    }
    const bool has_def = result.def >= 0, has_use = result.use >= 0;
    const auto lanes = [&](int i) { return operand(i).lanes; };
    switch (result.action) {
    case Action::Copy:
      if (has_def && has_use && plain && result.def2 < 0 && result.use2 < 0 && lanes(result.def) == lanes(result.use))
        result.move_lanes = lanes(result.def);
      else
        result.action = Action::Compute;
      if (result.action == Action::Copy && operand(result.use).has(operand_flag::Undef))
        result.action = Action::Undefine; // LLVM removes it
      break;
    case Action::Spill:
    case Action::Reload: {
      const int moved = result.action == Action::Spill ? result.use : result.def;
      if (moved < 0) {
        result.action = Action::Compute;
        break;
      }
      result.move_lanes = lanes(moved);
      result.slot_base = slot_base.at(result.inst->slot);
      break;
    }
    case Action::LaneWrite:
    case Action::LaneRead: {
      const bool write = result.action == Action::LaneWrite;
      if (!has_def || !has_use || operand(result.def).is_vector != write || operand(result.use).is_vector == write ||
          lanes(result.def) != 1 || lanes(result.use) != 1)
        result.action = Action::Compute;
      const uint8_t lane = result.inst->lane % problem.env.wave_size;
      result.lane_thread = std::find(code.lanes.begin(), code.lanes.end(), lane) - code.lanes.begin();
      break;
    }
    case Action::Exchange:
      if (result.def2 < 0 || lanes(result.def) != lanes(result.def2) ||
          operand(result.def).is_vector != operand(result.def2).is_vector)
        result.action = Action::Compute;
      else
        result.move_lanes = lanes(result.def);
      break;
    default:
      break;
    }
    if (result.action == Action::Mask) {
      const bool writes_exec = result.inst->mask_op >= MaskOp::AndSave && result.inst->mask_op != MaskOp::Compare;
      result.writes_ref_exec |= writes_exec && !result.is_edit;
      result.writes_alloc_exec |= writes_exec;
      if (result.def < 0 && result.inst->mask_op != MaskOp::CompareExec)
        findMaskDef(result);
    }
    if (result.action != Action::Compute)
      for (unsigned o = 0; o < result.count; ++o)
        if (CodeOperand &op = operand(o);
            !op.is_use && op.is_exec && op.has(operand_flag::Implicit) && o != unsigned(result.def))
          op.is_covered = true;
    markOverlaps(result);
    code.insts.push_back(result);
  }

  /// A mask written by an implicit definition (VCC, EXEC): the first one is it.
  void findMaskDef(CodeInst &result) {
    for (unsigned o = 0; o < result.count && result.def < 0; ++o)
      if (!code.operands[result.first + o].is_use)
        result.def = o;
    if (result.def < 0)
      result.action = Action::Compute;
  }

  using Words = std::pair<uint32_t, uint32_t>;
  static Words words(const Place &place, unsigned lanes) { return {place.base, place.base + lanes * place.lane_step}; }
  static bool meet(Words a, Words b) { return a.first < b.second && b.first < a.second; }

  /// Definitions that share a register although the Problem's do not; uses that an early definition overwrites;
  /// implicit definitions around a moved part.
  void markOverlaps(const CodeInst &inst) {
    const bool is_move = inst.action != Action::Compute && inst.action != Action::Mask;
    const auto place = [&](const CodeOperand &op) { return inst.is_edit ? op.alloc : op.ref; };
    for (unsigned i = 0; i < inst.count; ++i) {
      CodeOperand &def = code.operands[inst.first + i];
      if (def.is_use || def.alloc.lost)
        continue;
      for (unsigned j = 0; j < inst.count; ++j) {
        CodeOperand &other = code.operands[inst.first + j];
        if (i == j || other.alloc.lost || !meet(words(def.alloc, def.lanes), words(other.alloc, other.lanes)))
          continue;
        if (other.is_use) {
          if (def.has(operand_flag::EarlyClobber) && !isTied(inst, other))
            for (unsigned lane = 0; lane < std::min<unsigned>(other.lanes, 32); ++lane)
              if (uint32_t word = other.alloc.at(lane, 0); meet({word, word + 1}, words(def.alloc, def.lanes)))
                other.early_lanes |= 1u << lane;
          continue;
        }
        const bool implicit = def.has(operand_flag::Implicit);
        const bool meant = inst.is_edit ? implicit || other.has(operand_flag::Implicit)
                                        : meet(words(def.ref, def.lanes), words(other.ref, other.lanes));
        if (!meant)
          def.is_overlapped = other.is_overlapped = true;
        if (is_move && implicit && !other.has(operand_flag::Implicit) &&
            meet(words(place(def), def.lanes), words(place(other), other.lanes)))
          def.is_covered = true;
      }
    }
  }

  bool isTied(const CodeInst &inst, const CodeOperand &use) const {
    const Operand *operands = inst.is_edit ? assignment.edit_operands.data() : problem.operands.data();
    return operands[inst.inst->first_operand + use.index].tied_to >= 0;
  }

  const Problem &problem;
  const Assignment &assignment;
  Code &code;
  std::vector<bool> class_is_vector;
  std::unordered_map<uint32_t, uint32_t> slot_base;
};

} // namespace

Place Code::unit(RegUnit unit) const {
  Place place;
  if (isPerThread(unit)) {
    place.base = unit * threads();
    place.lane_step = threads();
    place.thread_step = 1;
  } else {
    place.base = first_sgpr * threads() + (unit - first_sgpr);
  }
  return place;
}

void compile(const Problem &problem, const Assignment &assignment, unsigned threads, Code &code) {
  Compiler(problem, assignment, code).run(threads);
}

} // namespace verilocc::interp
