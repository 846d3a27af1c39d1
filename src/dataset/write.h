// `verilocc dataset`: the shards of training sequences and the card that says what is in them.
#pragma once

#include "dataset/corpus.h"
#include "dataset/label.h"
#include "dataset/map_label.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace verilocc::dataset {

/// Of token sequences: episodes with soft labels (label.h), or whole problems with the search's answer (map_label.h).
enum class Words { Episodes, Map };

struct WriteOptions {
  std::string out;   ///< folder
  std::string split; ///< "train", "validation"
  ShardOf shard;
  LabelOptions label;
  Words words = Words::Episodes;
  unsigned max_vregs = 3000;               ///< larger problems are left out, and counted
  unsigned passes = 1;                     ///< over each problem, with another seed each time; Map: answers a problem
  MapTeacher teacher = MapTeacher::Search; ///< Map
  unsigned context = 2048;                 ///< Map: longer sequences are left out, and counted
  std::string command;                     ///< for the card
  std::function<void(size_t done, size_t all)> progress;
};

/// Counts of one shard or of several.
struct Card {
  unsigned problems = 0, duplicates = 0, too_large = 0, sequences = 0;
  uint64_t tokens = 0, decisions = 0, agreeing = 0;
  double seconds = 0;
  std::map<std::string, unsigned> by_family, by_arch;
  std::map<std::string, unsigned> misfits; ///< Map: problems left out, by reason (MapLabelled)
  std::map<unsigned, unsigned> by_length;  ///< of problems, in vregs: 64, 128, ... up to which
  uint64_t hash = 0;                       ///< of the shard's bytes
};

/// Writes OUT/SPLIT-I-of-N.shard and .json (the card). A shard that is there already, made from the same problems with
/// the same options, is kept: an interrupted run goes on where it was.
support::Result<Card> writeShard(const std::vector<Entry> &entries, const WriteOptions &options);

nlohmann::json toJson(const Card &card);

} // namespace verilocc::dataset
