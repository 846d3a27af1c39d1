#include "assignment/case.h"

#include "assignment/text.h"
#include "problem/text.h"

#include <fmt/format.h>
#include <limits>

namespace verilocc::assignment {

using support::TextReader;

namespace {

constexpr int format_version = 1;

bool parseExpectation(TextReader &reader, Expectation &out) {
  const auto isPlace = [](std::string_view word) {
    return word == "inst" || word == "edit" || word == "operand" || word == "lane";
  };
  std::string_view word;
  if (!reader.word(word, "a verdict"))
    return false;
  out.verdict = word;
  if (!reader.atEnd() && !isPlace(reader.peekWord())) {
    if (!reader.word(word, "an error kind"))
      return false;
    out.kind = word;
  }
  const auto number = [&](std::optional<uint32_t> &value) {
    return reader.number(value.emplace(), "a number", 0, std::numeric_limits<uint32_t>::max());
  };
  while (!reader.failed() && !reader.atEnd()) {
    if (reader.takeWord("inst"))
      number(out.inst);
    else if (reader.takeWord("edit"))
      number(out.edit);
    else if (reader.takeWord("operand"))
      number(out.operand);
    else if (reader.takeWord("lane"))
      number(out.lane);
    else
      return reader.fail("expected 'inst', 'edit', 'operand' or 'lane'");
  }
  return !reader.failed();
}

std::string printExpectation(const Expectation &e) {
  std::string out = "EXPECT " + e.verdict;
  if (!e.kind.empty())
    out += " " + e.kind;
  if (e.inst)
    out += fmt::format(" inst {}", *e.inst);
  if (e.edit)
    out += fmt::format(" edit {}", *e.edit);
  if (e.operand)
    out += fmt::format(" operand {}", *e.operand);
  if (e.lane)
    out += fmt::format(" lane {}", *e.lane);
  return out + "\n";
}

} // namespace

std::string print(const Case &contents) {
  std::string out = fmt::format("ra {}\n", format_version);
  for (const std::string &comment : contents.comments)
    out += fmt::format("# {}\n", comment);
  if (contents.expectation)
    out += printExpectation(*contents.expectation);
  out += problem::print(contents.problem);
  if (contents.assignment)
    out += print(contents.problem, *contents.assignment);
  return out;
}

support::Result<Case> parseCase(std::string_view text, const std::string &file) {
  TextReader reader(text, file);
  int version = 0;
  if (!reader.nextLine() || !reader.takeWord("ra")) {
    reader.fail("not a .ra file: expected the header line 'ra 1'");
    return reader.error();
  }
  if (!reader.number(version, "a format version", 0, std::numeric_limits<int>::max()) || !reader.endOfLine())
    return reader.error();
  if (version != format_version) {
    reader.fail(fmt::format("format version {}, but this program reads version {}", version, format_version));
    return reader.error();
  }
  Case result;
  reader.takeComments();
  const bool more = reader.nextLine();
  result.comments = reader.takeComments();
  if (more && reader.takeWord("EXPECT")) {
    if (!parseExpectation(reader, result.expectation.emplace()))
      return reader.error();
  } else if (more) {
    reader.stayOnLine();
  }
  auto problem = problem::parseProblem(reader);
  if (!problem)
    return problem.error();
  result.problem = std::move(*problem);
  if (reader.nextLine()) {
    reader.stayOnLine();
    auto assignment = parseAssignment(reader, result.problem);
    if (!assignment)
      return assignment.error();
    result.assignment = std::move(*assignment);
  }
  if (reader.failed())
    return reader.error();
  return result;
}

} // namespace verilocc::assignment
