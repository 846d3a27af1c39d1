#include "dataset/write.h"

#include "support/hash.h"
#include "tokens/map_words.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace verilocc::dataset {

namespace fs = std::filesystem;
using support::InputError;

namespace {

uint64_t vocabularyOf(Words words) {
  return words == Words::Map ? tokens::mapWords().hash() : tokens::vocabHash();
}

uint64_t keyOf(const std::vector<const Entry *> &own, const WriteOptions &options) {
  support::Hash hash;
  hash.add(vocabularyOf(options.words)).add(options.split);
  for (const Entry *entry : own)
    hash.add(entry->path).add(entry->hash).add(uint64_t(entry->duplicate));
  const LabelOptions &l = options.label;
  if (options.words == Words::Map) {
    hash.add(l.seed).add(uint64_t(options.passes)).add(uint64_t(options.context)).add(uint64_t(options.max_vregs));
    return options.teacher == MapTeacher::Search ? hash.value() : hash.add("first-fit").value();
  }
  for (uint64_t value : {l.seed, uint64_t(l.horizon), uint64_t(l.max_tried), uint64_t(l.window), uint64_t(l.lead),
                         uint64_t(l.max_windows), uint64_t(options.max_vregs), uint64_t(options.passes), l.player_hash})
    hash.add(value);
  return hash.add(fmt::format("{} {} {} {} {} {}", l.temperature, l.margin, l.keep_dull, l.stray, l.share, l.dead_end))
      .value();
}

support::Result<uint64_t> hashOfFile(const std::string &path) {
  auto shard = model::readShard(path);
  if (!shard)
    return shard.error();
  return shard->hash;
}

} // namespace

nlohmann::json toJson(const Card &card) {
  nlohmann::json json;
  json["problems"] = card.problems;
  json["duplicates"] = card.duplicates;
  json["too_large"] = card.too_large;
  json["sequences"] = card.sequences;
  json["tokens"] = card.tokens;
  json["decisions"] = card.decisions;
  json["rule_is_best"] = card.decisions ? double(card.agreeing) / double(card.decisions) : 0;
  json["by_family"] = card.by_family;
  json["by_arch"] = card.by_arch;
  if (!card.misfits.empty())
    json["misfits"] = card.misfits;
  nlohmann::json lengths;
  for (const auto &[length, count] : card.by_length)
    lengths[std::to_string(length)] = count;
  json["by_vregs_up_to"] = lengths;
  json["hash"] = fmt::format("{:016x}", card.hash);
  json["seconds"] = card.seconds;
  return json;
}

support::Result<Card> writeShard(const std::vector<Entry> &entries, const WriteOptions &options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<const Entry *> own;
  size_t index = 0;
  for (const Entry &entry : entries)
    if (entry.split == options.split && index++ % options.shard.count == options.shard.index)
      own.push_back(&entry);

  std::error_code error;
  fs::create_directories(options.out, error);
  if (error)
    return InputError{error.message(), options.out};
  const std::string stem =
      fmt::format("{}/{}-{}-of-{}", options.out, options.split, options.shard.index, options.shard.count);
  const std::string key = fmt::format("{:016x}", keyOf(own, options));
  if (std::ifstream old(stem + ".json"); old && fs::exists(stem + ".shard")) {
    const auto json = nlohmann::json::parse(old, nullptr, false);
    if (!json.is_discarded() && json.value("key", "") == key) {
      Card card;
      card.problems = json.value("problems", 0u);
      card.sequences = json.value("sequences", 0u);
      card.tokens = json.value("tokens", uint64_t(0));
      card.decisions = json.value("decisions", uint64_t(0));
      card.misfits = json.value("misfits", card.misfits);
      return card;
    }
  }

  model::ShardHeader header;
  header.vocab_hash = vocabularyOf(options.words);
  header.vocab_size = options.words == Words::Map ? tokens::mapWords().size() : tokens::vocabSize();
  header.description = fmt::format("verilocc dataset, split {}, key {}", options.split, key);
  auto writer = model::ShardWriter::create(stem + ".shard", header);
  if (!writer)
    return writer.error();
  Card card;
  for (size_t i = 0; i < own.size(); ++i) {
    if (options.progress)
      options.progress(i, own.size());
    const Entry &entry = *own[i];
    if (entry.duplicate) {
      ++card.duplicates;
      continue;
    }
    auto contents = readCase(entry.path);
    if (!contents)
      return contents.error();
    const problem::Problem &problem = contents->problem;
    if (problem.vregs.size() > options.max_vregs) {
      ++card.too_large;
      continue;
    }
    const std::string name = entry.arch + "/" + entry.kernel;
    const auto add = [&](const model::TrainingSequence &sequence) -> support::Status {
      ++card.sequences;
      card.tokens += sequence.tokens.size();
      return writer->add(sequence);
    };
    if (options.words == Words::Map) {
      const uint64_t seed = support::Hash().add(options.label.seed).add(name).value();
      const MapLabelled labelled = mapLabel(*contents, seed, options.passes, options.context, options.teacher);
      if (labelled.misfit) {
        ++card.misfits[labelled.misfit];
        continue;
      }
      for (const model::TrainingSequence &sequence : labelled.sequences) {
        if (auto status = add(sequence); !status)
          return status.error();
        card.decisions += sequence.decisions.size();
      }
    } else {
      const analysis::LiveRanges live(problem);
      const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
      for (unsigned pass = 0; pass < options.passes; ++pass) {
        LabelOptions label_options = options.label;
        label_options.seed = support::Hash().add(options.label.seed).add(name).add(pass).value();
        const Labelled labelled = label(problem, live, rules, label_options);
        for (const model::TrainingSequence &sequence : labelled.sequences)
          if (auto status = add(sequence); !status)
            return status.error();
        card.decisions += labelled.decisions;
        card.agreeing += labelled.agreeing;
      }
    }
    ++card.problems;
    ++card.by_family[entry.family];
    ++card.by_arch[entry.arch];
    unsigned length = 64;
    while (length < problem.vregs.size())
      length *= 2;
    ++card.by_length[length];
  }
  if (auto status = writer->finish(); !status)
    return status.error();
  auto hash = hashOfFile(stem + ".shard");
  if (!hash)
    return hash.error();
  card.hash = *hash;
  card.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  nlohmann::json json = toJson(card);
  if (options.words == Words::Map)
    json.erase("rule_is_best");
  json["key"] = key;
  json["command"] = options.command;
  json["vocabulary"] = fmt::format("{:016x}", vocabularyOf(options.words));
  std::ofstream out(stem + ".json.partial");
  out << json.dump(2) << '\n';
  out.close();
  fs::rename(stem + ".json.partial", stem + ".json", error);
  if (!out || error)
    return InputError{"cannot be written", stem + ".json"};
  return card;
}

} // namespace verilocc::dataset
