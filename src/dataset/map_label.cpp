#include "dataset/map_label.h"

#include "allocators/search.h"
#include "assignment/text.h"
#include "support/hash.h"
#include "tokens/map_words.h"

#include <algorithm>

namespace verilocc::dataset {

MapLabelled mapLabel(const assignment::Case &contents, uint64_t seed, unsigned answers, size_t context) {
  const problem::Problem &problem = contents.problem;
  const tokens::MapQuestion question = tokens::mapQuestion(problem, analysis::Choices(problem));
  MapLabelled result;
  result.misfit = question.misfit ? question.misfit : question.length() > context ? "context" : nullptr;
  if (result.misfit)
    return result;
  const analysis::LiveRanges live(problem);
  const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
  const assignment::Homes start =
      contents.assignment ? assignment::mainHomes(problem, *contents.assignment) : assignment::Homes{};
  for (unsigned answer = 0; answer < answers; ++answer) {
    allocators::SearchOptions options;
    options.seed = support::Hash().add(seed).add(answer).value();
    options.limits = {problem.env.max_vgprs, problem.env.max_agprs};
    const allocators::SearchResult found = allocators::search(problem, live, rules, start, options);
    if (found.unplaced)
      continue;
    model::TrainingSequence sequence;
    sequence.tokens = question.prompt;
    for (tokens::TokenId word : tokens::mapAnswer(question, found.homes)) {
      if (tokens::registerOf(word) != problem::no_unit)
        sequence.decisions.push_back({static_cast<uint32_t>(sequence.tokens.size()), 1, {{word, 1}}});
      sequence.tokens.push_back(word);
    }
    if (!sequence.decisions.empty() &&
        std::ranges::none_of(result.sequences, [&](const auto &other) { return other.tokens == sequence.tokens; }))
      result.sequences.push_back(std::move(sequence));
  }
  if (result.sequences.empty())
    result.misfit = "unsolved";
  return result;
}

} // namespace verilocc::dataset
