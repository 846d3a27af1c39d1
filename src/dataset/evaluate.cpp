#include "dataset/evaluate.h"

#include "allocators/cheapest.h"
#include "allocators/first_fit.h"
#include "allocators/planned.h"
#include "allocators/search.h"
#include "assignment/text.h"
#include "support/clock.h"
#include "support/rng.h"
#include "tokens/map_words.h"
#include "tokens/replay.h"
#include "tokens/rollout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace verilocc::dataset {

using assignment::Homes;
using problem::no_unit;
using problem::Problem;
using problem::VReg;

namespace {

/// Most live vector registers over the limit, from which on a problem counts as tight.
constexpr double tight_need = 0.82;
constexpr double dead_end = tokens::RolloutOptions{}.dead_end;

class Judge {
public:
  explicit Judge(const Problem &problem)
      : problem(problem),
        live(problem),
        rules(cost::rulesFor(problem.env.arch, problem.env.wave_size)),
        choices(problem) {}

  /// `homes` of vector vregs; fixed registers cost as they stand. VOPD pairs are those that LLVM would make.
  Made price(const Homes &homes) const {
    Made made;
    for (VReg v = 0; v < homes.size(); ++v)
      if (homes[v] == no_unit && choices.isUsed(v)) {
        ++made.unplaced;
        made.penalty += dead_end * choices.uses(v);
      }
    made.cost = cost::settledCost(problem, live, rules, homes);
    return made;
  }

  template <typename Function> Made timed(Function homesOf) const {
    const double start = support::now();
    const Homes homes = homesOf();
    const double seconds = support::now() - start;
    Made made = price(homes);
    made.seconds = seconds;
    return made;
  }

  /// `moves` a vreg; 0: as many as it takes by itself.
  Homes search(const Homes &start, double moves) const {
    allocators::SearchOptions options;
    options.limits = {problem.env.max_vgprs, problem.env.max_agprs};
    options.moves = static_cast<uint64_t>(std::ceil(moves * double(problem.vregs.size())));
    return allocators::search(problem, live, rules, start, options).homes;
  }
  /// Search from nothing that takes about as long as something else did, and not much less.
  Made searchFor(double seconds) const {
    constexpr double near = 0.9, most_moves = 100'000;
    double moves = double(allocators::SearchOptions{}.moves_per_vreg);
    Made made;
    for (int tries = 0; tries < 4; ++tries) {
      made = timed([&] { return search({}, moves); });
      if (made.seconds >= near * seconds || moves == most_moves)
        break;
      moves = std::min(most_moves, moves * std::min(10.0, 1.1 * seconds / std::max(made.seconds, 1e-6)));
    }
    return made;
  }

  const Problem &problem;
  analysis::LiveRanges live;
  const cost::Rules &rules;
  analysis::Choices choices;
};

/// And the homes that the rule `weighed` finds.
Homes judgeRules(const Judge &judge, Row &row) {
  Homes last;
  const std::pair<const char *, tokens::Rule> by_rule[] = {{"rule-cheapest", tokens::cheapest},
                                                           {"rule-foresighted", tokens::foresighted},
                                                           {"rule-packed", tokens::packed},
                                                           {"rule-weighed", tokens::weighed}};
  for (const auto &[rule_name, rule] : by_rule)
    row.made[rule_name] = judge.timed([&, rule = rule] {
      tokens::Episode episode(judge.problem, judge.live, judge.rules,
                              allocators::planned(judge.problem, judge.live, judge.rules));
      tokens::encode(episode, {}, rule);
      last = episode.homes();
      return last;
    });
  row.made["first-fit"] = judge.timed([&] { return allocators::firstFit(judge.problem, judge.live); });
  row.made["cheapest"] = judge.timed([&] {
    allocators::CheapestOptions options;
    options.limits = {judge.problem.env.max_vgprs, judge.problem.env.max_agprs};
    return allocators::cheapest(judge.problem, judge.live, judge.rules, options);
  });
  row.made["search"] = judge.timed([&] { return judge.search({}, 0); });
  return last;
}

using NamedRule = std::pair<const char *, tokens::Rule>; ///< the row's name

/// Best of as many attempts as the model has: the best of `by_rule`, which the row has, then that rule with noise on
/// what it minimises, so that it strays where places are nearly alike.
Made randomised(const Judge &judge, const EvaluateOptions &options, const Row &row,
                std::initializer_list<NamedRule> by_rule) {
  constexpr double noise = 0.25; // cycles of the hottest block that names the vreg: mean of an exponential
  support::Rng rng(options.seed);
  const double start = support::now();
  const tokens::EpisodeOptions game = allocators::planned(judge.problem, judge.live, judge.rules);
  const auto &[rule_name, rule] =
      *std::ranges::min_element(by_rule, {}, [&](const NamedRule &named) { return row.made.at(named.first).value(); });
  Made best = row.made.at(rule_name);
  for (unsigned attempt = 1; attempt < options.attempts; ++attempt) {
    tokens::Episode episode(judge.problem, judge.live, judge.rules, game);
    std::vector<tokens::TokenId> words;
    while (episode.advance(words)) {
      words.clear();
      const double unit = std::max(1.0, episode.outlook().traits(episode.vreg()).hottest) * tokens::cycle;
      std::vector<tokens::Candidate> shaken(episode.candidates().begin(), episode.candidates().end());
      for (tokens::Candidate &candidate : shaken)
        candidate.cost += static_cast<tokens::Cycles>(-std::log(1 - rng.real()) * noise * unit);
      episode.answer(rule(shaken));
    }
    if (const Made made = judge.price(episode.homes()); made.value() < best.value())
      best = made;
  }
  best.seconds = support::now() - start;
  return best;
}

/// What the best of k of a model must beat: constructions by what is least now, and by all that the words tell.
void judgeRandomised(const Judge &judge, const EvaluateOptions &options, Row &row) {
  row.made["randomised-cheapest"] = randomised(judge, options, row, {{"rule-cheapest", tokens::cheapest}});
  row.made["randomised-best"] = randomised(
      judge, options, row,
      {{"rule-weighed", tokens::weighed}, {"rule-foresighted", tokens::foresighted}, {"rule-packed", tokens::packed}});
}

void judgeModel(const Judge &judge, model::LmBackend &backend, const EvaluateOptions &options, Row &row) {
  allocators::LearnedOptions learned;
  learned.attempts = options.attempts;
  learned.sampler.temperature = options.temperature;
  learned.seed = options.seed;
  learned.avoid_dead_ends = options.avoid_dead_ends;
  allocators::AttemptLog log;
  const double start = support::now();
  const auto result = allocators::learned(judge.problem, judge.live, judge.rules, backend, learned, &log);
  const double seconds = support::now() - start;
  row.made["model-best"] = judge.price(result.homes);
  row.made["model-best"].seconds = seconds;
  // The first attempt alone is the greedy one.
  if (auto first = allocators::replayAttempt(judge.problem, judge.live, judge.rules, {}, log.attempts.front())) {
    row.made["model"] = judge.price(*first);
    row.made["model"].seconds = log.attempts.front().seconds;
    for (unsigned moves : options.search_moves)
      row.made[fmt::format("model-search-{}", moves)] = judge.timed([&] { return judge.search(*first, moves); });
  }
  row.made["search-as-many"] = judge.timed([&] { return judge.search({}, options.attempts); });
  row.made["search-as-long"] = judge.searchFor(seconds);
  row.raw = log.attempts.front().isRaw();
  if (!row.raw) {
    allocators::LearnedOptions alone;
    alone.mask = false;
    alone.repairs = 0;
    alone.finish = false;
    allocators::AttemptLog tried;
    allocators::learned(judge.problem, judge.live, judge.rules, backend, alone, &tried);
    row.raw = tried.attempts.front().outcome == allocators::Outcome::Accepted;
  }
  for (allocators::Attempt &attempt : log.attempts) {
    row.tokens += attempt.words.size();
    attempt.words.clear();
    row.attempts.push_back(std::move(attempt));
  }
}

/// Takes the homes out of `played`.
void judgeMap(const Judge &judge, allocators::MapPlayed played, Row &row) {
  const auto take = [&](const std::string &name, allocators::MapAttempt &attempt) {
    if (attempt.outcome == allocators::Outcome::Accepted) {
      Made made = judge.price(attempt.homes);
      made.seconds = played.seconds;
      if (const auto [at, fresh] = row.made.try_emplace(name, made); !fresh && made.value() < at->second.value())
        at->second = made;
    }
    attempt.homes.clear();
  };
  for (allocators::MapAttempt &attempt : played.attempts)
    take("map-after-raw", attempt);
  if (played.masked)
    take("map-after", *played.masked);
  row.raw = !played.attempts.empty() && played.attempts.front().outcome == allocators::Outcome::Accepted;
  row.tokens = played.tokens;
  row.map = std::move(played);
}

} // namespace

support::Result<std::vector<Row>> evaluate(const std::vector<Entry> &entries, model::LmBackend *backend,
                                           const EvaluateOptions &options) {
  std::vector<Row> rows;
  std::map<std::pair<std::string, std::string>, std::vector<const Entry *>> groups;
  for (const Entry &entry : entries)
    if (!entry.duplicate &&
        (options.splits.empty() || std::ranges::find(options.splits, entry.split) != options.splits.end()))
      groups[{entry.split, entry.arch}].push_back(&entry);
  std::vector<const Entry *> chosen;
  for (auto &[key, group] : groups) {
    // A limit takes them evenly spread, since neighbours by name are alike.
    const size_t count = options.limit ? std::min<size_t>(options.limit, group.size()) : group.size();
    for (size_t i = 0; i < count; ++i)
      chosen.push_back(group[i * group.size() / count]);
  }
  for (const Entry *entry : chosen) {
    auto contents = readCase(entry->path);
    if (!contents)
      return contents.error();
    const Problem &problem = contents->problem;
    if (problem.vregs.size() > options.max_vregs)
      continue;
    if (options.progress)
      options.progress(fmt::format("{} of {}: {} {}", rows.size() + 1, chosen.size(), entry->arch, entry->kernel));
    const Judge judge(problem);
    Row row;
    row.entry = *entry;
    row.vregs = static_cast<unsigned>(problem.vregs.size());
    const tokens::Outlook outlook(problem, judge.live, judge.choices, judge.rules, tokens::limitsOf(problem.env));
    row.need = double(outlook.peak()) / std::max(1u, problem.env.max_vgprs + problem.env.max_agprs);
    for (const problem::Block &block : problem.blocks)
      row.issue += block.frequency * (block.last - block.first);
    if (contents->assignment)
      row.made["greedy"] = judge.price(assignment::mainHomes(problem, *contents->assignment));
    const Homes weighed = judgeRules(judge, row);
    const Homes start = contents->assignment ? assignment::mainHomes(problem, *contents->assignment)
                                             : allocators::firstFit(problem, judge.live);
    for (unsigned moves : options.search_moves) {
      row.made[fmt::format("search-{}", moves)] = judge.timed([&] { return judge.search(start, moves); });
      row.made[fmt::format("weighed-search-{}", moves)] = judge.timed([&] { return judge.search(weighed, moves); });
    }
    if (options.attempts > 1)
      judgeRandomised(judge, options, row);
    const allocators::MapOptions map{options.attempts, options.temperature, options.seed};
    if (backend && backend->vocabHash() == tokens::mapWords().hash()) {
      judgeMap(judge, allocators::playMap(problem, judge.live, judge.rules, *backend, map), row);
    } else if (backend) {
      judgeModel(judge, *backend, options, row);
    } else if (!options.server.url.empty()) {
      auto played = allocators::askMap(problem, judge.live, judge.rules, options.server, map);
      if (!played)
        return played.error();
      judgeMap(judge, std::move(*played), row);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

double passAt(unsigned n, unsigned c, unsigned k) {
  if (k > n)
    k = n;
  double none = 1; // that k drawn without replacement are all wrong
  for (unsigned i = 0; i < k; ++i) {
    if (n - c <= i)
      return 1;
    none *= double(n - c - i) / double(n - i);
  }
  return 1 - none;
}

Relative compare(const std::vector<const Row *> &rows, const std::string &a, const std::string &b) {
  std::vector<double> logs;
  Relative result;
  for (const Row *row : rows) {
    const auto one = row->made.find(a), other = row->made.find(b);
    if (one == row->made.end() || other == row->made.end())
      continue;
    // Costs are savings at most of every second issue slot, so this stays positive; the floor is for toy functions.
    const double mine = std::max(row->issue * 0.1 + 1, row->issue + one->second.value());
    const double theirs = std::max(row->issue * 0.1 + 1, row->issue + other->second.value());
    logs.push_back(std::log(mine / theirs));
    result.better += mine < theirs - 1e-9;
    result.worse += mine > theirs + 1e-9;
  }
  result.n = static_cast<unsigned>(logs.size());
  if (logs.empty())
    return result;
  const auto meanOf = [](const std::vector<double> &values) {
    double sum = 0;
    for (double value : values)
      sum += value;
    return std::exp(sum / double(values.size()));
  };
  result.mean = meanOf(logs);
  support::Rng rng(1);
  std::vector<double> means, drawn(logs.size());
  constexpr unsigned resamples = 1000;
  for (unsigned i = 0; i < resamples; ++i) {
    for (double &value : drawn)
      value = rng.pick(logs);
    means.push_back(meanOf(drawn));
  }
  std::sort(means.begin(), means.end());
  result.low = means[resamples / 40];
  result.high = means[resamples - 1 - resamples / 40];
  return result;
}

namespace {

bool isMatrixOrAttention(const std::string &family) {
  for (const char *start : {"gemm", "matrix", "flash", "attention", "paged"})
    if (family.starts_with(start))
      return true;
  return false;
}

/// Rows of one split and architecture, of one split, of all; of those, the tight ones, and GEMM and attention alone.
std::map<std::pair<std::string, std::string>, std::vector<const Row *>> grouped(const std::vector<Row> &rows) {
  std::map<std::pair<std::string, std::string>, std::vector<const Row *>> groups;
  for (const Row &row : rows) {
    const auto add = [&](const std::string &name) {
      groups[{name, row.entry.arch}].push_back(&row);
      groups[{name, "all"}].push_back(&row);
    };
    add(row.entry.split);
    if (isMatrixOrAttention(row.entry.family))
      add(row.entry.split + ":matrix");
    groups[{"all", "all"}].push_back(&row);
    if (row.need > tight_need)
      groups[{"all:tight", "all"}].push_back(&row);
  }
  return groups;
}

struct Summary {
  unsigned n = 0;
  double raw = 0, heeded = 0, masked = 0, repaired = 0, repairs = 0;
  std::map<unsigned, double> pass_at;
  double tokens = 0, seconds = 0, decisions = 0, legal = 0, attempts = 0;
  bool has_masked = true;
  std::map<std::string, unsigned> misfits; ///< of a map-after model: problems that it cannot be asked, by reason
};

void addPasses(Summary &s, unsigned n, unsigned right) {
  for (unsigned k : {1u, 5u, 10u, 100u})
    if (k <= n)
      s.pass_at[k] += passAt(n, right, k);
}

/// As the rows of a model of episodes; nothing is repaired.
void addMap(const Row &row, Summary &s) {
  const allocators::MapPlayed &played = *row.map;
  ++s.n;
  s.tokens += double(row.tokens);
  if (played.misfit)
    ++s.misfits[played.misfit];
  const bool masked = played.masked && played.masked->outcome == allocators::Outcome::Accepted;
  s.raw += row.raw;
  s.masked += masked;
  s.repaired += masked || (!played.masked && row.raw);
  s.has_masked &= played.masked || played.misfit;
  unsigned right = 0;
  for (const allocators::MapAttempt &attempt : played.attempts) {
    right += attempt.outcome == allocators::Outcome::Accepted;
    s.decisions += attempt.decisions;
    s.legal += attempt.legal;
  }
  s.seconds += played.seconds;
  s.attempts += double(played.attempts.size());
  addPasses(s, static_cast<unsigned>(played.attempts.size()), right);
}

Summary summarise(const std::vector<const Row *> &rows) {
  Summary s;
  for (const Row *row : rows) {
    if (row->map) {
      addMap(*row, s);
      continue;
    }
    if (row->attempts.empty())
      continue;
    ++s.n;
    const allocators::Attempt &first = row->attempts.front();
    const bool complete = first.outcome == allocators::Outcome::Accepted;
    s.raw += row->raw;
    s.heeded += first.isRaw();
    s.masked += complete && first.repairs == 0;
    s.repaired += complete;
    unsigned right = 0;
    for (const allocators::Attempt &attempt : row->attempts) {
      right += attempt.outcome == allocators::Outcome::Accepted && attempt.repairs == 0;
      s.decisions += attempt.decisions;
      s.legal += attempt.legal;
      s.repairs += attempt.repairs;
      s.seconds += attempt.seconds;
      ++s.attempts;
    }
    s.tokens += double(row->tokens);
    addPasses(s, static_cast<unsigned>(row->attempts.size()), right);
  }
  for (double *value : {&s.raw, &s.heeded, &s.masked, &s.repaired})
    *value /= std::max(1u, s.n);
  for (auto &[k, value] : s.pass_at)
    value /= std::max(1u, s.n);
  return s;
}

nlohmann::json toJson(const Relative &r) {
  if (r.n == 0)
    return {{"n", 0}};
  return {{"n", r.n}, {"mean", r.mean}, {"low", r.low}, {"high", r.high}, {"better", r.better}, {"worse", r.worse}};
}

std::string textOf(const Relative &r) {
  return r.n == 0 ? fmt::format("{:^23}", "-") : fmt::format("{:.4f} [{:.4f}, {:.4f}]", r.mean, r.low, r.high);
}

std::string passesOf(const Summary &s) {
  std::string text;
  for (const auto &[k, value] : s.pass_at)
    text += fmt::format(", pass@{} {:.1f} %", k, 100 * value);
  return text;
}

/// Of the problems, those in which the allocator left nothing over.
double shareComplete(const std::vector<const Row *> &group, const std::string &allocator) {
  const auto complete = std::ranges::count_if(group, [&](const Row *row) {
    const auto made = row->made.find(allocator);
    return made != row->made.end() && made->second.unplaced == 0;
  });
  return double(complete) / double(group.size());
}

/// Of a group, in the order of the table; of those of search_moves, by moves.
std::vector<std::string> allocatorsOf(const std::vector<const Row *> &group) {
  std::set<std::string> made;
  for (const Row *row : group) {
    for (const auto &[allocator, result] : row->made)
      made.insert(allocator);
    if (row->map)
      made.insert("map-after"); // even if nothing of it was accepted
  }
  std::vector<std::string> names;
  for (const char *known : {"first-fit", "cheapest", "rule-cheapest", "rule-foresighted", "rule-packed", "rule-weighed",
                            "search", "randomised-cheapest", "randomised-best", "model", "model-best", "search-as-many",
                            "search-as-long", "map-after", "map-after-raw"})
    if (made.contains(known))
      names.push_back(known);
  std::vector<std::pair<unsigned, std::string>> searches;
  for (const std::string &allocator : made)
    if (const size_t dash = allocator.rfind('-'); dash != std::string::npos && std::isdigit(allocator[dash + 1]))
      searches.emplace_back(std::stoul(allocator.substr(dash + 1)), allocator);
  std::sort(searches.begin(), searches.end());
  for (auto &[moves, allocator] : searches)
    names.push_back(std::move(allocator));
  return names;
}

using Names = std::pair<std::string, std::string>;

/// What is compared directly, on the problems that both have; searches also with those of the next larger budget.
std::vector<Names> pairsOf(const std::vector<const Row *> &group) {
  const std::vector<std::string> known = allocatorsOf(group);
  std::vector<Names> candidates = {{"model", "cheapest"},
                                   {"model", "rule-weighed"},
                                   {"model", "search"},
                                   {"model-best", "randomised-cheapest"},
                                   {"model-best", "randomised-best"},
                                   {"model-best", "search-as-many"},
                                   {"model-best", "search-as-long"}};
  std::vector<std::string> budgets; // "20", ascending
  for (const std::string &name : known)
    if (name.starts_with("search-") && std::isdigit(name[7]))
      budgets.push_back(name.substr(7));
  for (const char *start : {"weighed", "model"})
    for (size_t b = 0; b < budgets.size(); ++b)
      for (size_t other = b; other < std::min(b + 2, budgets.size()); ++other)
        candidates.emplace_back(fmt::format("{}-search-{}", start, budgets[b]), "search-" + budgets[other]);
  std::erase_if(candidates, [&](const Names &names) {
    return std::ranges::find(known, names.first) == known.end() ||
           std::ranges::find(known, names.second) == known.end();
  });
  return candidates;
}

/// Seconds of the first over those of the second, on the problems that both have.
double timeRatio(const std::vector<const Row *> &group, const Names &names) {
  double first = 0, second = 0;
  for (const Row *row : group)
    if (row->made.contains(names.first) && row->made.contains(names.second)) {
      first += row->made.at(names.first).seconds;
      second += row->made.at(names.second).seconds;
    }
  return second > 0 ? first / second : 0;
}

} // namespace

nlohmann::json toJson(const std::vector<Row> &rows) {
  nlohmann::json json, problems = nlohmann::json::array(), table = nlohmann::json::array();
  for (const Row &row : rows) {
    nlohmann::json one = {{"kernel", row.entry.kernel}, {"arch", row.entry.arch}, {"split", row.entry.split},
                          {"family", row.entry.family}, {"vregs", row.vregs},     {"need", row.need},
                          {"issue", row.issue},         {"path", row.entry.path}, {"raw", row.raw}};
    for (const auto &[name, made] : row.made)
      one["made"][name] = {
          {"cost", made.cost}, {"unplaced", made.unplaced}, {"value", made.value()}, {"seconds", made.seconds}};
    for (const allocators::Attempt &attempt : row.attempts)
      one["attempts"].push_back({{"outcome", allocators::name(attempt.outcome)},
                                 {"heeded", attempt.isRaw()},
                                 {"decisions", attempt.decisions},
                                 {"legal", attempt.legal},
                                 {"overruled", attempt.overruled},
                                 {"repairs", attempt.repairs},
                                 {"withdrawn", attempt.withdrawn},
                                 {"dead_ends", attempt.dead_ends},
                                 {"cost", attempt.cost},
                                 {"seconds", attempt.seconds}});
    if (row.map) {
      one["misfit"] = row.map->misfit ? nlohmann::json(row.map->misfit) : nlohmann::json();
      const auto add = [&](const char *kind, const allocators::MapAttempt &attempt) {
        one[kind].push_back({{"outcome", allocators::name(attempt.outcome)},
                             {"decisions", attempt.decisions},
                             {"legal", attempt.legal}});
      };
      for (const allocators::MapAttempt &attempt : row.map->attempts)
        add("attempts", attempt);
      if (row.map->masked)
        add("masked", *row.map->masked);
      one["tokens"] = row.tokens;
      one["seconds"] = row.map->seconds;
    }
    problems.push_back(std::move(one));
  }
  nlohmann::json pairs = nlohmann::json::array();
  for (const auto &[key, group] : grouped(rows)) {
    for (const Names &names : pairsOf(group)) {
      nlohmann::json one = toJson(compare(group, names.first, names.second));
      one.update({{"split", key.first},
                  {"arch", key.second},
                  {"allocator", names.first},
                  {"against", names.second},
                  {"time", timeRatio(group, names)}});
      pairs.push_back(std::move(one));
    }
    for (const std::string &allocator : allocatorsOf(group)) {
      nlohmann::json one = {{"split", key.first}, {"arch", key.second}, {"allocator", allocator}, {"n", group.size()}};
      one["cost_vs_greedy"] = toJson(compare(group, allocator, "greedy"));
      one["cost_vs_cheapest"] = toJson(compare(group, allocator, "rule-cheapest"));
      one["complete"] = shareComplete(group, allocator);
      if (allocator == "model" || allocator == "map-after") {
        const Summary s = summarise(group);
        one["raw"] = s.raw;
        one["heeded"] = s.heeded;
        if (s.has_masked)
          one["masked"] = s.masked;
        one["repaired"] = s.repaired;
        for (const auto &[k, value] : s.pass_at)
          one["pass_at"][std::to_string(k)] = value;
        if (s.decisions > 0)
          one["legal_decisions"] = s.legal / s.decisions;
        if (allocator == "map-after")
          one["misfits"] = s.misfits;
        one["repairs_an_attempt"] = s.attempts > 0 ? s.repairs / s.attempts : 0;
        one["tokens_per_second"] = s.seconds > 0 ? s.tokens / s.seconds : 0;
      }
      table.push_back(std::move(one));
    }
  }
  json["pairs"] = std::move(pairs);
  json["rows"] = std::move(table);
  json["problems"] = std::move(problems);
  return json;
}

std::string formatRows(const std::vector<Row> &rows) {
  std::string out = fmt::format("{:<12} {:<8} {:<19} {:>4} {:>8}  {:>22}  {:>22}  {:>11}\n", "split", "arch",
                                "allocator", "n", "complete", "cost : greedy", "cost : rule-cheapest", "better/worse");
  for (const auto &[key, group] : grouped(rows)) {
    if (key.second != "all")
      continue;
    for (const std::string &allocator : allocatorsOf(group)) {
      const Relative greedy = compare(group, allocator, "greedy"), rule = compare(group, allocator, "rule-cheapest");
      out += fmt::format("{:<12} {:<8} {:<19} {:>4} {:>7.1f}%  {}  {}  {:>5}/{}\n", key.first, key.second, allocator,
                         group.size(), 100 * shareComplete(group, allocator), textOf(greedy), textOf(rule), rule.better,
                         rule.worse);
    }
    for (const Names &names : pairsOf(group)) {
      const Relative r = compare(group, names.first, names.second);
      out += fmt::format("  {:<42} {:>4}  {}  {:>5}/{}  time {:.2f}\n", names.first + " : " + names.second, r.n,
                         textOf(r), r.better, r.worse, timeRatio(group, names));
    }
    const Summary s = summarise(group);
    if (s.n && group.front()->map) {
      out += fmt::format("  map-after: raw {:.1f} %", 100 * s.raw);
      if (s.has_masked)
        out += fmt::format(", masked {:.1f} %", 100 * s.masked);
      if (s.decisions > 0) // of a server they are not known
        out += fmt::format(", legal decisions {:.2f} %, {:.0f} tokens/s", 100 * s.legal / s.decisions,
                           s.tokens / std::max(1e-9, s.seconds));
      out += passesOf(s);
      for (const auto &[reason, problems] : s.misfits)
        out += fmt::format("; failed for {}: {}", reason, problems);
      out += '\n';
    } else if (s.n) {
      out += fmt::format("  model: raw {:.1f} %, never overruled {:.1f} %, masked {:.1f} %, repaired {:.1f} %, legal "
                         "decisions {:.2f} %, repairs "
                         "an attempt {:.2f}, {:.0f} tokens/s",
                         100 * s.raw, 100 * s.heeded, 100 * s.masked, 100 * s.repaired,
                         100 * s.legal / std::max(1.0, s.decisions), s.repairs / std::max(1.0, s.attempts),
                         s.tokens / std::max(1e-9, s.seconds));
      out += passesOf(s);
      out += '\n';
    }
  }
  return out;
}

} // namespace verilocc::dataset
