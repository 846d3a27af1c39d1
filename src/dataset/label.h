// Training sequences from a Problem: an episode is played, and at many of its decisions rollouts say how good each
// answer is. The rule `weighed` plays them; where they stop, the plan's cost (tokens/plan.h) stands for the rest, so
// that even short ones see the whole function.
//
// Hard labels from one teacher are poor (several answers are equally good), so the label is a distribution: softmax of
// the rollouts' costs. The player follows the best answer, strays at times, and goes on from there: what the model will
// see when it errs is in the data. In later rounds a model plays, so that its own states are labelled. Loss is taken at
// labelled decisions only, and a model sees a few dozen decisions back, so of a long problem windows are taken,
// labelled densely.
#pragma once

#include "model/backend.h"
#include "model/shards.h"
#include "tokens/rollout.h"

namespace verilocc::dataset {

struct LabelOptions {
  uint64_t seed = 1;
  unsigned horizon = 16;    ///< of the rollouts, in steps
  unsigned max_tried = 5;   ///< candidates a decision that are rolled out
  double temperature = 0.1; ///< in units of the hottest block that names the vreg
  /// Same units: what the rule's answer is given for free, so that the noise of rollouts teaches nothing.
  double margin = 0.1;
  /// Share of windows in which the rule loses nothing that are kept: they teach little.
  double keep_dull = 0.2;
  double stray = 0.04;      ///< share of decisions answered at random
  unsigned window = 64;     ///< labelled decisions a window
  unsigned lead = 16;       ///< decisions before it that are only context
  unsigned max_windows = 6; ///< a problem
  double share = 0.4;       ///< of the decisions to label, at least one window
  double dead_end = 32;     ///< tokens::RolloutOptions
  /// Plays instead of the rule and, three times in four, of the best answer. Must be trained for this vocabulary. Its
  /// checkpoint's hash goes into the data's.
  model::LmBackend *player = nullptr;
  uint64_t player_hash = 0;
};

struct Labelled {
  std::vector<model::TrainingSequence> sequences; ///< one a window
  unsigned decisions = 0;                         ///< labelled
  unsigned agreeing = 0;                          ///< of them: the best answer is that of the rule
  double regret = 0;                              ///< cycles that the rule would lose at them, each on its own
};

/// Deterministic. `problem` with its limits as they are to hold; vectors are decided, and scalars that are not fixed.
Labelled label(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
               const LabelOptions &options);

} // namespace verilocc::dataset
