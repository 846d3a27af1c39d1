// `verilocc eval`: what a model is worth, beside rules and allocators that need none.
//
// Every allocator gets the same Problem and the same limits, and is priced by the same cost model. Costs can be
// negative (VOPD pairs), so relative cost is that of the whole function: (issue cycles + cost) / (issue cycles + cost
// of the other), each instruction weighted by its block. A vreg without a home counts as spilled
// (tokens::RolloutOptions). Problems that no one could solve stay in.
//
// A model of the other language, map-after, is recognised by its vocabulary and stands in the same tables
// (map_player.h); so does a large one behind a server. What does not fit its context counts as failed.
#pragma once

#include "allocators/map_player.h"
#include "dataset/corpus.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace verilocc::dataset {

struct EvaluateOptions {
  unsigned attempts = 1;
  double temperature = 0.7;
  uint64_t seed = 1;
  bool avoid_dead_ends = true; ///< LearnedOptions
  /// Moves a vreg: for each, search from greedy's homes (first-fit's where there are none), from what the
  /// rule weighed made of it, and from what the model did.
  std::vector<unsigned> search_moves;
  unsigned limit = 0; ///< problems a split and architecture; 0: all
  unsigned max_vregs = 100000;
  std::vector<std::string> splits; ///< empty: all
  /// Not empty: asked map-after, as text, instead of a backend.
  model::RemoteOptions server = {};
  std::function<void(const std::string &)> progress;
};

/// What an allocator made of a problem.
struct Made {
  double cost = 0;       ///< Placement::total, pairs chosen for these homes (Placement::rematch)
  unsigned unplaced = 0; ///< vregs
  double penalty = 0;    ///< of those
  double seconds = 0;
  double value() const { return cost + penalty; }
};

struct Row {
  Entry entry;
  unsigned vregs = 0;
  double need = 0;  ///< most live vector registers over the limit
  double issue = 0; ///< executions of all instructions
  /// greedy, first-fit, cheapest, rule-cheapest, rule-foresighted, rule-packed, rule-weighed, search (its default
  /// budget, from nothing), model, model-best; randomised-cheapest and randomised-best (of the best rule) where there
  /// are several attempts;
  /// search-as-many: from nothing, as many moves a vreg as the model has attempts; search-as-long: about as many
  /// seconds as model-best took, so it differs from run to run; search-N, weighed-search-N and model-search-N for each
  /// of search_moves. Of a map-after model, where Accepted: map-after (masked), map-after-raw (the cheapest of the raw
  /// attempts).
  std::map<std::string, Made> made;
  std::vector<allocators::Attempt> attempts; ///< of the model, words dropped
  /// One pass of the model alone, no mask and no repair, places everything and is Accepted. More than
  /// Attempt::isRaw() of the first attempt asks: what the mask would have overruled may go well.
  bool raw = false;
  uint64_t tokens = 0;
  std::optional<allocators::MapPlayed> map; ///< of a map-after model, homes dropped; then `attempts` is empty
};

/// One row a problem, in the corpus' order. `backend`: trained for either vocabulary; null: the server, or the rules
/// alone.
support::Result<std::vector<Row>> evaluate(const std::vector<Entry> &entries, model::LmBackend *backend,
                                           const EvaluateOptions &options);

/// Probability that of k attempts drawn from n, c of which were right, at least one is (Chen et al. 2021, unbiased).
double passAt(unsigned n, unsigned c, unsigned k);

/// Geometric mean of the relative cost of `a` to `b` over rows that have both, with a 95 % interval (bootstrap,
/// seeded).
struct Relative {
  unsigned n = 0, better = 0, worse = 0;
  double mean = 1, low = 1, high = 1;
};
Relative compare(const std::vector<const Row *> &rows, const std::string &a, const std::string &b);

nlohmann::json toJson(const std::vector<Row> &rows);
/// Tables by split and architecture, for people.
std::string formatRows(const std::vector<Row> &rows);

} // namespace verilocc::dataset
