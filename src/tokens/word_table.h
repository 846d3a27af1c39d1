// A vocabulary as a table: families of words, each word a family and the values of its features, numbered
// consecutively. What the languages of this folder have in common (vocab.h, map_words.h): numbers, texts, the hash.
#pragma once

#include "support/result.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace verilocc::tokens {

using TokenId = uint16_t;

struct Feature {
  const char *name;
  unsigned values; ///< 256 at most
};
constexpr unsigned max_features = 6;

struct FamilyRow {
  const char *name;
  std::array<Feature, max_features> features;
  unsigned num_features;
  std::span<const Feature> list() const { return {features.data(), num_features}; }
};

constexpr FamilyRow familyRow(const char *name) {
  return {name, {}, 0};
}
template <size_t count> constexpr FamilyRow familyRow(const char *name, const Feature (&features)[count]) {
  static_assert(count <= max_features);
  FamilyRow row{name, {}, count};
  for (size_t i = 0; i < count; ++i)
    row.features[i] = features[i];
  return row;
}

/// A word of any table.
struct AnyWord {
  unsigned family = 0;
  uint8_t values[max_features] = {};
};

class WordTable {
public:
  /// `families` must live as long as the table; all words together fit a TokenId (asserted).
  explicit WordTable(std::span<const FamilyRow> families);

  unsigned size() const { return first.back(); }
  /// Of names, features and order.
  uint64_t hash() const;
  const FamilyRow &family(unsigned number) const { return families[number]; }
  /// `values` beyond the family's features must be 0, the others in range (asserted).
  TokenId tokenOf(const AnyWord &word) const;
  /// `token` must be below size().
  AnyWord wordOf(TokenId token) const;

  /// "place.bank2.cost0.ahead1"; a family without features is its name alone.
  std::string textOf(TokenId token) const;
  /// The inverse for words between any white space. `file` is for messages.
  support::Result<std::vector<TokenId>> parse(std::string_view text, const std::string &file) const;

private:
  std::span<const FamilyRow> families;
  std::vector<unsigned> first; ///< word of each family; at the end their number
};

} // namespace verilocc::tokens
