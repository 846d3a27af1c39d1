// The solver and the checker must say the same of every allocation without inserted code: of the corpus, of right
// allocations of random Problems, and of their mutants. Neither knows anything of the other.
#include "allocators/first_fit.h"
#include "assignment/case.h"
#include "checker/checker.h"
#include "checker/describe.h"
#include "smt/solve.h"
#include "tests/support/mutate.h"
#include "tests/support/random_problem.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace verilocc::smt {
namespace {

/// False where the formula was not made.
bool expectAgreement(const problem::Problem &problem, const assignment::Assignment &assignment,
                     const std::string &where, checker::Verdict *verdict = nullptr) {
  const auto formula = formulate(problem, assignment);
  if (!formula)
    return false;
  const Answer answer = solve(*formula);
  const checker::CheckResult result = checker::check(problem, assignment);
  std::string core;
  for (const std::string &demand : answer.core)
    core += "  " + demand + "\n";
  EXPECT_STREQ(name(answer.kind), checker::name(result.verdict))
      << where << "\n"
      << answer.reason << core
      << (result.errors.empty() ? "" : checker::describe(result.errors.front(), problem, assignment));
  if (verdict)
    *verdict = result.verdict;
  return true;
}

class Agreement : public testing::Test {
protected:
  void SetUp() override {
    if (!hasSolver())
      GTEST_SKIP() << "built without Z3";
  }
};

TEST_F(Agreement, OnTheCorpus) {
  unsigned split_free = 0, asked = 0, rejected = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(VERILOCC_SOURCE_DIR "/tests/corpus")) {
    if (entry.path().extension() != ".ra")
      continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const auto contents = assignment::parseCase(text.str(), entry.path().string());
    ASSERT_TRUE(contents && contents->assignment) << entry.path();
    const bool has_quads = std::any_of( // looks at one thread alone
        contents->problem.insts.begin(), contents->problem.insts.end(), [](const problem::Inst &inst) {
          return inst.mask_op == problem::MaskOp::WholeQuad || inst.mask_op == problem::MaskOp::WholeQuadSave;
        });
    split_free += contents->assignment->edits.empty() && !has_quads;
    checker::Verdict verdict = checker::Verdict::Accepted;
    asked += expectAgreement(contents->problem, *contents->assignment, entry.path().string(), &verdict);
    rejected += verdict == checker::Verdict::Rejected;
  }
  EXPECT_EQ(asked, split_free);
  EXPECT_GE(split_free, 30u);
  EXPECT_GE(rejected, 10u);
}

TEST_F(Agreement, OnRandomProblemsAndTheirMutants) {
  unsigned asked = 0, verdicts[4] = {};
  for (uint64_t seed = 1; seed <= 25 && !HasFailure(); ++seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    options.insts = 20 + seed % 30;
    const problem::Problem problem = tests::randomProblem(options);
    const auto homes = allocators::firstFit(problem, analysis::LiveRanges(problem));
    const auto right = assignment::fromHomes(problem, homes);
    asked += expectAgreement(problem, right, "seed " + std::to_string(seed));
    support::Rng rng(seed);
    for (unsigned m = 0; m < 12 && !HasFailure(); ++m) {
      const auto mutant = tests::mutate(problem, right, rng);
      checker::Verdict verdict = checker::Verdict::InvalidInput;
      if (!mutant ||
          !expectAgreement(problem, mutant->assignment, "seed " + std::to_string(seed) + ", " + mutant->what, &verdict))
        continue;
      ++asked;
      ++verdicts[static_cast<unsigned>(verdict)];
    }
  }
  EXPECT_GT(asked, 200u);
  EXPECT_GT(verdicts[static_cast<unsigned>(checker::Verdict::Accepted)], 10u);
  EXPECT_GT(verdicts[static_cast<unsigned>(checker::Verdict::Rejected)], 100u);
}

} // namespace
} // namespace verilocc::smt
