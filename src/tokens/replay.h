// Words back to homes. On the same Problem the words of an episode, answers among them, give the same homes again, and
// every word that the analysis wrote is compared with what it writes now.
//
// Feedback: where decisions were taken back, words say so (withdrawn), and the words of the first of them follow anew.
// A recorded attempt with all its repairs is thus one sequence and replays without whoever answered.
#pragma once

#include "tokens/episode.h"

namespace verilocc::tokens {

/// Why decisions are taken back.
enum class Reason : uint8_t { DeadEnd, Rejected, Costly, Other };
const char *name(Reason reason);

/// The words that take back the last `decisions` answers (at least 1): one for each power of two that adds up to it.
std::vector<TokenId> withdrawal(Reason reason, unsigned decisions);

/// How many steps are left when the last `decisions` answers (not more than there were), and all since the first of
/// them, are taken back: for Episode::rewind.
size_t stepsWithout(std::span<const Step> steps, unsigned decisions);
/// Steps that were asked for.
unsigned countDecisions(std::span<const Step> steps);

struct Replay {
  assignment::Homes homes;
  unsigned dead_ends = 0;
  double cost = 0;
  unsigned decisions = 0;
  unsigned withdrawn = 0; ///< decisions
};

/// Plays `words`, from start to end, on `episode`, which must be fresh. The error names the word that is not what this
/// Problem has there; it may be cut off anywhere only by saying so.
support::Result<Replay> replay(Episode &episode, std::span<const TokenId> words);

/// The words of an episode in which decision i is answered with answers[i]; the rule answers beyond them.
std::vector<TokenId> encode(Episode &episode, std::span<const uint8_t> answers,
                            unsigned (*rule)(std::span<const Candidate>));

} // namespace verilocc::tokens
