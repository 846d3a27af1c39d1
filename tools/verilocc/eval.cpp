// verilocc eval: a model beside rules and allocators that need none, over the splits of the corpus.
#include "dataset/evaluate.h"
#include "dataset/language.h"
#include "dataset/puzzles.h"
#include "inputs.h"
#include "model/checkpoint.h"
#include "model/native.h"
#include "tokens/map_words.h"

#include <fmt/format.h>
#include <unistd.h>

namespace verilocc::tool {

namespace {

struct Arguments {
  std::string problems = "build/problems", manifest = "kernels/manifest.txt", model, json;
  unsigned threads = 1, puzzles = 0;
  bool language = false;
  dataset::CorpusOptions corpus;
  dataset::EvaluateOptions evaluate;
};

int run(Arguments &arguments) {
  std::unique_ptr<model::LmBackend> backend;
  if (!arguments.model.empty()) {
    const auto inWordsOf = [&](const tokens::WordTable &words) {
      return model::readCheckpoint(arguments.model, {.vocab_hash = words.hash(), .vocab_size = words.size()});
    };
    auto checkpoint = inWordsOf(tokens::episodeWords());
    if (!checkpoint && arguments.puzzles == 0)
      if (auto map_after = inWordsOf(tokens::mapWords()))
        checkpoint = std::move(map_after);
    if (!checkpoint) {
      printError(checkpoint.error());
      return bad_input;
    }
    model::NativeOptions native;
    native.threads = arguments.threads;
    backend = model::nativeBackend(checkpoint->weights, checkpoint->provenance.vocab_hash, native);
  }
  if (arguments.puzzles > 0) {
    dataset::PuzzleOptions options;
    options.count = arguments.puzzles;
    options.seed = arguments.evaluate.seed;
    const auto scores = dataset::solvePuzzles(backend.get(), options);
    fmt::print("{}", dataset::formatPuzzles(scores));
    return writeJson(arguments.json, dataset::toJson(scores)) ? done : bad_input;
  }
  auto entries = dataset::readCorpus(arguments.problems, arguments.manifest, arguments.corpus);
  if (!entries) {
    printError(entries.error());
    return bad_input;
  }
  const bool terminal = isatty(STDERR_FILENO);
  if (terminal)
    arguments.evaluate.progress = [](const std::string &text) { fmt::print(stderr, "\r\033[K{}", text); };
  const auto report = [&](const auto &result, auto textOf) {
    if (terminal)
      fmt::print(stderr, "\r\033[K");
    if (!result) {
      printError(result.error());
      return bad_input;
    }
    fmt::print("{}", textOf(*result));
    return writeJson(arguments.json, dataset::toJson(*result)) ? done : bad_input;
  };
  if (arguments.language)
    return report(dataset::measureLanguage(*entries, {arguments.evaluate.max_vregs, arguments.evaluate.progress}),
                  [](const auto &language) { return dataset::format(language); });
  return report(dataset::evaluate(*entries, backend.get(), arguments.evaluate),
                [](const auto &rows) { return dataset::formatRows(rows); });
}

} // namespace

void addEval(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("eval", "Measure a model beside rules and allocators that need none");
  command->add_option("--model", arguments->model, "Checkpoint, of episodes or map-after; none: the rules alone");
  model::RemoteOptions &server = arguments->evaluate.server;
  command
      ->add_option(
          "--endpoint", server.url,
          "Instead of a checkpoint, a server of the OpenAI kind (http://HOST:PORT/v1): asked the text of dataset "
          "--language map; the key is taken from OPENAI_API_KEY")
      ->excludes("--model");
  command->add_option("--endpoint-model", server.model, "Name of the model there");
  command->add_option("--problems", arguments->problems, "Folder with ARCH/NAME.ra")->capture_default_str();
  command->add_option("--manifest", arguments->manifest, "Which kernel belongs to which split")->capture_default_str();
  command->add_option("--split", arguments->evaluate.splits, "Only these splits")->delimiter(',');
  command->add_option("--arch", arguments->corpus.archs, "Only these architectures")->delimiter(',');
  command->add_flag(
      "--by-kernel", arguments->corpus.by_kernel,
      "Splits are the kernels' on every architecture, test-arch's too: after fine-tuning on one of those");
  command->add_option("--limit", arguments->evaluate.limit, "Problems a split and architecture; 0: all")
      ->capture_default_str();
  command->add_option("--max-vregs", arguments->evaluate.max_vregs, "Leave larger problems out")->capture_default_str();
  command->add_option("--attempts", arguments->evaluate.attempts, "Of the model a problem; the first is greedy")
      ->capture_default_str();
  command->add_option("--temperature", arguments->evaluate.temperature, "Of the other attempts")->capture_default_str();
  command->add_option("--seed", arguments->evaluate.seed, "Of the other attempts, and of puzzles")
      ->capture_default_str();
  command->add_flag("--language", arguments->language,
                    "Instead of a model, its language: tokens a vreg, round trips, words that architectures share");
  command->add_option("--puzzles", arguments->puzzles, "Instead of kernels: so many constructed problems a grade");
  command
      ->add_option("--search", arguments->evaluate.search_moves,
                   "Moves a vreg: search with so many, from greedy's homes, the rule's and the model's")
      ->delimiter(',');
  command->add_option("--threads", arguments->threads, "For the model")->capture_default_str();
  command->add_option("--json", arguments->json, "Write all rows there");
  command->callback([arguments, &session] { session.exit_code = run(*arguments); });
}

} // namespace verilocc::tool
