#include "assignment/case.h"
#include "assignment/text.h"
#include "tests/support/random_problem.h"
#include "tests/support/text_fuzz.h"

#include <chrono>
#include <gtest/gtest.h>

namespace verilocc::assignment {
namespace {

using problem::no_unit;

constexpr const char *sample = R"(ra 1
# A value is moved aside
# and back.
EXPECT rejected lost-value inst 2 operand 1 lane 1
class vgpr_32 = v0-v255
class vreg_64 width 2 = v0-v254
block 0 -> 1
  %0:vreg_64 = LOAD | per-thread load
  %1:vgpr_32 = MOV %0[1]
block 1
  STORE %0, %1 | side-effect
  END
assignment
home %0 = v[4:5], %1 = v6
at 2: 0 = v[8:9], 1 = none
delete 3
edit end 0: v[8:9] = COPY v[4:5] | copy per-thread
edit 3: SPILL v8 | spill slot 0
)";

TEST(CaseText, HandWrittenTextMeansWhatItSays) {
  const auto parsed = parseCase(sample, "t.ra");
  ASSERT_TRUE(parsed) << parsed.error().str();
  EXPECT_EQ(parsed->comments, (std::vector<std::string>{"A value is moved aside", "and back."}));
  EXPECT_EQ(parsed->expectation, (Expectation{"rejected", "lost-value", 2, {}, 1, 1}));
  const Assignment &a = parsed->assignment.value();
  EXPECT_EQ(a.units, (std::vector<RegUnit>{4, 6, 5, 8, no_unit}));
  EXPECT_EQ(a.deleted, (std::vector<uint8_t>{0, 0, 0, 1}));
  ASSERT_EQ(a.edits.size(), 2u);
  EXPECT_EQ(a.edits[0].block, 0u);
  EXPECT_EQ(a.edits[0].before, 2u);
  EXPECT_EQ(a.edits[1].block, 1u);
  EXPECT_EQ(a.edits[1].before, 3u);
  EXPECT_EQ(a.operandsOf(a.edits[0])[0].reg, 8u);
  EXPECT_EQ(a.opcodes, (std::vector<std::string>{"COPY", "SPILL"}));
  EXPECT_EQ(a.edits[1].inst.slot, 0u);
}

TEST(CaseText, RoundTripOfConstructedCases) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = tests::randomCaseText(seed);
    const auto parsed = parseCase(text, "t.ra");
    ASSERT_TRUE(parsed) << "seed " << seed << ": " << parsed.error().str();
    EXPECT_EQ(print(*parsed), text) << "seed " << seed;
  }
}

TEST(CaseText, RoundTripOfAssignmentsFieldByField) {
  const auto parsed = parseCase(sample, "t.ra");
  ASSERT_TRUE(parsed);
  Case contents = *parsed;
  contents.assignment->opcodes = {"SPILL", "COPY", "unused"};
  contents.assignment->edits[0].inst.signature = 7;
  contents.assignment->units[4] = 700;
  const auto back = parseCase(print(contents), "t.ra");
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_TRUE(*back == contents) << print(contents);
}

TEST(CaseText, HomesOfAnAssignmentFromHomesComeBack) {
  const problem::Problem p = tests::randomProblem({});
  Homes homes(p.vregs.size(), no_unit);
  for (const problem::Operand &op : p.operands)
    if (!op.fixed && op.reg % 7 != 3)
      homes[op.reg] = static_cast<RegUnit>(op.reg * 3 % 200);
  const Assignment a = fromHomes(p, homes);
  ASSERT_TRUE(wellFormed(p, a));
  EXPECT_EQ(mainHomes(p, a), homes);
}

struct BadText {
  const char *text, *error;
};

TEST(CaseText, ErrorsNameTheirPlace) {
  const std::string head = "ra 1\nclass v = v0-v255\nblock 0\n  %0:v = A\n  B %0\nassignment\n";
  const BadText cases[] = {
      {"home %1 = v0\n", "t.ra:7:7: 1 is out of range for the number of a virtual register (0 to 0)"},
      {"home %0 = v[0:1]\n", "t.ra:7:11: 'v[0:1]' has 2 units, expected 1"},
      {"home %0 = v256\n", "t.ra:7:11: unknown register 'v256'"},
      {"at 2: 0 = v0\n", "t.ra:7:4: 2 is out of range for the number of an instruction (0 to 1)"},
      {"at 1: 1 = v0\n", "t.ra:7:7: 1 is out of range for the number of an operand (0 to 0)"},
      {"delete 2\n", "t.ra:7:8: 2 is out of range for the number of an instruction (0 to 1)"},
      {"edit 1: COPY %0\n", "t.ra:7:15: the first mention of %0 needs its class, as in %0:vgpr_32"},
      {"edit end 0: COPY v0\nedit 0: COPY v0\n", "t.ra:8:6: edits stand in program order"},
      {"delete 1\nhome %0 = v0\n",
       "t.ra:8:1: expected 'at', 'delete', 'edit', 'edit-opcodes', or, before those, 'home'"},
  };
  for (const BadText &bad : cases) {
    const std::string text = head + bad.text;
    const auto parsed = parseCase(text, "t.ra");
    ASSERT_FALSE(parsed) << bad.text;
    EXPECT_EQ(parsed.error().str(), bad.error) << bad.text;
  }
  const BadText whole[] = {
      {"", "t.ra: not a .ra file: expected the header line 'ra 1'"},
      {"ra 2\n", "t.ra:1:5: format version 2, but this program reads version 1"},
      {"ra 1\nEXPECT\n", "t.ra:2:7: expected a verdict"},
      {"ra 1\nEXPECT rejected lost-value at 3\n", "t.ra:2:28: expected 'inst', 'edit', 'operand' or 'lane'"},
  };
  for (const BadText &bad : whole) {
    const auto parsed = parseCase(bad.text, "t.ra");
    ASSERT_FALSE(parsed) << bad.text;
    EXPECT_EQ(parsed.error().str(), bad.error) << bad.text;
  }
}

TEST(Assignment, WellFormedNamesWhatIsBroken) {
  const auto parsed = parseCase(sample, "t.ra");
  ASSERT_TRUE(parsed);
  const auto complaint = [&](auto damage) {
    Assignment a = *parsed->assignment;
    damage(a);
    const auto status = wellFormed(parsed->problem, a);
    return status ? std::string("none") : status.error().message;
  };
  EXPECT_EQ(complaint([](Assignment &) {}), "none");
  EXPECT_EQ(complaint([](Assignment &a) { a.units.pop_back(); }), "4 units for 5 operands");
  EXPECT_EQ(complaint([](Assignment &a) { a.deleted.clear(); }), "0 deletion marks for 4 instructions");
  EXPECT_EQ(complaint([](Assignment &a) { a.deleted[0] = 2; }), "instruction 0: deletion mark 2");
  EXPECT_EQ(complaint([](Assignment &a) { a.units[0] = 767; }),
            "instruction 0, operand 0: units [767, 769) do not exist");
  EXPECT_EQ(complaint([](Assignment &a) { a.edits[1].block = 2; }), "edit 1: block 2 does not exist");
  EXPECT_EQ(complaint([](Assignment &a) { a.edits[0].before = 3; }), "edit 0: instruction 3 is not in block 0");
  EXPECT_EQ(complaint([](Assignment &a) { std::swap(a.edits[0], a.edits[1]); }), "edit 1: out of program order");
  EXPECT_EQ(complaint([](Assignment &a) { a.edits[0].inst.opcode = 2; }), "edit 0: opcode number 2 of 2");
  EXPECT_EQ(complaint([](Assignment &a) { a.edits[1].inst.num_operands = 2; }), "edit 1: its operands do not exist");
  EXPECT_EQ(complaint([](Assignment &a) { a.edit_operands[0].fixed = false; }),
            "edit 0: an operand is not a fixed register");
}

/// A second of mutated texts, and one of pure noise within it: no crash, and what is read prints and reads back.
TEST(CaseText, SmokeOfMutatedTexts) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  uint64_t seed = 0, accepted = 0;
  for (; std::chrono::steady_clock::now() < end || seed < 100; ++seed) {
    const std::string text = tests::mutateText(tests::randomCaseText(seed / 16), seed);
    ASSERT_EQ(tests::checkCaseText(text), "") << "seed " << seed << "\n" << text;
    accepted += static_cast<bool>(parseCase(text, ""));
  }
  EXPECT_GT(accepted, seed / 50) << "mutations should leave some texts valid";
  EXPECT_LT(accepted, seed);
}

} // namespace
} // namespace verilocc::assignment
