#include "tokens/vocab.h"

#include "support/hash.h"

#include <array>
#include <cassert>
#include <charconv>
#include <fmt/format.h>

namespace verilocc::tokens {

namespace {

struct FamilyRow {
  const char *name;
  std::array<Feature, max_features> features;
  unsigned num_features;
};

template <typename... Features> constexpr FamilyRow row(const char *name) {
  return {name, {}, 0};
}
template <size_t count> constexpr FamilyRow row(const char *name, const Feature (&features)[count]) {
  static_assert(count <= max_features);
  FamilyRow result{name, {}, count};
  for (size_t i = 0; i < count; ++i)
    result.features[i] = features[i];
  return result;
}

#define FEATURES(...) __VA_OPT__(, {__VA_ARGS__})
#define FAMILY(name, text, ...) row(text FEATURES(__VA_ARGS__)),
constexpr FamilyRow families[] = {
#include "tokens/vocab.def"
};
constexpr unsigned num_families = std::size(families);

constexpr unsigned sizeOf(const FamilyRow &family) {
  unsigned size = 1;
  for (unsigned f = 0; f < family.num_features; ++f)
    size *= family.features[f].values;
  return size;
}

constexpr auto first_words = [] {
  std::array<unsigned, num_families + 1> first{};
  for (unsigned f = 0; f < num_families; ++f)
    first[f + 1] = first[f] + sizeOf(families[f]);
  return first;
}();
static_assert(first_words[num_families] < 0xffff);

} // namespace

unsigned vocabSize() {
  return first_words[num_families];
}

uint64_t vocabHash() {
  support::Hash hash;
  for (const FamilyRow &family : families) {
    hash.add(family.name).add(uint64_t(family.num_features));
    for (unsigned f = 0; f < family.num_features; ++f)
      hash.add(family.features[f].name).add(uint64_t(family.features[f].values));
  }
  return hash.value();
}

const char *name(Family family) {
  return families[static_cast<unsigned>(family)].name;
}

std::span<const Feature> featuresOf(Family family) {
  const FamilyRow &found = families[static_cast<unsigned>(family)];
  return {found.features.data(), found.num_features};
}

TokenId tokenOf(const Word &word) {
  const FamilyRow &family = families[static_cast<unsigned>(word.family)];
  unsigned index = 0;
  for (unsigned f = 0; f < family.num_features; ++f) {
    assert(word.values[f] < family.features[f].values);
    index = index * family.features[f].values + word.values[f];
  }
  return static_cast<TokenId>(first_words[static_cast<unsigned>(word.family)] + index);
}

Word wordOf(TokenId token) {
  assert(token < vocabSize());
  unsigned f = 0;
  while (first_words[f + 1] <= token)
    ++f;
  Word word;
  word.family = static_cast<Family>(f);
  unsigned index = token - first_words[f];
  for (unsigned k = families[f].num_features; k-- > 0;) {
    word.values[k] = static_cast<uint8_t>(index % families[f].features[k].values);
    index /= families[f].features[k].values;
  }
  return word;
}

std::string textOf(TokenId token) {
  const Word word = wordOf(token);
  std::string text = name(word.family);
  const auto features = featuresOf(word.family);
  for (unsigned f = 0; f < features.size(); ++f)
    text += fmt::format(".{}{}", features[f].name, word.values[f]);
  return text;
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
  std::vector<TokenId> tokens;
  unsigned line = 1;
  size_t at = 0;
  const auto isSpace = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (true) {
    for (; at < text.size() && isSpace(text[at]); ++at)
      line += text[at] == '\n';
    if (at == text.size())
      return tokens;
    size_t end = at;
    while (end < text.size() && !isSpace(text[end]))
      ++end;
    const std::string_view word = text.substr(at, end - at);
    at = end;
    const auto bad = [&](const char *why) {
      return support::InputError{fmt::format("'{}' {}", word, why), file, line};
    };
    const std::string_view head = word.substr(0, word.find('.'));
    unsigned f = 0;
    while (f < num_families && head != families[f].name)
      ++f;
    if (f == num_families)
      return bad("is no word of the vocabulary");
    Word result;
    result.family = static_cast<Family>(f);
    std::string_view rest = word.substr(head.size());
    for (unsigned k = 0; k < families[f].num_features; ++k) {
      const Feature &feature = families[f].features[k];
      const std::string prefix = fmt::format(".{}", feature.name);
      if (!rest.starts_with(prefix))
        return bad("lacks a feature, or has them in another order");
      rest.remove_prefix(prefix.size());
      unsigned value = 0;
      const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      if (error != std::errc() || value >= feature.values)
        return bad("has a value that the feature cannot have");
      result.values[k] = static_cast<uint8_t>(value);
      rest.remove_prefix(static_cast<size_t>(stop - rest.data()));
    }
    if (!rest.empty())
      return bad("goes on after its last feature");
    tokens.push_back(tokenOf(result));
  }
}

} // namespace verilocc::tokens
