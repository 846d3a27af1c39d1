// Paths, determinism, and what is said of a difference.
#include "tests/unit/interp/testing.h"

namespace verilocc::interp {
namespace {

constexpr const char *loop = R"(
block 0 -> 1
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
block 1 -> 1 2
  %0 = ADD %0, %1 | per-thread
  S_CBRANCH_SCC1 | branch terminator side-effect
block 2
  STORE %0 | per-thread side-effect
assignment
)";

TEST(Paths, ValuesGoRoundALoop) {
  EXPECT_EQUAL(std::string(loop) + "home %0 = v0, %1 = v1\n");
  // Only the second round reads what the first one left.
  const Answer answer = ask(std::string(loop) + "home %0 = v0, %1 = v1\nedit 3: v1 = COPY v0 | copy\n");
  ASSERT_FALSE(answer.equal());
  EXPECT_EQ(answer.result.difference->blocks, (std::vector<problem::BlockId>{0, 1, 1}));
  EXPECT_EQ(answer.result.difference->inst, 2u);
  EXPECT_EQ(answer.result.difference->operand, 2);
}

TEST(Paths, EndWithoutAnExit) {
  const Answer answer = ask(R"(
block 0 -> 0
  %0:vgpr_32 = LOAD_A | per-thread load
  STORE %0 | per-thread side-effect
assignment
home %0 = v0
)");
  EXPECT_TRUE(answer.equal());
  EXPECT_EQ(answer.result.paths, 16u);
  EXPECT_LT(answer.result.instructions, 16u * 2 * 100);
}

TEST(Paths, EveryEdgeOfALadderIsTaken) {
  // 12 branches in a row: random choices alone would leave blocks out with 16 paths only rarely, never with this rule.
  std::string text = "\n";
  unsigned block = 0;
  for (unsigned i = 0; i < 12; ++i, block += 2) {
    text += "block " + std::to_string(block) + " -> " + std::to_string(block + 1) + " " + std::to_string(block + 2) +
            "\n  S_CBRANCH_SCC1 | branch terminator side-effect\n";
    text += "block " + std::to_string(block + 1) + " -> " + std::to_string(block + 2) + "\n  S_NOP\n";
  }
  text += "block 24\n  S_ENDPGM | return side-effect terminator\nassignment\n";
  const Answer answer = ask(text);
  EXPECT_TRUE(answer.equal());
  EXPECT_EQ(answer.result.unvisited_blocks, 0u);
}

TEST(Paths, SameArgumentsSameAnswer) {
  const std::string text = std::string(loop) + "home %0 = v0, %1 = v1\nedit 3: v1 = COPY v0 | copy\n";
  InterpOptions options;
  options.seed = 77;
  const Answer a = ask(text, options), b = ask(text, options);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.result.instructions, b.result.instructions);
  options.seed = 78;
  EXPECT_NE(ask(text, options).result.difference->expected, a.result.difference->expected);
}

TEST(Describe, TellsTheWholeStory) {
  const Answer answer = ask(R"(
block 0 -> 1
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
block 1
  STORE %0 | per-thread side-effect
assignment
home %0 = v0, %1 = v1
edit end 0: v0 = COPY v1 | copy
)");
  ASSERT_FALSE(answer.equal());
  const auto contains = [&](const char *part) { EXPECT_NE(answer.text.find(part), std::string::npos) << answer.text; };
  contains("instruction 2 (STORE, block 1): operand 0 reads %0[0] from v0, in the active thread 0");
  contains("path 0 of seed 1, blocks 0 1");
  contains("written by instruction 0 (LOAD_A, block 0), step 0");
  contains("the value of %1[0], written by edit 0 (COPY v0 = v1, block 0, before instruction 2), step 0");
}

TEST(Describe, ATiedUseIsLookedForAtTheDefinition) {
  InterpOptions lenient;
  lenient.strict = false;
  const Answer answer = ask(R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %0 = FMAC %0 tied 0 | per-thread
  STORE %0 | per-thread side-effect
assignment
home %0 = v3
at 1: 0 = v9
at 2: 0 = v9
)",
                            lenient);
  ASSERT_FALSE(answer.equal());
  // What the sum of nothing gives reaches the store.
  EXPECT_EQ(answer.result.difference->inst, 2u);
  EXPECT_EQ(answer.result.difference->location, 9);
  EXPECT_NE(answer.text.find("written by instruction 1 (FMAC, block 0)"), std::string::npos) << answer.text;
}

} // namespace
} // namespace verilocc::interp
