// The two programs in one list, made ready to run: every operand resolved to places in two memories.
//
// Both memories have the same layout: register units, then the vregs' lanes (the reference program's storage; in the
// allocated program only for vregs left to another allocator), then spill slots. A dword of a vector register, of a
// vector vreg and of a slot has one word a thread; a scalar one word. Threads are a few lanes of the wave, those that
// LaneWrite and LaneRead name among them, so that a scalar kept in a lane is an ordinary value of that thread.
#pragma once

#include "assignment/assignment.h"

#include <cstdint>
#include <vector>

namespace verilocc::interp {

constexpr unsigned max_threads = 64;

/// Words `base + lane * lane_step + thread * thread_step` of a memory.
struct Place {
  uint32_t base = 0;
  uint16_t lane_step = 1;
  uint8_t thread_step = 0; ///< 1: a value of each thread
  bool lost = false;       ///< no such register, or of the wrong file: reads yield garbage, writes leave garbage

  bool isVector() const { return thread_step != 0; }
  uint32_t at(unsigned lane, unsigned thread) const { return base + lane * lane_step + thread * thread_step; }
};

struct CodeOperand {
  Place ref;   ///< instructions of the Problem only
  Place alloc; ///< of a tied use: the definition's, for the machine has no other
  uint8_t lanes = 1;
  uint8_t flags = 0; ///< operand_flag
  bool is_use = true;
  bool is_vector = false;
  bool is_exec_guard = false; ///< implicit EXEC: decides who computes, not what is computed
  bool is_exec = false;       ///< lies in EXEC
  bool is_overlapped = false; ///< definition that shares a register with another one of the instruction
  bool is_tie_broken = false;
  /// Implicit definition that writes nothing of its own: around what a move writes, or EXEC on the copy that saves it.
  bool is_covered = false;
  bool starts_undefined = false; ///< `undef` definition of a part of a vreg
  uint32_t early_lanes = 0;      ///< dwords of a use that an early-clobber definition overwrites before they are read
  uint32_t unread_lanes = 0;     ///< dwords of a use from which the instruction takes nothing
  uint8_t first_lane = 0, width = 1;
  uint16_t index = 0; ///< within the instruction

  bool has(uint8_t flag) const { return flags & flag; }
  bool takes(unsigned lane) const { return lane >= 32 || !(unread_lanes >> lane & 1); }
};

enum class Action : uint8_t { Nothing, Undefine, Compute, Mask, Copy, Exchange, Spill, Reload, LaneWrite, LaneRead };

struct CodeInst {
  const problem::Inst *inst = nullptr;
  uint32_t id = 0;               ///< InstId, or index of the Edit
  uint32_t first = 0, count = 0; ///< operands
  uint32_t slot_base = 0;
  Action action = Action::Nothing;
  uint8_t lane_thread = 0; ///< LaneWrite, LaneRead
  uint8_t move_lanes = 0;  ///< Copy, Spill, Reload: dwords moved
  bool is_edit = false;
  bool is_deleted = false;
  bool has_effect = false; ///< its inputs matter whatever becomes of its results
  bool writes_ref_exec = false, writes_alloc_exec = false;
  bool is_after_branch = false; ///< edit behind a branch of its block: runs only if that branch is not taken
  int16_t def = -1, use = -1;   ///< moves: the definition and the use, as indices from `first`
  int16_t def2 = -1, use2 = -1; ///< Exchange
};

struct Code {
  std::vector<CodeInst> insts; ///< in program order of the allocated code
  std::vector<CodeOperand> operands;
  std::vector<uint32_t> block_first;         ///< index into insts for each block, and one more at the end
  std::vector<problem::RegUnit> entry_units; ///< units that the Problem names, EXEC among them
  std::vector<uint8_t> lanes;                ///< lane of the wave of each thread
  std::vector<Place> vregs;                  ///< lane 0 of each
  uint32_t words = 0;                        ///< size of each memory

  unsigned threads() const { return lanes.size(); }
  Place unit(problem::RegUnit unit) const;
};

/// `threads` from 1 to 32. The Code points into both arguments.
void compile(const problem::Problem &problem, const assignment::Assignment &assignment, unsigned threads, Code &code);

} // namespace verilocc::interp
