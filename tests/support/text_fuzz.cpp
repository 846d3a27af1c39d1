#include "tests/support/text_fuzz.h"

#include "assignment/case.h"
#include "problem/inst_text.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <algorithm>

namespace verilocc::tests {

using namespace problem;
using assignment::Assignment;
using assignment::Case;

std::string checkCaseText(std::string_view text) {
  const auto parsed = assignment::parseCase(text, "case.ra");
  if (!parsed)
    return parsed.error().message.empty() ? "an error without a message" : "";
  const std::string printed = print(*parsed);
  const auto again = assignment::parseCase(printed, "printed.ra");
  if (!again)
    return "the print of a case does not read back: " + again.error().str();
  if (!(*again == *parsed))
    return "the print of a case reads back as another case";
  if (print(*again) != printed)
    return "printing is not stable";
  return "";
}

std::string randomCaseText(uint64_t seed) {
  support::Rng rng(seed);
  RandomOptions options = randomOptions(seed);
  options.insts = static_cast<unsigned>(rng.between(1, 30));
  Case contents;
  contents.problem = randomProblem(options);
  const Problem &p = contents.problem;
  contents.comments = {"constructed", "", "  seed \"" + std::to_string(seed) + "\""};
  if (rng.chance(0.5))
    contents.expectation = assignment::Expectation{"rejected", rng.chance(0.5) ? "lost-value" : "", 3, {}, 0, {}};
  if (rng.chance(0.2))
    return print(contents);

  assignment::Homes homes(p.vregs.size());
  for (RegUnit &home : homes)
    home = rng.chance(0.1) ? no_unit : static_cast<RegUnit>(rng.below(num_units - 8));
  Assignment &a = contents.assignment.emplace(assignment::fromHomes(p, homes));
  if (rng.chance(0.5)) {
    for (size_t o = 0; o < a.units.size(); ++o)
      if (!p.operands[o].fixed && rng.chance(0.1))
        a.units[o] = rng.chance(0.2) ? no_unit : static_cast<RegUnit>(rng.below(num_units - 8));
    for (uint8_t &deleted : a.deleted)
      deleted = rng.chance(0.05);
    Interner opcodes;
    std::vector<std::pair<BlockId, InstId>> places;
    for (unsigned e = 0; e < 4; ++e) {
      const auto block = static_cast<BlockId>(rng.below(p.blocks.size()));
      places.emplace_back(block, static_cast<InstId>(rng.between(p.blocks[block].first, p.blocks[block].last)));
    }
    std::sort(places.begin(), places.end());
    for (const auto &[block, before] : places) {
      assignment::Edit edit{block, before, {}};
      const bool spill = rng.chance(0.5);
      const std::string opcode = spill ? "SPILL" : "COPY";
      edit.inst.opcode = opcodes.intern(opcode);
      edit.inst.signature = rng.chance(0.5) ? defaultSignature(opcode) : rng.next();
      edit.inst.kind = spill ? InstKind::Spill : InstKind::Copy;
      edit.inst.slot = spill ? static_cast<uint32_t>(rng.below(9)) : no_slot;
      edit.inst.first_operand = static_cast<uint32_t>(a.edit_operands.size());
      edit.inst.num_operands = spill ? 1 : 2;
      for (unsigned o = 0; o < edit.inst.num_operands; ++o) {
        Operand op;
        op.fixed = true;
        op.reg = static_cast<uint32_t>(rng.below(num_units - 8));
        op.num_lanes = 2;
        op.access = !spill && o == 0 ? Access::Def : Access::Use;
        a.edit_operands.push_back(op);
      }
      a.edits.push_back(edit);
    }
    a.opcodes = opcodes.names;
  }
  return print(contents);
}

std::string mutateText(std::string text, uint64_t seed) {
  support::Rng rng(seed);
  const auto wordAt = [&](size_t place) {
    const size_t begin = text.find_last_of(" \n", place), end = text.find_first_of(" \n", place);
    const size_t first = begin == std::string::npos ? 0 : begin + 1;
    return std::pair(first, (end == std::string::npos ? text.size() : end) - first);
  };
  const auto lineAt = [&](size_t place) {
    const size_t begin = place ? text.rfind('\n', place - 1) : std::string::npos, end = text.find('\n', place);
    const size_t first = begin == std::string::npos ? 0 : begin + 1;
    return std::pair(first, (end == std::string::npos ? text.size() : end + 1) - first);
  };
  static const char *const words[] = {
      "0",     "-1",         "255",         "256",     "4294967295", "18446744073709551616",
      "1e400", "v[",         "v[3:2]",      "%",       "%0",         "%99999",
      "block", "->",         "tied",        "|",       "\"",         "\\x",
      "none",  "assignment", "=",           "step",    "0x",         "nan",
      "sig",   "exec",       "unit[0:767]", "misc121", "class",      "width",
      "preds", "early"};
  for (unsigned changes = static_cast<unsigned>(rng.between(1, 4)); changes && !text.empty(); --changes) {
    const size_t place = static_cast<size_t>(rng.below(text.size()));
    switch (rng.below(7)) {
    case 0:
      text[place] = static_cast<char>(rng.below(256));
      break;
    case 1:
      text.erase(place, static_cast<size_t>(rng.between(1, 8)));
      break;
    case 2: {
      const auto [first, size] = wordAt(place);
      text.replace(first, size, rng.pick(words));
      break;
    }
    case 3: { // one word for another
      const auto [first, size] = wordAt(static_cast<size_t>(rng.below(text.size())));
      const std::string other = text.substr(first, size);
      const auto [to, old] = wordAt(place);
      text.replace(to, old, other);
      break;
    }
    case 4: { // double, drop or move a line
      const auto [first, size] = lineAt(place);
      const std::string line = text.substr(first, size);
      if (rng.chance(0.6))
        text.erase(first, size);
      if (rng.chance(0.6) && !text.empty())
        text.insert(lineAt(static_cast<size_t>(rng.below(text.size()))).first, line);
      break;
    }
    case 5:
      text.insert(place, rng.pick(words));
      break;
    default:
      if (rng.chance(0.2))
        text.resize(place);
      else
        text.insert(place, 1, static_cast<char>(rng.below(256)));
    }
  }
  return text;
}

} // namespace verilocc::tests
