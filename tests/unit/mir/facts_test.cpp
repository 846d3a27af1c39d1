// Facts about single instructions and edges without which a checker would reject what is right: dwords that are not
// read, edges that are taken only with EXEC empty, and who reads what of an instruction that sets inactive threads.
#include "testing.h"

namespace verilocc::mir::testing {
namespace {

using problem::no_block;
namespace inst_flag = problem::inst_flag;

/// The sets of unread dwords of the explicit uses of the instruction numbered `id`.
std::vector<uint32_t> unreadOf(const problem::Problem &problem, problem::InstId id) {
  std::vector<uint32_t> unread;
  for (const problem::Operand &operand : problem.operandsOf(problem.insts[id]))
    if (operand.isUse() && !operand.has(problem::operand_flag::Implicit))
      unread.push_back(operand.unread);
  return unread;
}

TEST(Facts, ShiftsByThirtyTwoOrMoreReadOneDword) {
  const problem::Problem problem = problemOf(mirOf("bb.0:\n  %0:sreg_64 = IMPLICIT_DEF\n  %1:vreg_64 = IMPLICIT_DEF\n"
                                                   "  %2:sreg_64 = S_ASHR_I64 %0, 33, implicit-def dead $scc\n"
                                                   "  %3:sreg_64 = S_ASHR_I64 %0, 31, implicit-def dead $scc\n"
                                                   "  %4:sreg_64 = S_LSHL_B64 %0, 32, implicit-def dead $scc\n"
                                                   "  %5:vreg_64 = V_LSHRREV_B64_e64 40, %1, implicit $exec\n"
                                                   "  %6:vreg_64 = V_LSHLREV_B64_e64 63, %1, implicit $exec\n"
                                                   "  %7:sreg_64 = S_LSHR_B64 %0, %0.sub0, implicit-def dead $scc\n"
                                                   "  S_ENDPGM 0\n"),
                                             "gfx1100");
  EXPECT_EQ(unreadOf(problem, 2), (std::vector<uint32_t>{1}));
  EXPECT_EQ(unreadOf(problem, 3), (std::vector<uint32_t>{0}));
  EXPECT_EQ(unreadOf(problem, 4), (std::vector<uint32_t>{2}));
  EXPECT_EQ(unreadOf(problem, 5), (std::vector<uint32_t>{1}));
  EXPECT_EQ(unreadOf(problem, 6), (std::vector<uint32_t>{2}));
  EXPECT_EQ(unreadOf(problem, 7), (std::vector<uint32_t>{0, 0}));
}

TEST(Facts, PackedOperationsReadTheDwordsThatTheirModifiersChoose) {
  // Bit 2 of a modifier: the first result takes the upper dword; bit 3: the second does.
  const problem::Problem problem =
      problemOf(mirOf("bb.0:\n  %0:vreg_64_align2 = IMPLICIT_DEF\n"
                      "  %1:vreg_64_align2 = V_PK_FMA_F32 8, %0, 0, %0, 12, %0, 0, 0, 0, 0, 0, implicit $mode, "
                      "implicit $exec\n"
                      "  %2:vreg_64_align2 = V_PK_MUL_F32 11, %0, 4, %0, 0, 0, 0, 0, 0, implicit $mode, "
                      "implicit $exec\n"
                      "  S_ENDPGM 0\n"),
                "gfx90a");
  EXPECT_EQ(unreadOf(problem, 1), (std::vector<uint32_t>{0, 2, 1}));
  EXPECT_EQ(unreadOf(problem, 2), (std::vector<uint32_t>{0, 0}));
}

TEST(Facts, BranchesOnExecTellWhereItIsEmpty) {
  const problem::Problem problem = problemOf(mirOf("bb.0:\n  successors: %bb.1, %bb.2\n\n"
                                                   "  S_CBRANCH_EXECZ %bb.2, implicit $exec\n"
                                                   "bb.1:\n  successors: %bb.1, %bb.2\n\n"
                                                   "  S_CBRANCH_EXECNZ %bb.1, implicit $exec\n  S_BRANCH %bb.2\n"
                                                   "bb.2:\n  successors: %bb.3\n\n"
                                                   "  S_CBRANCH_EXECZ %bb.3, implicit $exec\n"
                                                   "bb.3:\n  S_ENDPGM 0\n"),
                                             "gfx1100");
  EXPECT_EQ(problem.blocks[0].empty_succ, 2u);
  EXPECT_EQ(problem.blocks[1].empty_succ, 2u);
  EXPECT_EQ(problem.blocks[2].empty_succ, no_block); // both ways lead there
  EXPECT_EQ(problem.blocks[3].empty_succ, no_block);
}

TEST(Facts, OtherBranchesDoNot) {
  const problem::Problem problem = problemOf(mirOf("bb.0:\n  successors: %bb.1, %bb.2\n\n"
                                                   "  S_CBRANCH_VCCZ %bb.2, implicit $vcc\n"
                                                   "bb.1:\n  successors: %bb.2\n\n  S_NOP 0\n"
                                                   "bb.2:\n  S_ENDPGM 0\n"),
                                             "gfx1100");
  for (const problem::Block &block : problem.blocks)
    EXPECT_EQ(block.empty_succ, no_block);
}

TEST(Facts, SetInactiveSaysSo) {
  const problem::Problem problem =
      problemOf(mirOf("bb.0:\n  %0:vgpr_32 = IMPLICIT_DEF\n"
                      "  %1:vgpr_32 = V_SET_INACTIVE_B32 %0, 0, implicit-def dead $scc, implicit $exec\n"
                      "  %2:vgpr_32 = V_MOV_B32_e32 %0, implicit $exec\n  S_ENDPGM 0\n"),
                "gfx1100");
  EXPECT_TRUE(problem.insts[1].has(inst_flag::AllThreads));
  EXPECT_TRUE(problem.insts[1].has(inst_flag::SetsInactive));
  EXPECT_FALSE(problem.insts[2].has(inst_flag::SetsInactive));
}

} // namespace
} // namespace verilocc::mir::testing
