// verilocc dataset: from kernels to problems, and from problems to what a model is trained on.
#include "dataset/extract.h"
#include "dataset/text.h"
#include "dataset/write.h"
#include "inputs.h"
#include "pipeline/model_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace verilocc::tool {

namespace fs = std::filesystem;

namespace {

struct Arguments {
  std::string problems = "build/problems", manifest = "kernels/manifest.txt", kernels, out, split = "train",
              shard = "0/1", language = "shards", teacher = "search", json, player;
  dataset::CorpusOptions corpus;
  dataset::WriteOptions write;
};

/// KERNELS/ARCH/NAME.ll to PROBLEMS/ARCH/NAME.ra; those that are newer than their kernel stay.
int extractProblems(const Arguments &arguments) {
  std::error_code error;
  std::vector<fs::path> inputs;
  for (const auto &folder : fs::directory_iterator(arguments.kernels, error))
    if (folder.is_directory())
      for (const auto &file : fs::directory_iterator(folder.path(), error))
        if (file.path().extension() == ".ll" || file.path().extension() == ".bc" || file.path().extension() == ".mir")
          inputs.push_back(file.path());
  if (error) {
    printError({error.message(), arguments.kernels});
    return bad_input;
  }
  std::sort(inputs.begin(), inputs.end());
  unsigned written = 0, kept = 0, failed = 0;
  for (const fs::path &input : inputs) {
    const std::string arch = input.parent_path().filename().string();
    const fs::path folder = fs::path(arguments.problems) / arch;
    const fs::path first = folder / (input.stem().string() + ".ra");
    if (fs::exists(first) && fs::last_write_time(first) > fs::last_write_time(input)) {
      ++kept;
      continue;
    }
    TargetOptions target;
    target.mcpu = arch;
    auto module = loadModule(input.string(), target);
    if (!module)
      return bad_input;
    auto cases = dataset::extract(*module, target.compileOptions());
    if (auto *failure = std::get_if<codegen::Failure>(&cases)) {
      printFailure(*failure);
      ++failed;
      continue;
    }
    fs::create_directories(folder, error);
    unsigned number = 0;
    for (const assignment::Case &contents : std::get<0>(cases)) {
      const fs::path path = number ? folder / fmt::format("{}.{}.ra", input.stem().string(), number) : first;
      if (!writeOutput(path.string(), assignment::print(contents)))
        return bad_input;
      ++number;
      ++written;
    }
  }
  fmt::print("{} problems written, {} kernels unchanged, {} failed\n", written, kept, failed);
  return failed ? bad_input : done;
}

int run(Arguments &arguments) {
  if (!arguments.kernels.empty())
    if (const int code = extractProblems(arguments); code != done)
      return code;
  if (arguments.out.empty())
    return done;
  auto shard = dataset::parseShard(arguments.shard);
  if (!shard) {
    printError(shard.error());
    return wrong_usage;
  }
  std::shared_ptr<model::LmBackend> player;
  auto entries = dataset::readCorpus(arguments.problems, arguments.manifest, arguments.corpus);
  if (!entries) {
    printError(entries.error());
    return bad_input;
  }
  if (auto status = dataset::findDuplicates(*entries); !status) {
    printError(status.error());
    return bad_input;
  }
  if (arguments.language == "map" || arguments.language == "stream") {
    dataset::TextOptions text;
    text.out = arguments.out;
    text.split = arguments.split;
    text.shard = *shard;
    text.language = arguments.language == "map" ? dataset::Language::Map : dataset::Language::Stream;
    text.max_vregs = arguments.write.max_vregs;
    text.seed = arguments.write.label.seed;
    auto lines = dataset::writeText(*entries, text);
    if (!lines) {
      printError(lines.error());
      return bad_input;
    }
    fmt::print("{} {}: {} lines\n", arguments.split, arguments.shard, *lines);
    return done;
  }
  if (!arguments.player.empty()) {
    auto loaded = pipeline::loadModel(arguments.player);
    if (!loaded) {
      printError(loaded.error());
      return bad_input;
    }
    arguments.write.label.player_hash = loaded->hash;
    player = std::move(loaded->backend);
    arguments.write.label.player = player.get();
  }
  if (arguments.language == "map-words")
    arguments.write.words = dataset::Words::Map;
  if (arguments.teacher == "first-fit")
    arguments.write.teacher = dataset::MapTeacher::FirstFit;
  arguments.write.shard = *shard;
  arguments.write.out = arguments.out;
  arguments.write.split = arguments.split;
  const bool terminal = isatty(STDERR_FILENO);
  if (terminal)
    arguments.write.progress = [](size_t done_so_far, size_t all) {
      fmt::print(stderr, "\r{} of {} problems", done_so_far, all);
    };
  auto card = dataset::writeShard(*entries, arguments.write);
  if (terminal)
    fmt::print(stderr, "\r\033[K");
  if (!card) {
    printError(card.error());
    return bad_input;
  }
  fmt::print("{} {}: {} problems, {} sequences, {} tokens, {} labelled decisions", arguments.split, arguments.shard,
             card->problems, card->sequences, card->tokens, card->decisions);
  if (arguments.write.words == dataset::Words::Episodes)
    fmt::print("; the rule is best in {:.1f} %",
               card->decisions ? 100.0 * double(card->agreeing) / double(card->decisions) : 0.0);
  for (const auto &[reason, problems] : card->misfits)
    fmt::print("; left out for {}: {}", reason, problems);
  fmt::print("\n");
  return writeJson(arguments.json, dataset::toJson(*card)) ? done : bad_input;
}

} // namespace

void addDataset(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("dataset", "Make training data for a model from the kernels' problems");
  command->add_option("--kernels", arguments->kernels,
                      "Folder with ARCH/NAME.ll: write the problem of each kernel to --problems first");
  command->add_option("--problems", arguments->problems, "Folder with ARCH/NAME.ra")->capture_default_str();
  command->add_option("--manifest", arguments->manifest, "Which kernel belongs to which split")->capture_default_str();
  command->add_option("--arch", arguments->corpus.archs, "Only these architectures")->delimiter(',');
  command->add_flag("--by-kernel", arguments->corpus.by_kernel,
                    "Splits are the kernels' on every architecture, test-arch's too: for fine-tuning on one of those");
  command->add_option("-o,--out", arguments->out, "Folder for shards and their cards; none: no shards");
  command->add_option("--split", arguments->split, "train, validation, test-shape, test-family, test-arch, other")
      ->capture_default_str();
  command->add_option("--shard", arguments->shard, "I/N: only every Nth problem, from the Ith")->capture_default_str();
  command->add_option("--json", arguments->json, "Write the card there as well");
  command
      ->add_option("--language", arguments->language,
                   "shards: token sequences with labels; map-words: token sequences, the whole problem and its answer; "
                   "map, stream: JSON lines for large models")
      ->check(CLI::IsMember({"shards", "map-words", "map", "stream"}))
      ->capture_default_str();
  dataset::LabelOptions &label = arguments->write.label;
  command->add_option("--seed", label.seed, "Of everything that is drawn")->capture_default_str();
  command->add_option("--horizon", label.horizon, "Steps that a rollout plays; 0: to the end")->capture_default_str();
  command->add_option("--tried", label.max_tried, "Candidates a decision that are rolled out")->capture_default_str();
  command->add_option("--share", label.share, "Share of a problem's decisions that are labelled")
      ->capture_default_str();
  command->add_option("--windows", label.max_windows, "Windows a problem at most")->capture_default_str();
  command->add_option("--temperature", label.temperature, "Of the labels, in cycles of the hottest block")
      ->capture_default_str();
  command->add_option("--player", arguments->player, "Checkpoint that plays: its own states are labelled");
  command->add_option("--stray", label.stray, "Share of decisions that are answered at random")->capture_default_str();
  command
      ->add_option("--passes", arguments->write.passes,
                   "Over each problem, each with its own seed; map-words: answers a problem")
      ->capture_default_str();
  command->add_option("--teacher", arguments->teacher, "For map-words: whose answers")
      ->check(CLI::IsMember({"search", "first-fit"}))
      ->capture_default_str();
  command->add_option("--context", arguments->write.context, "For map-words: leave longer sequences out")
      ->capture_default_str();
  command->add_option("--max-vregs", arguments->write.max_vregs, "Leave larger problems out")->capture_default_str();
  command->callback([arguments, &session] {
    arguments->write.command = session.command_line;
    session.exit_code = run(*arguments);
  });
}

} // namespace verilocc::tool
