#include "mir/opcode_table.h"

#include "mir/register_table.h"
#include "support/hash.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"

#include <algorithm>
#include <cassert>

namespace verilocc::mir {

namespace {

using llvm::StringRef;
using problem::InstKind;
using problem::MaskOp;
namespace flag = problem::inst_flag;

/// Bits of MCInstrDesc::TSFlags as LLVM 19 assigns them (SIDefines.h, namespace SIInstrFlags).
enum TargetFlag : uint64_t {
  SALU = 1ull << 0,
  VALU = 1ull << 1,
  SOPP = 1ull << 6,
  VINTRP = 1ull << 13,
  TRANS = 1ull << 16,
  MUBUF = 1ull << 17,
  MTBUF = 1ull << 18,
  SMRD = 1ull << 19,
  MIMG = 1ull << 20,
  VIMAGE = 1ull << 21,
  VSAMPLE = 1ull << 22,
  EXP = 1ull << 23,
  FLAT = 1ull << 24,
  DS = 1ull << 25,
  Spill = 1ull << 26,
  LDSDIR = 1ull << 28,
  VINTERP = 1ull << 29,
  IsMAI = 1ull << 54,
  IsWMMA = 1ull << 59,
  IsSWMMAC = 1ull << 63,
};
constexpr uint64_t vector_memory = MUBUF | MTBUF | MIMG | VIMAGE | VSAMPLE | FLAT;
constexpr uint64_t any_vector = VALU | vector_memory | VINTRP | EXP | DS | LDSDIR | VINTERP;

bool startsWithAny(StringRef name, llvm::ArrayRef<StringRef> prefixes) {
  return llvm::any_of(prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}

/// Opcodes with a VOPD form on gfx11 (ISA reference of RDNA 3, section 7.6), without their encoding suffix.
bool hasDualForm(StringRef name) {
  static constexpr StringRef forms[] = {
      "V_FMAC_F32",      "V_FMAAK_F32",      "V_FMAMK_F32", "V_MUL_F32",     "V_ADD_F32", "V_SUB_F32",
      "V_SUBREV_F32",    "V_MUL_LEGACY_F32", "V_MOV_B32",   "V_CNDMASK_B32", "V_MAX_F32", "V_MIN_F32",
      "V_DOT2C_F32_F16", "V_DOT2C_F32_BF16", "V_ADD_U32",   "V_LSHLREV_B32", "V_AND_B32"};
  if (!name.consume_back("_e32") && !name.consume_back("_e64"))
    return name == "V_FMAAK_F32" || name == "V_FMAMK_F32";
  return llvm::is_contained(forms, name);
}

struct MaskName {
  StringRef name;
  MaskOp op;
};
constexpr MaskName mask_names[] = {
    {"S_MOV", MaskOp::Move},
    {"S_AND", MaskOp::And},
    {"S_OR", MaskOp::Or},
    {"S_XOR", MaskOp::Xor},
    {"S_NOT", MaskOp::Xor}, // with the constant -1, which the reader supplies
    {"S_ANDN2", MaskOp::AndNot},
    {"S_ORN2", MaskOp::OrNot},
    {"S_WQM", MaskOp::WholeQuad},
    {"S_AND_SAVEEXEC", MaskOp::AndSave},
    {"S_OR_SAVEEXEC", MaskOp::OrSave},
    {"S_XOR_SAVEEXEC", MaskOp::XorSave},
    {"S_ANDN2_SAVEEXEC", MaskOp::AndNotSave},
    {"S_ANDN1_SAVEEXEC", MaskOp::NotAndSave},
};

/// Sets mask_op and mask_width of the scalar mask operations.
void classifyMask(OpcodeFacts &facts, StringRef name) {
  name.consume_back("_term");
  uint8_t width = name.consume_back("_B32") ? 32 : name.consume_back("_B64") ? 64 : 0;
  if (!width)
    return;
  for (const MaskName &known : mask_names)
    if (name == known.name) {
      facts.mask_op = known.op;
      facts.mask_width = width;
    }
}

bool isSpillName(StringRef name, StringRef direction) {
  return name.starts_with("SI_SPILL_") && name.ends_with(direction);
}

InstKind memoryKind(const llvm::MCInstrDesc &desc, StringRef name) {
  uint64_t ts = desc.TSFlags;
  if (ts & SMRD)
    return desc.mayLoad() && !desc.mayStore() ? InstKind::ScalarLoad : InstKind::Other;
  bool permutes = name.contains("PERMUTE") || name.contains("SWIZZLE");
  if (ts & LDSDIR || (ts & DS && permutes))
    return InstKind::LdsLoad;
  if (ts & EXP)
    return InstKind::VectorStore;
  // Loads straight into LDS write memory as well, but they are loads to whoever waits for them.
  if (ts & MUBUF && (name.contains("_LDS_") || name.ends_with("_LDS")))
    return InstKind::VectorLoad;
  if (desc.mayLoad() && desc.mayStore())
    return InstKind::Atomic;
  if (desc.mayStore())
    return ts & DS ? InstKind::LdsStore : InstKind::VectorStore;
  if (desc.mayLoad())
    return ts & DS ? InstKind::LdsLoad : InstKind::VectorLoad;
  // Image queries answer through the memory pipeline though they read none.
  return desc.getNumDefs() > 0 ? InstKind::VectorLoad : InstKind::Other;
}

InstKind kindOf(const llvm::MCInstrDesc &desc, StringRef name) {
  switch (desc.getOpcode()) {
  case llvm::TargetOpcode::COPY:
    return InstKind::Copy;
  case llvm::TargetOpcode::IMPLICIT_DEF:
    return InstKind::ImplicitDef;
  case llvm::TargetOpcode::KILL:
    return InstKind::Kill;
  case llvm::TargetOpcode::INLINEASM:
  case llvm::TargetOpcode::INLINEASM_BR:
    return InstKind::InlineAsm;
  }
  if (name == "WWM_COPY")
    return InstKind::Copy;
  if (name == "SI_SPILL_S32_TO_VGPR" || name.starts_with("V_WRITELANE_B32"))
    return InstKind::LaneWrite;
  if (name == "SI_RESTORE_S32_FROM_VGPR" || name.starts_with("V_READLANE_B32"))
    return InstKind::LaneRead;
  if (isSpillName(name, "_SAVE"))
    return InstKind::Spill;
  if (isSpillName(name, "_RESTORE"))
    return InstKind::Reload;
  if (name.starts_with("V_SWAP_B32"))
    return InstKind::Exchange;
  if (desc.isReturn())
    return InstKind::Return;
  if (desc.isCall())
    return InstKind::Call;
  if (desc.isBranch() || desc.isIndirectBranch())
    return InstKind::Branch;
  if (name == "WAVE_BARRIER" || name.starts_with("S_BARRIER"))
    return InstKind::Barrier;
  if (name.starts_with("S_WAIT"))
    return InstKind::Wait;
  if (name == "S_NOP" || name.starts_with("V_NOP_"))
    return InstKind::Nop;
  if (name.starts_with("V_DUAL_"))
    return InstKind::DualPair;

  uint64_t ts = desc.TSFlags;
  if (ts & (vector_memory | DS | LDSDIR | EXP | SMRD))
    return memoryKind(desc, name);
  if (name.starts_with("V_ACCVGPR_"))
    return InstKind::AccumMove;
  if (ts & (IsMAI | IsWMMA | IsSWMMAC))
    return InstKind::Matrix;
  if (name.starts_with("V_CMP"))
    return InstKind::Compare;
  if (ts & (VALU | VINTRP | VINTERP))
    return ts & TRANS ? InstKind::Transcendental : InstKind::VectorAlu;
  if (ts & SALU && !(ts & SOPP))
    return InstKind::ScalarAlu;
  return InstKind::Other;
}

/// PerThread, AllThreads and CrossLane.
uint16_t threadFlags(const llvm::MCInstrDesc &desc, StringRef name, InstKind kind, llvm::MCRegister exec) {
  if (name == "WWM_COPY" || name.starts_with("SI_SPILL_WWM_"))
    return flag::AllThreads;
  if (kind == InstKind::LaneWrite || kind == InstKind::LaneRead)
    return flag::AllThreads | flag::CrossLane;
  if (!(desc.TSFlags & any_vector))
    return 0;
  if (kind == InstKind::Matrix && desc.TSFlags & IsMAI)
    return flag::AllThreads | flag::CrossLane;
  // Writes the active threads one value and all others another.
  if (name.starts_with("V_SET_INACTIVE"))
    return flag::AllThreads | flag::SetsInactive;
  if (!llvm::is_contained(desc.implicit_uses(), exec))
    return flag::AllThreads;
  // These read the other half or the quad whoever is active there.
  if (startsWithAny(name, {"V_PERMLANE64", "V_INTERP_P10", "V_INTERP_P2"}))
    return flag::PerThread | flag::CrossLane;
  return flag::PerThread;
}

} // namespace

OpcodeFacts classifyOpcode(const llvm::MCInstrDesc &desc, StringRef name, llvm::MCRegister exec,
                           llvm::MCRegister mode) {
  OpcodeFacts facts;
  facts.name_hash = support::Hash().add(std::string_view(name)).value();
  facts.kind = kindOf(desc, name);
  facts.flags = threadFlags(desc, name, facts.kind, exec);
  facts.no_code =
      desc.getOpcode() == llvm::TargetOpcode::LIFETIME_START || desc.getOpcode() == llvm::TargetOpcode::LIFETIME_END ||
      desc.getOpcode() == llvm::TargetOpcode::CFI_INSTRUCTION || desc.getOpcode() == llvm::TargetOpcode::PSEUDO_PROBE;
  facts.dual_issue = facts.kind == InstKind::VectorAlu && hasDualForm(name);
  facts.long_encoding = name.ends_with("_e64");
  if (name.starts_with("V_PK_FMA_F32") || name.starts_with("V_PK_MUL_F32") || name.starts_with("V_PK_ADD_F32"))
    facts.lane_rule = LaneRule::Packed;
  else if (name == "S_LSHL_B64" || name.starts_with("V_LSHLREV_B64"))
    facts.lane_rule = LaneRule::ShiftLeft;
  else if (name == "S_LSHR_B64" || name == "S_ASHR_I64" || name.starts_with("V_LSHRREV_B64") ||
           name.starts_with("V_ASHRREV_I64"))
    facts.lane_rule = LaneRule::ShiftRight;
  facts.has_passes = facts.kind == InstKind::Matrix && desc.TSFlags & IsMAI;
  facts.fetches_inactive = name.starts_with("V_PERMLANE16") || name.starts_with("V_PERMLANEX16");

  bool writes_exec = llvm::is_contained(desc.implicit_defs(), exec);
  if (facts.kind == InstKind::Copy)
    facts.mask_op = MaskOp::Move;
  else if (facts.kind == InstKind::Compare)
    facts.mask_op = name.starts_with("V_CMPX") ? MaskOp::CompareExec : MaskOp::Compare;
  else if (name == "ENTER_STRICT_WWM")
    facts.mask_op = MaskOp::OrSave; // with the constant -1, which the reader supplies
  else if (name == "ENTER_STRICT_WQM")
    facts.mask_op = MaskOp::WholeQuadSave;
  else if (name == "EXIT_STRICT_WWM" || name == "EXIT_STRICT_WQM")
    facts.mask_op = MaskOp::Move;
  else
    classifyMask(facts, name);
  if (writes_exec && facts.mask_op == MaskOp::None)
    facts.mask_op = MaskOp::Unknown;

  if (desc.isTerminator())
    facts.flags |= flag::Terminator | flag::SideEffect;
  // Spills and the scalar mask operations are what the Problem has words for: LLVM's "side effect" says no more.
  bool modelled =
      facts.kind == InstKind::Spill || facts.kind == InstKind::Reload ||
      (facts.mask_op != MaskOp::None && facts.mask_op != MaskOp::Unknown && facts.kind != InstKind::Compare);
  if (desc.mayLoad() && !modelled)
    facts.flags |= flag::Load;
  bool writes_mode = llvm::is_contained(desc.implicit_defs(), mode);
  if (!modelled && (desc.mayStore() || desc.hasUnmodeledSideEffects() || desc.isCall() || desc.isReturn() ||
                    desc.isBarrier() || writes_mode || name.starts_with("S_GETPC") || name.starts_with("S_GETREG")))
    facts.flags |= flag::SideEffect;

  // LLVM marks what must not move across control flow (readfirstlane, DPP, MFMA) as convergent.
  bool computes = desc.TSFlags & (VALU | SALU) && !(desc.TSFlags & (Spill | SOPP)) && desc.getNumDefs() > 0;
  bool movable =
      !(facts.flags & (flag::SideEffect | flag::Load | flag::AllThreads | flag::CrossLane | flag::Terminator)) &&
      !desc.isConvergent() && !name.contains("READFIRSTLANE") && !name.contains("PERMLANE") &&
      desc.implicit_defs().empty() && facts.kind != InstKind::Matrix;
  if (computes && movable && facts.kind != InstKind::Copy && facts.kind != InstKind::Exchange)
    facts.flags |= flag::Pure;
  return facts;
}

OpcodeTable::OpcodeTable(const llvm::TargetInstrInfo &tii, const llvm::TargetRegisterInfo &tri) : tii(&tii) {
  assert(tii.getNumOpcodes() < unknown);
  slots.assign(tii.getNumOpcodes(), unknown);
  // Instruction descriptions name the 64-bit EXEC for either wave size.
  const RegisterTable &registers = RegisterTable::of(tri);
  for (unsigned reg = 1; reg < tri.getNumRegs(); ++reg) {
    RegPlace place = registers.place(reg);
    if (place.half)
      continue;
    if (place.first == problem::exec_lo && place.width == 2)
      exec = reg;
    if (place.first == problem::mode)
      mode = reg;
  }
  assert(exec && mode);
}

void OpcodeTable::classify(unsigned opcode) {
  slots[opcode] = static_cast<uint16_t>(facts.size());
  facts.push_back(classifyOpcode(tii->get(opcode), tii->getName(opcode), exec, mode));
}

OpcodeTable &OpcodeTable::of(const llvm::TargetInstrInfo &tii, const llvm::TargetRegisterInfo &tri) {
  thread_local OpcodeTable table(tii, tri);
  assert(table.slots.size() == tii.getNumOpcodes() && "opcodes of another target");
  table.tii = &tii; // the last one may have died with its TargetMachine; the facts are the same
  return table;
}

} // namespace verilocc::mir
