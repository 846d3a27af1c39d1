// What the reader makes of a function as a whole: numbering, blocks, bundles, calls, limits, signatures, and what it
// refuses.
#include "testing.h"

#include "llvm/CodeGen/MachineRegisterInfo.h"

#include <gmock/gmock.h>

namespace verilocc::mir::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace operand_flag = problem::operand_flag;

std::string errorOf(const std::string &body, const std::string &mcpu) {
  std::string message = "(read)";
  std::string text = mirOf(body);
  text.replace(text.find("Liveness: false"), 15, "Liveness: true"); // the verifier wants it of PHIs
  readText(text, mcpu, [&](const support::Result<Reading> &reading, llvm::MachineFunction &) {
    if (!reading)
      message = reading.error().str();
  });
  return message;
}

TEST(Reader, NumbersWhatIsUsedAndMapsBack) {
  readText(mirOf("bb.0:\n  %5:vgpr_32 = IMPLICIT_DEF\n  %9:sreg_64 = IMPLICIT_DEF\n"
                 "  %9.sub1:sreg_64 = COPY $sgpr4\n  S_ENDPGM 0, implicit %9, implicit %5\n"),
           "gfx1100", [](const support::Result<Reading> &reading, llvm::MachineFunction &function) {
             ASSERT_TRUE(reading);
             const problem::Problem &problem = reading->problem;
             const SourceMap &source = reading->source;
             ASSERT_EQ(problem.vregs.size(), 2u);
             for (problem::VReg vreg = 0; vreg < 2; ++vreg)
               EXPECT_EQ(source.numberOf(source.vregs[vreg]), vreg);
             ASSERT_EQ(source.insts.size(), problem.insts.size());
             ASSERT_EQ(source.operands.size(), problem.operands.size());
             size_t next = 0;
             for (const llvm::MachineInstr &mi : function.front())
               EXPECT_EQ(source.insts[next++], &mi);
             for (size_t i = 0; i < problem.insts.size(); ++i)
               for (unsigned o = 0; o < problem.insts[i].num_operands; ++o) {
                 unsigned index = problem.insts[i].first_operand + o;
                 const llvm::MachineOperand &mo = source.insts[i]->getOperand(source.operands[index]);
                 ASSERT_TRUE(mo.isReg());
                 EXPECT_EQ(mo.isDef(), problem.operands[index].isDef());
                 if (!problem.operands[index].fixed) {
                   EXPECT_EQ(source.numberOf(mo.getReg()), problem.operands[index].reg);
                 }
               }
           });
}

TEST(Reader, SkipsDebugInstructionsAndRegistersThatOnlyTheyName) {
  problem::Problem problem = problemOf(mirOf("bb.0:\n  %0:vgpr_32 = IMPLICIT_DEF\n  DBG_VALUE %1:vgpr_32, $noreg\n"
                                             "  LIFETIME_START %stack.0\n  S_ENDPGM 0, implicit %0\n",
                                             "stack:\n  - { id: 0, size: 8 }\n"),
                                       "gfx1100");
  EXPECT_EQ(problem.vregs.size(), 1u);
  EXPECT_EQ(problem.insts.size(), 2u);
}

TEST(Reader, BlocksFollowTheLayout) {
  problem::Problem problem = problemOf(mirOf("bb.0:\n  successors: %bb.2(0x60000000), %bb.1(0x20000000)\n"
                                             "  S_CBRANCH_SCC1 %bb.2, implicit undef $scc\n"
                                             "bb.1:\n  successors: %bb.1(0x7c000000), %bb.2(0x04000000)\n"
                                             "  S_CBRANCH_SCC1 %bb.1, implicit undef $scc\n"
                                             "bb.2:\n  S_ENDPGM 0\n"),
                                       "gfx1100");
  ASSERT_EQ(problem.blocks.size(), 3u);
  EXPECT_THAT(problem.blocks[0].succs, ElementsAre(2u, 1u));
  EXPECT_THAT(problem.blocks[1].succs, ElementsAre(1u, 2u));
  EXPECT_THAT(problem.blocks[2].preds, ElementsAre(0u, 1u));
  EXPECT_EQ(problem.blocks[1].loop_depth, 1);
  EXPECT_EQ(problem.blocks[2].loop_depth, 0);
  EXPECT_NEAR(problem.blocks[0].frequency, 1, 1e-6);
  EXPECT_NEAR(problem.blocks[1].frequency, 8, 0.1); // a quarter of the entries, 32 rounds each
  EXPECT_NEAR(problem.blocks[2].frequency, 1, 0.01);
  EXPECT_TRUE(problem.operands[0].has(operand_flag::Undef));
}

TEST(Reader, ReadsInsideBundles) {
  problem::Problem problem =
      problemOf(mirOf("bb.0:\n  BUNDLE implicit-def $vgpr0, implicit-def $vgpr1, implicit $exec {\n"
                      "    $vgpr0 = V_MOV_B32_e32 1, implicit $exec\n"
                      "    $vgpr1 = V_MOV_B32_e32 internal $vgpr0, implicit $exec\n  }\n  S_ENDPGM 0\n"),
                "gfx1100");
  EXPECT_THAT(linesOf(problem), ElementsAre("v0 = V_MOV_B32_e32 implicit exec | valu-dual per-thread pure",
                                            "v1 = V_MOV_B32_e32 v0, implicit exec | valu-dual per-thread pure",
                                            "S_ENDPGM | return side-effect terminator"));
}

TEST(Reader, OnlyWhatCanBeShortMayBecomeHalfOfAPair) {
  const auto isDual = [](const std::string &instruction) {
    problem::Problem problem = problemOf(mirOf("bb.0:\n  " + instruction + "\n  S_ENDPGM 0\n"), "gfx1100");
    return problem.insts.at(0).kind == problem::InstKind::DualIssue;
  };
  EXPECT_TRUE(isDual("$vgpr0 = V_ADD_F32_e64 0, $vgpr1, 0, $vgpr2, 0, 0, implicit $mode, implicit $exec"));
  EXPECT_TRUE(isDual("$vgpr0 = V_MUL_F32_e64 0, $vgpr1, 0, $sgpr2, 0, 0, implicit $mode, implicit $exec")); // commutes
  EXPECT_FALSE(isDual("$vgpr0 = V_MUL_F32_e64 0, 1065353216, 0, $sgpr2, 0, 0, implicit $mode, implicit $exec"));
  EXPECT_FALSE(isDual("$vgpr0 = V_MUL_F32_e64 1, $vgpr1, 0, $vgpr2, 0, 0, implicit $mode, implicit $exec")); // negated
  EXPECT_FALSE(isDual("$vgpr0 = V_MUL_F32_e64 0, $vgpr1, 0, $vgpr2, 1, 0, implicit $mode, implicit $exec")); // clamped
  EXPECT_TRUE(isDual("$vgpr0 = V_LSHLREV_B32_e64 $sgpr1, $vgpr2, implicit $exec"));
  EXPECT_FALSE(isDual("$vgpr0 = V_LSHLREV_B32_e64 $vgpr1, $sgpr2, implicit $exec"));
  EXPECT_TRUE(isDual("$vgpr0 = V_CNDMASK_B32_e64 0, $vgpr1, 0, $vgpr2, $vcc_lo, implicit $exec"));
  EXPECT_FALSE(isDual("$vgpr0 = V_CNDMASK_B32_e64 0, $vgpr1, 0, $vgpr2, $sgpr5, implicit $exec"));
  EXPECT_FALSE(isDual("$vgpr0 = V_CNDMASK_B32_e64 0, $vgpr1, 1, $vgpr2, $vcc_lo, implicit $exec"));
}

TEST(Reader, CallsClobberWhatTheirMaskDoesNotKeep) {
  problem::Problem problem = problemOf(
      mirOf("bb.0:\n  $sgpr30_sgpr31 = SI_CALL undef $sgpr4_sgpr5, @callee, csr_amdgpu, implicit $vgpr0, "
            "implicit-def $vgpr0\n  $sgpr30_sgpr31 = SI_CALL undef $sgpr4_sgpr5, @callee, csr_amdgpu\n  S_ENDPGM 0\n"),
      "gfx90a");
  ASSERT_EQ(problem.clobber_sets.size(), 1u); // interned
  EXPECT_EQ(problem.insts[0].kind, problem::InstKind::Call);
  EXPECT_EQ(problem.insts[0].clobbers, 0);
  const problem::UnitSet &clobbers = problem.clobber_sets[0];
  for (auto unit : {problem::first_vgpr, problem::vcc_lo, problem::scc, problem::m0, problem::first_sgpr})
    EXPECT_TRUE(clobbers[unit]) << problem::unitName(unit);
  // The AMDGPU calling convention keeps v40-v47 and s30-s105, and no call changes EXEC.
  for (unsigned unit : {problem::first_vgpr + 40u, problem::first_sgpr + 40u, unsigned(problem::exec_lo)})
    EXPECT_FALSE(clobbers[unit]) << problem::unitName(static_cast<problem::RegUnit>(unit));
}

TEST(Reader, HalvesOfDwordsAreMarked) {
  problem::Problem problem = problemOf(mirOf("bb.0:\n  %0:vgpr_32 = IMPLICIT_DEF\n  undef %1.lo16:vgpr_32 = COPY "
                                             "%0.hi16:vgpr_32\n  S_ENDPGM 0, implicit %1\n"),
                                       "gfx1100");
  EXPECT_EQ(linesOf(problem)[1], "undef half %1:VGPR_32 = COPY half %0 | copy per-thread");
}

TEST(Reader, InlineAsmEarlyClobberAndTies) {
  problem::Problem problem =
      problemOf(mirOf("bb.0:\n  %0:vgpr_32 = IMPLICIT_DEF\n"
                      "  INLINEASM &\"\", 1 /* sideeffect attdialect */, 2228235 /* regdef-ec:VGPR_32 */, "
                      "def early-clobber %1:vgpr_32, 2147483657 /* reguse tiedto:$0 */, %0(tied-def 3), "
                      "12 /* clobber */, implicit-def early-clobber $vgpr7\n  S_ENDPGM 0, implicit %1\n"),
                "gfx1100");
  EXPECT_EQ(linesOf(problem)[1], "early %1:VGPR_32 in VGPR_32 = INLINEASM %0 in VGPR_32 tied 0, early implicit def v7 "
                                 "| inline-asm per-thread side-effect");
}

TEST(Reader, SignaturesSeeImmediatesAndPositionsButNoRegisters) {
  problem::Problem problem = problemOf(
      mirOf("bb.0:\n  %0:vgpr_32 = IMPLICIT_DEF\n  %1:vgpr_32 = V_ADD_U32_e64 1, %0, 0, implicit $exec\n"
            "  %2:vgpr_32 = V_ADD_U32_e64 1, killed %1, 0, implicit $exec\n"
            "  %3:vgpr_32 = V_ADD_U32_e64 %2, 1, 0, implicit $exec\n"
            "  %4:vgpr_32 = V_ADD_U32_e64 2, %3, 0, implicit $exec\n"
            "  %5:vgpr_32 = V_SUB_U32_e64 1, %3, 0, implicit $exec\n"
            "  $vgpr3 = V_ADD_U32_e64 1, $vgpr9, 0, implicit $exec, implicit-def $vgpr3_vgpr4\n  S_ENDPGM 0\n"),
      "gfx1100");
  uint64_t add = problem.insts[1].signature;
  EXPECT_EQ(problem.insts[2].signature, add);
  EXPECT_NE(problem.insts[3].signature, add);
  EXPECT_NE(problem.insts[4].signature, add);
  EXPECT_NE(problem.insts[5].signature, add);
  EXPECT_EQ(problem.insts[6].signature, add);
}

TEST(Reader, SignaturesOfSpillsLeaveTheSlotOut) {
  problem::Problem problem =
      problemOf(mirOf("bb.0:\n  %0:vgpr_32 = IMPLICIT_DEF\n"
                      "  SI_SPILL_V32_SAVE %0, %stack.0, $sgpr32, 0, implicit $exec :: (store (s32) into %stack.0)\n"
                      "  SI_SPILL_V32_SAVE %0, %stack.1, $sgpr32, 0, implicit $exec :: (store (s32) into %stack.1)\n"
                      "  S_ENDPGM 0\n",
                      "stack:\n  - { id: 0, size: 4, type: spill-slot }\n  - { id: 1, size: 4, type: spill-slot }\n"),
                "gfx1100");
  EXPECT_EQ(problem.insts[1].signature, problem.insts[2].signature);
  EXPECT_NE(problem.insts[1].slot, problem.insts[2].slot);
}

TEST(Reader, EnvironmentFollowsProcessorAndAttributes) {
  problem::MachineEnv w32 = problemOf(mirOf("bb.0:\n  S_ENDPGM 0\n"), "gfx1100").env;
  EXPECT_EQ(w32.arch, "gfx1100");
  EXPECT_EQ(w32.wave_size, 32u);
  EXPECT_EQ(w32.max_agprs, 0u);
  EXPECT_TRUE(w32.reserved[problem::exec_lo] && w32.reserved[problem::m0] && w32.reserved[problem::scc]);
  EXPECT_FALSE(w32.reserved[problem::first_vgpr] || w32.reserved[problem::vcc_lo]);
  problem::MachineEnv w64 = problemOf(mirOf("bb.0:\n  S_ENDPGM 0\n"), "gfx90a").env;
  EXPECT_EQ(w64.wave_size, 64u);

  std::string text = mirOf("bb.0:\n  S_ENDPGM 0\n");
  size_t body = text.find("{ ret void }");
  text.insert(body, "\"amdgpu-num-vgpr\"=\"40\" \"amdgpu-num-sgpr\"=\"30\" ");
  problem::MachineEnv limited = problemOf(text, "gfx1030").env;
  EXPECT_EQ(limited.max_vgprs, 40u);
  EXPECT_LE(limited.max_sgprs, 30u);
}

TEST(Reader, EntryValuesAreArgumentsAndWhatIsAlwaysThere) {
  problem::Problem problem = problemOf(mirOf("bb.0:\n  liveins: $vgpr0, $sgpr4_sgpr5\n  S_ENDPGM 0\n",
                                             "machineFunctionInfo:\n  stackPtrOffsetReg: '$sgpr32'\n"),
                                       "gfx1100");
  for (unsigned unit : {unsigned(problem::first_vgpr), problem::first_sgpr + 4u, problem::first_sgpr + 5u,
                        unsigned(problem::exec_lo), unsigned(problem::mode), problem::first_sgpr + 32u}) {
    EXPECT_TRUE(problem.live_in[unit]) << problem::unitName(static_cast<problem::RegUnit>(unit));
  }
  EXPECT_FALSE(problem.live_in[problem::first_vgpr + 1] || problem.live_in[problem::vcc_lo]);
}

TEST(Reader, RefusesWhatIsNotReadyForAllocation) {
  EXPECT_THAT(errorOf("bb.0:\n  successors: %bb.1\n  %0:vgpr_32 = IMPLICIT_DEF\nbb.1:\n  %1:vgpr_32 = PHI %0, %bb.0\n  "
                      "S_ENDPGM 0\n",
                      "gfx1100"),
              HasSubstr("function 'f0': it is still in SSA form"));
  EXPECT_THAT(errorOf("bb.0:\n  %0:_(s32) = G_IMPLICIT_DEF\n  S_ENDPGM 0\n", "gfx1100"),
              HasSubstr("has no register class"));
  EXPECT_THAT(errorOf("bb.0:\n  %0:vreg_1 = IMPLICIT_DEF\n  S_ENDPGM 0\n", "gfx1100"),
              HasSubstr("VReg_1, whose registers are not whole dwords"));
}

} // namespace
} // namespace verilocc::mir::testing
