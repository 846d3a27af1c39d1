#include "mir/signature.h"

#include "support/hash.h"

#include "llvm/CodeGen/MachineOperand.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/MC/MCSymbol.h"

namespace verilocc::mir {

namespace {

using llvm::MachineOperand;
using support::Hash;

std::string_view view(llvm::StringRef text) {
  return {text.data(), text.size()};
}

void addWide(Hash &hash, const llvm::APInt &value) {
  hash.add(uint64_t(value.getBitWidth()));
  for (unsigned word = 0; word < value.getNumWords(); ++word)
    hash.add(value.getRawData()[word]);
}

void addOperand(Hash &hash, const MachineOperand &mo, const BlockIndex &blocks, bool is_spill) {
  hash.add(uint64_t(mo.getType()) << 8 | mo.getTargetFlags());
  switch (mo.getType()) {
  case MachineOperand::MO_Immediate:
    hash.add(uint64_t(mo.getImm()));
    break;
  case MachineOperand::MO_CImmediate:
    addWide(hash, mo.getCImm()->getValue());
    break;
  case MachineOperand::MO_FPImmediate:
    addWide(hash, mo.getFPImm()->getValueAPF().bitcastToAPInt());
    break;
  case MachineOperand::MO_MachineBasicBlock:
    hash.add(uint64_t(blocks[mo.getMBB()->getNumber()]));
    break;
  case MachineOperand::MO_FrameIndex:
    if (!is_spill)
      hash.add(uint64_t(mo.getIndex()));
    break;
  case MachineOperand::MO_ConstantPoolIndex:
    hash.add(uint64_t(mo.getIndex())).add(uint64_t(mo.getOffset()));
    break;
  case MachineOperand::MO_TargetIndex:
    hash.add(uint64_t(mo.getIndex())).add(uint64_t(mo.getOffset()));
    break;
  case MachineOperand::MO_JumpTableIndex:
    hash.add(uint64_t(mo.getIndex()));
    break;
  case MachineOperand::MO_ExternalSymbol:
    hash.add(std::string_view(mo.getSymbolName())).add(uint64_t(mo.getOffset()));
    break;
  case MachineOperand::MO_GlobalAddress:
    hash.add(view(mo.getGlobal()->getName())).add(uint64_t(mo.getOffset()));
    break;
  case MachineOperand::MO_BlockAddress:
    hash.add(view(mo.getBlockAddress()->getFunction()->getName()))
        .add(view(mo.getBlockAddress()->getBasicBlock()->getName()))
        .add(uint64_t(mo.getOffset()));
    break;
  case MachineOperand::MO_MCSymbol:
    hash.add(view(mo.getMCSymbol()->getName()));
    break;
  case MachineOperand::MO_Predicate:
    hash.add(uint64_t(mo.getPredicate()));
    break;
  case MachineOperand::MO_IntrinsicID:
    hash.add(uint64_t(mo.getIntrinsicID()));
    break;
  case MachineOperand::MO_ShuffleMask:
    for (int element : mo.getShuffleMask())
      hash.add(uint64_t(element));
    break;
  case MachineOperand::MO_CFIIndex:
    hash.add(uint64_t(mo.getCFIIndex()));
    break;
  case MachineOperand::MO_Register: // its place among the operands is in the hash, its number is not
  case MachineOperand::MO_RegisterMask:
  case MachineOperand::MO_RegisterLiveOut:
  case MachineOperand::MO_Metadata:
  case MachineOperand::MO_DbgInstrRef:
    break;
  }
}

} // namespace

uint64_t signatureOf(const llvm::MachineInstr &mi, const OpcodeFacts &facts, const BlockIndex &blocks) {
  bool is_spill = facts.kind == problem::InstKind::Spill || facts.kind == problem::InstKind::Reload;
  Hash hash;
  hash.add(facts.name_hash);
  for (const MachineOperand &mo : mi.explicit_operands())
    // Most operands are plain registers: one byte's worth of hashing would do, but position must count.
    if (mo.isReg())
      hash.add(std::string_view("r"));
    else
      addOperand(hash, mo, blocks, is_spill);
  return hash.value();
}

} // namespace verilocc::mir
