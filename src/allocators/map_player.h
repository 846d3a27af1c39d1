// Map-after: a language model is shown the whole problem and answers one register a vreg, as in VeriLocc
// (arXiv 2506.17506). The reference that learned.h is compared with.
//
// Raw: nothing helps; what the model says stands, and the checker decides about the whole. Resampling is several
// attempts, the first greedy, the others drawn. Masked: only registers in which the vreg may lie beside those answered
// before can be said; where there is none, the attempt has failed. Nothing is repaired, spilled or split.
//
// The model is either small and answers in the words of tokens/map_words.h, or large, behind a server, and answers in
// the text of tokens/map_after.h.
#pragma once

#include "allocators/learned.h"
#include "model/remote.h"

#include <optional>

namespace verilocc::allocators {

struct MapAttempt {
  /// Accepted; Illegal: some word is no register; Rejected: the checker does not agree; DeadEnd: masked, no register
  /// was left.
  Outcome outcome = Outcome::Illegal;
  unsigned decisions = 0;
  /// Of them: the model's first choice among all words was a register in which the vreg may lie beside those before it.
  unsigned legal = 0;
  assignment::Homes homes = {}; ///< by vreg; if Accepted, every vector vreg has one
};

struct MapOptions {
  unsigned attempts = 1; ///< raw
  double temperature = 0.7;
  uint64_t seed = 1;
};

struct MapPlayed {
  const char *misfit = nullptr; ///< not null: why the model cannot be asked; then there are no attempts
  std::vector<MapAttempt> attempts = {};
  std::optional<MapAttempt> masked = {}; ///< a server is not asked for it
  uint64_t tokens = 0;                   ///< read and written
  double seconds = 0;
};

/// `backend` must be trained for mapWords(), or be a test backend with as many words (asserted). A problem that its
/// context cannot hold is a misfit.
MapPlayed playMap(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
                  model::LmBackend &backend, const MapOptions &options = {});

/// Asks a server: the first completion at temperature 0. Legal decisions are not counted. Errors are the server's; an
/// answer that cannot be read, or leaves a vector out, is an attempt that failed.
support::Result<MapPlayed> askMap(const problem::Problem &problem, const analysis::LiveRanges &live,
                                  const cost::Rules &rules, const model::RemoteOptions &server,
                                  const MapOptions &options = {});

} // namespace verilocc::allocators
