// Graded puzzles: small problems made so that just so much room is left, from plenty to none.
//
// Kernels say little about the hard end: few are near the limit, and of those that no one places nobody knows whether
// it could be done. The idea: straight-line code of random lives and widths (1, 2 and 4 registers, bank rules and all),
// its registers limited to what its worst point needs divided by the grade. Whether a puzzle can be solved is proven:
// by anyone's whole assignment, or else by the exact solver (allocators/exact.h), which is asked without costs. The
// model's accuracy is over those that can.
//
// Deterministic, but for where the solver's time ends.
#pragma once

#include "model/backend.h"
#include "problem/problem.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace verilocc::dataset {

/// The grades asked for: registers needed at the worst point, over registers there are.
inline constexpr double puzzle_grades[] = {0.6, 0.7, 0.8, 0.9, 0.95, 1.0};

/// 28 vregs that need 16 registers. `grade` in (0, 1].
problem::Problem makePuzzle(uint64_t seed, double grade);

struct PuzzleOptions {
  unsigned count = 20; ///< a grade
  uint64_t seed = 1;
  double seconds = 10; ///< of the solver, a puzzle
};

/// Of one grade.
struct PuzzleScore {
  double grade = 0;
  unsigned solvable = 0, impossible = 0, open = 0; ///< shown, proven, neither
  /// Of the solvable, by how many are whole: first-fit's; the rule `weighed`'s pass; the model's pass without mask and
  /// repair, with the mask, with repairs.
  unsigned first_fit = 0, rule = 0, raw = 0, masked = 0, repaired = 0;
};

/// `backend` null: the rules alone.
std::vector<PuzzleScore> solvePuzzles(model::LmBackend *backend, const PuzzleOptions &options);

nlohmann::json toJson(std::span<const PuzzleScore> scores);
std::string formatPuzzles(std::span<const PuzzleScore> scores);

} // namespace verilocc::dataset
