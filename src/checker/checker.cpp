// The checker: a forward dataflow over the allocated code next to the original.
//
// Reference semantics. The code before allocation, with vregs as storage. A cell is one dword of a vreg, or a physical
// register that the code names. The allocated code has locations: register units, dwords of spill slots, lanes of VGPRs
// that hold spilled scalars.
//
// Lattice. For scalars one relation, for vector values one relation for each class of threads (exec_masks.h): which
// cells equal what a location holds. At entry every vreg lane is undefined, and an undefined cell is related to every
// location; physical registers are related to themselves. Blocks not yet reached are top.
//
// Meet. Intersection, where an undefined cell counts as related to everything (relation.h). Classes of the two paths
// that belong to the same live masks are met; other classes stay side by side.
//
// Transfer. An instruction's uses are judged: each location must hold the cell. Then the reference writes its cells
// (gone from wherever they were), the allocated code its locations (now holding just those cells). A copy adds the
// copied cell wherever its source is. A vector instruction does so for the classes inside EXEC only, in both programs
// alike: a thread outside keeps cells and locations. Instructions that ignore EXEC act on every class. An inserted move
// copies what a location holds; a deleted instruction happens in the reference alone. A repeated pure computation
// (rematerialisation) yields what the original still yields while no input was redefined. Errors are those of the last
// visit of each block, when its entry state has reached the fixed point.
//
// Constraints (class, alignment, ties, fixed and reserved registers) are judged once an operand: constraints.cpp.
//
// Not proved here, see docs/trust.md: that the Problem and the Assignment describe the machine code (the reader), that
// instructions mean what the flags of the Problem say, timing and hazards, memory outside spill slots, termination,
// and debug information. That slots do not overlap in the final frame is LLVM's frame lowering's part.
#include "checker/checker.h"

#include "checker/constants.h"
#include "checker/constraints.h"
#include "checker/exec_masks.h"
#include "checker/liveness.h"
#include "checker/places.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace verilocc::checker {

using namespace problem;
using assignment::Assignment;
using assignment::Edit;

namespace {

/// What holds at one place: for the scalars, and for each class of threads, by the masks that it is in.
struct State {
  std::optional<Relation> scalar; ///< nothing: not reached
  /// Classes of one group have one relation, and have had it since they were told apart.
  std::vector<ThreadClass> classes;
  std::vector<Relation> groups;
};

/// More classes than this at one place: a mask that tells many of them apart is given up.
constexpr size_t max_active_classes = 8, max_classes = 80, max_classes_if_precise = 256;

struct PlainCopy;

class Check {
public:
  /// `precise`: keep classes of active threads apart at a block's end while a live mask tells them apart, give up fewer
  /// masks, and forget nothing that is dead, so that an error can say what it found.
  Check(const Problem &problem, const Assignment &assignment, const CheckOptions &options, bool precise)
      : problem(problem),
        assignment(assignment),
        options(options),
        precise(precise),
        places(problem, assignment),
        masks(problem),
        liveness(precise ? std::nullopt : std::optional<Liveness>(std::in_place, problem, places, masks)),
        spaces{{places.numCells(false), places.numLocs(false)}, {places.numCells(true), places.numLocs(true)}},
        scalar(spaces[0]) {}

  Check(const Check &) = delete;
  ~Check() {
    for (RelationSpace &space : spaces)
      space.abandon();
  }

  CheckResult run();

private:
  /// A relation shared by classes; nothing if no class has it any more.
  struct Group {
    std::optional<Relation> relation;
    bool active = false; ///< its classes are inside EXEC
  };

  bool enterBlock(BlockId block);
  void leaveBlock(BlockId block);
  void forgetDead(BlockId block);
  const State &arriving(BlockId block, size_t pred, State &room) const;
  void flowInto(BlockId succ);
  State entryState();
  bool meetInto(State &in, const State &out, BlockId block, bool may_change, bool exec_is_empty) const;

  // Thread classes of the block being visited.
  uint32_t addGroup(Relation relation);
  void regroup();
  void unify(uint32_t group);
  void mergeActive();
  void mergeClasses(const MaskBits &live);
  void limitClasses(const MaskBits &live);
  template <typename Function> void forActive(Function &&function);
  template <typename Function> void forAll(Function &&function);
  /// The relations that a vector instruction changes: classes inside EXEC, or all.
  template <typename Function> void forThreads(bool all_threads, Function &&function) {
    all_threads ? forAll(function) : forActive(function);
  }

  void visitInst(InstId inst);
  void judgeUses(InstId inst);
  void writeDefs(InstId inst);
  void copyInReference(InstId inst, const PlainCopy &copy);
  void clobber(InstId inst);
  void applyMask(InstId inst);
  void visitEdit(uint32_t edit);
  void moveUnits(const Edit &edit);
  void moveSlot(const Edit &edit);
  void rematerialise(uint32_t edit_index);
  void loadConstant(const Edit &edit, const Constant &constant);
  void overwriteWithUnknown(const Operand &operand);
  void overwriteUnits(RegUnit first, unsigned count);
  void dropExpressions(Relation &relation, bool per_thread, Cell cell);
  void standExpression(InstId inst);

  enum class Threads { Active, All, Unknown };
  /// On which threads an inserted vector move acts: EXEC of the allocated code decides.
  Threads threadsOfEdit(const Edit &edit) const;
  bool execIsReference() const;

  void report(ErrorKind kind, InstId inst, int edit, int operand, unsigned lane, const Relation *relation,
              bool per_thread, Cell cell, Loc loc);

  const Problem &problem;
  const Assignment &assignment;
  const CheckOptions &options;
  const bool precise;
  Places places;
  ExecMasks masks;
  std::optional<Liveness> liveness;
  RelationSpace spaces[2]; ///< of scalars, of values of threads; before all relations
  CheckResult result;

  std::vector<State> ins, outs;     ///< by block: at its start and its end when it was visited last
  std::vector<uint32_t> visits;     ///< by block
  std::vector<uint32_t> first_edit; ///< by block: its first edit
  std::vector<std::vector<CheckerError>> errors;
  std::vector<std::vector<Doubt>> doubts;
  std::vector<uint32_t> order_of; ///< reverse postorder number of a block
  std::vector<BlockId> order;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> work_list;
  std::vector<uint8_t> queued;

  // State of the block being visited.
  BlockId current = 0;
  Relation scalar;
  std::vector<ThreadClass> classes;
  std::vector<Group> groups;
  std::vector<uint32_t> members; ///< by mask: classes in it; room for limitClasses
  std::vector<uint8_t> sides;    ///< by group; room for regroup
  bool whole_wave = false;       ///< inserted code has set EXEC of the allocated program to all threads
};

// ---- thread classes

uint32_t Check::addGroup(Relation relation) {
  groups.push_back({std::move(relation), false});
  return static_cast<uint32_t>(groups.size() - 1);
}

template <typename Function> void Check::forActive(Function &&function) {
  for (Group &group : groups)
    if (group.active)
      function(*group.relation);
}

/// Every class, those set aside too.
template <typename Function> void Check::forAll(Function &&function) {
  for (Group &group : groups)
    if (group.relation)
      function(*group.relation);
}

/// Makes one class of all that share a group: they have one relation and are on one side of EXEC, so what tells them
/// apart (conditions still to be used) can be told again when it is used.
void Check::unify(uint32_t group) {
  size_t first = classes.size(), kept = 0;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].group == group && first < kept) {
      classes[first].member.generalise(classes[i].member);
      continue;
    }
    if (classes[i].group == group)
      first = kept;
    if (kept != i)
      classes[kept] = classes[i];
    ++kept;
  }
  classes.resize(kept);
}

/// Restores the invariant after memberships changed: the classes of a group are all inside EXEC, or all outside. Groups
/// without classes are given up.
void Check::regroup() {
  constexpr uint8_t inside = 1, outside = 2;
  sides.assign(groups.size(), 0);
  for (const ThreadClass &c : classes)
    sides[c.group] |= c.isActive() ? inside : outside;
  const auto count = static_cast<uint32_t>(groups.size());
  for (uint32_t g = 0; g < count; ++g) {
    groups[g].active = sides[g] & inside;
    if (!sides[g])
      groups[g].relation.reset();
    if (sides[g] != (inside | outside))
      continue;
    const uint32_t aside = addGroup(*groups[g].relation);
    for (ThreadClass &c : classes)
      if (c.group == g && !c.isActive())
        c.group = aside;
    unify(g);
    unify(aside);
  }
}

/// All active classes become one, which holds what all hold. An allocator that goes by the control flow graph keeps
/// what any of them needs in the same places, so this loses little, and it keeps the number of classes near the nesting
/// depth. Only where the masks of a branch have done their work: at a block's end, and where EXEC is widened.
void Check::mergeActive() {
  std::optional<Relation> met;
  unsigned num_active = 0;
  for (uint32_t g = 0; g < groups.size(); ++g)
    if (groups[g].active) {
      unify(g);
      if (!precise)
        met = num_active++ ? meet(*met, *groups[g].relation) : *groups[g].relation;
    }
  if (num_active < 2)
    return;
  const uint32_t merged = addGroup(std::move(*met));
  for (ThreadClass &c : classes)
    if (c.isActive())
      c.group = merged;
  unify(merged);
  regroup();
}

/// Classes that no live mask tells apart become one, which holds what both hold.
void Check::mergeClasses(const MaskBits &live) {
  for (ThreadClass &c : classes)
    c.member.restrict(live);
  std::sort(classes.begin(), classes.end(),
            [](const ThreadClass &a, const ThreadClass &b) { return a.member < b.member; });
  size_t kept = 0;
  bool is_met = false; // the last that is kept has a group of its own
  for (size_t i = 0; i < classes.size(); ++i) {
    if (!kept || classes[kept - 1].member != classes[i].member) {
      classes[kept++] = classes[i];
      is_met = false;
      continue;
    }
    uint32_t &group = classes[kept - 1].group;
    if (group == classes[i].group)
      continue;
    Relation met = meet(*groups[group].relation, *groups[classes[i].group].relation);
    if (is_met)
      groups[group].relation = std::move(met);
    else
      group = addGroup(std::move(met));
    is_met = true;
  }
  classes.resize(kept);
  regroup();
}

/// Gives up masks where there are too many classes: first conditions, by which only active classes differ; a mask that
/// keeps classes outside EXEC apart only if these alone are too many.
void Check::limitClasses(const MaskBits &live) {
  for (bool active_only : {true, false}) {
    const size_t limit = active_only ? max_active_classes : precise ? max_classes_if_precise : max_classes;
    auto counts = [&](const ThreadClass &c) { return c.isActive() || !active_only; };
    while (true) {
      auto total = static_cast<size_t>(std::count_if(classes.begin(), classes.end(), counts));
      if (total <= limit)
        break;
      // The mask that tells most of them apart.
      members.assign(masks.numMasks(), 0);
      for (const ThreadClass &c : classes)
        if (counts(c))
          c.member.in.forEach([&](unsigned mask) { ++members[mask]; });
      unsigned chosen = 0;
      size_t best = 0;
      for (unsigned m = 1; m < masks.numMasks(); ++m)
        if (size_t balance = std::min<size_t>(members[m], total - members[m]); balance > best)
          best = balance, chosen = m;
      if (!chosen)
        break;
      ExecMasks::forget(chosen, classes, active_only);
      mergeClasses(live);
    }
  }
}

// ---- blocks

State Check::entryState() {
  State state;
  auto physical = [&](bool per_thread) {
    Relation relation(spaces[per_thread]);
    auto undefine = [&](VReg vreg) {
      if (places.isVector(vreg) == per_thread)
        for (unsigned lane = 0; lane < problem.widthOf(vreg); ++lane)
          relation.undefine(places.vregCell(vreg) + lane);
    };
    if (liveness)
      std::for_each(liveness->aliveAtEntry().begin(), liveness->aliveAtEntry().end(), undefine);
    for (VReg vreg = 0; !liveness && vreg < problem.vregs.size(); ++vreg)
      undefine(vreg);
    for (RegUnit unit = 0; unit < num_units; ++unit)
      if (isPerThread(unit) == per_thread && places.isMentioned(unit)) {
        relation.define(places.unitCell(unit));
        relation.put(Places::unitLoc(unit), places.unitCell(unit));
      }
    for (const auto &[signature, constant] : places.allConstants())
      for (unsigned lane = 0; constant.per_thread == per_thread && lane < constant.count; ++lane) {
        relation.define(constant.cell + lane);
        relation.put(constant.loc + lane, constant.cell + lane);
      }
    return relation;
  };
  state.scalar = physical(false);
  state.groups.push_back(physical(true));
  state.classes = masks.entryClasses();
  for (ThreadClass &c : state.classes)
    c.member.restrict(masks.liveIn(0));
  return state;
}

/// Meets a predecessor's end into `in`. False if `in` loses something by it, or would if it may not change. On an edge
/// that is taken only with EXEC empty, no thread comes from the classes inside EXEC.
bool Check::meetInto(State &in, const State &out, BlockId block, bool may_change, bool exec_is_empty) const {
  bool is_same = true;
  auto meetOf = [&](const Relation &old, const Relation &relation) {
    Relation met = meet(old, relation);
    is_same &= met.isSame(old);
    return met;
  };
  const bool is_first = !in.scalar;
  if (is_first)
    in.scalar = out.scalar;
  else if (Relation met = meetOf(*in.scalar, *out.scalar); may_change)
    in.scalar = std::move(met);

  // Classes that shared a relation in both share the meet.
  constexpr uint32_t none = ~0u;
  struct Joint {
    uint32_t in_group, out_group; ///< not none, both: met
    Relation relation;
  };
  std::vector<Joint> joints;
  joints.reserve(in.groups.size() + out.groups.size());
  auto join = [&](uint32_t in_group, uint32_t out_group) {
    for (uint32_t j = 0; j < joints.size(); ++j)
      if (joints[j].in_group == in_group && joints[j].out_group == out_group)
        return j;
    joints.push_back({in_group, out_group,
                      in_group == none    ? out.groups[out_group]
                      : out_group == none ? in.groups[in_group]
                                          : meetOf(in.groups[in_group], out.groups[out_group])});
    return static_cast<uint32_t>(joints.size() - 1);
  };
  std::vector<uint32_t> joint_of(in.classes.size(), none); // by class of `in`
  if (may_change) {
    joint_of.reserve(in.classes.size() + out.classes.size());
    in.classes.reserve(in.classes.size() + out.classes.size());
  }
  for (ThreadClass from : out.classes) {
    if (!is_same && !may_change)
      return false;
    if (exec_is_empty && from.isActive())
      continue;
    from.member.restrict(masks.liveIn(block));
    auto it = std::find_if(in.classes.begin(), in.classes.end(),
                           [&](const ThreadClass &to) { return to.member == from.member; });
    if (it == in.classes.end()) {
      is_same = false;
      if (may_change) {
        in.classes.push_back({from.member, none});
        joint_of.push_back(join(none, from.group));
      }
      continue;
    }
    uint32_t &joint = joint_of[static_cast<size_t>(it - in.classes.begin())];
    if (joint == none) {
      joint = join(it->group, from.group);
    } else if (joints[joint].out_group != from.group) { // a second class that no live mask tells from the first
      joints.push_back({none, none, meetOf(joints[joint].relation, out.groups[from.group])});
      joint = static_cast<uint32_t>(joints.size() - 1);
    }
  }
  if (!may_change)
    return is_same;
  for (size_t i = 0; i < in.classes.size(); ++i)
    in.classes[i].group = joint_of[i] == none ? join(in.classes[i].group, none) : joint_of[i];
  // A joint of which every class went on to another is of no use.
  std::vector<uint32_t> number(joints.size(), none);
  in.groups.clear();
  in.groups.reserve(joints.size());
  for (ThreadClass &c : in.classes) {
    if (number[c.group] == none) {
      number[c.group] = static_cast<uint32_t>(in.groups.size());
      in.groups.push_back(std::move(joints[c.group].relation));
    }
    c.group = number[c.group];
  }
  return is_same;
}

/// What a predecessor had at its end, less what is alive there for another successor only; `room` may be used for it.
const State &Check::arriving(BlockId block, size_t pred, State &room) const {
  const State &out = outs[problem.blocks[block].preds[pred]];
  if (!liveness || liveness->deathsOnEdge(block, pred).empty())
    return out;
  room = out;
  std::vector<uint8_t> is_active(room.groups.size());
  for (const ThreadClass &c : room.classes)
    is_active[c.group] |= c.isActive();
  for (const Liveness::Death &death : liveness->deathsOnEdge(block, pred))
    if (!death.per_thread)
      room.scalar->giveUp(death.first, death.count);
    else
      for (size_t g = 0; g < room.groups.size(); ++g)
        if (is_active[g] ? death.inside : death.outside)
          room.groups[g].giveUp(death.first, death.count);
  return room;
}

/// The state at a block's start is the meet of what its predecessors had at their ends when they were last visited. It
/// is made anew at each visit: then a second round through a loop, where most values have other names, costs no meet
/// with the first. From the third visit on it is compared with the last; false if that knew no more. After many visits
/// it is met with the last, so that it must come to an end.
bool Check::enterBlock(BlockId block) {
  constexpr uint32_t few_visits = 2, many_visits = 8;
  current = block;
  State in;
  if (block == 0)
    in = entryState();
  if (visits[block]++ > many_visits)
    in = ins[block];
  const std::vector<BlockId> &preds = problem.blocks[block].preds;
  State room;
  for (size_t p = 0; p < preds.size(); ++p)
    if (outs[preds[p]].scalar)
      meetInto(in, arriving(block, p, room), block, true, problem.blocks[preds[p]].empty_succ == block);
  if (visits[block] > few_visits && meetInto(ins[block], in, block, false, false))
    return false;
  ins[block] = std::move(in);

  scalar = *ins[block].scalar;
  whole_wave = false;
  classes = ins[block].classes;
  groups.clear();
  for (const Relation &relation : ins[block].groups)
    addGroup(relation);
  regroup();
  return true;
}

/// A block behind this one in the order is visited after it, again if it was. One before it only if that visit knew
/// more than holds on this way.
void Check::flowInto(BlockId succ) {
  if (order_of[succ] <= order_of[current] && visits[succ] &&
      meetInto(ins[succ], outs[current], succ, false, problem.blocks[current].empty_succ == succ))
    return;
  if (!queued[order_of[succ]]) {
    queued[order_of[succ]] = 1;
    work_list.push(order_of[succ]);
  }
}

/// What will not be read again needs no relation.
void Check::forgetDead(BlockId block) {
  if (!liveness)
    return;
  for (const Liveness::Death &death : liveness->deathsIn(block))
    if (!death.per_thread)
      scalar.giveUp(death.first, death.count);
    else
      for (Group &group : groups)
        if (group.relation && (group.active ? death.inside : death.outside))
          group.relation->giveUp(death.first, death.count);
}

void Check::leaveBlock(BlockId block) {
  MaskBits live;
  live.set(exec_mask);
  for (BlockId succ : problem.blocks[block].succs)
    live = live | masks.liveIn(succ);
  forgetDead(block);
  mergeActive();
  mergeClasses(live);
  limitClasses(live);
  result.statistics.max_classes = std::max<uint64_t>(result.statistics.max_classes, classes.size());
  State &out = outs[block];
  out.scalar = scalar;
  out.classes = classes;
  out.groups.clear();
  std::vector<uint32_t> number(groups.size());
  for (uint32_t g = 0; g < groups.size(); ++g)
    if (groups[g].relation) {
      number[g] = static_cast<uint32_t>(out.groups.size());
      out.groups.push_back(*groups[g].relation);
    }
  for (ThreadClass &c : out.classes)
    c.group = number[c.group];
  for (BlockId succ : problem.blocks[block].succs)
    flowInto(succ);
}

// ---- instructions of the Problem

void Check::report(ErrorKind kind, InstId inst, int edit, int operand, unsigned lane, const Relation *relation,
                   bool per_thread, Cell cell, Loc loc) {
  if (errors[current].size() >= options.max_errors)
    return;
  CheckerError error;
  error.kind = kind;
  error.block = current;
  error.inst = inst;
  error.edit = edit;
  error.operand = operand;
  error.lane = static_cast<uint8_t>(lane);
  if (relation) {
    error.expected = places.valueOf(cell, per_thread);
    error.location = places.locationOf(loc, per_thread);
    for (Cell found : relation->cellsAt(loc))
      error.found.push_back(places.valueOf(found, per_thread));
  }
  errors[current].push_back(std::move(error));
}

/// Whether other threads' registers are read through this operand. Of a matrix instruction through A and B; an element
/// of C is added to that of D in the same thread.
static bool readsOtherThreads(const Inst &inst, std::span<const Operand> operands, uint32_t index) {
  if (!inst.has(inst_flag::CrossLane) || inst.kind != InstKind::Matrix)
    return inst.has(inst_flag::CrossLane);
  unsigned before = 0;
  for (uint32_t o = 0; o < index; ++o)
    before += operands[o].isUse() && !operands[o].has(operand_flag::Implicit);
  return before < 2;
}

/// Of an instruction that sets inactive threads: whether threads inside EXEC, or those outside, read this operand.
static bool isReadBy(const Inst &inst, std::span<const Operand> operands, uint32_t index, bool is_active) {
  if (!inst.has(inst_flag::SetsInactive) || operands[index].has(operand_flag::Implicit) || operands[index].isDef())
    return true;
  const bool is_first = std::none_of(operands.begin(), operands.begin() + index, [](const Operand &operand) {
    return operand.isUse() && !operand.has(operand_flag::Implicit);
  });
  return is_first == is_active;
}

void Check::judgeUses(InstId id) {
  const Inst &inst = problem.insts[id];
  if (inst.kind == InstKind::Kill || inst.kind == InstKind::ImplicitDef)
    return;
  auto operands = problem.operandsOf(inst);
  // Whether or not the Problem says so with an operand: a vector instruction acts on the threads in EXEC.
  if (!inst.has(inst_flag::AllThreads) && !execIsReference())
    for (uint32_t o = 0; o < operands.size(); ++o)
      if (places.operand(inst.first_operand + o).per_thread) {
        report(ErrorKind::LostValue, id, -1, static_cast<int>(o), 0, &scalar, false, places.unitCell(exec_lo),
               Places::unitLoc(exec_lo));
        break;
      }
  // Early definitions overwrite their registers before any use is read, but for the use tied to them.
  std::optional<UnitSet> early;
  for (uint32_t o = 0; o < operands.size(); ++o)
    if (operands[o].isDef() && operands[o].has(operand_flag::EarlyClobber)) {
      if (!early)
        early.emplace();
      RegUnit unit = assignment.units[inst.first_operand + o];
      for (unsigned lane = 0; unit != no_unit && lane < operands[o].num_lanes; ++lane)
        early->set(unit + lane);
    }
  for (uint32_t o = 0; o < operands.size(); ++o) {
    const Operand &operand = operands[o];
    const bool read_modify_write = operand.isDef() && operand.has(operand_flag::HalfDword);
    if ((operand.isDef() && !read_modify_write) || operand.has(operand_flag::Undef))
      continue;
    const OperandPlace &place = places.operand(inst.first_operand + o);
    if (place.wrong_file)
      continue; // constraints.cpp reports it
    RegUnit unit = assignment.units[inst.first_operand + o];
    for (unsigned lane = 0; lane < place.count; ++lane) {
      if (lane < 32 && operand.unread >> lane & 1)
        continue;
      bool overwritten = unit != no_unit && operand.isUse() && operand.tied_to < 0 && early && early->test(unit + lane);
      bool found_wrong = false;
      auto judge = [&](const Relation &relation) {
        if (found_wrong)
          return;
        bool holds = relation.holds(place.loc + lane, place.cell + lane);
        bool lost_early = overwritten && relation.isDefined(place.cell + lane);
        if (holds && !lost_early)
          return;
        found_wrong = true;
        if (!holds && lane < 32 && operand.claimed_undefined >> lane & 1)
          doubts[current].push_back({Doubt::Kind::ClaimedUndefined, current, id, static_cast<int>(o)});
        else
          report(holds ? ErrorKind::EarlyClobber : ErrorKind::LostValue, id, -1, static_cast<int>(o), lane, &relation,
                 place.per_thread, place.cell + lane, place.loc + lane);
      };
      if (!place.per_thread) {
        judge(scalar);
        continue;
      }
      if (isReadBy(inst, operands, o, true))
        forActive(judge);
      if (readsOtherThreads(inst, operands, o) && !found_wrong) {
        bool doubtful = false;
        for (const Group &group : groups)
          doubtful |= group.relation && !group.relation->holds(place.loc + lane, place.cell + lane);
        if (doubtful)
          doubts[current].push_back({Doubt::Kind::InactiveThreadsRead, current, id, static_cast<int>(o)});
      }
    }
  }
}

/// A cell of the reference is about to change: computations that read it no longer stand.
void Check::dropExpressions(Relation &relation, bool per_thread, Cell cell) {
  const std::vector<uint32_t> *readers = places.readersOf(cell, per_thread);
  if (!readers)
    return;
  for (uint32_t e : *readers) {
    const Expression &expression = places.expressions()[e];
    for (unsigned i = 0; i < expression.num_results; ++i) {
      if (expression.per_thread == per_thread)
        relation.clear(expression.first_result + i);
      else if (!per_thread)
        forAll([&](Relation &vector) { vector.clear(expression.first_result + i); });
      else
        scalar.clear(expression.first_result + i);
    }
  }
}

/// The instruction has just run: what it computed can be computed again until an input changes.
void Check::standExpression(InstId id) {
  int e = places.expressionAt(id);
  if (e < 0)
    return;
  const Expression &expression = places.expressions()[e];
  const Inst &inst = problem.insts[id];
  auto operands = problem.operandsOf(inst);
  // A computation that overwrites one of its own inputs cannot be repeated from them.
  for (uint32_t d = 0; d < operands.size(); ++d)
    for (uint32_t u = 0; u < operands.size(); ++u) {
      const OperandPlace &def = places.operand(inst.first_operand + d), &use = places.operand(inst.first_operand + u);
      if (operands[d].isDef() && operands[u].isUse() && def.per_thread == use.per_thread &&
          def.cell < use.cell + use.count && use.cell < def.cell + def.count)
        return;
    }
  Loc loc = expression.first_result;
  for (uint32_t o = 0; o < operands.size(); ++o) {
    if (!operands[o].isDef())
      continue;
    const OperandPlace &place = places.operand(inst.first_operand + o);
    for (unsigned lane = 0; lane < place.count; ++lane, ++loc) {
      auto stand = [&](Relation &relation) {
        relation.clear(loc);
        relation.put(loc, place.cell + lane);
      };
      if (place.per_thread != expression.per_thread)
        continue;
      if (place.per_thread)
        forThreads(inst.has(inst_flag::AllThreads), stand);
      else
        stand(scalar);
    }
  }
}

void Check::overwriteUnits(RegUnit first, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (isPerThread(first + i))
      for (const Places::LaneLoc &lane : places.unitLanes(first + i))
        scalar.clear(lane.loc);
}

/// A copy as the reference makes it: lanes of one file, or a constant from where it always stands.
struct PlainCopy {
  OperandPlace def, use;
};

/// Nothing if the instruction is no such copy: it must have one definition and one use, of the same number of lanes.
static std::optional<PlainCopy> plainCopy(const Problem &problem, const Places &places, InstId id) {
  const Inst &inst = problem.insts[id];
  const Constant *constant = places.constantAt(id);
  if (inst.kind != InstKind::Copy && !constant)
    return std::nullopt;
  std::optional<OperandPlace> def, use;
  if (constant)
    use = OperandPlace{constant->cell, constant->loc, constant->count, constant->per_thread, false};
  auto operands = problem.operandsOf(inst);
  for (uint32_t o = 0; o < operands.size(); ++o) {
    if (operands[o].has(operand_flag::Implicit))
      continue;
    if (operands[o].has(operand_flag::HalfDword) || (operands[o].isUse() && operands[o].has(operand_flag::Undef)))
      return std::nullopt;
    std::optional<OperandPlace> &place = operands[o].isDef() ? def : use;
    if (place)
      return std::nullopt;
    place = places.operand(inst.first_operand + o);
  }
  if (!def || !use || def->per_thread != use->per_thread || def->count != use->count)
    return std::nullopt;
  return PlainCopy{*def, *use};
}

void Check::copyInReference(InstId id, const PlainCopy &plain) {
  const auto &[def, use] = plain;
  auto copy = [&](Relation &relation) {
    if (places.hasExpressions())
      for (unsigned lane = 0; lane < def.count; ++lane)
        dropExpressions(relation, def.per_thread, def.cell + lane);
    relation.copyCells(def.cell, use.cell, def.count);
    if (!assignment.deleted[id] && !def.wrong_file) {
      if (use.wrong_file)
        for (unsigned lane = 0; lane < def.count; ++lane)
          relation.clear(def.loc + lane);
      else
        relation.copyLocs(def.loc, use.loc, def.count);
    }
  };
  if (def.per_thread)
    forThreads(problem.insts[id].has(inst_flag::AllThreads), copy);
  else
    copy(scalar);
}

static bool copiesUndef(std::span<const Operand> operands) {
  return std::any_of(operands.begin(), operands.end(), [](const Operand &o) {
    return o.isUse() && !o.has(operand_flag::Implicit) && o.has(operand_flag::Undef);
  });
}

void Check::writeDefs(InstId id) {
  const Inst &inst = problem.insts[id];
  const bool deleted = assignment.deleted[id];
  const std::optional<PlainCopy> copy = plainCopy(problem, places, id);
  auto operands = problem.operandsOf(inst);

  // A read-modify-write of a vector register that not all threads take part in (a write of one lane): the value is
  // right afterwards where it was right before.
  const bool writes_one_lane =
      inst.has(inst_flag::AllThreads) && inst.has(inst_flag::CrossLane) && inst.kind == InstKind::LaneWrite;
  // Copying what does not matter is no definition.
  const bool undefines = inst.kind == InstKind::ImplicitDef || (inst.kind == InstKind::Copy && copiesUndef(operands));

  // An instruction that ignores EXEC yields, in each class of threads, the reference's result only where its inputs are
  // the reference's.
  std::vector<const Relation *> astray;
  auto goesAstray = [&](const Group &group) {
    for (uint32_t o = 0; o < operands.size(); ++o) {
      const OperandPlace &place = places.operand(inst.first_operand + o);
      if (!operands[o].isUse() || operands[o].has(operand_flag::Undef) || !place.per_thread ||
          !isReadBy(inst, operands, o, group.active))
        continue;
      for (unsigned lane = 0; lane < place.count; ++lane)
        if (place.wrong_file || !group.relation->holds(place.loc + lane, place.cell + lane))
          return true;
    }
    return false;
  };
  if (inst.has(inst_flag::AllThreads) && !deleted && !copy && !writes_one_lane)
    for (const Group &group : groups)
      if (group.relation && goesAstray(group))
        astray.push_back(&*group.relation);

  for (int pass = 0; pass < 2; ++pass) // first the reference forgets its cells, then the locations receive them
    for (uint32_t o = 0; o < operands.size(); ++o) {
      const Operand &operand = operands[o];
      const bool is_copied = copy && !operand.has(operand_flag::Implicit);
      if (!operand.isDef() || (is_copied && pass == 1))
        continue;
      const OperandPlace &place = places.operand(inst.first_operand + o);
      auto write = [&](Relation &relation) {
        for (unsigned lane = 0; lane < place.count; ++lane) {
          Cell cell = place.cell + lane;
          Loc loc = place.loc + lane;
          if (pass == 0) {
            if (places.hasExpressions())
              dropExpressions(relation, place.per_thread, cell);
            if (writes_one_lane && place.per_thread && !deleted && !place.wrong_file && relation.holds(loc, cell)) {
              relation.define(cell);
              relation.clear(loc);
              relation.put(loc, cell);
            } else {
              undefines ? relation.undefine(cell) : relation.define(cell);
              if (!deleted && !place.wrong_file && !undefines)
                relation.clear(loc);
            }
          } else if (!deleted && !undefines && !place.wrong_file && !writes_one_lane &&
                     std::find(astray.begin(), astray.end(), &relation) == astray.end()) {
            relation.put(loc, cell);
          }
        }
      };
      if (is_copied) {
        copyInReference(id, *copy);
      } else if (place.per_thread) {
        forThreads(inst.has(inst_flag::AllThreads), write);
      } else {
        write(scalar);
      }
      // `undef` on a lane definition: the other lanes of the vreg become undefined.
      if (pass == 0 && operand.has(operand_flag::Undef) && !operand.fixed) {
        Cell first = place.cell - operand.first_lane;
        unsigned width = problem.widthOf(operand.reg);
        auto others = [&](Relation &relation) {
          for (unsigned lane = 0; lane < width; ++lane)
            if (lane < operand.first_lane || lane >= operand.first_lane + operand.num_lanes)
              relation.undefine(first + lane);
        };
        if (place.per_thread)
          forThreads(inst.has(inst_flag::AllThreads), others);
        else
          others(scalar);
      }
      RegUnit unit = assignment.units[inst.first_operand + o];
      if (pass == 0 && !deleted && unit != no_unit)
        overwriteUnits(unit, operand.num_lanes);
    }
}

/// A call leaves the same unknown values in the registers that it does not preserve, in both programs.
void Check::clobber(InstId id) {
  const Inst &inst = problem.insts[id];
  if (inst.clobbers < 0)
    return;
  const UnitSet &set = problem.clobber_sets[inst.clobbers];
  auto write = [&](Relation &relation, bool per_thread) {
    for (RegUnit unit = 0; unit < num_units; ++unit)
      if (set.test(unit) && isPerThread(unit) == per_thread) {
        if (places.hasExpressions())
          dropExpressions(relation, per_thread, places.unitCell(unit));
        relation.clear(Places::unitLoc(unit));
        if (!places.isMentioned(unit))
          continue;
        relation.define(places.unitCell(unit));
        relation.put(Places::unitLoc(unit), places.unitCell(unit));
      }
  };
  write(scalar, false);
  // A callee leaves the registers of threads outside EXEC alone (LLVM, AMDGPUUsage, "Calling Convention": inactive
  // lanes are preserved in every VGPR).
  forActive([&](Relation &relation) { write(relation, true); });
  for (RegUnit unit = 0; unit < first_sgpr; ++unit)
    if (set.test(unit))
      overwriteUnits(unit, 1);
}

void Check::applyMask(InstId id) {
  if (!masks.isMaskInst(id))
    return;
  result.statistics.unknown_masks += masks.apply(id, classes);
  if (classes.size() > 3)
    mergeClasses(masks.liveAfter(id));
  else
    regroup();
  // Threads put aside come back at the end of a branch, and all go on alike. (The two halves of an if with an else are
  // exchanged by other instructions, and stay apart.)
  if (problem.insts[id].mask_op == MaskOp::Or && masks.writesExec(id))
    mergeActive();
  limitClasses(masks.liveAfter(id));
  result.statistics.max_classes = std::max<uint64_t>(result.statistics.max_classes, classes.size());
}

void Check::visitInst(InstId id) {
  const Inst &inst = problem.insts[id];
  if (!assignment.deleted[id])
    judgeUses(id);
  else if (inst.has(inst_flag::SideEffect))
    report(ErrorKind::DeletedEffect, id, -1, -1, 0, nullptr, false, 0, 0);
  clobber(id);
  writeDefs(id);
  if (places.hasExpressions())
    standExpression(id);
  applyMask(id);
}

// ---- inserted instructions

bool Check::execIsReference() const {
  for (unsigned w = 0; w < problem.env.wave_size / 32; ++w)
    if (!scalar.holds(Places::unitLoc(exec_lo + w), places.unitCell(exec_lo + w)))
      return false;
  return true;
}

Check::Threads Check::threadsOfEdit(const Edit &edit) const {
  if (edit.inst.has(inst_flag::AllThreads) || whole_wave)
    return Threads::All;
  return execIsReference() ? Threads::Active : Threads::Unknown;
}

namespace {

/// The first explicit definition and use of an inserted move; null where it has none.
struct MoveOperands {
  const Operand *def = nullptr, *use = nullptr;
};
MoveOperands moveOperands(std::span<const Operand> operands) {
  MoveOperands move;
  for (const Operand &operand : operands)
    if (!operand.has(operand_flag::Implicit)) {
      const Operand *&place = operand.isDef() ? move.def : move.use;
      place = place ? place : &operand; // later uses are addresses: the stack pointer of a spill
    }
  return move;
}

RegUnit unitOf(const Operand &operand) {
  return static_cast<RegUnit>(operand.reg);
}

} // namespace

void Check::moveUnits(const Edit &edit) {
  auto [def, use] = moveOperands(assignment.operandsOf(edit));
  const unsigned count = def->num_lanes;
  const RegUnit to = unitOf(*def), from = unitOf(*use);
  Threads threads = threadsOfEdit(edit);
  if (!isPerThread(to)) {
    scalar.copyLocs(Places::unitLoc(to), Places::unitLoc(from), count);
    return;
  }
  auto move = [&](Relation &relation) { relation.copyLocs(to, from, count); };
  if (threads == Threads::Unknown)
    overwriteWithUnknown(*def);
  else
    forThreads(threads == Threads::All, move);
  // Lanes that hold scalars move with the register if every thread takes part.
  std::vector<std::pair<Loc, Loc>> lanes;
  if (threads == Threads::All)
    for (unsigned i = 0; i < count; ++i)
      for (const Places::LaneLoc &lane : places.unitLanes(to + i))
        if (Loc source = places.unitLaneLoc(from + i, lane.lane); source != Places::no_loc)
          lanes.push_back({lane.loc, source});
  if (lanes.empty() || (to < from + count && from < to + count))
    overwriteUnits(to, count);
  else
    for (auto [target, source] : lanes)
      scalar.copyLocs(target, source, 1);
}

void Check::moveSlot(const Edit &edit) {
  auto [def, use] = moveOperands(assignment.operandsOf(edit));
  const bool is_spill = edit.inst.kind == InstKind::Spill;
  const Operand &data = is_spill ? *use : *def;
  const RegUnit unit = unitOf(data);
  const bool per_thread = isPerThread(unit);
  const Loc slot = places.slotLoc(edit.inst.slot, per_thread);
  const Loc loc = Places::unitLoc(unit);
  const unsigned count = data.num_lanes;
  const Loc to = is_spill ? slot : loc, from = is_spill ? loc : slot;
  Threads threads = threadsOfEdit(edit);
  if (is_spill) {
    // The slot's other reading (as scalars, or as vector values) is overwritten whoever writes.
    Loc other = places.slotLoc(edit.inst.slot, !per_thread);
    for (unsigned i = 0; i < count; ++i) {
      if (per_thread)
        scalar.clear(other + i);
      else
        forAll([&](Relation &relation) { relation.clear(other + i); });
    }
  }
  if (!per_thread) {
    scalar.copyLocs(to, from, count);
    return;
  }
  if (threads == Threads::Unknown)
    forAll([&](Relation &relation) {
      for (unsigned i = 0; i < count; ++i)
        relation.clear(to + i);
    });
  else
    forThreads(threads == Threads::All, [&](Relation &relation) { relation.copyLocs(to, from, count); });
  for (unsigned i = 0; i < count; ++i)
    for (const Places::LaneLoc &lane : places.unitLanes(unit + i)) {
      Loc slot_lane = places.slotLaneLoc(edit.inst.slot, i, lane.lane);
      if (slot_lane == Places::no_loc || threads != Threads::All) {
        Loc target = is_spill ? slot_lane : lane.loc;
        if (target != Places::no_loc)
          scalar.clear(target);
      } else {
        scalar.copyLocs(is_spill ? slot_lane : lane.loc, is_spill ? lane.loc : slot_lane, 1);
      }
    }
}

void Check::loadConstant(const Edit &edit, const Constant &constant) {
  const Operand *def = moveOperands(assignment.operandsOf(edit)).def;
  if (!def || def->num_lanes != constant.count || isPerThread(unitOf(*def)) != constant.per_thread) {
    for (const Operand &operand : assignment.operandsOf(edit))
      if (operand.isDef())
        overwriteWithUnknown(operand);
    return;
  }
  Threads threads = threadsOfEdit(edit);
  if (!constant.per_thread)
    scalar.copyLocs(Places::unitLoc(unitOf(*def)), constant.loc, constant.count);
  else if (threads == Threads::Unknown)
    overwriteWithUnknown(*def);
  else
    forThreads(threads == Threads::All,
               [&](Relation &relation) { relation.copyLocs(unitOf(*def), constant.loc, constant.count); });
  overwriteUnits(unitOf(*def), def->num_lanes);
}

/// An inserted instruction leaves something unknown in a register, of every thread.
void Check::overwriteWithUnknown(const Operand &operand) {
  for (unsigned i = 0; i < operand.num_lanes; ++i) {
    auto unit = static_cast<RegUnit>(operand.reg + i);
    if (isPerThread(unit))
      forAll([&](Relation &relation) { relation.clear(unit); });
    else
      scalar.clear(Places::unitLoc(unit));
  }
  overwriteUnits(static_cast<RegUnit>(operand.reg), operand.num_lanes);
}

/// A computation of the Problem that runs a second time: its results are those of the first if every input is still at
/// hand. Several may have the same signature (moves of one constant); the results of all that match are there.
void Check::rematerialise(uint32_t index) {
  const Edit &edit = assignment.edits[index];
  auto operands = assignment.operandsOf(edit);
  if (const Constant *constant = places.constantOf(edit.inst.signature))
    return loadConstant(edit, *constant);
  const std::vector<uint32_t> *candidates =
      edit.inst.has(inst_flag::SideEffect) ? nullptr : places.expressionsOf(edit.inst.signature);
  if (!candidates)
    report(ErrorKind::Unexplained, edit.before, static_cast<int>(index), -1, 0, nullptr, false, 0, 0);

  const Threads threads = threadsOfEdit(edit);
  auto compute = [&](Relation *vector) {
    // For one class of threads (null: the scalar results): gather what the results hold, then write.
    std::vector<std::vector<Loc>> gathered;
    for (const Operand &operand : operands)
      if (operand.isDef())
        for (unsigned lane = 0; lane < operand.num_lanes; ++lane)
          gathered.emplace_back();
    for (uint32_t e : candidates ? *candidates : std::vector<uint32_t>{}) {
      const Expression &expression = places.expressions()[e];
      const Inst &inst = problem.insts[expression.inst];
      auto originals = problem.operandsOf(inst);
      bool at_hand = true;
      uint32_t next = 0;
      auto nextExplicit = [&](Access access) -> const Operand * {
        while (next < operands.size() &&
               (operands[next].access != access || operands[next].has(operand_flag::Implicit)))
          ++next;
        return next < operands.size() ? &operands[next++] : nullptr;
      };
      for (uint32_t o = 0; o < originals.size() && at_hand; ++o) {
        if (!originals[o].isUse()) {
          at_hand &= !originals[o].has(operand_flag::HalfDword); // the other half is an input
          continue;
        }
        if (originals[o].has(operand_flag::Undef)) {
          at_hand &= originals[o].has(operand_flag::Implicit) || nextExplicit(Access::Use);
          continue;
        }
        const OperandPlace &place = places.operand(inst.first_operand + o);
        RegUnit unit = no_unit;
        if (originals[o].has(operand_flag::Implicit) && originals[o].fixed) {
          unit = static_cast<RegUnit>(originals[o].reg);
        } else if (const Operand *operand = nextExplicit(Access::Use)) {
          unit = unitOf(*operand);
          at_hand &= operand->num_lanes == place.count;
        }
        at_hand &= unit != no_unit && isPerThread(unit) == place.per_thread;
        for (unsigned lane = 0; at_hand && lane < place.count; ++lane) {
          const Relation *relation = place.per_thread ? vector : &scalar;
          const bool is_input = !decidesThreads(originals[o]);
          at_hand &= !is_input || (relation && relation->holds(Places::unitLoc(unit + lane), place.cell + lane));
        }
      }
      // An input more than the original has: another operation, whatever its signature.
      at_hand = at_hand && !nextExplicit(Access::Use);
      if (!at_hand || expression.per_thread != (vector != nullptr))
        continue;
      for (size_t i = 0; i < gathered.size() && i < expression.num_results; ++i)
        gathered[i].push_back(expression.first_result + static_cast<Loc>(i));
    }
    size_t i = 0;
    for (const Operand &operand : operands)
      if (operand.isDef())
        for (unsigned lane = 0; lane < operand.num_lanes; ++lane, ++i) {
          if (isPerThread(static_cast<RegUnit>(operand.reg + lane)) != (vector != nullptr))
            continue;
          Relation &relation = vector ? *vector : scalar;
          Loc loc = Places::unitLoc(static_cast<RegUnit>(operand.reg + lane));
          relation.clear(loc);
          for (Loc result : gathered[i])
            if (threads != Threads::Unknown || !vector)
              relation.add(loc, result);
        }
  };
  compute(nullptr);
  forThreads(threads != Threads::Active, [&](Relation &relation) { compute(&relation); });
  for (const Operand &operand : operands)
    if (operand.isDef())
      overwriteUnits(unitOf(operand), operand.num_lanes);
}

void Check::visitEdit(uint32_t index) {
  const Edit &edit = assignment.edits[index];
  auto operands = assignment.operandsOf(edit);
  auto [def, use] = moveOperands(operands);
  const bool writes_exec = def && overlapsExec(def->reg, def->num_lanes);
  auto unexplained = [&] {
    report(ErrorKind::Unexplained, edit.before, static_cast<int>(index), -1, 0, nullptr, false, 0, 0);
  };
  auto overwriteImplicit = [&] {
    for (const Operand &operand : operands)
      if (operand.isDef() && operand.has(operand_flag::Implicit))
        for (unsigned i = 0; i < operand.num_lanes; ++i) {
          auto unit = static_cast<RegUnit>(operand.reg + i);
          // The rewriter names the whole tuple of which a part is moved; what the move writes, it has written.
          bool is_part = def && unit >= unitOf(*def) && unit < unitOf(*def) + def->num_lanes;
          if (is_part || isPerThread(unit))
            continue;
          scalar.clear(Places::unitLoc(unit));
        }
  };

  switch (edit.inst.kind) {
  case InstKind::Kill:
  case InstKind::ImplicitDef:
    return; // no machine code: what was there stays there
  case InstKind::Copy:
    if (!def || !use || def->num_lanes != use->num_lanes)
      return unexplained();
    if (isPerThread(unitOf(*def)) != isPerThread(unitOf(*use)))
      return rematerialise(index);
    moveUnits(edit);
    break;
  case InstKind::Spill:
  case InstKind::Reload:
    if (!(edit.inst.kind == InstKind::Spill ? use : def))
      return unexplained();
    moveSlot(edit);
    overwriteImplicit();
    return;
  case InstKind::LaneWrite:
    if (!def || !use || !isPerThread(unitOf(*def)))
      return unexplained();
    {
      const Operand *source = nullptr;
      for (const Operand &operand : operands)
        if (operand.isUse() && !operand.has(operand_flag::Implicit) && !isPerThread(unitOf(operand)))
          source = &operand;
      if (!source)
        return unexplained();
      Loc lane = places.unitLaneLoc(unitOf(*def), edit.inst.lane);
      scalar.copyLocs(lane, Places::unitLoc(unitOf(*source)), 1);
      forAll([&](Relation &relation) { relation.clear(unitOf(*def)); });
    }
    return;
  case InstKind::LaneRead:
    if (!def || !use || isPerThread(unitOf(*def)) || !isPerThread(unitOf(*use)))
      return unexplained();
    scalar.copyLocs(Places::unitLoc(unitOf(*def)), places.unitLaneLoc(unitOf(*use), edit.inst.lane), 1);
    break;
  case InstKind::Exchange: {
    std::vector<const Operand *> defs;
    for (const Operand &operand : operands)
      if (operand.isDef() && !operand.has(operand_flag::Implicit))
        defs.push_back(&operand);
    if (defs.size() != 2 || defs[0]->num_lanes != defs[1]->num_lanes || !isPerThread(unitOf(*defs[0])) ||
        !isPerThread(unitOf(*defs[1])) ||
        (defs[0]->reg < defs[1]->reg + defs[1]->num_lanes && defs[1]->reg < defs[0]->reg + defs[0]->num_lanes) ||
        threadsOfEdit(edit) == Threads::Unknown)
      return unexplained();
    forThreads(threadsOfEdit(edit) == Threads::All,
               [&](Relation &relation) { relation.swapLocs(unitOf(*defs[0]), unitOf(*defs[1]), defs[0]->num_lanes); });
    for (const Operand *operand : defs)
      overwriteUnits(unitOf(*operand), operand->num_lanes);
    return;
  }
  default:
    // EXEC set to all threads around a whole-wave move, and put back from the register that kept it.
    if (edit.inst.mask_op == MaskOp::OrSave && edit.inst.mask_has_constant && edit.inst.mask_constant == -1 && def) {
      bool was_reference = execIsReference();
      for (unsigned w = 0; w < problem.env.wave_size / 32; ++w) {
        scalar.copyLocs(Places::unitLoc(static_cast<RegUnit>(def->reg + w)), Places::unitLoc(exec_lo + w), 1);
        scalar.clear(Places::unitLoc(exec_lo + w));
      }
      scalar.clear(Places::unitLoc(scc));
      whole_wave = was_reference || whole_wave;
      return;
    }
    if (edit.inst.mask_op == MaskOp::Move && def && use && def->num_lanes == use->num_lanes &&
        !isPerThread(unitOf(*def)) && !isPerThread(unitOf(*use))) {
      scalar.copyLocs(Places::unitLoc(unitOf(*def)), Places::unitLoc(unitOf(*use)), def->num_lanes);
      if (writes_exec)
        whole_wave = false;
      overwriteImplicit();
      return;
    }
    return rematerialise(index);
  }
  if (writes_exec)
    whole_wave = false;
  overwriteImplicit();
}

CheckResult Check::run() {
  const size_t num_blocks = problem.blocks.size();
  ins.resize(num_blocks);
  outs.resize(num_blocks);
  visits.resize(num_blocks);
  errors.resize(num_blocks);
  doubts.resize(num_blocks);

  // Reverse postorder, so that a block is visited after its predecessors where there is no loop. Successors further
  // down in the code first: then a loop comes before what follows it.
  std::vector<std::vector<BlockId>> successors(num_blocks);
  for (BlockId block = 0; block < num_blocks; ++block) {
    successors[block] = problem.blocks[block].succs;
    std::sort(successors[block].begin(), successors[block].end(), std::greater<>());
  }
  order_of.assign(num_blocks, ~0u);
  std::vector<uint8_t> seen(num_blocks);
  std::vector<std::pair<BlockId, size_t>> stack{{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next < successors[block].size()) {
      BlockId succ = successors[block][next++];
      if (!seen[succ]) {
        seen[succ] = 1;
        stack.push_back({succ, 0});
      }
    } else {
      order.push_back(block);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  for (uint32_t i = 0; i < order.size(); ++i)
    order_of[order[i]] = i;

  first_edit.assign(num_blocks + 1, static_cast<uint32_t>(assignment.edits.size()));
  for (auto e = static_cast<uint32_t>(assignment.edits.size()); e-- > 0;)
    first_edit[assignment.edits[e].block] = e;

  std::vector<CheckerError> constraint_errors = checkConstraints(problem, assignment);

  queued.assign(num_blocks, 0);
  work_list.push(0);
  queued[0] = 1;
  while (!work_list.empty()) {
    BlockId block = order[work_list.top()];
    queued[work_list.top()] = 0;
    work_list.pop();
    if (!enterBlock(block))
      continue;
    ++result.statistics.block_visits;
    errors[block].clear();
    doubts[block].clear();
    uint32_t edit = first_edit[block];
    auto runEdits = [&](InstId before) {
      for (; edit < assignment.edits.size() && assignment.edits[edit].block == block &&
             assignment.edits[edit].before <= before;
           ++edit)
        visitEdit(edit);
    };
    for (InstId inst = problem.blocks[block].first; inst < problem.blocks[block].last; ++inst) {
      runEdits(inst);
      visitInst(inst);
    }
    runEdits(problem.blocks[block].last);
    leaveBlock(block);
  }

  for (BlockId block = 0; block < num_blocks; ++block) {
    for (CheckerError &error : errors[block])
      result.errors.push_back(std::move(error));
    for (Doubt &doubt : doubts[block])
      result.doubts.push_back(doubt);
  }
  for (CheckerError &error : constraint_errors)
    result.errors.push_back(std::move(error));
  std::sort(result.errors.begin(), result.errors.end(), [](const CheckerError &a, const CheckerError &b) {
    return std::tie(a.inst, a.edit, a.operand, a.kind, a.lane) < std::tie(b.inst, b.edit, b.operand, b.kind, b.lane);
  });
  if (result.errors.size() > options.max_errors)
    result.errors.resize(options.max_errors);
  result.verdict = !result.errors.empty()   ? Verdict::Rejected
                   : !result.doubts.empty() ? Verdict::Undecided
                                            : Verdict::Accepted;
  return std::move(result);
}

} // namespace

CheckResult check(const Problem &problem, const Assignment &assignment, const CheckOptions &options) {
  for (const support::Status &status : {problem::wellFormed(problem), assignment::wellFormed(problem, assignment)})
    if (!status) {
      CheckResult invalid;
      invalid.invalid_reason = status.error().str();
      return invalid;
    }
  CheckResult result = Check(problem, assignment, options, false).run();
  // What the coarse classes cannot prove, the fine ones may; both are sound.
  if (result.verdict != Verdict::Accepted)
    result = Check(problem, assignment, options, true).run();
  return result;
}

const char *name(Verdict verdict) {
  static const char *const names[] = {"Accepted", "Rejected", "Undecided", "InvalidInput"};
  return names[static_cast<unsigned>(verdict)];
}

const char *name(ErrorKind kind) {
  static const char *const names[] = {
#define CHECKER_ERROR(name, text, what) text,
#include "checker/errors.def"
  };
  return names[static_cast<unsigned>(kind)];
}

const char *explain(ErrorKind kind) {
  static const char *const texts[] = {
#define CHECKER_ERROR(name, text, what) what,
#include "checker/errors.def"
  };
  return texts[static_cast<unsigned>(kind)];
}

const char *name(Doubt::Kind kind) {
  return kind == Doubt::Kind::InactiveThreadsRead ? "inactive-threads-read" : "claimed-undefined";
}

} // namespace verilocc::checker
