#include "dataset/language.h"

#include "allocators/planned.h"
#include "tokens/replay.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace verilocc::dataset {

using tokens::TokenId;

namespace {

using Counts = std::map<TokenId, uint64_t>;

bool namesTheArchitecture(TokenId word) {
  const tokens::Family family = tokens::wordOf(word).family;
  return family == tokens::Family::Start || family == tokens::Family::Budget;
}

/// Shares of types and of occurrences that `a` and `b` have in common; see LanguagePair.
std::pair<double, double> common(const Counts &a, const Counts &b) {
  unsigned both = 0;
  uint64_t all = 0, shared = 0;
  for (const auto &[from, to] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (const auto &[word, count] : *from) {
      const bool has = to->contains(word);
      both += has && from == &a;
      all += count;
      shared += has ? count : 0;
    }
  return {both / double(std::max<size_t>(1, std::min(a.size(), b.size()))),
          double(shared) / double(std::max<uint64_t>(1, all))};
}

} // namespace

support::Result<Language> measureLanguage(const std::vector<Entry> &entries, const LanguageOptions &options) {
  std::map<std::string, LanguageRow> rows;
  std::map<std::string, std::set<TokenId>> types;
  std::map<std::string, std::map<std::string, Counts>> words_of; // by kernel, by architecture
  size_t number = 0;
  for (const Entry &entry : entries) {
    ++number;
    auto contents = readCase(entry.path);
    if (!contents)
      return contents.error();
    const problem::Problem &problem = contents->problem;
    if (problem.vregs.size() > options.max_vregs)
      continue;
    if (options.progress)
      options.progress(fmt::format("{} of {}: {} {}", number, entries.size(), entry.arch, entry.kernel));
    const analysis::LiveRanges live(problem);
    const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
    const tokens::EpisodeOptions game = allocators::planned(problem, live, rules);
    tokens::Episode episode(problem, live, rules, game), again(problem, live, rules, game);
    const std::vector<TokenId> words = tokens::encode(episode, {}, tokens::weighed);
    const auto read = tokens::parseTokens(tokens::textOf(words), entry.path);
    const auto replayed = read ? tokens::replay(again, *read) : support::Result<tokens::Replay>(read.error());

    LanguageRow &row = rows[entry.arch];
    row.arch = entry.arch;
    ++row.problems;
    row.returned += replayed && replayed->homes == episode.homes();
    row.tokens += words.size();
    row.decisions += tokens::countDecisions(episode.steps());
    row.vregs += episode.steps().size();
    Counts &counts = words_of[entry.kernel][entry.arch];
    for (TokenId word : words) {
      types[entry.arch].insert(word);
      if (!namesTheArchitecture(word))
        ++counts[word];
    }
  }
  Language language;
  for (auto &[arch, row] : rows) {
    row.types = static_cast<unsigned>(types[arch].size());
    language.rows.push_back(row);
  }
  for (auto a = rows.begin(); a != rows.end(); ++a)
    for (auto b = std::next(a); b != rows.end(); ++b) {
      LanguagePair pair{a->first, b->first};
      for (const auto &[kernel, by_arch] : words_of) {
        const auto one = by_arch.find(a->first), other = by_arch.find(b->first);
        if (one == by_arch.end() || other == by_arch.end())
          continue;
        const auto [shared_types, shared_words] = common(one->second, other->second);
        ++pair.kernels;
        pair.types += shared_types;
        pair.occurrences += shared_words;
      }
      if (pair.kernels == 0)
        continue;
      pair.types /= pair.kernels;
      pair.occurrences /= pair.kernels;
      language.pairs.push_back(pair);
    }
  return language;
}

nlohmann::json toJson(const Language &language) {
  nlohmann::json json;
  for (const LanguageRow &row : language.rows)
    json["rows"].push_back({{"arch", row.arch},
                            {"problems", row.problems},
                            {"returned", row.returned},
                            {"tokens", row.tokens},
                            {"decisions", row.decisions},
                            {"vregs", row.vregs},
                            {"types", row.types}});
  for (const LanguagePair &pair : language.pairs)
    json["pairs"].push_back({{"a", pair.a},
                             {"b", pair.b},
                             {"kernels", pair.kernels},
                             {"types", pair.types},
                             {"occurrences", pair.occurrences}});
  return json;
}

std::string format(const Language &language) {
  std::string out = fmt::format("{:<8} {:>8} {:>8} {:>13} {:>17} {:>6}\n", "arch", "problems", "returned",
                                "tokens a vreg", "tokens a decision", "types");
  for (const LanguageRow &row : language.rows)
    out += fmt::format("{:<8} {:>8} {:>8} {:>13.2f} {:>17.2f} {:>6}\n", row.arch, row.problems, row.returned,
                       double(row.tokens) / double(std::max<uint64_t>(1, row.vregs)),
                       double(row.tokens) / double(std::max<uint64_t>(1, row.decisions)), row.types);
  if (!language.pairs.empty())
    out +=
        fmt::format("\n{:<8} {:<8} {:>7} {:>13} {:>13}\n", "one", "other", "kernels", "types shared", "words shared");
  for (const LanguagePair &pair : language.pairs)
    out += fmt::format("{:<8} {:<8} {:>7} {:>11.1f} % {:>11.1f} %\n", pair.a, pair.b, pair.kernels, 100 * pair.types,
                       100 * pair.occurrences);
  return out;
}

} // namespace verilocc::dataset
