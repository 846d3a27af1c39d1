#include "checker/constants.h"

namespace verilocc::checker {

using namespace problem;

static bool loadsConstant(const Problem &problem, const Inst &inst) {
  if (!inst.has(inst_flag::Pure) || inst.has(inst_flag::SideEffect) || inst.clobbers >= 0)
    return false;
  unsigned defs = 0;
  for (const Operand &operand : problem.operandsOf(inst)) {
    const bool is_exec = operand.fixed && operand.reg >= exec_lo && operand.reg <= exec_hi;
    if (operand.isUse() && !is_exec)
      return false;
    if (operand.isDef() && (operand.has(operand_flag::Implicit | operand_flag::HalfDword) || ++defs > 1))
      return false;
  }
  return defs == 1;
}

std::unordered_set<uint64_t> constantSignatures(const Problem &problem) {
  std::unordered_set<uint64_t> constants, others;
  for (const Inst &inst : problem.insts)
    if (inst.kind != InstKind::Copy && inst.kind != InstKind::ImplicitDef && inst.kind != InstKind::Kill)
      (loadsConstant(problem, inst) ? constants : others).insert(inst.signature);
  for (uint64_t signature : others)
    constants.erase(signature);
  return constants;
}

} // namespace verilocc::checker
