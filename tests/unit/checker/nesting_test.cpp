// Divergent branches nested so deep that each level keeps a class of threads of its own: a value that moves to another
// register at each exit must still be found, level by level.
#include "assignment/case.h"
#include "checker/checker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace verilocc::checker {
namespace {

using namespace problem;

constexpr unsigned depth = 100;

/// Level i defines %0 and enters level i + 1 under a mask; the exits restore the masks from the inside out, and the
/// outermost stores %0. Masks %1..%depth lie in s0.., comparisons in VCC.
std::string nest() {
  std::string text = "ra 1\nreserved exec_lo exec_hi null\nclass vgpr_32 = v0-v255\nclass sgpr_32 = s0-s104\n";
  for (unsigned i = 0; i < depth; ++i) {
    text += fmt::format("block {} -> {} {}\n  {} = LOAD implicit exec_lo | vmem-load per-thread load\n", i, i + 1,
                        2 * depth - i, i ? "%0" : "%0:vgpr_32");
    text += "  vcc_lo = V_CMP %0, implicit exec_lo | vcmp per-thread mask compare\n";
    text +=
        fmt::format("  %{}:sgpr_32 = S_AND_SAVEEXEC vcc_lo, implicit def exec_lo, implicit def scc, implicit exec_lo "
                    "| salu mask and-save\n  BR implicit exec_lo | branch terminator side-effect\n",
                    i + 1);
  }
  text += fmt::format("block {} -> {}\n  %0 = LOAD implicit exec_lo | vmem-load per-thread load\n", depth, depth + 1);
  for (unsigned i = depth; i-- > 0;) {
    text += fmt::format("block {}{}\n  exec_lo = S_OR exec_lo, %{}, implicit def scc | salu mask or\n", 2 * depth - i,
                        i ? fmt::format(" -> {}", 2 * depth - i + 1) : "", i + 1);
    text += i ? "  WAIT | wait\n" : "  STORE %0, implicit exec_lo | vmem-store per-thread side-effect\n";
  }
  text += "assignment\nhome %0 = v0";
  for (unsigned i = 1; i <= depth; ++i)
    text += fmt::format(", %{} = s{}", i, i - 1);
  return text + "\n";
}

/// The exit of level i moves %0 from v(i + 1) to v(i); whoever defines %0 at a level puts it where that exit looks.
void moveAtEachExit(assignment::Case &nested, unsigned displaced_level) {
  const Problem &p = nested.problem;
  assignment::Assignment &a = *nested.assignment;
  for (BlockId b = 0; b < p.blocks.size(); ++b)
    for (InstId i = p.blocks[b].first; i < p.blocks[b].last; ++i)
      for (unsigned o = 0; o < p.insts[i].num_operands; ++o) {
        const uint32_t operand = p.insts[i].first_operand + o;
        if (p.operands[operand].fixed || p.operands[operand].reg != 0)
          continue;
        unsigned unit = b <= depth ? std::min(b + 1, depth) : 0;
        a.units[operand] = static_cast<RegUnit>(unit + (b == displaced_level));
      }
  a.opcodes = {"COPY"};
  for (BlockId b = depth + 1; b < p.blocks.size(); ++b) {
    const unsigned level = 2 * depth - b;
    assignment::Edit edit;
    edit.block = b;
    edit.before = p.blocks[b].first + 1;
    edit.inst.kind = InstKind::Copy;
    edit.inst.flags = inst_flag::PerThread;
    edit.inst.first_operand = static_cast<uint32_t>(a.edit_operands.size());
    edit.inst.num_operands = 2;
    Operand to, from;
    to.fixed = from.fixed = true;
    to.access = Access::Def;
    to.reg = level;
    from.reg = level + 1;
    a.edit_operands.insert(a.edit_operands.end(), {to, from});
    a.edits.push_back(edit);
  }
}

TEST(Nesting, AHundredLevelsOfBranchesKeepTheirThreadsApart) {
  auto nested = assignment::parseCase(nest(), "nest.ra");
  ASSERT_TRUE(nested) << nested.error().str();
  moveAtEachExit(*nested, 2 * depth + 1);
  const CheckResult result = check(nested->problem, *nested->assignment);
  EXPECT_EQ(result.verdict, Verdict::Accepted) << result.invalid_reason;
  EXPECT_GE(result.statistics.max_classes, depth);
}

TEST(Nesting, AWrongRegisterAtOneLevelIsFound) {
  for (unsigned level : {0u, depth / 2, depth - 1}) {
    auto nested = assignment::parseCase(nest(), "nest.ra");
    ASSERT_TRUE(nested) << nested.error().str();
    moveAtEachExit(*nested, level);
    const CheckResult result = check(nested->problem, *nested->assignment);
    ASSERT_EQ(result.verdict, Verdict::Rejected) << level;
    EXPECT_EQ(result.errors.front().kind, ErrorKind::LostValue);
  }
}

} // namespace
} // namespace verilocc::checker
