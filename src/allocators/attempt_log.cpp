// The text form of an AttemptLog: a line a fact, then each attempt's words.
#include "allocators/learned.h"

#include "support/text.h"

#include <fmt/format.h>
#include <iterator>

namespace verilocc::allocators {

namespace {

constexpr Outcome outcomes[] = {Outcome::Accepted, Outcome::DeadEnd, Outcome::Illegal, Outcome::Rejected,
                                Outcome::OutOfTime};

} // namespace

std::string print(const AttemptLog &log) {
  std::string out = "attempts 1\n";
  out += fmt::format("vocabulary {:#x}\nmodel {:#x}\n", log.vocabulary, log.model);
  for (const Attempt &a : log.attempts) {
    out += fmt::format(
        "attempt seed {:#x} temperature {} outcome {} dead-ends {} decisions {} legal {} overruled {} withdrawn {} "
        "repairs {} cost {} seconds {}\n",
        a.seed, a.temperature, name(a.outcome), a.dead_ends, a.decisions, a.legal, a.overruled, a.withdrawn, a.repairs,
        a.cost, a.seconds);
    out += tokens::textOf(a.words);
    out += "done\n";
  }
  return out;
}

support::Result<AttemptLog> parseAttemptLog(std::string_view text, const std::string &file) {
  support::TextReader reader(text, file);
  AttemptLog log;
  const auto key = [&](std::string_view word) {
    return reader.takeWord(word) || reader.fail(fmt::format("expected '{}'", word));
  };
  const auto count = [&](std::string_view word, unsigned &out) {
    return key(word) && reader.number(out, "a count", 0, 0xffffffff);
  };
  unsigned version = 0;
  if (!(reader.nextLine() && count("attempts", version) && reader.endOfLine()))
    return reader.failed() ? reader.error() : support::InputError{"no attempt log: it is empty", file};
  if (version != 1)
    reader.fail(fmt::format("version {} of the attempt log is not known; known: 1", version));
  if (!(reader.nextLine() && key("vocabulary") && reader.hex(log.vocabulary, "a hash") && reader.nextLine() &&
        key("model") && reader.hex(log.model, "a hash")))
    return reader.failed() ? reader.error() : support::InputError{"the attempt log ends in its head", file};
  while (reader.nextLine()) {
    Attempt a;
    std::string outcome;
    if (!(key("attempt") && key("seed") && reader.hex(a.seed, "a seed") && key("temperature") &&
          reader.real(a.temperature, "a number") && key("outcome") && reader.name(outcome, "an outcome") &&
          count("dead-ends", a.dead_ends) && count("decisions", a.decisions) && count("legal", a.legal) &&
          count("overruled", a.overruled) && count("withdrawn", a.withdrawn) && count("repairs", a.repairs) &&
          key("cost") && reader.real(a.cost, "a number") && key("seconds") && reader.real(a.seconds, "a number") &&
          reader.endOfLine()))
      return reader.error();
    bool known = false;
    for (Outcome each : outcomes)
      if (outcome == name(each)) {
        a.outcome = each;
        known = true;
      }
    if (!known)
      reader.fail(fmt::format("unknown outcome '{}'", outcome));
    bool done = false;
    while (!done && reader.nextLine()) {
      while (!reader.atEnd() && !(done = reader.takeWord("done"))) {
        std::string word;
        if (!reader.name(word, "a word of the vocabulary"))
          return reader.error();
        auto parsed = tokens::parseTokens(word, file);
        if (!parsed) {
          reader.fail(parsed.error().message);
          return reader.error();
        }
        a.words.insert(a.words.end(), parsed->begin(), parsed->end());
      }
    }
    if (!done && !reader.failed())
      reader.failWhole("the last attempt does not end with 'done'");
    if (reader.failed())
      return reader.error();
    log.attempts.push_back(std::move(a));
  }
  if (reader.failed())
    return reader.error();
  return log;
}

} // namespace verilocc::allocators
