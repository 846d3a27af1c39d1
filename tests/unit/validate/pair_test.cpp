// Pairing of two Problems given as text: what is matched, what counts as deleted and inserted, what is refused, and
// that a value computed again elsewhere does not shift the matching of its neighbours.
#include "validate/pair.h"
#include "validate/validate.h"

#include "assignment/case.h"
#include "tests/support/pair_fuzz.h"

#include <chrono>
#include <gtest/gtest.h>

namespace verilocc::validate {
namespace {

using checker::Verdict;
using problem::Problem;

const std::string head = "ra 1\nreserved exec_lo exec_hi null\nclass vgpr_32 = v0-v255\n";

Problem parse(const std::string &text) {
  auto parsed = assignment::parseCase(head + text, "pair.ra");
  EXPECT_TRUE(parsed) << parsed.error().str();
  return parsed ? std::move(parsed->problem) : Problem();
}

std::string load(const std::string &to) {
  return "  " + to + " = LOAD implicit exec_lo | vmem-load per-thread load\n";
}
std::string scale(const std::string &to, const std::string &from) {
  return "  " + to + " = SCALE " + from + ", implicit exec_lo | valu per-thread pure\n";
}
std::string store(const std::string &from) {
  return "  STORE " + from + ", implicit exec_lo | vmem-store per-thread side-effect\n";
}
std::string copy(const std::string &to, const std::string &from) {
  return "  " + to + " = COPY " + from + " | copy per-thread\n";
}

/// Three products of one kind in a row, stored in order.
const std::string products = "block 0\n" + load("%0:vgpr_32") + load("%1:vgpr_32") + load("%2:vgpr_32") +
                             scale("%3:vgpr_32", "%0") + scale("%4:vgpr_32", "%1") + scale("%5:vgpr_32", "%2") +
                             store("%4") + store("%5") + store("%3");

TEST(Pair, MatchesInOrderAndCountsCopiesAsInserted) {
  const Problem before = parse(products);
  const Problem after =
      parse("block 0\n" + load("v0") + load("v1") + load("v2") + scale("v0", "v0") + scale("v1", "v1") +
            copy("v9", "v0") + scale("v2", "v2") + store("v1") + store("v2") + store("v9"));
  const auto paired = pair(before, after);
  ASSERT_TRUE(paired) << paired.error().str();
  EXPECT_EQ(paired->edits.size(), 1u);
  EXPECT_EQ(std::count(paired->deleted.begin(), paired->deleted.end(), 1), 0);
  EXPECT_EQ(validate(before, after).check.verdict, Verdict::Accepted);
}

/// The first product is computed again just before its use, with one register for it and the others: the three stand in
/// another order, and matching by kind alone takes each for its neighbour.
TEST(Pair, AValueComputedAgainElsewhereDoesNotShiftItsNeighbours) {
  const Problem before = parse(products);
  const Problem after = parse("block 0\n" + load("v0") + load("v1") + load("v2") + scale("v1", "v1") +
                              scale("v2", "v2") + store("v1") + store("v2") + scale("v1", "v0") + store("v1"));
  const auto validation = validate(before, after);
  EXPECT_EQ(validation.check.verdict, Verdict::Accepted);
  EXPECT_FALSE(validation.assignment.edits.empty());
}

TEST(Pair, AValueComputedAgainFromTheWrongRegisterIsRejected) {
  const Problem before = parse(products);
  const Problem after = parse("block 0\n" + load("v0") + load("v1") + load("v2") + scale("v1", "v1") +
                              scale("v2", "v2") + store("v1") + store("v2") + scale("v1", "v2") + store("v1"));
  EXPECT_EQ(validate(before, after).check.verdict, Verdict::Rejected);
}

TEST(Pair, AnInputOverwrittenBeforeTheSecondComputationIsRejected) {
  const Problem before = parse(products);
  const Problem after = parse("block 0\n" + load("v0") + load("v1") + load("v2") + scale("v0", "v1") +
                              scale("v2", "v2") + store("v0") + store("v2") + scale("v1", "v0") + store("v1"));
  EXPECT_EQ(validate(before, after).check.verdict, Verdict::Rejected);
}

TEST(Pair, AnEffectThatIsMissingOrDoneTwiceIsRejected) {
  const Problem before = parse(products);
  const std::string body =
      load("v0") + load("v1") + load("v2") + scale("v0", "v0") + scale("v1", "v1") + scale("v2", "v2");
  EXPECT_EQ(validate(before, parse("block 0\n" + body + store("v1") + store("v2") + store("v0"))).check.verdict,
            Verdict::Accepted);
  EXPECT_EQ(validate(before, parse("block 0\n" + body + store("v1") + store("v2"))).check.verdict, Verdict::Rejected);
  EXPECT_EQ(
      validate(before, parse("block 0\n" + body + store("v1") + store("v2") + store("v0") + store("v0"))).check.verdict,
      Verdict::Rejected);
}

TEST(Pair, WhatDoesNotBelongTogetherIsInvalidWithTheReason) {
  const Problem before = parse(products);
  auto reasonFor = [&](const Problem &after) {
    const auto validation = validate(before, after);
    EXPECT_EQ(validation.check.verdict, Verdict::InvalidInput);
    return validation.check.invalid_reason;
  };
  EXPECT_NE(reasonFor(parse("block 0 -> 1\n" + load("v0") + "block 1\n" + store("v0"))).find("blocks"),
            std::string::npos);
  Problem other_target = parse(products);
  other_target.env.arch = "gfx90a";
  EXPECT_NE(reasonFor(other_target).find("different targets"), std::string::npos);
  EXPECT_NE(reasonFor(parse(products)).find("virtual registers"), std::string::npos);
}

TEST(Pair, AnotherPhysicalRegisterIsAnotherInstruction) {
  const std::string set = "  m0 = SET_M0 s4 | salu\n", set_other = "  m0 = SET_M0 s5 | salu\n";
  const auto validation = validate(parse("block 0\n" + set), parse("block 0\n" + set_other));
  EXPECT_EQ(validation.check.verdict, Verdict::InvalidInput);
  EXPECT_NE(validation.check.invalid_reason.find("different physical registers of SET_M0"), std::string::npos)
      << validation.check.invalid_reason;
}

/// A second of the pairs that fuzz/pair_fuzz makes by the hour.
TEST(Pair, SmokeOfDamagedPairs) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (uint64_t seed = 0; std::chrono::steady_clock::now() < end || seed < 64; ++seed) {
    const tests::FilePair pair = tests::randomFilePair(seed);
    ASSERT_EQ(tests::checkFilePair(pair), "") << "seed " << seed << "\n" << pair.before << pair.after;
  }
}

} // namespace
} // namespace verilocc::validate
