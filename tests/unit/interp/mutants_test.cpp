// The interpreter and the checker on the same allocations and their mutants. What the checker accepts the interpreter
// must not tell apart; what the interpreter tells apart the checker must not accept.
#include "allocators/first_fit.h"
#include "checker/checker.h"
#include "interp/interp.h"
#include "support/hash.h"
#include "tests/support/detours.h"
#include "tests/support/mutate.h"
#include "tests/support/random_problem.h"

#include "assignment/case.h"

#include <array>
#include <cstdlib>
#include <gtest/gtest.h>

namespace verilocc::interp {
namespace {

using assignment::Assignment;
using problem::Problem;

/// A right allocation with splits of a random Problem.
struct Allocated {
  Problem problem;
  Assignment assignment;

  explicit Allocated(uint64_t seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    problem = tests::randomProblem(options);
    // One signature is one operation: of other widths it is another.
    for (problem::Inst &inst : problem.insts) {
      support::Hash hash;
      hash.add(inst.signature);
      for (const problem::Operand &op : problem.operandsOf(inst))
        hash.add(op.num_lanes);
      inst.signature = hash.value();
    }
    const auto homes = allocators::firstFit(problem, analysis::LiveRanges(problem));
    assignment = tests::withDetours(problem, homes, {seed, 12});
  }
};

std::string caseText(const Problem &problem, const Assignment &assignment) {
  assignment::Case c;
  c.problem = problem;
  c.assignment = assignment;
  return print(c);
}

TEST(Mutants, DetoursAreEqual) {
  unsigned edits = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Allocated a(seed);
    edits += a.assignment.edits.size();
    const InterpResult result = interpret(a.problem, a.assignment);
    ASSERT_EQ(result.verdict, Verdict::Equal)
        << "seed " << seed << "\n"
        << describe(a.problem, a.assignment, *result.difference) << caseText(a.problem, a.assignment);
    const auto checked = checker::check(a.problem, a.assignment);
    ASSERT_NE(checked.verdict, checker::Verdict::Rejected) << "seed " << seed << caseText(a.problem, a.assignment);
  }
  EXPECT_GT(edits, 200u * 4);
}

TEST(Mutants, NoneAcceptedThatDiffers) {
  // VERILOCC_MUTANTS=100000 for the long run.
  const char *scale = std::getenv("VERILOCC_MUTANTS");
  const unsigned wanted = scale ? static_cast<unsigned>(std::strtoul(scale, nullptr, 10)) : 2000;
  enum Column { accepted, different, dead, equal, num_columns };
  std::array<std::array<unsigned, num_columns>, tests::num_mutations> table{};
  unsigned total = 0;
  uint64_t seed = 0;
  while (total < wanted) {
    const Allocated a(++seed);
    support::Rng rng(seed);
    for (unsigned i = 0; i < 20 && total < wanted; ++i, ++total) {
      const auto mutant = tests::mutate(a.problem, a.assignment, rng);
      ASSERT_TRUE(mutant);
      const bool is_accepted = checker::check(a.problem, mutant->assignment).verdict == checker::Verdict::Accepted;
      InterpOptions options;
      const InterpResult strict = interpret(a.problem, mutant->assignment, options);
      Column column = is_accepted ? accepted : equal;
      if (strict.verdict == Verdict::Different) {
        // The checker judges what instructions read of the active threads; of others it says so at most (Doubt).
        ASSERT_FALSE(is_accepted && strict.difference->active)
            << "seed " << seed << ": " << mutant->what << "\n"
            << describe(a.problem, mutant->assignment, *strict.difference) << caseText(a.problem, mutant->assignment);
        options.strict = false;
        if (!is_accepted)
          column = interpret(a.problem, mutant->assignment, options).verdict == Verdict::Equal ? dead : different;
      }
      ++table[static_cast<unsigned>(mutant->mutation)][column];
    }
  }
  std::printf(
      "%u mutants of %u functions; rejected ones: different in effect, in dead values only, not seen different\n",
      total, static_cast<unsigned>(seed));
  std::printf("%-16s %9s %9s %9s %9s\n", "mutation", "accepted", "different", "dead", "equal");
  for (unsigned m = 0; m < tests::num_mutations; ++m) {
    const auto &row = table[m];
    std::printf("%-16s %9u %9u %9u %9u\n", tests::name(tests::Mutation(m)), row[accepted], row[different], row[dead],
                row[equal]);
    EXPECT_GT(row[accepted] + row[different] + row[dead] + row[equal], 0u) << "no mutant of this sort";
  }
}

} // namespace
} // namespace verilocc::interp
