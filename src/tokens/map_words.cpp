#include "tokens/map_words.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace verilocc::tokens {

using namespace problem;
using assignment::Homes;

namespace {

#define FEATURES(...) __VA_OPT__(, {__VA_ARGS__})
#define FAMILY(name, text, ...) familyRow(text FEATURES(__VA_ARGS__)),
constexpr FamilyRow families[] = {
#include "tokens/map_vocab.def"
};

enum Access : unsigned { Use, TiedUse, Definition, EarlyDefinition, Ask };

#define INST_KIND(name, text) +1
constexpr unsigned num_kinds = 0
#include "problem/kinds.def"
    ;
static_assert(num_kinds == families[unsigned(MapFamily::Inst)].features[0].values, "a kind has no word");

TokenId wordFor(MapFamily family, std::initializer_list<unsigned> values = {}) {
  AnyWord word;
  word.family = static_cast<unsigned>(family);
  std::ranges::transform(values, word.values, [](unsigned value) { return static_cast<uint8_t>(value); });
  return mapWords().tokenOf(word);
}

unsigned valuesOf(MapFamily family, unsigned feature) {
  return families[static_cast<unsigned>(family)].features[feature].values;
}

/// Writes the prompt.
class Teller {
public:
  Teller(const Problem &problem, const analysis::Choices &choices) : problem(problem), choices(choices) {}

  MapQuestion tell() {
    if (problem.blocks.size() > valuesOf(MapFamily::To, 0))
      return misfit("blocks");
    number_of.assign(problem.vregs.size(), unnumbered);
    say(MapFamily::Problem);
    say(MapFamily::Limits);
    if (problem.env.max_vgprs)
      words().push_back(registerWord(static_cast<RegUnit>(first_vgpr + problem.env.max_vgprs - 1)));
    if (problem.env.max_agprs)
      words().push_back(registerWord(static_cast<RegUnit>(first_agpr + problem.env.max_agprs - 1)));
    for (BlockId b = 0; b < problem.blocks.size(); ++b) {
      const Block &block = problem.blocks[b];
      say(MapFamily::Block, {std::min<unsigned>(block.loop_depth, valuesOf(MapFamily::Block, 0) - 1)});
      for (InstId i = block.first; i < block.last; ++i)
        if (const char *why = tellInst(problem.insts[i]))
          return misfit(why);
      if (block.succs.size() != 1 || block.succs[0] != b + 1)
        for (BlockId succ : block.succs)
          say(MapFamily::To, {succ});
    }
    say(MapFamily::Answer);
    return std::move(question);
  }

private:
  static constexpr unsigned unnumbered = ~0u;

  static MapQuestion misfit(const char *why) {
    MapQuestion result;
    result.misfit = why;
    return result;
  }

  std::vector<TokenId> &words() { return question.prompt; }
  void say(MapFamily family, std::initializer_list<unsigned> values = {}) {
    words().push_back(wordFor(family, values));
  }

  /// Why the instruction cannot be told, or null.
  const char *tellInst(const Inst &inst) {
    if (inst.clobbers >= 0) {
      const UnitSet &clobbered = problem.clobber_sets[static_cast<size_t>(inst.clobbers)];
      for (RegUnit unit = first_vgpr; unit < first_sgpr; ++unit)
        if (clobbered[unit])
          return "calls";
    }
    bool said = inst.kind == InstKind::Return;
    if (said)
      say(MapFamily::Inst, {static_cast<unsigned>(inst.kind)});
    for (const Operand &op : problem.operandsOf(inst)) {
      if (!problem.isPerThread(op) || (op.isUse() && op.has(operand_flag::Undef)))
        continue;
      if (!said)
        say(MapFamily::Inst, {static_cast<unsigned>(inst.kind)});
      said = true;
      const unsigned access = op.isUse()                           ? op.tied_to >= 0 ? TiedUse : Use
                              : op.has(operand_flag::EarlyClobber) ? EarlyDefinition
                                                                   : Definition;
      if (op.fixed) {
        say(MapFamily::Fixed, {access});
        words().push_back(registerWord(static_cast<RegUnit>(op.reg)));
        if (op.num_lanes > 1)
          say(MapFamily::Lanes, {op.num_lanes});
      } else if (const char *why = tellVReg(op, access)) {
        return why;
      }
    }
    return nullptr;
  }

  const char *tellVReg(const Operand &op, unsigned access) {
    const VReg v = op.reg;
    const bool first = number_of[v] == unnumbered;
    if (first) {
      if (question.asked.size() == max_map_vregs)
        return "vregs";
      number_of[v] = static_cast<unsigned>(question.asked.size());
      question.asked.push_back(v);
    }
    say(MapFamily::VReg, {access, number_of[v]});
    const unsigned width = problem.widthOf(v);
    if (first) {
      const unsigned widths = valuesOf(MapFamily::Class, 0);
      if (width >= widths && width != 32)
        return "width";
      const auto candidates = choices.candidates(v);
      const auto is_vector = [](RegUnit unit) { return fileOf(unit) == RegFile::Vector; };
      const bool any_vector = std::ranges::any_of(candidates, is_vector);
      const bool any_accum = !std::ranges::all_of(candidates, is_vector);
      const bool aligned = width > 1 && std::ranges::all_of(candidates, [](RegUnit unit) { return unit % 2 == 0; });
      say(MapFamily::Class, {std::min(width, widths) - 1, aligned, any_vector && any_accum ? 2u : any_accum});
    }
    if (op.num_lanes != width) {
      say(MapFamily::From, {op.first_lane});
      if (op.num_lanes > 1)
        say(MapFamily::Lanes, {op.num_lanes});
    }
    return nullptr;
  }

  const Problem &problem;
  const analysis::Choices &choices;
  MapQuestion question;
  std::vector<unsigned> number_of; ///< by vreg
};

} // namespace

const WordTable &mapWords() {
  static const WordTable words(families);
  return words;
}

MapQuestion mapQuestion(const Problem &problem, const analysis::Choices &choices) {
  return Teller(problem, choices).tell();
}

TokenId askWord(size_t index) {
  return wordFor(MapFamily::VReg, {Ask, static_cast<unsigned>(index)});
}

TokenId registerWord(RegUnit unit) {
  assert(unit < first_sgpr);
  return wordFor(MapFamily::Register, {unit >= first_agpr, unit % unsigned(first_agpr)});
}

RegUnit registerOf(TokenId token) {
  const AnyWord word = mapWords().wordOf(token);
  if (word.family != static_cast<unsigned>(MapFamily::Register))
    return no_unit;
  return static_cast<RegUnit>((word.values[0] ? first_agpr : first_vgpr) + word.values[1]);
}

std::vector<TokenId> mapAnswer(const MapQuestion &question, const Homes &homes) {
  std::vector<TokenId> words;
  for (size_t i = 0; i < question.asked.size(); ++i) {
    words.push_back(askWord(i));
    words.push_back(registerWord(homes[question.asked[i]]));
  }
  return words;
}

support::Result<Homes> homesOf(const MapQuestion &question, size_t num_vregs, std::span<const TokenId> answer,
                               const std::string &file) {
  Homes homes(num_vregs, no_unit);
  const auto bad = [&](size_t at, const std::string &why) {
    return support::InputError{fmt::format("word {} of the answer {}", at + 1, why), file};
  };
  for (size_t at = 0; at < answer.size(); ++at) {
    const size_t index = at / 2;
    if (index == question.asked.size())
      return bad(at, fmt::format("is beyond the last of {} vregs", question.asked.size()));
    if (answer[at] >= mapWords().size())
      return bad(at, "is no word of the vocabulary");
    if (at % 2 == 0) {
      if (answer[at] != askWord(index))
        return bad(at, fmt::format("is '{}' where '{}' is due", mapWords().textOf(answer[at]),
                                   mapWords().textOf(askWord(index))));
    } else if ((homes[question.asked[index]] = registerOf(answer[at])) == no_unit) {
      return bad(at, fmt::format("is '{}', no register", mapWords().textOf(answer[at])));
    }
  }
  if (answer.size() < 2 * question.asked.size())
    return bad(answer.size(), "is missing");
  return homes;
}

std::string mapText(std::span<const TokenId> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    const AnyWord word = mapWords().wordOf(words[i]);
    const auto family = static_cast<MapFamily>(word.family);
    const bool line = family == MapFamily::Block || family == MapFamily::Inst || family == MapFamily::Answer ||
                      (family == MapFamily::VReg && word.values[0] == Ask);
    if (i)
      text += line ? '\n' : ' ';
    text += mapWords().textOf(words[i]);
  }
  return text += '\n';
}

} // namespace verilocc::tokens
