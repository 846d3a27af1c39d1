// JSON lines for fine-tuning and asking large models elsewhere: one object a line with prompt, completion and what they
// are of. Two languages: `map` (the whole problem, then one register a vreg: tokens/map_after.h, the paper's shape) and
// `stream` (the words of an episode as text: prompt is what is known before the first answer, completion all words).
#pragma once

#include "dataset/corpus.h"

namespace verilocc::dataset {

enum class Language { Map, Stream };

struct TextOptions {
  std::string out; ///< folder
  std::string split;
  ShardOf shard;
  Language language = Language::Map;
  unsigned max_vregs = 2000; ///< larger problems are left out
  uint64_t seed = 1;         ///< of the teacher
};

/// Writes OUT/SPLIT-I-of-N.LANGUAGE.jsonl; answers the number of lines. Map has two lines a problem, greedy's answer
/// and the search's, each with its cost; duplicates (findDuplicates) are left out.
support::Result<unsigned> writeText(const std::vector<Entry> &entries, const TextOptions &options);

} // namespace verilocc::dataset
