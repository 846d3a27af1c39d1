#include "interp/interp.h"

#include "interp/machine.h"
#include "interp/walk.h"

#include <algorithm>
#include <cassert>

namespace verilocc::interp {

const char *name(Verdict verdict) {
  return verdict == Verdict::Equal ? "equal" : "different";
}

/// The register that the machine reads for the operand at fault: of a tied use the definition's.
static problem::RegUnit locationOf(const problem::Problem &problem, const assignment::Assignment &assignment,
                                   const Difference &difference) {
  const problem::Inst &inst = problem.insts[difference.inst];
  const problem::Operand &operand = problem.operandsOf(inst)[difference.operand];
  problem::RegUnit unit = assignment.units[inst.first_operand + difference.operand];
  if (operand.tied_to >= 0 && unit != problem::no_unit)
    if (problem::RegUnit def = assignment.units[inst.first_operand + operand.tied_to]; def != problem::no_unit)
      unit = def;
  return unit == problem::no_unit ? unit : static_cast<problem::RegUnit>(unit + difference.lane);
}

InterpResult interpret(const problem::Problem &problem, const assignment::Assignment &assignment,
                       const InterpOptions &options) {
  assert(assignment.units.size() == problem.operands.size() && assignment.deleted.size() == problem.insts.size());
  InterpResult result;
  Code code;
  compile(problem, assignment, std::clamp(options.threads, 1u, 32u), code);
  Machine<false> machine(problem, code, options.strict);
  Walk walk(problem, options.max_steps);
  for (unsigned path = 0; path < options.paths; ++path) {
    const std::vector<problem::BlockId> &blocks = walk.next(hashOf(options.seed, path));
    Difference difference;
    difference.seed = options.seed;
    difference.path = path;
    if (!machine.run(blocks, options.seed, path, difference)) {
      // Once more, noting who wrote what.
      Machine<true> traced(problem, code, options.strict);
      const bool equal = traced.run(blocks, options.seed, path, difference);
      assert(!equal && "the same path must differ again");
      (void)equal;
      if (difference.edit >= 0)
        difference.inst = assignment.edits[difference.edit].before;
      if (difference.operand >= 0)
        difference.location = locationOf(problem, assignment, difference);
      result.verdict = Verdict::Different;
      result.difference = std::move(difference);
      break;
    }
    ++result.paths;
  }
  result.instructions = machine.instructions();
  result.unvisited_blocks = walk.unvisitedBlocks();
  return result;
}

} // namespace verilocc::interp
