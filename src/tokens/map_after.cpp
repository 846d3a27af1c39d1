#include "tokens/map_after.h"

#include "problem/canonicalize.h"
#include "problem/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace verilocc::tokens {

using namespace problem;
using assignment::Homes;

std::string mapPrompt(const Problem &problem) {
  Canonical canonical = canonicalize(problem);
  canonical.problem.env.arch = problem.env.arch;
  std::string prompt = "Assign a register to each virtual register.\n" + print(canonical.problem) + "answer for";
  std::vector<uint8_t> used(problem.vregs.size());
  for (const Operand &op : canonical.problem.operands)
    if (!op.fixed)
      used[op.reg] = 1;
  for (VReg v = 0; v < used.size(); ++v)
    if (used[v])
      prompt += fmt::format(" %{}", v);
  return prompt + "\n";
}

std::string mapCompletion(const Problem &problem, const Homes &homes) {
  const Renaming renaming = canonicalize(problem).renaming;
  std::string text;
  for (VReg v = 0; v < homes.size(); ++v)
    if (const RegUnit home = homes[renaming.original[v]]; home != no_unit)
      text += fmt::format("%{} {}\n", v, tupleName(home, problem.widthOf(renaming.original[v])));
  return text;
}

support::Result<Homes> parseMap(const Problem &problem, std::string_view text, const std::string &file) {
  const Renaming renaming = canonicalize(problem).renaming;
  Homes homes(problem.vregs.size(), no_unit);
  support::TextReader reader(text, file);
  while (reader.nextLine()) {
    VReg number = 0;
    std::string_view tuple;
    const size_t start = reader.column();
    if (!(reader.expect("%") &&
          reader.number(number, "the number of a virtual register", 0, int64_t(problem.vregs.size()) - 1) &&
          reader.tuple(tuple, "a register") && reader.endOfLine()))
      break;
    const VReg v = renaming.original[number];
    const auto units = parseTuple(tuple);
    if (!units)
      reader.failAt(start, fmt::format("'{}' is no register", tuple));
    else if (units->size != problem.widthOf(v) || !problem.classOf(v).bases[units->first])
      reader.failAt(start, fmt::format("%{} cannot lie at '{}'", number, tuple));
    else if (homes[v] != no_unit)
      reader.failAt(start, fmt::format("%{} is answered twice", number));
    else
      homes[v] = units->first;
    if (reader.failed())
      break;
  }
  if (reader.failed())
    return reader.error();
  return homes;
}

} // namespace verilocc::tokens
