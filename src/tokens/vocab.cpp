#include "tokens/vocab.h"

#include <algorithm>

namespace verilocc::tokens {

namespace {

#define FEATURES(...) __VA_OPT__(, {__VA_ARGS__})
#define FAMILY(name, text, ...) familyRow(text FEATURES(__VA_ARGS__)),
constexpr FamilyRow families[] = {
#include "tokens/vocab.def"
};

} // namespace

const WordTable &episodeWords() {
  static const WordTable words(families);
  return words;
}

unsigned vocabSize() {
  return episodeWords().size();
}

uint64_t vocabHash() {
  return episodeWords().hash();
}

const char *name(Family family) {
  return families[static_cast<unsigned>(family)].name;
}

std::span<const Feature> featuresOf(Family family) {
  return families[static_cast<unsigned>(family)].list();
}

TokenId tokenOf(const Word &word) {
  AnyWord any;
  any.family = static_cast<unsigned>(word.family);
  std::ranges::copy(word.values, any.values);
  return episodeWords().tokenOf(any);
}

Word wordOf(TokenId token) {
  const AnyWord any = episodeWords().wordOf(token);
  Word word;
  word.family = static_cast<Family>(any.family);
  std::ranges::copy(any.values, word.values);
  return word;
}

std::string textOf(TokenId token) {
  return episodeWords().textOf(token);
}

std::string textOf(std::span<const TokenId> tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Family family = wordOf(tokens[i]).family;
    if (i)
      text += family == Family::What || family == Family::End || family == Family::Withdrawn ? '\n' : ' ';
    text += textOf(tokens[i]);
  }
  return text += '\n';
}

support::Result<std::vector<TokenId>> parseTokens(std::string_view text, const std::string &file) {
  return episodeWords().parse(text, file);
}

} // namespace verilocc::tokens
