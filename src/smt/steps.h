// What an instruction does to pairs of a value and a location, read backwards.
//
// A value is a dword of a vreg, a physical register that the code before allocation names, or a constant. A location is
// a register unit, or the storage of its own of a vreg that was left to another allocator. A pair stands for "the
// location holds the value, or the value is undefined".
#pragma once

#include "assignment/assignment.h"

#include <compare>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace verilocc::smt {

struct Pair {
  bool per_thread = false;
  uint32_t value = 0;
  uint32_t location = 0; ///< or nowhere: then the pair says that the value is undefined
  auto operator<=>(const Pair &) const = default;
};
constexpr uint32_t nowhere = ~0u;

/// All must hold; nothing: cannot hold.
using Pairs = std::optional<std::vector<Pair>>;

/// An operand's lanes: values and locations from here on.
struct Span {
  uint32_t value = 0, location = 0, count = 0;
  bool per_thread = false; ///< of the values
  bool wrong_file = false; ///< the locations cannot hold such values
};

/// Whether threads inside EXEC, or those outside, read the operand (an index into Problem::operands) if they take part.
bool isReadBy(const problem::Problem &problem, const problem::Inst &inst, uint32_t operand, bool is_active);

class Steps {
public:
  Steps(const problem::Problem &problem, const assignment::Assignment &assignment);

  /// What must hold before the instruction for `pair` to hold behind it, for a thread that is in EXEC or not.
  Pairs before(problem::InstId inst, bool is_active, Pair pair) const;
  /// Whether it holds where the function begins.
  bool holdsAtEntry(Pair pair) const;

  const Span &span(uint32_t operand) const { return spans[operand]; }
  /// The pair of EXEC's word in its place.
  static uint32_t unitLocation(problem::RegUnit unit) { return unit; }
  uint32_t unitValue(problem::RegUnit unit) const { return first_unit_value + unit; }
  /// "%3[0] in v5", "s2 undefined".
  std::string describe(Pair pair) const;

private:
  /// A part of an instruction's effect. In order: the values that change lose their places, then receive new ones.
  struct Step {
    enum class Kind : uint8_t { Define, Undefine, Clear, Put, Copy, KeepWhereHeld } kind = Kind::Define;
    bool per_thread = false;
    bool copies_values = false;
    bool copies_locations = false;
    uint32_t value = 0, location = 0; ///< Copy: the targets
    uint32_t from_value = 0, from_location = 0, count = 1;
  };
  void addSteps(problem::InstId id);
  std::optional<Step> copyOf(problem::InstId id) const;

  const problem::Problem &problem;
  const assignment::Assignment &assignment;
  std::vector<uint32_t> vreg_value; ///< by vreg: of its first lane
  uint32_t first_unit_value = 0;
  struct Constant {
    uint32_t value, location;
  };
  std::unordered_map<uint64_t, Constant> constants; ///< by signature
  uint32_t first_constant = 0;
  std::vector<Span> spans; ///< by operand
  std::vector<Step> steps;
  std::vector<uint32_t> first_step; ///< by instruction
};

} // namespace verilocc::smt
