// Every opcode of LLVM's AMDGPU target goes through the classification; what must hold for all of them is held here.
#include "testing.h"

#include "mir/opcode_table.h"

#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace verilocc::mir::testing {
namespace {

using problem::InstKind;
using problem::MaskOp;
namespace flag = problem::inst_flag;

struct Opcode {
  std::string name;
  const llvm::MCInstrDesc &desc;
  const OpcodeFacts &facts;
  bool reads_exec, writes_exec;
};

void forEachOpcode(const std::function<void(const Opcode &)> &visit) {
  readText(mirOf("bb.0:\n  S_ENDPGM 0\n"), "gfx1100",
           [&](const support::Result<Reading> &, llvm::MachineFunction &function) {
             const llvm::TargetInstrInfo &tii = *function.getSubtarget().getInstrInfo();
             const llvm::TargetRegisterInfo &tri = *function.getSubtarget().getRegisterInfo();
             OpcodeTable &table = OpcodeTable::of(tii, tri);
             auto names = [&](llvm::ArrayRef<llvm::MCPhysReg> regs) {
               return llvm::any_of(regs,
                                   [&](llvm::MCPhysReg reg) { return tri.getName(reg) == llvm::StringRef("EXEC"); });
             };
             for (unsigned opcode = 0; opcode < tii.getNumOpcodes(); ++opcode) {
               const llvm::MCInstrDesc &desc = tii.get(opcode);
               visit({tii.getName(opcode).str(), desc, table[opcode], names(desc.implicit_uses()),
                      names(desc.implicit_defs())});
             }
           });
}

TEST(Opcodes, MemoryWritesAndControlStayInPlace) {
  unsigned stores = 0;
  forEachOpcode([&](const Opcode &opcode) {
    bool modelled = opcode.facts.kind == InstKind::Spill || opcode.facts.kind == InstKind::Reload;
    if (opcode.desc.mayStore() && !modelled) {
      ++stores;
      EXPECT_TRUE(opcode.facts.flags & flag::SideEffect) << opcode.name;
    }
    if (opcode.desc.isTerminator() || opcode.desc.isCall() || opcode.desc.isReturn()) {
      EXPECT_TRUE(opcode.facts.flags & flag::SideEffect) << opcode.name;
    }
    EXPECT_EQ(bool(opcode.facts.flags & flag::Terminator), opcode.desc.isTerminator()) << opcode.name;
  });
  EXPECT_GT(stores, 1000u);
}

TEST(Opcodes, PureOnesTouchNoMemoryAndNoImplicitRegister) {
  unsigned pure = 0;
  forEachOpcode([&](const Opcode &opcode) {
    if (!(opcode.facts.flags & flag::Pure))
      return;
    ++pure;
    EXPECT_FALSE(opcode.desc.mayLoad() || opcode.desc.mayStore() || opcode.desc.hasUnmodeledSideEffects())
        << opcode.name;
    EXPECT_TRUE(opcode.desc.implicit_defs().empty()) << opcode.name;
    EXPECT_FALSE(opcode.facts.flags & (flag::SideEffect | flag::CrossLane | flag::AllThreads | flag::Load))
        << opcode.name;
    EXPECT_FALSE(opcode.desc.isConvergent()) << opcode.name;
  });
  EXPECT_GT(pure, 1000u);
}

TEST(Opcodes, WhatWritesExecIsAMaskOperation) {
  forEachOpcode([&](const Opcode &opcode) {
    if (opcode.writes_exec) {
      EXPECT_NE(opcode.facts.mask_op, MaskOp::None) << opcode.name;
    }
    if (opcode.facts.mask_op == MaskOp::Unknown) {
      EXPECT_TRUE(opcode.writes_exec) << opcode.name;
    }
  });
}

TEST(Opcodes, VectorOnesSayWhichThreads) {
  forEachOpcode([&](const Opcode &opcode) {
    switch (opcode.facts.kind) {
    case InstKind::VectorAlu:
    case InstKind::DualIssue:
    case InstKind::Transcendental:
    case InstKind::Compare:
    case InstKind::Matrix:
    case InstKind::AccumMove:
    case InstKind::LdsLoad:
    case InstKind::LdsStore:
    case InstKind::VectorLoad:
    case InstKind::VectorStore:
    case InstKind::LaneWrite:
    case InstKind::LaneRead:
      EXPECT_TRUE(opcode.facts.flags & (flag::PerThread | flag::AllThreads)) << opcode.name;
      break;
    case InstKind::ScalarAlu:
    case InstKind::ScalarLoad:
      EXPECT_FALSE(opcode.facts.flags & (flag::PerThread | flag::AllThreads | flag::CrossLane)) << opcode.name;
      break;
    default:
      break;
    }
    // An instruction is one or the other.
    EXPECT_NE(opcode.facts.flags & (flag::PerThread | flag::AllThreads), flag::PerThread | flag::AllThreads)
        << opcode.name;
    if (opcode.facts.flags & flag::PerThread) {
      EXPECT_TRUE(opcode.reads_exec) << opcode.name;
    }
  });
}

TEST(Opcodes, EachSpillFormIsKnown) {
  unsigned spills = 0, reloads = 0;
  forEachOpcode([&](const Opcode &opcode) {
    spills += opcode.facts.kind == InstKind::Spill;
    reloads += opcode.facts.kind == InstKind::Reload;
    llvm::StringRef name = opcode.name;
    if (name.starts_with("SI_SPILL_") && !name.ends_with("_TO_VGPR")) {
      EXPECT_EQ(opcode.facts.kind, name.ends_with("_SAVE") ? InstKind::Spill : InstKind::Reload) << opcode.name;
    }
  });
  EXPECT_EQ(spills, 58u); // 14 widths of S, V, A and AV, and two whole-wave forms
  EXPECT_EQ(reloads, 58u);
}

TEST(Opcodes, NamesHashApart) {
  std::map<uint64_t, std::string> seen;
  forEachOpcode([&](const Opcode &opcode) {
    auto [entry, is_new] = seen.try_emplace(opcode.facts.name_hash, opcode.name);
    EXPECT_TRUE(is_new) << opcode.name << " and " << entry->second;
  });
}

} // namespace
} // namespace verilocc::mir::testing
