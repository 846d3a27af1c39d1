// The map-after language as words of its own, for a small model trained from nothing: the reference of the experiment
// (docs/experiment.md). The whole problem first, then one register a vreg, as in VeriLocc (arXiv 2506.17506);
// map_after.h is the same as text for large models.
//
//   problem limits register.file0.number95 block.depth0 inst.kind14 vreg.access2.number0 class.width0.aligned0.file0
//   ... answer vreg.access4.number0 register.file0.number7 vreg.access4.number1 register.file0.number0 ...
//
// Only vector registers are told and asked: scalars have their homes before (docs/design.md). Vregs are numbered by
// first mention, so that a prompt says the same of kernels that are the same. Left out, as not needed to answer:
// instructions without vector registers, frequencies beyond the depth of loops, undefined uses.
//
// Numbers are words, so a problem fits only up to max_map_vregs vregs; what does not fit says why and is never cut.
#pragma once

#include "analysis/choices.h"
#include "assignment/assignment.h"
#include "tokens/word_table.h"

namespace verilocc::tokens {

constexpr unsigned max_map_vregs = 256;

enum class MapFamily : uint8_t {
#define FAMILY(name, ...) name,
#include "tokens/map_vocab.def"
};

const WordTable &mapWords();

/// What a model is asked.
struct MapQuestion {
  std::vector<TokenId> prompt;      ///< up to and with the word "answer"
  std::vector<problem::VReg> asked; ///< in the order of the answers
  const char *misfit = nullptr;     ///< not null: why the language cannot tell the problem; then the rest is empty

  /// Of prompt and answer.
  size_t length() const { return prompt.size() + 2 * asked.size(); }
  /// misfit, or "context" where the length is above `context`.
  const char *misfitWithin(size_t context) const { return !misfit && length() > context ? "context" : misfit; }
};
MapQuestion mapQuestion(const problem::Problem &problem, const analysis::Choices &choices);

/// The word before the answer number `index`, below max_map_vregs.
TokenId askWord(size_t index);
/// `unit` must be a vector register.
TokenId registerWord(problem::RegUnit unit);
/// no_unit if the word is no register.
problem::RegUnit registerOf(TokenId word);

/// The answer, two words a vreg. Every asked vreg must have a home in a vector file (asserted).
std::vector<TokenId> mapAnswer(const MapQuestion &question, const assignment::Homes &homes);
/// The inverse, for `num_vregs` vregs in the problem. Errors name the word by its number: another vreg than the one
/// that is due, what is no register, words that are missing or too many. Whether the homes are right is the checker's
/// question.
support::Result<assignment::Homes> homesOf(const MapQuestion &question, size_t num_vregs,
                                           std::span<const TokenId> answer, const std::string &file);

/// A line for each block, instruction and answer; mapWords().parse() is the inverse.
std::string mapText(std::span<const TokenId> words);

} // namespace verilocc::tokens
