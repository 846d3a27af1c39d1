#include "validate/validate.h"

#include "validate/pair.h"

#include <unordered_set>

namespace verilocc::validate {

namespace {

/// Adds the signatures of the pure computations at which the check failed: matched to one another wrongly, perhaps.
bool addSuspects(const problem::Problem &before, const checker::CheckResult &check,
                 std::unordered_set<uint64_t> &suspects) {
  bool grown = false;
  for (const checker::CheckerError &error : check.errors) {
    if (error.edit >= 0 || error.inst >= before.insts.size())
      continue;
    const problem::Inst &inst = before.insts[error.inst];
    if (inst.has(problem::inst_flag::Pure) &&
        !inst.has(problem::inst_flag::SideEffect | problem::inst_flag::AllThreads))
      grown |= suspects.insert(inst.signature).second;
  }
  return grown;
}

/// Rounds of matching without the suspects; each mends the kinds of instruction that the one before reported.
constexpr int max_rounds = 8;

} // namespace

Validation validate(const problem::Problem &before, const problem::Problem &after) {
  Validation result;
  auto paired = pair(before, after);
  if (!paired) {
    result.check.invalid_reason = paired.error().str();
    return result;
  }
  result.assignment = std::move(*paired);
  result.check = checker::check(before, result.assignment);

  // A rejection may be the matching's fault. What another matching proves is proved; if none does, the first is
  // reported.
  std::unordered_set<uint64_t> suspects;
  checker::CheckResult check = result.check;
  for (int round = 0; round < max_rounds && check.verdict == checker::Verdict::Rejected; ++round) {
    if (!addSuspects(before, check, suspects))
      break;
    auto again = pair(before, after, suspects);
    if (!again)
      break;
    check = checker::check(before, *again);
    if (check.verdict == checker::Verdict::Accepted) {
      result.assignment = std::move(*again);
      result.check = std::move(check);
      break;
    }
  }
  return result;
}

} // namespace verilocc::validate
