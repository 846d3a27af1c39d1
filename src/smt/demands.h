// Statements that can be dropped one by one: each has a name, a Boolean that implies it and that the solver is asked to
// assume. Then an unsatisfiable core is a list of names.
#pragma once

#include <fmt/format.h>
#include <string>
#include <vector>

namespace verilocc::smt {

struct Demands {
  std::string text;
  std::vector<std::string> names;

  void add(const std::string &name, const std::string &formula) {
    text += fmt::format("(declare-const |{0}| Bool)\n(assert (=> |{0}| {1}))\n", name, formula);
    names.push_back(name);
  }
};

} // namespace verilocc::smt
