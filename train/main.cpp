// verilocc-train: what `verilocc train` runs. A program of its own, so that the compiler need not load libtorch.
#include "model/files.h"
#include "model/shards.h"
#include "tokens/map_words.h"
#include "tokens/vocab.h"
#include "train/judge.h"
#include "train/plot.h"
#include "train/train.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace verilocc;

namespace {

constexpr int done = 0, bad_input = 1, wrong_usage = 2, own_fault = 3;

int fail(const support::InputError &error) {
  fmt::print(stderr, "verilocc train: error: {}\n", error.str());
  return bad_input;
}

/// FOLDER/SPLIT-*.shard for each folder, other names as they are; sorted within a folder.
support::Result<std::vector<std::string>> shardsOf(const std::vector<std::string> &names, const std::string &split) {
  std::vector<std::string> shards;
  for (const std::string &name : names) {
    if (!std::filesystem::is_directory(name)) {
      shards.push_back(name);
      continue;
    }
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(name)) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with(split + "-") && file.ends_with(".shard"))
        found.push_back(entry.path().string());
    }
    std::ranges::sort(found);
    shards.insert(shards.end(), found.begin(), found.end());
  }
  if (shards.empty() && !names.empty())
    return support::InputError{fmt::format("has no {}-*.shard", split), names.front()};
  return shards;
}

/// The words of this program and what they are made of, if the shards were written in them: a feature for each family,
/// and one for each value of each of its features.
void describeWords(train::TrainOptions &options, bool features) {
  const auto shard = model::readShard(options.training.front());
  if (!shard)
    return; // train() says why
  const tokens::WordTable *found = nullptr;
  for (const tokens::WordTable *table : {&tokens::episodeWords(), &tokens::mapWords()})
    if (table->hash() == shard->header.vocab_hash)
      found = table;
  if (!found)
    return;
  std::map<std::vector<unsigned>, uint32_t> numbers;
  auto number = [&](std::vector<unsigned> what) {
    return numbers.emplace(std::move(what), numbers.size()).first->second;
  };
  for (unsigned token = 0; token < found->size(); ++token) {
    const auto id = static_cast<tokens::TokenId>(token);
    options.words.push_back(found->textOf(id));
    if (!features)
      continue;
    const tokens::AnyWord word = found->wordOf(id);
    std::vector<uint32_t> &list = options.features.emplace_back();
    list.push_back(number({word.family}));
    for (unsigned i = 0; i < found->family(word.family).num_features; ++i)
      list.push_back(number({word.family, i, word.values[i]}));
  }
}

int plotOnly(const std::string &folder) {
  const std::string log = folder + "/log.jsonl";
  const auto text = model::readFile(log);
  if (!text)
    return fail(text.error());
  const auto svg = train::plot(*text, log);
  if (!svg)
    return fail(svg.error());
  if (auto status = model::writeFile(folder + "/log.svg", *svg); !status)
    return fail(status.error());
  fmt::print("{}/log.svg\n", folder);
  return done;
}

void printLine(const std::string &text) {
  const auto line = nlohmann::json::parse(text);
  auto number = [&](const char *key) { return line.value(key, 0.0); };
  if (line["kind"] == "start")
    fmt::print("{} weights; {} decisions in {} tokens, {} steps an epoch; {} validation decisions\n",
               line["parameters"].dump(), line["training_decisions"].dump(), line["training_tokens"].dump(),
               line["steps_an_epoch"].dump(), line["validation_decisions"].dump());
  else if (line["kind"] == "training")
    fmt::print("step {:>6}  {:6.1f} min  loss {:.4f}  rate {:.1e}  {:.0f} tokens/s\n", line["step"].get<uint64_t>(),
               number("minutes"), number("loss"), number("learning_rate"), number("tokens_a_second"));
  else
    fmt::print("step {:>6}  validation{}\n", line["step"].get<uint64_t>(), [&] {
      std::string scores;
      for (const auto &[key, value] : line.items())
        if (key != "step" && key != "minutes" && value.is_number())
          scores += fmt::format("  {} {:.4f}", key, value.get<double>());
      return scores + (line.value("best", false) ? "  (best so far)" : "");
    }());
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  train::TrainOptions options;
  std::vector<std::string> data, validation;
  std::string storage = "f16", plot_folder;
  bool quiet = false, features = true;
  for (int i = 0; i < argc; ++i)
    options.command += (i ? " " : "") + std::string(i ? argv[i] : "verilocc train");

  CLI::App app{
      "Train a decoder on shards (see verilocc dataset). Started again with the same options, an interrupted run "
      "goes on.",
      "verilocc train"};
  app.add_option("data", data, "Shards, or folders with train-*.shard");
  app.add_option("--validation", validation,
                 "Shards, or folders with validation-*.shard (default: the folders of data)");
  app.add_option("-o,--out", options.folder, "Folder of the run: state, log, best.gguf, last.gguf");
  app.add_option("--plot", plot_folder, "Only draw FOLDER/log.svg from FOLDER/log.jsonl");
  app.add_option("--init", options.initial, "Go on from this checkpoint (fine-tune); its shape is taken");
  app.add_option("--name", options.name, "Of the model, for the checkpoint")->capture_default_str();
  app.add_option("--storage", storage, "Of the weights in checkpoints: f32, f16 or q8")
      ->check(CLI::IsMember({"f32", "f16", "q8"}))
      ->capture_default_str();
  app.add_option("--width", options.shape.width)->capture_default_str();
  app.add_option("--layers", options.shape.layers)->capture_default_str();
  auto *heads = app.add_option("--heads", options.shape.heads, "Default: one for 32 of width");
  auto *kv_heads = app.add_option("--kv-heads", options.shape.kv_heads, "Default: as many as heads");
  auto *feed_forward = app.add_option("--feed-forward", options.shape.feed_forward, "Default: 2.75 times the width");
  app.add_option("--window", options.shape.window, "Tokens that a token sees")->capture_default_str();
  app.add_option("--context", options.context, "Tokens trained on at once")->capture_default_str();
  app.add_option("--overlap", options.overlap, "Of these, repeated from before")->capture_default_str();
  app.add_option("--batch", options.batch_tokens, "Tokens a step")->capture_default_str();
  app.add_option("--steps", options.max_steps, "Limit; 0: none")->capture_default_str();
  app.add_option("--minutes", options.max_minutes, "Limit, over all restarts; 0: none")->capture_default_str();
  app.add_option("--rate", options.learning_rate, "Highest learning rate")->capture_default_str();
  app.add_option("--warmup", options.warmup_steps, "Steps")->capture_default_str();
  app.add_option("--regret", options.regret_share, "Share of the expected regret in the loss")->capture_default_str();
  app.add_flag("--weights,!--no-weights", options.label_weights, "Weight decisions as the shards say (default)");
  app.add_option("--decay", options.weight_decay, "Of weights")->capture_default_str();
  app.add_option("--clip", options.clip, "Largest norm of the gradients")->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--threads", options.threads)->capture_default_str();
  app.add_option("--validate-every", options.validate_every, "Steps")->capture_default_str();
  app.add_option("--validate-decisions", options.validate_decisions, "At most")->capture_default_str();
  app.add_option("--patience", options.patience, "Stop after so many validations without improvement; 0: never")
      ->capture_default_str();
  app.add_flag("--features,!--no-features", features,
               "Train the words' embeddings as sums over what they say (default)");
#ifdef VERILOCC_JUDGE // without LLVM there is nothing to read problems with
  train::JudgeOptions judge;
  judge.limit = 0;
  app.add_option("--judge", judge.limit, "Play so many validation problems of each architecture at each validation");
  app.add_option("--problems", judge.problems, "For --judge: folder with ARCH/NAME.ra")->capture_default_str();
  app.add_option("--manifest", judge.manifest, "For --judge: which kernel belongs to which split")
      ->capture_default_str();
#endif
  app.add_flag("--quiet", quiet, "Print the result only");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? wrong_usage : done;
  }
  if (!plot_folder.empty())
    return plotOnly(plot_folder);
  if (data.empty() || options.folder.empty()) {
    fmt::print(stderr, "verilocc train: error: training data and --out are needed; see --help\n");
    return wrong_usage;
  }
  model::Shape &shape = options.shape;
  if (heads->empty())
    shape.heads = std::max(1u, shape.width / 32);
  if (kv_heads->empty())
    shape.kv_heads = shape.heads;
  if (feed_forward->empty())
    shape.feed_forward = std::max(32u, shape.width * 11 / 4 / 32 * 32);
  options.storage = storage == "f32" ? model::Storage::F32 : storage == "q8" ? model::Storage::Q8 : model::Storage::F16;
  if (!quiet)
    options.progress = printLine;
  try {
    auto training = shardsOf(data, "train");
    if (!training)
      return fail(training.error());
    options.training = *training;
    if (validation.empty())
      std::ranges::copy_if(data, std::back_inserter(validation),
                           [](const std::string &name) { return std::filesystem::is_directory(name); });
    auto validating = shardsOf(validation, "validation");
    if (!validating)
      return fail(validating.error());
    options.validation = *validating;
    describeWords(options, features);
#ifdef VERILOCC_JUDGE
    if (judge.limit > 0) {
      auto made = train::makeJudge(judge);
      if (!made)
        return fail(made.error());
      options.judge = *made;
    }
#endif
    const auto result = train::train(options);
    if (!result)
      return fail(result.error());
    fmt::print("{} steps, {} tokens, {:.1f} minutes (stopped by {}); validation loss {:.4f}, accuracy {:.4f}, "
               "regret {:.4f} (rule {:.4f})\n",
               result->steps, result->tokens, result->minutes, result->stopped_by, result->validation.loss,
               result->validation.accuracy, result->validation.regret, result->validation.rule_regret);
    return plotOnly(options.folder);
  } catch (const std::exception &error) {
    fmt::print(stderr, "verilocc train: internal error: {}\n", error.what());
    return own_fault;
  }
}
