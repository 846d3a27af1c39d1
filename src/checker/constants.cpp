#include "checker/constants.h"

#include <unordered_map>
#include <utility>

namespace verilocc::checker {

using namespace problem;

bool decidesThreads(const Operand &operand) {
  return operand.isUse() && operand.fixed && operand.has(operand_flag::Implicit) && operand.reg >= exec_lo &&
         operand.reg <= exec_hi;
}

static bool loadsConstant(const Problem &problem, const Inst &inst) {
  if (!inst.has(inst_flag::Pure) || inst.has(inst_flag::SideEffect) || inst.clobbers >= 0)
    return false;
  unsigned defs = 0;
  for (const Operand &operand : problem.operandsOf(inst)) {
    const bool defines_exec = operand.isDef() && operand.fixed && operand.reg >= exec_lo && operand.reg <= exec_hi;
    if (defines_exec || (operand.isUse() && !decidesThreads(operand)))
      return false;
    if (operand.isDef() && (operand.has(operand_flag::Implicit | operand_flag::HalfDword) || ++defs > 1))
      return false;
  }
  return defs == 1;
}

std::unordered_set<uint64_t> constantSignatures(const Problem &problem) {
  std::unordered_set<uint64_t> constants, others;
  std::unordered_map<uint64_t, std::pair<unsigned, bool>> shapes; // width, and whether one value a thread
  for (const Inst &inst : problem.insts) {
    if (inst.kind == InstKind::Copy || inst.kind == InstKind::ImplicitDef || inst.kind == InstKind::Kill)
      continue;
    bool loads = loadsConstant(problem, inst);
    if (loads)
      for (const Operand &operand : problem.operandsOf(inst))
        if (operand.isDef()) {
          const std::pair<unsigned, bool> shape{operand.num_lanes, problem.isPerThread(operand)};
          loads = shapes.try_emplace(inst.signature, shape).first->second == shape;
        }
    (loads ? constants : others).insert(inst.signature);
  }
  for (uint64_t signature : others)
    constants.erase(signature);
  return constants;
}

} // namespace verilocc::checker
