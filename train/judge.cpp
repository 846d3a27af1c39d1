#include "train/judge.h"

#include "dataset/evaluate.h"
#include "model/native.h"
#include "tokens/vocab.h"

#include <algorithm>

namespace verilocc::train {

support::Result<decltype(TrainOptions::judge)> makeJudge(const JudgeOptions &options) {
  auto entries = dataset::readCorpus(options.problems, options.manifest);
  if (!entries)
    return entries.error();
  if (std::ranges::none_of(*entries, [](const dataset::Entry &entry) { return entry.split == "validation"; }))
    return support::InputError{"has no problem of the validation split", options.problems};
  return decltype(TrainOptions::judge)([entries = *entries, limit = options.limit](const model::Weights &weights) {
    dataset::EvaluateOptions evaluate;
    evaluate.limit = limit;
    evaluate.splits = {"validation"};
    const auto backend = model::nativeBackend(weights, tokens::vocabHash());
    std::map<std::string, double> scores;
    const auto rows = dataset::evaluate(entries, backend.get(), evaluate);
    if (!rows)
      return scores; // a problem file that went away is no reason to stop training
    double accepted = 0;
    std::vector<const dataset::Row *> all;
    for (const dataset::Row &row : *rows) {
      all.push_back(&row);
      accepted += !row.attempts.empty() && row.attempts.front().outcome == allocators::Outcome::Accepted;
    }
    if (!all.empty()) {
      scores["accepted"] = accepted / double(all.size());
      scores["cost_to_rule"] = dataset::compare(all, "model", "rule-cheapest").mean;
    }
    return scores;
  });
}

} // namespace verilocc::train
