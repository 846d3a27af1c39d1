#include "smt/solve.h"

#ifdef VERILOCC_Z3
#include <z3++.h>
#endif

namespace verilocc::smt {

const char *name(Answer::Kind kind) {
  static const char *const names[] = {"Accepted", "Rejected", "Undecided", "not solved"};
  return names[static_cast<unsigned>(kind)];
}

bool hasSolver() {
#ifdef VERILOCC_Z3
  return true;
#else
  return false;
#endif
}

#ifdef VERILOCC_Z3

Answer solve(const Formula &formula) {
  Answer answer;
  try {
    z3::context context;
    z3::solver solver(context);
    solver.from_string(formula.text.c_str());
    z3::expr_vector assumed(context);
    auto check = [&](const std::vector<std::string> &names) {
      for (const std::string &name : names)
        assumed.push_back(context.bool_const(name.c_str()));
      const z3::check_result result = solver.check(assumed);
      if (result == z3::unsat)
        for (const z3::expr &demand : solver.unsat_core())
          answer.core.push_back(demand.decl().name().str());
      if (result == z3::unknown)
        answer.reason = solver.reason_unknown();
      return result;
    };
    const z3::check_result demands = check(formula.demands);
    if (demands == z3::unsat)
      answer.kind = Answer::Kind::Rejected;
    if (demands != z3::sat)
      return answer;
    const z3::check_result doubts = check(formula.doubts);
    answer.kind = doubts == z3::sat     ? Answer::Kind::Accepted
                  : doubts == z3::unsat ? Answer::Kind::Undecided
                                        : Answer::Kind::NotSolved;
  } catch (const z3::exception &problem) {
    answer.reason = problem.msg();
  }
  return answer;
}

#else

Answer solve(const Formula &) {
  return {Answer::Kind::NotSolved, {}, "verilocc was built without Z3"};
}

#endif

} // namespace verilocc::smt
