#include "dataset/puzzles.h"

#include "allocators/exact.h"
#include "allocators/first_fit.h"
#include "allocators/learned.h"
#include "allocators/planned.h"
#include "allocators/search.h"
#include "assignment/case.h"
#include "support/hash.h"
#include "support/rng.h"
#include "tokens/replay.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>

namespace verilocc::dataset {

using assignment::Homes;
using problem::Problem;
using problem::VReg;

namespace {

constexpr unsigned peak = 16, definitions = 28;
constexpr const char *class_names[] = {"one", "pair", "quad"};

struct Live {
  unsigned number, kind;
};

/// Code in which at most `peak` registers are live, and at some point as many.
std::string codeOf(uint64_t seed) {
  support::Rng rng(seed);
  std::vector<Live> live;
  unsigned lanes = 0;
  std::string text;
  const auto nameOf = [](const Live &l) { return fmt::format("%{}", l.number); };
  for (unsigned number = 0; number < definitions; ++number) {
    const auto draw = rng.below(6);
    const unsigned kind = draw < 3 ? 0 : draw < 5 ? 1 : 2, width = 1u << kind;
    std::string ended;
    while (lanes + width > peak) {
      const size_t victim = rng.below(live.size());
      lanes -= 1u << live[victim].kind;
      ended += (ended.empty() ? "" : ", ") + nameOf(live[victim]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    if (!ended.empty())
      text += fmt::format("  USE {} | side-effect\n", ended);
    // Two sources of one register each, so that banks matter.
    std::vector<std::string> sources;
    for (size_t i = 0; i < live.size() && sources.size() < 2; ++i)
      if (const Live &source = live[(i + number) % live.size()]; source.kind == 0)
        sources.push_back(nameOf(source));
    text += fmt::format("  %{}:{} = OP {}| valu per-thread\n", number, class_names[kind],
                        sources.empty() ? "" : fmt::format("{} ", fmt::join(sources, ", ")));
    live.push_back({number, kind});
    lanes += width;
  }
  std::string rest;
  for (const Live &l : live)
    rest += (rest.empty() ? "" : ", ") + nameOf(l);
  return text + fmt::format("  USE {} | side-effect\n", rest);
}

void solve(const Problem &problem, model::LmBackend *backend, double seconds, PuzzleScore &score) {
  const analysis::LiveRanges live(problem);
  const analysis::Choices choices(problem);
  const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
  const allocators::Limits limits = {problem.env.max_vgprs, problem.env.max_agprs};

  const bool first_fit = choices.placesVectors(allocators::firstFit(problem, live));
  tokens::Episode episode(problem, live, rules, allocators::planned(problem, live, rules));
  tokens::encode(episode, {}, tokens::weighed);
  const bool rule = choices.placesVectors(episode.homes());
  bool raw = false, masked = false, repaired = false;
  if (backend) {
    allocators::LearnedOptions options;
    options.finish = false;
    const auto play = [&](const allocators::LearnedOptions &how) {
      allocators::AttemptLog log;
      allocators::learned(problem, live, rules, *backend, how, &log);
      return log.attempts.front();
    };
    const allocators::Attempt attempt = play(options);
    repaired = attempt.outcome == allocators::Outcome::Accepted;
    masked = repaired && attempt.repairs == 0;
    options.mask = false;
    options.repairs = 0;
    raw = play(options).outcome == allocators::Outcome::Accepted;
  }

  bool solvable = first_fit || rule || raw || repaired, impossible = false;
  if (!solvable) {
    allocators::SearchOptions options;
    options.limits = limits;
    solvable = allocators::search(problem, live, rules, {}, options).unplaced == 0;
  }
  if (!solvable) {
    const allocators::ExactResult exact = allocators::exact(problem, live, cost::Rules(), {}, {limits, seconds});
    solvable = !exact.homes.empty();
    impossible = exact.infeasible;
  }
  score.solvable += solvable;
  score.impossible += impossible;
  score.open += !solvable && !impossible;
  score.first_fit += first_fit;
  score.rule += rule;
  score.raw += raw;
  score.masked += masked;
  score.repaired += repaired;
}

} // namespace

Problem makePuzzle(uint64_t seed, double grade) {
  assert(grade > 0 && grade <= 1);
  const auto limit = static_cast<unsigned>(std::ceil(peak / grade - 1e-9));
  auto parsed = assignment::parseCase(fmt::format("ra 1\narch gfx1030\nlimits vgpr {} agpr 0 sgpr 16\n"
                                                  "class one = v0-v255\nclass pair width 2 = v0-v254\n"
                                                  "class quad width 4 = v0-v252\nblock 0\n{}",
                                                  limit, codeOf(seed)),
                                      "puzzle");
  assert(parsed);
  return std::move(parsed->problem);
}

std::vector<PuzzleScore> solvePuzzles(model::LmBackend *backend, const PuzzleOptions &options) {
  std::vector<PuzzleScore> scores;
  for (double grade : puzzle_grades) {
    PuzzleScore &score = scores.emplace_back();
    score.grade = grade;
    for (unsigned i = 0; i < options.count; ++i)
      solve(makePuzzle(support::Hash().add(options.seed).add(i).value(), grade), backend, options.seconds, score);
  }
  return scores;
}

nlohmann::json toJson(std::span<const PuzzleScore> scores) {
  nlohmann::json json = nlohmann::json::array();
  for (const PuzzleScore &s : scores)
    json.push_back({{"grade", s.grade},
                    {"solvable", s.solvable},
                    {"impossible", s.impossible},
                    {"open", s.open},
                    {"first_fit", s.first_fit},
                    {"rule", s.rule},
                    {"raw", s.raw},
                    {"masked", s.masked},
                    {"repaired", s.repaired}});
  return json;
}

std::string formatPuzzles(std::span<const PuzzleScore> scores) {
  std::string out = fmt::format("{:>5} {:>8} {:>10} {:>5} {:>9} {:>7} {:>5} {:>6} {:>8}\n", "grade", "solvable",
                                "impossible", "open", "first-fit", "weighed", "raw", "masked", "repaired");
  for (const PuzzleScore &s : scores)
    out += fmt::format("{:>5.2f} {:>8} {:>10} {:>5} {:>9} {:>7} {:>5} {:>6} {:>8}\n", s.grade, s.solvable, s.impossible,
                       s.open, s.first_fit, s.rule, s.raw, s.masked, s.repaired);
  return out;
}

} // namespace verilocc::dataset
