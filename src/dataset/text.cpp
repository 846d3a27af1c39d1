#include "dataset/text.h"

#include "allocators/planned.h"
#include "allocators/search.h"
#include "assignment/text.h"
#include "tokens/map_after.h"
#include "tokens/replay.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace verilocc::dataset {

namespace fs = std::filesystem;

namespace {

double priceOf(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
               const assignment::Homes &homes) {
  cost::Placement placement(problem, live, rules);
  for (problem::VReg v = 0; v < homes.size(); ++v)
    if (homes[v] != problem::no_unit)
      placement.place(v, homes[v]);
  return placement.total();
}

} // namespace

support::Result<unsigned> writeText(const std::vector<Entry> &entries, const TextOptions &options) {
  const bool map = options.language == Language::Map;
  std::error_code error;
  fs::create_directories(options.out, error);
  const std::string path = fmt::format("{}/{}-{}-of-{}.{}.jsonl", options.out, options.split, options.shard.index,
                                       options.shard.count, map ? "map" : "stream");
  std::ofstream out(path + ".partial", std::ios::binary);
  unsigned lines = 0;
  size_t index = 0;
  for (const Entry &entry : entries) {
    if (entry.split != options.split || index++ % options.shard.count != options.shard.index || entry.duplicate)
      continue;
    auto contents = readCase(entry.path);
    if (!contents)
      return contents.error();
    const problem::Problem &problem = contents->problem;
    if (problem.vregs.size() > options.max_vregs)
      continue;
    const analysis::LiveRanges live(problem);
    const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
    nlohmann::json line = {{"kernel", entry.kernel},
                           {"arch", entry.arch},
                           {"family", entry.family},
                           {"split", entry.split},
                           {"vregs", problem.vregs.size()}};
    const auto write = [&](const std::string &teacher, double cost) {
      line["teacher"] = teacher;
      line["cost"] = cost;
      out << line.dump() << '\n';
      ++lines;
    };
    if (!map) {
      tokens::Episode episode(problem, live, rules, allocators::planned(problem, live, rules));
      std::vector<tokens::TokenId> head;
      episode.advance(head);
      episode.rewind(0);
      const std::vector<tokens::TokenId> words = tokens::encode(episode, {}, tokens::packed);
      line["prompt"] = tokens::textOf(head);
      line["completion"] = tokens::textOf(std::span(words).subspan(std::min(head.size(), words.size())));
      write("packed", episode.cost());
      continue;
    }
    line["prompt"] = tokens::mapPrompt(problem);
    if (!contents->assignment)
      continue;
    const assignment::Homes greedy = assignment::mainHomes(problem, *contents->assignment);
    line["completion"] = tokens::mapCompletion(problem, greedy);
    write("greedy", priceOf(problem, live, rules, greedy));
    allocators::SearchOptions search;
    search.seed = options.seed;
    search.limits = {problem.env.max_vgprs, problem.env.max_agprs};
    const allocators::SearchResult found = allocators::search(problem, live, rules, greedy, search);
    if (found.unplaced == 0) {
      line["completion"] = tokens::mapCompletion(problem, found.homes);
      write("search", found.cost);
    }
  }
  out.close();
  if (!out)
    return support::InputError{"cannot be written", path};
  fs::rename(path + ".partial", path, error);
  if (error)
    return support::InputError{error.message(), path};
  return lines;
}

} // namespace verilocc::dataset
