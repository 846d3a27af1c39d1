// Training sequences in the packed map-after language (tokens/map_words.h): the whole problem, then the registers that
// the search gives it. Every register of the answer is a decision with one right answer, as in VeriLocc: the reference
// that the language of episodes is compared with.
#pragma once

#include "assignment/case.h"
#include "model/shards.h"

namespace verilocc::dataset {

/// Whose answer is taught: the search's, cheap but hardly predictable, or first-fit's, the lowest register that is
/// free, of which there is one only.
enum class MapTeacher { Search, FirstFit };

struct MapLabelled {
  std::vector<model::TrainingSequence> sequences; ///< one an answer; the same answer only once
  const char *misfit = nullptr; ///< not null: why there are none ("context", "unsolved", what MapQuestion says)
};

/// So many searches, from greedy's homes where there are some, with seeds that follow on from `seed`. A sequence is
/// `context` tokens at most. Deterministic.
MapLabelled mapLabel(const assignment::Case &contents, uint64_t seed, unsigned answers, size_t context,
                     MapTeacher teacher = MapTeacher::Search);

} // namespace verilocc::dataset
