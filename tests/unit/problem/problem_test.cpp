#include "problem/problem.h"
#include "tests/support/random_problem.h"

#include <functional>
#include <gtest/gtest.h>

namespace verilocc::problem {
namespace {

TEST(WellFormed, ConstructedProblemsAre) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    const auto status = wellFormed(p);
    ASSERT_TRUE(status) << "seed " << seed << ": " << status.error().str();
  }
}

TEST(WellFormed, ConstructionCoversWhatItPromises) {
  bool branch = false, back_edge = false, early = false, tied = false, undef = false, partial = false, clobber = false,
       exec_write = false, call = false;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    for (BlockId b = 0; b < p.blocks.size(); ++b) {
      branch |= p.blocks[b].succs.size() == 2;
      for (BlockId succ : p.blocks[b].succs)
        back_edge |= succ <= b;
    }
    for (const Inst &inst : p.insts) {
      clobber |= inst.clobbers >= 0;
      call |= inst.kind == InstKind::Call;
      for (const Operand &op : p.operandsOf(inst)) {
        early |= op.has(operand_flag::EarlyClobber);
        tied |= op.tied_to >= 0;
        undef |= op.isDef() && op.has(operand_flag::Undef);
        partial |= op.isDef() && !op.fixed && op.num_lanes < p.widthOf(op.reg);
        exec_write |= op.isDef() && op.fixed && op.reg == exec_lo && inst.mask_op != MaskOp::None;
      }
    }
  }
  EXPECT_TRUE(branch && back_edge && early && tied && undef && partial && clobber && exec_write && call);
}

TEST(WellFormed, BlockOfSkipsEmptyBlocks) {
  Problem p;
  p.opcodes = {"NOP"};
  p.blocks.resize(4);
  p.insts.resize(3);
  p.blocks[0] = {0, 0, {}, {}, 1, 0};
  p.blocks[1] = {0, 2, {}, {}, 1, 0};
  p.blocks[2] = {2, 2, {}, {}, 1, 0};
  p.blocks[3] = {2, 3, {}, {}, 1, 0};
  ASSERT_TRUE(wellFormed(p));
  EXPECT_EQ(p.blockOf(0), 1u);
  EXPECT_EQ(p.blockOf(1), 1u);
  EXPECT_EQ(p.blockOf(2), 3u);
}

/// A problem in which each thing that a damage touches is there.
Problem sample() {
  Problem p;
  p.env.classes = {{"vgpr_32", 1, {}}, {"vreg_64", 2, {}}};
  p.env.classes[0].bases.set(0).set(1);
  p.env.classes[1].bases.set(0);
  p.vregs = {0, 1};
  p.opcodes = {"A", "B"};
  p.clobber_sets.resize(1);
  p.blocks = {{0, 1, {1}, {}, 1, 0}, {1, 2, {}, {0}, 1, 0}};
  p.insts.resize(2);
  p.insts[0].num_operands = 2;
  p.insts[1].first_operand = 2;
  p.insts[1].num_operands = 1;
  p.insts[1].opcode = 1;
  p.operands.resize(3);
  p.operands[0].access = Access::Def;
  p.operands[1].tied_to = 0;
  p.operands[2].reg = 1;
  p.operands[2].num_lanes = 2;
  return p;
}

struct Damage {
  const char *message; ///< must appear in the complaint
  std::function<void(Problem &)> apply;
};

TEST(WellFormed, EachBrokenInvariantIsNamed) {
  ASSERT_TRUE(wellFormed(sample())) << wellFormed(sample()).error().str();
  const Damage damages[] = {
      {"wave size", [](Problem &p) { p.env.wave_size = 16; }},
      {"limits", [](Problem &p) { p.env.max_vgprs = 257; }},
      {"limits", [](Problem &p) { p.env.max_sgprs = 107; }},
      {"two register classes", [](Problem &p) { p.env.classes[1].name = "vgpr_32"; }},
      {"width of 0", [](Problem &p) { p.env.classes[0].width = 0; }},
      {"leaves its register file", [](Problem &p) { p.env.classes[1].bases.set(255); }},
      {"leaves its register file", [](Problem &p) { p.env.classes[1].bases.set(num_units - 1); }},
      {"interned twice", [](Problem &p) { p.opcodes[1] = "A"; }},
      {"class number", [](Problem &p) { p.vregs[0] = 2; }},
      {"no block", [](Problem &p) { p.blocks.clear(); }},
      {"expected to start", [](Problem &p) { p.blocks[1].first = 0; }},
      {"the blocks hold", [](Problem &p) { p.blocks[1].last = 1; }},
      {"frequency", [](Problem &p) { p.blocks[1].frequency = -1; }},
      {"frequency", [](Problem &p) { p.blocks[0].frequency = 0.0 / 0.0; }},
      {"names a neighbour twice", [](Problem &p) { p.blocks[0].succs = {1, 1}; }},
      {"does not exist", [](Problem &p) { p.blocks[0].succs = {2}; }},
      {"predecessors", [](Problem &p) { p.blocks[1].preds.clear(); }},
      {"does not name it", [](Problem &p) { p.blocks[1].preds = {1}; }},
      {"does not go there", [](Problem &p) { p.blocks[1].empty_succ = 0; }},
      {"unread or undefined", [](Problem &p) { p.operands[0].unread = 1; }},
      {"unread or undefined", [](Problem &p) { p.operands[1].claimed_undefined = 2; }},
      {"opcode number", [](Problem &p) { p.insts[0].opcode = 2; }},
      {"unknown kind", [](Problem &p) { p.insts[0].kind = static_cast<InstKind>(200); }},
      {"unknown kind", [](Problem &p) { p.insts[0].flags = 0x8000; }},
      {"mask constant", [](Problem &p) { p.insts[0].mask_constant = 1; }},
      {"lane 64", [](Problem &p) { p.insts[0].lane = 64; }},
      {"clobber set", [](Problem &p) { p.insts[0].clobbers = 1; }},
      {"operands start", [](Problem &p) { p.insts[1].first_operand = 1; }},
      {"operands start", [](Problem &p) { p.insts[1].num_operands = 2; }},
      {"operands, but there are", [](Problem &p) { p.operands.emplace_back(); }},
      {"neither use nor def", [](Problem &p) { p.operands[0].access = static_cast<Access>(2); }},
      {"no lanes", [](Problem &p) { p.operands[2].num_lanes = 0; }},
      {"%2 does not exist", [](Problem &p) { p.operands[2].reg = 2; }},
      {"lanes [1:2]", [](Problem &p) { p.operands[2].first_lane = 1; }},
      {"first lane 0", [](Problem &p) { p.operands[2].fixed = true, p.operands[2].first_lane = 1; }},
      {"do not exist", [](Problem &p) { p.operands[2].fixed = true, p.operands[2].reg = num_units - 1; }},
      {"unknown flag", [](Problem &p) { p.operands[2].flags = 0x80; }},
      {"half of a dword", [](Problem &p) { p.operands[2].flags = operand_flag::HalfDword; }},
      {"class number", [](Problem &p) { p.operands[2].constraint = 2; }},
      {"of width 1", [](Problem &p) { p.operands[2].constraint = 0; }},
      {"tied to operand 1", [](Problem &p) { p.operands[1].tied_to = 1; }},
      {"tied to operand 5", [](Problem &p) { p.operands[1].tied_to = 5; }},
      {"tied to operand 0", [](Problem &p) { p.operands[0].tied_to = 0; }},
      {"another number of lanes", [](Problem &p) { p.operands[1].reg = 1, p.operands[1].num_lanes = 2; }},
  };
  for (const Damage &damage : damages) {
    Problem p = sample();
    damage.apply(p);
    const auto status = wellFormed(p);
    ASSERT_FALSE(status) << "not noticed, expected: " << damage.message;
    EXPECT_NE(status.error().message.find(damage.message), std::string::npos)
        << "expected '" << damage.message << "' in: " << status.error().message;
  }
}

} // namespace
} // namespace verilocc::problem
