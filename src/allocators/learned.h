// Learned: a language model decides, and everything it says is checked.
//
// Propose: an Episode (src/tokens) writes what there is to know before each decision, the model answers with one of the
// places offered. Check: dead ends as they come, the whole with the checker. Score: cost::Placement. Repair: at a dead
// end the decisions back to the one in the way are withdrawn, everything before stays, and that answer is not given
// again. Resample: several attempts, the first greedy, the others drawn; they go through the model side by side.
//
// Invariants: whatever the model answers (nonsense, NaN, always the same), the homes are legal, and the checker has
// said so; the same seed, model and options give the same homes whatever the number of threads; an AttemptLog replays
// to the same homes without the model.
#pragma once

#include "assignment/assignment.h"
#include "checker/checker.h"
#include "model/backend.h"
#include "model/sampler.h"
#include "tokens/episode.h"

#include <functional>
#include <string>
#include <vector>

namespace verilocc::allocators {

enum class Outcome : uint8_t {
  Accepted, ///< every vreg has a home and the checker agrees
  DeadEnd,  ///< some vreg has none
  Illegal,  ///< without a mask: the model answered with what is no answer
  Rejected, ///< the checker does not agree; never seen
  OutOfTime
};
const char *name(Outcome outcome);

struct Attempt {
  uint64_t seed = 0;
  double temperature = 0;
  std::vector<tokens::TokenId> words = {}; ///< all, withdrawals included
  Outcome outcome = Outcome::DeadEnd;
  unsigned dead_ends = 0;
  unsigned decisions = 0; ///< asked, withdrawn ones included
  unsigned legal = 0;     ///< of them: the model's first choice among all words was an answer (without any mask)
  unsigned overruled = 0; ///< of those: it was masked, since it leads to a dead end
  unsigned withdrawn = 0; ///< decisions
  unsigned repairs = 0;
  double cost = 0; ///< cycles, of what has a home; cost::settledCost
  double seconds = 0;

  /// Right at once: no mask was needed, nothing repaired, everything placed.
  bool isRaw() const { return outcome == Outcome::Accepted && legal == decisions && overruled == 0 && repairs == 0; }
};

struct AttemptLog {
  uint64_t vocabulary = 0;
  uint64_t model = 0; ///< hash of the checkpoint; 0: none
  std::vector<Attempt> attempts = {};
};

struct LearnedOptions {
  tokens::EpisodeOptions episode = {};
  unsigned attempts = 1;
  /// Of the attempts after the first, which is greedy.
  model::SamplerOptions sampler = {0.7, 0, 1};
  uint64_t seed = 1;
  bool mask = true; ///< false: an answer that is none ends the attempt, as in the paper
  /// Places that leave no room to a tuple to come are masked where another does. Without: as the model says.
  bool avoid_dead_ends = true;
  unsigned repairs = 32; ///< an attempt
  unsigned together = 16;
  /// Where every attempt left vregs without a home, the search (search.h) goes on from the best of them.
  bool finish = true;
  double seconds = 0; ///< no attempt begins, and none goes on, after so long; 0: no limit
  /// Once for each decision of the first attempt, for `explain`: probabilities parallel to the candidates.
  std::function<void(const tokens::Episode &, std::span<const double>)> observe = {};
};

struct LearnedResult {
  assignment::Homes homes; ///< of the best attempt: most vregs placed (by executions), then cheapest
  double cost = 0;
  unsigned dead_ends = 0;
  checker::Verdict verdict = checker::Verdict::Undecided; ///< of `homes`
  unsigned best = 0;                                      ///< which attempt
  bool finished = false;                                  ///< `homes` are the search's, from that attempt's
};

/// `backend` must be trained for this vocabulary (asserted), or be a test backend.
LearnedResult learned(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                      model::LmBackend &backend, const LearnedOptions &options = {}, AttemptLog *log = nullptr);

/// Plays a recorded attempt again, without a model. The error names the word at which the Problem is not the recorded
/// one's.
support::Result<assignment::Homes> replayAttempt(const problem::Problem &problem, const analysis::LiveRanges &live,
                                                 const cost::Rules &rules, const tokens::EpisodeOptions &options,
                                                 const Attempt &attempt);

/// The log as text, and back.
std::string print(const AttemptLog &log);
support::Result<AttemptLog> parseAttemptLog(std::string_view text, const std::string &file);

} // namespace verilocc::allocators
