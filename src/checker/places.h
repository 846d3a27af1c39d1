// Numbers every cell and location of one (Problem, Assignment) pair, in two spaces: per thread (vector registers, their
// spill slots) and scalar (everything else, the lanes of VGPRs that hold spilled scalars among it).
#pragma once

#include "checker/checker.h"
#include "checker/relation.h"

#include <unordered_map>

namespace verilocc::checker {

/// An operand of the Problem as dense numbers. A cell range and a location range of `count` lanes.
struct OperandPlace {
  Cell cell = 0;
  Loc loc = 0;
  uint8_t count = 0;
  bool per_thread = false; ///< of the cells
  bool wrong_file = false; ///< the location lies in the other space: nothing can hold there
};

/// One computation that the Assignment repeats somewhere: a pure instruction of the Problem whose signature an edit
/// has. Its results have locations of their own ("as if still standing there"), valid while no input is redefined.
struct Expression {
  problem::InstId inst = 0;
  Loc first_result = 0; ///< one location for each lane of its definitions, in order
  unsigned num_results = 0;
  bool per_thread = false;
};

/// A pure instruction without register inputs: a constant. It is a cell that the reference never changes, at a location
/// that always holds it; loading it is then a copy in both programs, wherever it is loaded.
struct Constant {
  Cell cell = 0;
  Loc loc = 0;
  uint8_t count = 0;
  bool per_thread = false;
};

class Places {
public:
  Places(const problem::Problem &problem, const assignment::Assignment &assignment);
  Places(const Places &) = delete;

  uint32_t numCells(bool per_thread) const { return num_cells[per_thread]; }
  uint32_t numLocs(bool per_thread) const { return num_locs[per_thread]; }

  /// The cells of a vreg: the first, as many as it is wide; and their space.
  Cell vregCell(problem::VReg vreg) const { return vreg_cell[vreg]; }
  bool isVector(problem::VReg vreg) const { return vreg_per_thread[vreg]; }
  const OperandPlace &operand(uint32_t index) const { return operands[index]; }

  /// True for a physical register that the reference names in an operand; no other can be read.
  bool isMentioned(problem::RegUnit unit) const { return mentioned.test(unit); }
  static Loc unitLoc(problem::RegUnit unit) { return problem::isPerThread(unit) ? unit : unit - problem::first_sgpr; }
  Cell unitCell(problem::RegUnit unit) const {
    return problem::isPerThread(unit) ? first_unit_cell[1] + unit : first_unit_cell[0] + (unit - problem::first_sgpr);
  }
  Loc slotLoc(uint32_t slot, bool per_thread) const;
  /// Location of one lane of a VGPR, or of one lane of a spilled VGPR; no_loc if the Assignment never names it.
  static constexpr Loc no_loc = ~0u;
  Loc unitLaneLoc(problem::RegUnit unit, unsigned lane) const;
  /// All lanes in use of a VGPR as (lane, location); the slot forms of the same lanes likewise.
  struct LaneLoc {
    uint8_t lane;
    Loc loc;
  };
  const std::vector<LaneLoc> &unitLanes(problem::RegUnit unit) const;
  /// Scalar location that stands for lane `lane` of dword `dword` of a slot, created on construction for every slot
  /// that a whole-wave spill writes.
  Loc slotLaneLoc(uint32_t slot, unsigned dword, unsigned lane) const;

  /// The constant that an instruction with this signature loads; null if it loads none.
  const Constant *constantOf(uint64_t signature) const;
  /// The same of an instruction of the Problem.
  const Constant *constantAt(problem::InstId inst) const { return constant_at[inst]; }
  const std::unordered_map<uint64_t, Constant> &allConstants() const { return constants; }

  const std::vector<Expression> &expressions() const { return all_expressions; }
  /// Indices of expressions with this signature.
  const std::vector<uint32_t> *expressionsOf(uint64_t signature) const;
  /// Indices of expressions that read this cell.
  const std::vector<uint32_t> *readersOf(Cell cell, bool per_thread) const;
  /// Expression of an instruction of the Problem, or -1.
  int expressionAt(problem::InstId inst) const;
  bool hasExpressions() const { return !all_expressions.empty(); }

  Value valueOf(Cell cell, bool per_thread) const;
  Location locationOf(Loc loc, bool per_thread) const;

private:
  struct SlotPlace {
    unsigned width = 0;
    Loc loc[2] = {no_loc, no_loc};
  };
  Loc addLocs(bool per_thread, Location first, unsigned count);

  uint32_t num_cells[2] = {0, 0}, num_locs[2] = {0, 0};
  Cell first_unit_cell[2] = {0, 0};
  problem::UnitSet mentioned;
  std::vector<Cell> vreg_cell;
  std::vector<uint8_t> vreg_per_thread;
  std::vector<OperandPlace> operands;
  std::vector<Value> values[2];
  std::vector<Location> locations[2];
  std::unordered_map<uint32_t, SlotPlace> slots;
  std::vector<std::vector<LaneLoc>> unit_lanes; ///< by VGPR
  std::unordered_map<uint64_t, Loc> slot_lanes;
  std::unordered_map<uint64_t, Constant> constants;
  std::vector<const Constant *> constant_at; ///< by instruction
  std::vector<Expression> all_expressions;
  std::unordered_map<uint64_t, std::vector<uint32_t>> by_signature;
  std::unordered_map<Cell, std::vector<uint32_t>> readers[2];
  std::unordered_map<problem::InstId, uint32_t> by_inst;
};

} // namespace verilocc::checker
