#include "codegen/mir_input.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCInstrDesc.h"

#include <fmt/format.h>

namespace verilocc::codegen {
namespace {

bool isWave32(const llvm::TargetSubtargetInfo &subtarget) {
  return subtarget.checkFeatures("+wavefrontsize32");
}

llvm::MCRegister registerNamed(const llvm::TargetRegisterInfo &registers, llvm::StringRef wanted) {
  for (unsigned i = 1; i < registers.getNumRegs(); ++i)
    if (registers.getName(i) == wanted)
      return i;
  return {};
}

/// Opcode name → whether its description names VCC as an implicit use (1), definition (2).
llvm::StringMap<unsigned> vccOpcodes(const llvm::TargetSubtargetInfo &subtarget) {
  const llvm::TargetInstrInfo &instructions = *subtarget.getInstrInfo();
  llvm::MCRegister vcc = registerNamed(*subtarget.getRegisterInfo(), "VCC");
  llvm::StringMap<unsigned> result;
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode) {
    const llvm::MCInstrDesc &description = instructions.get(opcode);
    unsigned flags = llvm::is_contained(description.implicit_uses(), vcc) ? 1 : 0;
    flags |= llvm::is_contained(description.implicit_defs(), vcc) ? 2 : 0;
    if (flags)
      result[instructions.getName(opcode)] = flags;
  }
  return result;
}

/// The flags of the opcode that `line` is an instruction of; 0 if it is none of the table's.
unsigned opcodeFlags(llvm::StringRef line, const llvm::StringMap<unsigned> &opcodes) {
  // The opcode is the first word that is one: before it are only registers, '=', and flags in lower case.
  while (!line.empty()) {
    line = line.ltrim(" \t,=");
    auto [word, rest] = line.split(' ');
    auto found = opcodes.find(word);
    if (found != opcodes.end())
      return found->second;
    if (word.starts_with("implicit"))
      return 0;
    line = rest;
  }
  return 0;
}

/// Rewrites "implicit ... $vcc_lo" (uses, if `flags` says so) and "implicit-def ... $vcc_lo" in one instruction.
std::string widenVcc(llvm::StringRef line, unsigned flags) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> pieces;
  line.split(pieces, ',');
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::string piece = pieces[i].str();
    llvm::StringRef operand = pieces[i].trim();
    size_t at = piece.find("$vcc_lo");
    bool wanted =
        (operand.starts_with("implicit ") && (flags & 1)) || (operand.starts_with("implicit-def ") && (flags & 2));
    if (at != std::string::npos && wanted)
      piece.replace(at, 7, "$vcc");
    // The implicit operands may also follow the opcode without a comma: "S_CBRANCH_VCCZ %bb.1, implicit $vcc_lo" has
    // one, "S_NOP implicit $vcc_lo" not.
    size_t bare = piece.find(" implicit $vcc_lo");
    if ((flags & 1) && bare != std::string::npos)
      piece.replace(bare + 10, 7, "$vcc");
    result += (i ? "," : "") + piece;
  }
  return result;
}

void restoreVccLo(llvm::MachineFunction &function) {
  const llvm::TargetSubtargetInfo &subtarget = function.getSubtarget();
  const llvm::TargetRegisterInfo &registers = *subtarget.getRegisterInfo();
  llvm::MCRegister vcc = registerNamed(registers, "VCC"), vcc_lo = registerNamed(registers, "VCC_LO");
  for (llvm::MachineBasicBlock &block : function)
    for (llvm::MachineInstr &instruction : block.instrs()) {
      const llvm::MCInstrDesc &description = instruction.getDesc();
      for (llvm::MachineOperand &operand : instruction.implicit_operands())
        if (operand.isReg() && operand.getReg() == vcc &&
            llvm::is_contained(operand.isDef() ? description.implicit_defs() : description.implicit_uses(), vcc))
          operand.setReg(vcc_lo);
    }
}

llvm::StringRef takeLine(llvm::StringRef &text) {
  size_t end = text.find('\n');
  llvm::StringRef line = text.take_front(end == llvm::StringRef::npos ? end : end + 1);
  text = text.drop_front(line.size());
  return line;
}

} // namespace

unsigned MirText::originalLine(unsigned line) const {
  return line - static_cast<unsigned>(llvm::count_if(added, [&](unsigned number) { return number <= line; }));
}

MirText withoutVerification(const std::string &text) {
  // In the order of the text: where a function's name stands, and whether failedISel stands in the same document.
  MirText result;
  result.text.reserve(text.size() + text.size() / 64);
  unsigned line_number = 0;
  for (llvm::StringRef rest = text; !rest.empty();) {
    llvm::StringRef line = takeLine(rest);
    ++line_number;
    if (line.starts_with("failedISel:"))
      line = "failedISel: true\n";
    result.text += line;
    if (!line.starts_with("name:") || !line.ends_with("\n"))
      continue;
    llvm::StringRef document = rest.take_front(rest.find("\n..."));
    if (document.starts_with("failedISel:") || document.contains("\nfailedISel:"))
      continue;
    result.text += "failedISel: true\n";
    result.added.push_back(++line_number);
  }
  return result;
}

std::string withFullVcc(const std::string &text, const llvm::Module &ir, const llvm::TargetMachine &machine) {
  if (text.find("$vcc_lo") == std::string::npos)
    return text;
  const llvm::TargetSubtargetInfo *subtarget = nullptr;
  for (const llvm::Function &function : ir) {
    subtarget = machine.getSubtargetImpl(function);
    if (!isWave32(*subtarget))
      return text;
  }
  if (!subtarget)
    return text;
  auto opcodes = vccOpcodes(*subtarget);
  std::string result;
  result.reserve(text.size() + text.size() / 16);
  for (llvm::StringRef rest = text; !rest.empty();) {
    llvm::StringRef line = takeLine(rest);
    unsigned flags = line.contains("$vcc_lo") && line.contains("implicit") ? opcodeFlags(line, opcodes) : 0;
    result += flags ? widenVcc(line, flags) : line.str();
  }
  return result;
}

void undoPreparation(llvm::MachineFunction &function, bool restore_vcc_lo) {
  function.getProperties().reset(llvm::MachineFunctionProperties::Property::FailedISel);
  if (restore_vcc_lo)
    restoreVccLo(function);
}

support::Status checkMirFunctions(const llvm::Module &ir, llvm::MachineModuleInfo &info, const std::string &file) {
  for (const llvm::Function &function : ir)
    if (!function.isDeclaration() && !info.getMachineFunction(function))
      return support::InputError{fmt::format("function {} of the embedded IR has no machine code in this file",
                                             std::string_view(function.getName())),
                                 file};
  return support::Ok{};
}

EntryPoint chooseEntry(const llvm::Module &ir, llvm::MachineModuleInfo &info, bool assignment) {
  using Property = llvm::MachineFunctionProperties::Property;
  // From the least to the most advanced.
  enum Stage { Ssa, Phis, Tied, Allocation, Done } stage = Done;
  for (const llvm::Function &function : ir) {
    const llvm::MachineFunction *code = info.getMachineFunction(function);
    if (!code)
      continue;
    const llvm::MachineFunctionProperties &properties = code->getProperties();
    Stage own = properties.hasProperty(Property::NoVRegs)             ? Done
                : properties.hasProperty(Property::IsSSA)             ? Ssa
                : !properties.hasProperty(Property::NoPHIs)           ? Phis
                : !properties.hasProperty(Property::TiedOpsRewritten) ? Tied
                                                                      : Allocation;
    stage = std::min(stage, own);
  }
  switch (stage) {
  case Ssa:
    return {"finalize-isel", true};
  case Phis:
    return {"phi-node-elimination"};
  case Tied:
    return {"twoaddressinstruction"};
  case Allocation:
    return {"amdgpu-pre-ra-long-branch-reg"};
  case Done:
    return assignment ? EntryPoint{"virtregrewriter", true, 2, true} : EntryPoint{"si-lower-wwm-copies", true, 1, true};
  }
  return {};
}

} // namespace verilocc::codegen
