// The words that describe a decision: what each value of each feature in vocab.def means.
#pragma once

#include "tokens/episode.h"

namespace verilocc::tokens {

/// start and budget, at the head of a sequence.
void describeProblem(const problem::Problem &problem, const cost::Rules &rules, const Limits &limits, unsigned peak,
                     std::vector<TokenId> &out);

/// What is known of a vreg's partners at the moment.
struct Partners {
  unsigned open = 0, placed = 0;
  unsigned widest = 0;  ///< of the open ones
  unsigned settled = 0; ///< open ones for which one bank is left that costs less than all others
  unsigned leaning = 0; ///< open ones for which some banks cost less than others, and more than one does
};

/// what, life, ahead and room. `fits`: how many places there are.
void describeVReg(const problem::Problem &problem, const analysis::LiveRanges &live, const Outlook &outlook,
                  problem::VReg v, const Partners &partners, unsigned fits, std::vector<TokenId> &out);

/// Sets the word of each candidate; costs are relative to the cheapest in units of `unit` cycles. `banks`: the bank of
/// a v register means something.
void describePlaces(std::span<Candidate> candidates, Cycles unit, bool banks);

} // namespace verilocc::tokens
