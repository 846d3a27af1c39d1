// Proves that an Assignment keeps the meaning of a Problem, or says where it does not.
//
// The whole trust of verilocc rests here: nothing but an Accepted answer may reach the output. The checker uses no
// analysis of any allocator; it depends on the plain data alone. What it proves and what it does not: checker.cpp and
// docs/trust.md.
#pragma once

#include "assignment/assignment.h"

#include <string>
#include <vector>

namespace verilocc::checker {

enum class Verdict : uint8_t { Accepted, Rejected, Undecided, InvalidInput };
const char *name(Verdict verdict);

enum class ErrorKind : uint8_t {
#define CHECKER_ERROR(name, text, what) name,
#include "checker/errors.def"
};
const char *name(ErrorKind kind);
const char *explain(ErrorKind kind);

/// A value of the reference program: one dword lane of a vreg, or a physical register that the program names.
struct Value {
  bool fixed = false;
  uint32_t reg = 0; ///< VReg or RegUnit
  uint8_t lane = 0;
  bool operator==(const Value &) const = default;
};

/// Where a value can lie in the allocated program.
struct Location {
  enum class Kind : uint8_t { Unit, Slot, UnitLane, SlotLane, Own } kind = Kind::Unit;
  uint32_t index =
      0;             ///< Unit, UnitLane: RegUnit; Slot, SlotLane: stack slot; Own: the vreg that has storage of its own
  uint16_t part = 0; ///< Slot: dword; UnitLane, SlotLane: lane of the wave; Own: lane of the vreg
  bool operator==(const Location &) const = default;
};

struct CheckerError {
  ErrorKind kind = ErrorKind::LostValue;
  problem::BlockId block = 0;
  problem::InstId inst = 0; ///< the instruction, or the one before which the edit runs (the block's end: its `last`)
  int edit = -1;            ///< index into Assignment::edits if the error lies in an inserted instruction
  int operand = -1;         ///< index within the instruction
  uint8_t lane = 0;         ///< LostValue: the lane within the operand
  Value expected;           ///< LostValue, EarlyClobber
  Location location;        ///< where it was looked for
  std::vector<Value> found; ///< what is there instead; empty: nothing known
};

/// Why an answer is Undecided.
struct Doubt {
  /// InactiveThreadsRead: a register of threads outside EXEC is read in which the value may be lost. ClaimedUndefined:
  /// a lost lane is read that LLVM's live intervals call undefined, and nothing else does.
  enum class Kind : uint8_t { InactiveThreadsRead, ClaimedUndefined } kind = Kind::InactiveThreadsRead;
  problem::BlockId block = 0;
  problem::InstId inst = 0;
  int operand = -1;
};
const char *name(Doubt::Kind kind);

struct Statistics {
  uint64_t block_visits = 0;
  uint64_t max_classes = 0;   ///< most thread classes alive at once
  uint64_t unknown_masks = 0; ///< masks used for EXEC whose origin is not understood (sound, less precise)
};

struct CheckResult {
  Verdict verdict = Verdict::InvalidInput;
  std::vector<CheckerError> errors; ///< in program order, at most CheckOptions::max_errors
  std::vector<Doubt> doubts;
  std::string invalid_reason;
  Statistics statistics;
};

struct CheckOptions {
  size_t max_errors = 1000;
};

CheckResult check(const problem::Problem &problem, const assignment::Assignment &assignment,
                  const CheckOptions &options = {});

} // namespace verilocc::checker
