#include "dataset/map_label.h"

#include "allocators/first_fit.h"
#include "allocators/search.h"
#include "assignment/text.h"
#include "support/hash.h"
#include "tokens/map_words.h"

#include <algorithm>

namespace verilocc::dataset {

namespace {

assignment::Homes taughtBy(MapTeacher teacher, const assignment::Case &contents, const analysis::LiveRanges &live,
                           uint64_t seed) {
  const problem::Problem &problem = contents.problem;
  if (teacher == MapTeacher::FirstFit)
    return allocators::firstFit(problem, live);
  const assignment::Homes start =
      contents.assignment ? assignment::mainHomes(problem, *contents.assignment) : assignment::Homes{};
  allocators::SearchOptions options;
  options.seed = seed;
  options.limits = {problem.env.max_vgprs, problem.env.max_agprs};
  return allocators::search(problem, live, cost::rulesFor(problem.env.arch, problem.env.wave_size), start, options)
      .homes;
}

} // namespace

MapLabelled mapLabel(const assignment::Case &contents, uint64_t seed, unsigned answers, size_t context,
                     MapTeacher teacher) {
  const problem::Problem &problem = contents.problem;
  const tokens::MapQuestion question = tokens::mapQuestion(problem, analysis::Choices(problem));
  MapLabelled result;
  result.misfit = question.misfitWithin(context);
  if (result.misfit)
    return result;
  const analysis::LiveRanges live(problem);
  for (unsigned answer = 0; answer < (teacher == MapTeacher::Search ? answers : 1); ++answer) {
    const assignment::Homes homes = taughtBy(teacher, contents, live, support::Hash().add(seed).add(answer).value());
    if (std::ranges::any_of(question.asked, [&](problem::VReg v) { return homes[v] == problem::no_unit; }))
      continue;
    model::TrainingSequence sequence;
    sequence.tokens = question.prompt;
    for (tokens::TokenId word : tokens::mapAnswer(question, homes)) {
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
