#include "tokens/word_table.h"

#include "support/hash.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <fmt/format.h>

namespace verilocc::tokens {

WordTable::WordTable(std::span<const FamilyRow> families) : families(families), first{0} {
  for (const FamilyRow &family : families) {
    unsigned words = 1;
    for (const Feature &feature : family.list())
      words *= feature.values;
    first.push_back(first.back() + words);
  }
  assert(first.back() < 0xffff);
}

uint64_t WordTable::hash() const {
  support::Hash hash;
  for (const FamilyRow &family : families) {
    hash.add(family.name).add(uint64_t(family.num_features));
    for (const Feature &feature : family.list())
      hash.add(feature.name).add(uint64_t(feature.values));
  }
  return hash.value();
}

TokenId WordTable::tokenOf(const AnyWord &word) const {
  const FamilyRow &family = families[word.family];
  unsigned index = 0;
  for (unsigned f = 0; f < family.num_features; ++f) {
    assert(word.values[f] < family.features[f].values);
    index = index * family.features[f].values + word.values[f];
  }
  return static_cast<TokenId>(first[word.family] + index);
}

AnyWord WordTable::wordOf(TokenId token) const {
  assert(token < size());
  AnyWord word;
  word.family = static_cast<unsigned>(std::upper_bound(first.begin(), first.end(), token) - first.begin()) - 1;
  const FamilyRow &family = families[word.family];
  unsigned index = token - first[word.family];
  for (unsigned k = family.num_features; k-- > 0;) {
    word.values[k] = static_cast<uint8_t>(index % family.features[k].values);
    index /= family.features[k].values;
  }
  return word;
}

std::string WordTable::textOf(TokenId token) const {
  const AnyWord word = wordOf(token);
  const FamilyRow &family = families[word.family];
  std::string text = family.name;
  for (unsigned f = 0; f < family.num_features; ++f)
    text += fmt::format(".{}{}", family.features[f].name, word.values[f]);
  return text;
}

support::Result<std::vector<TokenId>> WordTable::parse(std::string_view text, const std::string &file) const {
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
    AnyWord result;
    while (result.family < families.size() && head != families[result.family].name)
      ++result.family;
    if (result.family == families.size())
      return bad("is no word of the vocabulary");
    const FamilyRow &family = families[result.family];
    std::string_view rest = word.substr(head.size());
    for (unsigned k = 0; k < family.num_features; ++k) {
      const Feature &feature = family.features[k];
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
