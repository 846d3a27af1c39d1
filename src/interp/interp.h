// A second opinion on an Assignment, by another algorithm than the checker's: run both programs side by side.
//
// Problem: a dataflow proof may itself be wrong. Idea: execute the code before and after allocation along the same
// random path through the blocks, with a few threads of one wave and with operations uninterpreted (a result is a hash
// of the operation and of its inputs), and compare what they compute. EXEC and the operations on lane masks are real
// bits, so threads do diverge. Different is a proof of a difference, up to the path being taken in practice; Equal says
// only that no difference was seen.
//
// What counts as a value: a register or memory dword that the code before allocation never wrote (and that is no input)
// is undefined and matches anything. Instructions without `per-thread` and `all-threads` that write vector registers,
// and copies, spills and reloads of them, act on the active threads.
#pragma once

#include "assignment/assignment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace verilocc::interp {

enum class Verdict : uint8_t { Equal, Different };
const char *name(Verdict verdict);

struct InterpOptions {
  uint64_t seed = 1;
  unsigned paths = 16;  ///< random paths, each with other inputs and another initial EXEC
  unsigned threads = 4; ///< threads simulated, 1 to 32; lanes that LaneWrite and LaneRead name are added to them
  unsigned max_steps =
      0; ///< blocks on a path before it heads for the exit; 0: four times the number of blocks, at least 32
  /// True: every input of every instruction that is kept must be the same. False: only what has an effect must be
  /// (inputs of instructions with side effects, branches and returns, EXEC): shows that two programs are equal in
  /// meaning although a dead value went wrong.
  bool strict = true;
};

/// Who wrote a value last.
struct Writer {
  enum class Kind : uint8_t { Nobody, Entry, Inst, Edit } kind = Kind::Nobody;
  uint32_t index = 0; ///< InstId, or index into Assignment::edits
  uint32_t step = 0;  ///< position on Difference::blocks at which it ran
};

/// One value in the storage of the reference program.
struct Cell {
  bool fixed = false;
  uint32_t reg = 0; ///< VReg or RegUnit
  uint8_t lane = 0;
};

/// A counterexample: the first place at which the programs differ.
struct Difference {
  enum class Kind : uint8_t {
    Input,         ///< an instruction reads another value
    Exec,          ///< EXEC differs at an instruction that depends on it, or after one that writes it
    MissingEffect, ///< an instruction with a side effect was deleted
    ExtraEffect,   ///< an inserted instruction has a side effect
    BrokenTie, ///< a use lies in another register than the definition that it is tied to (strict only: otherwise the
               ///< machine reads the definition's)
  } kind = Kind::Input;
  uint64_t seed = 0;
  unsigned path = 0;                    ///< which of the seed's paths
  std::vector<problem::BlockId> blocks; ///< the path up to the place
  problem::InstId inst = 0;             ///< ExtraEffect: the instruction before which the edit runs
  int edit = -1;                        ///< ExtraEffect: index into Assignment::edits
  int operand = -1;                     ///< Input, BrokenTie: index within the instruction
  unsigned lane = 0;                    ///< Input: dword of the operand; Exec: 0 low, 1 high
  int thread = -1;                      ///< lane of the wave; -1: a scalar
  bool active = true;                   ///< false: an inactive thread, read by an instruction that ignores EXEC
  uint64_t expected = 0, found = 0;
  Cell cell;                                    ///< Input: what is read, in the reference program
  problem::RegUnit location = problem::no_unit; ///< Input: where it is looked for; no_unit: storage of its own
  Writer expected_from, found_from;
  bool found_undefined = false; ///< nothing that the reference knows was ever put there
  std::optional<Cell> found_is; ///< a cell of the reference program that holds the value found
};

struct InterpResult {
  Verdict verdict = Verdict::Equal;
  std::optional<Difference> difference; ///< set if Different
  unsigned paths = 0;                   ///< paths run to their end
  uint64_t instructions = 0;            ///< executed, over all paths
  unsigned unvisited_blocks = 0;        ///< on none of the paths
};

/// Runs `problem` and `problem` with `assignment` against each other. Both must be well-formed. The same arguments give
/// the same answer.
InterpResult interpret(const problem::Problem &problem, const assignment::Assignment &assignment,
                       const InterpOptions &options = {});

/// A difference in words, several lines: path, instruction, operand, location, values and their writers.
std::string describe(const problem::Problem &problem, const assignment::Assignment &assignment,
                     const Difference &difference);

} // namespace verilocc::interp
