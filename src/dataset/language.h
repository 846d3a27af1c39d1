// What the token language costs and keeps: how many words a vreg takes, whether episodes come back from their words,
// and how much of its vocabulary a kernel has in common with itself on another architecture.
//
// Each problem is played by the rule `weighed`; its words go to text and back, and are replayed on a fresh episode,
// which must end with the same homes.
#pragma once

#include "dataset/corpus.h"

#include <functional>
#include <nlohmann/json.hpp>

namespace verilocc::dataset {

struct LanguageOptions {
  unsigned max_vregs = 100000; ///< larger problems are left out
  std::function<void(const std::string &)> progress = {};
};

struct LanguageRow {
  std::string arch;
  unsigned problems = 0, returned = 0; ///< whose homes came back
  uint64_t tokens = 0, decisions = 0, vregs = 0;
  unsigned types = 0; ///< different words in all its problems
};

/// The problems that two architectures make of the same kernel, over all kernels. Start and budget words are left out:
/// they name the architecture.
struct LanguagePair {
  std::string a, b;
  unsigned kernels = 0;
  double types = 0;       ///< mean over kernels: words that both use, of the words of the one that uses fewer
  double occurrences = 0; ///< mean share of the words, as often as they occur, whose type the other uses too
};

struct Language {
  std::vector<LanguageRow> rows;
  std::vector<LanguagePair> pairs;
};

support::Result<Language> measureLanguage(const std::vector<Entry> &entries, const LanguageOptions &options);

nlohmann::json toJson(const Language &language);
std::string format(const Language &language);

} // namespace verilocc::dataset
