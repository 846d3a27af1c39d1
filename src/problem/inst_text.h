// One instruction as a line of .ra text: `defs = OPCODE operands | attributes` (docs/ra-format.md). Shared by the text
// form of Problems and that of the edits of Assignments.
#pragma once

#include "problem/problem.h"
#include "support/text.h"

#include <optional>
#include <unordered_map>

namespace verilocc::problem {

/// Sets of units as ranges: "v0-v255 step 2 vcc_lo".
std::string printUnitSet(const UnitSet &set);
/// Reads ranges up to the end of the line into `out`.
bool parseUnitSet(support::TextReader &reader, UnitSet &out);

/// The vregs met so far in a text and their classes. A vreg is declared by its class at its first mention.
class VRegTable {
public:
  explicit VRegTable(const MachineEnv &env) : env(env) {}

  /// Reads `%N` or `%N:class`.
  bool parse(support::TextReader &reader, VReg &out);
  /// Classes by vreg; fails unless 0 .. n-1 are all declared.
  std::optional<std::vector<ClassId>> dense(support::TextReader &reader) const;
  ClassId classOf(VReg vreg) const { return classes.at(vreg); }

private:
  const MachineEnv &env;
  std::unordered_map<VReg, ClassId> classes;
};

/// Reads the name of a class of `env`.
bool parseClass(support::TextReader &reader, const MachineEnv &env, ClassId &out);

/// Names interned in order of first use, as Problem::opcodes.
class Interner {
public:
  uint32_t intern(const std::string &name);
  std::vector<std::string> names;

private:
  std::unordered_map<std::string, uint32_t> index;
};

/// The signature that is meant where the text gives none.
uint64_t defaultSignature(std::string_view opcode);

struct InstPrinter {
  const MachineEnv &env;
  const std::vector<ClassId> &vregs;
  std::vector<bool> declared; ///< by vreg: the class was printed already

  std::string print(const Inst &inst, std::span<const Operand> operands, const std::string &opcode);
};

/// Reads the rest of a line as an instruction. Appends its operands and sets everything of `out` but first_operand.
bool parseInst(support::TextReader &reader, const MachineEnv &env, VRegTable &vregs, Interner &opcodes, Inst &out,
               std::vector<Operand> &operands);

} // namespace verilocc::problem
