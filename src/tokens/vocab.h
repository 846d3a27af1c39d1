// The vocabulary: one table of families (vocab.def), each word a family and the values of its features.
#pragma once

#include "tokens/word_table.h"

namespace verilocc::tokens {

enum class Family : uint8_t {
#define FAMILY(name, ...) name,
#include "tokens/vocab.def"
};

struct Word {
  Family family = Family::End;
  uint8_t values[max_features] = {};
  bool operator==(const Word &) const = default;
};

const WordTable &episodeWords();
unsigned vocabSize();
/// Of the table: names, features and order.
uint64_t vocabHash();
const char *name(Family family);
std::span<const Feature> featuresOf(Family family);

/// `values` beyond the family's features must be 0, the others in range (asserted).
TokenId tokenOf(const Word &word);
/// `token` must be below vocabSize().
Word wordOf(TokenId token);

/// "place.bank2.cost0.ahead1.idle2.leaves2"; a family without features is its name alone.
std::string textOf(TokenId token);
std::string textOf(std::span<const TokenId> tokens); ///< words separated by spaces, decisions by lines
/// The inverse, for any white space between words. `file` is for messages.
support::Result<std::vector<TokenId>> parseTokens(std::string_view text, const std::string &file);

} // namespace verilocc::tokens
