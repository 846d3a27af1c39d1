#include "problem/text.h"

#include "problem/inst_text.h"
#include "tests/support/random_problem.h"

#include <gtest/gtest.h>

namespace verilocc::problem {
namespace {

support::Result<Problem> parse(std::string_view text) {
  support::TextReader reader(text, "t.ra");
  return parseProblem(reader);
}

TEST(ProblemText, HandWrittenTextMeansWhatItSays) {
  const auto parsed = parse(R"(
problem axpy
arch gfx1100
wave 64
limits vgpr 32 sgpr 40
reserved exec m0 s32
class vgpr_32 = v0-v255
class vreg_64 width 2 = v0-v254 step 2
clobbers 0 = v[0:7] scc
live-in v0 s[0:1]
block 0 freq 0.5 depth 2 -> 1
  %0:vreg_64[1] = COPY v0 | copy
  early undef %1:vgpr_32, implicit dead def scc = V_ADD %0[0:1] in vreg_64, undef %0[1], implicit exec | valu per-thread latency 4
block 1 -> 1
  %1 = V_FMAC %1 tied 0, implicit exec, implicit def vcc | valu-dual sig 0xff
  CALL | call side-effect clobbers 0
  exec = S_AND exec, s[4:5] | salu mask and constant -1 terminator
  SPILL %0 | spill slot 3 lane 5
)");
  ASSERT_TRUE(parsed) << parsed.error().str();
  const Problem &p = *parsed;
  EXPECT_EQ(p.name, "axpy");
  EXPECT_EQ(p.env.arch, "gfx1100");
  EXPECT_EQ(p.env.wave_size, 64u);
  EXPECT_EQ(p.env.max_vgprs, 32u);
  EXPECT_EQ(p.env.max_agprs, 0u);
  EXPECT_EQ(p.env.max_sgprs, 40u);
  EXPECT_TRUE(p.env.reserved[exec_lo] && p.env.reserved[exec_hi] && p.env.reserved[m0]);
  EXPECT_EQ(p.env.reserved.count(), 4u);
  EXPECT_EQ(p.env.classes[0].bases.count(), 256u);
  EXPECT_EQ(p.env.classes[1].bases.count(), 128u);
  EXPECT_EQ(p.vregs, (std::vector<ClassId>{1, 0}));
  ASSERT_EQ(p.blocks.size(), 2u);
  EXPECT_EQ(p.blocks[0].frequency, 0.5);
  EXPECT_EQ(p.blocks[0].loop_depth, 2);
  EXPECT_EQ(p.blocks[1].preds, (std::vector<BlockId>{0, 1}));
  ASSERT_EQ(p.insts.size(), 6u);
  const auto copy = p.operandsOf(p.insts[0]);
  EXPECT_TRUE(copy[0].isDef() && copy[0].first_lane == 1 && copy[0].num_lanes == 1);
  EXPECT_TRUE(copy[1].isUse() && copy[1].fixed && copy[1].reg == 0);
  EXPECT_EQ(p.insts[0].signature, defaultSignature("COPY"));
  const auto add = p.operandsOf(p.insts[1]);
  ASSERT_EQ(add.size(), 5u);
  EXPECT_EQ(add[0].flags, operand_flag::EarlyClobber | operand_flag::Undef);
  EXPECT_TRUE(add[1].isDef() && add[1].has(operand_flag::Dead));
  EXPECT_EQ(add[2].constraint, 1);
  EXPECT_EQ(add[2].num_lanes, 2);
  EXPECT_EQ(add[3].first_lane, 1);
  EXPECT_EQ(add[4].num_lanes, 2);
  EXPECT_EQ(p.insts[1].latency, 4);
  const auto fmac = p.operandsOf(p.insts[2]);
  EXPECT_EQ(fmac[1].tied_to, 0);
  EXPECT_TRUE(fmac[3].isDef() && fmac[3].reg == vcc_lo && fmac[3].num_lanes == 2);
  EXPECT_EQ(p.insts[2].kind, InstKind::DualIssue);
  EXPECT_EQ(p.insts[2].signature, 0xffu);
  EXPECT_EQ(p.insts[3].clobbers, 0);
  EXPECT_TRUE(p.insts[4].mask_has_constant);
  EXPECT_EQ(p.insts[4].mask_constant, -1);
  EXPECT_EQ(p.insts[4].mask_op, MaskOp::And);
  EXPECT_TRUE(p.insts[4].has(inst_flag::Terminator));
  EXPECT_EQ(p.insts[5].slot, 3u);
  EXPECT_EQ(p.insts[5].lane, 5);
}

TEST(ProblemText, RoundTripOfConstructedProblems) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    const auto back = parse(print(p));
    ASSERT_TRUE(back) << "seed " << seed << ": " << back.error().str();
    EXPECT_TRUE(*back == p) << "seed " << seed;
  }
}

TEST(ProblemText, RoundTripOfWhatConstructionDoesNotMake) {
  Problem p = tests::randomProblem({});
  p.name = "two words, \"quoted\"\n";
  p.opcodes.push_back("unused");
  std::swap(p.opcodes[0], p.opcodes[1]);
  p.opcodes[2] = "block";
  p.opcodes[3] = "";
  p.vregs.push_back(0);
  p.clobber_sets.emplace_back();
  p.env.classes.push_back({"empty class", 3, {}});
  p.blocks[0].frequency = 0.1 + 0.2;
  for (Block &block : p.blocks)
    std::reverse(block.preds.begin(), block.preds.end());
  p.insts[0].mask_has_constant = true;
  p.insts[0].lane = 63;
  p.insts[0].slot = 0;
  ASSERT_TRUE(wellFormed(p)) << wellFormed(p).error().str();
  const auto back = parse(print(p));
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_TRUE(*back == p) << print(p);
}

TEST(ProblemText, StopsBeforeTheAssignment) {
  support::TextReader reader("block 0\n  NOP\nassignment\n", "t.ra");
  ASSERT_TRUE(parseProblem(reader));
  ASSERT_TRUE(reader.nextLine());
  EXPECT_TRUE(reader.takeWord("assignment"));
}

struct BadText {
  const char *text, *error;
};

TEST(ProblemText, ErrorsNameTheirPlace) {
  const BadText cases[] = {
      {"", "t.ra: there is no block"},
      {"nonsense 1\n", "t.ra:1:1: unknown line 'nonsense' before the first block"},
      {"block 1\n", "t.ra:1:7: 1 is out of range for the number of the next block (0 to 0)"},
      {"block 0 freq x\n", "t.ra:1:14: expected a frequency"},
      {"block 0 -> 3\n", "t.ra: block 0 goes to block 3, which does not exist"},
      {"class v = v0-v300\nblock 0\n", "t.ra:1:14: unknown register 'v300'"},
      {"class v = v5-v3\nblock 0\n", "t.ra:1:13: a range goes from one register up to another"},
      {"class v = v0\nclass v = v1\n", "t.ra:2:7: register class 'v' is there already"},
      {"class v width 33 = v0\n", "t.ra:1:15: 33 is out of range for a width (1 to 32)"},
      {"clobbers 1 = v0\n", "t.ra:1:10: 1 is out of range for the number of the next clobber set (0 to 0)"},
      {"block 0\n  %0 = A\n", "t.ra:2:4: the first mention of %0 needs its class, as in %0:vgpr_32"},
      {"block 0\n  %0:w = A\n", "t.ra:2:6: unknown register class 'w'"},
      {"class v = v0\nblock 0\n  %3:v = A\n",
       "t.ra: %3 is used, but only 1 virtual registers are declared: number them from 0 without gaps"},
      {"class v = v0\nblock 0\n  %0:v[1] = A\n", "t.ra:3:8: 1 is out of range for a lane (0 to 0)"},
      {"class v = v0\nclass w = v0\nblock 0\n  %0:v = A\n  B %0:w\n", "t.ra:5:8: %0 has class 'v' already"},
      {"class v = v0\nclass w width 2 = v0\nblock 0\n  A v0 in w\n",
       "t.ra:4:8: 1 lanes cannot lie in class 'w' of width 2"},
      {"block 0\n  A v0 v1\n", "t.ra:2:8: expected '|'"},
      {"block 0\n  A v0,\n", "t.ra:2:8: expected a register (%3, v[4:5]) or a flag"},
      {"block 0\n  A | unheard\n", "t.ra:2:7: unknown attribute 'unheard'"},
      {"block 0\n  A | mask add\n", "t.ra:2:12: unknown mask operation 'add'"},
      {"block 0\n  A | sig 12\n", "t.ra:2:11: expected a signature in hexadecimal (0x...)"},
      {"block 0\n  A | clobbers 0\n", "t.ra: the problem is not well-formed: instruction 0: clobber set 0 of 0"},
      {"block 0\n  A v0 tied 3\n", "t.ra: the problem is not well-formed: instruction 0, operand 0: tied to operand 3, "
                                   "expected a use tied to a def"},
      {"wave 48\nblock 0\n", "t.ra: the problem is not well-formed: wave size 48 is neither 32 nor 64"},
      {"limits vgpr 300\n", "t.ra:1:13: 300 is out of range for a number of VGPRs (0 to 256)"},
  };
  for (const BadText &bad : cases) {
    const auto parsed = parse(bad.text);
    ASSERT_FALSE(parsed) << bad.text;
    EXPECT_EQ(parsed.error().str(), bad.error) << bad.text;
  }
}

} // namespace
} // namespace verilocc::problem
