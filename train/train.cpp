#include "train/train.h"

#include "model/checkpoint.h"
#include "model/files.h"
#include "support/hash.h"
#include "train/batches.h"
#include "train/trainer.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

namespace verilocc::train {
namespace {

using support::InputError;
using support::Result;
using support::Status;

struct DataSet {
  std::vector<model::TrainingSequence> sequences;
  uint64_t vocab_hash = 0, hash = 0, tokens = 0, decisions = 0;
  uint32_t vocab_size = 0;
};

Result<DataSet> readAll(const std::vector<std::string> &paths) {
  DataSet all;
  support::Hash hash;
  for (const std::string &path : paths) {
    Result<model::Shard> shard = model::readShard(path);
    if (!shard)
      return shard.error();
    if (&path == &paths.front()) {
      all.vocab_hash = shard->header.vocab_hash;
      all.vocab_size = shard->header.vocab_size;
    } else if (all.vocab_hash != shard->header.vocab_hash || all.vocab_size != shard->header.vocab_size) {
      return InputError{fmt::format("made with the vocabulary {:016x} of {} words, but {} with {:016x} of {}",
                                    shard->header.vocab_hash, shard->header.vocab_size, paths.front(), all.vocab_hash,
                                    all.vocab_size),
                        path};
    }
    hash.add(shard->hash);
    for (model::TrainingSequence &sequence : shard->sequences) {
      all.tokens += sequence.tokens.size();
      all.decisions += sequence.decisions.size();
      all.sequences.push_back(std::move(sequence));
    }
  }
  all.hash = hash.value();
  return all;
}

/// What a state depends on, besides how long to go on: a state of other options is refused.
std::string describe(const TrainOptions &o, const DataSet &data) {
  support::Hash features;
  for (const std::vector<uint32_t> &word : o.features) {
    features.add(word.size());
    for (uint32_t feature : word)
      features.add(feature);
  }
  return fmt::format(
      "data {:016x} vocabulary {:016x} initial '{}' shape {} {} {} {} {} {} {} rope {} epsilon {} context "
      "{} overlap {} batch {} rate {} decay {} clip {} seed {} features {:016x} regret {} weights {}",
      data.hash, data.vocab_hash, o.initial, o.shape.vocab_size, o.shape.width, o.shape.layers, o.shape.heads,
      o.shape.kv_heads, o.shape.feed_forward, o.shape.window, o.shape.rope_base, o.shape.norm_epsilon, o.context,
      o.overlap, o.batch_tokens, o.learning_rate, o.weight_decay, o.clip, o.seed, features.value(), o.regret_share,
      o.label_weights);
}

/// libtorch's own loops, and those of OpenBLAS, which has threads of its own in one of its two builds.
void useThreads(unsigned count) {
  const int threads = static_cast<int>(std::max(1u, count));
  torch::set_num_threads(threads);
  if (void *found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(found)(threads);
}

std::atomic<int> caught_signal = 0;

/// SIGINT and SIGTERM end the run in order while this lives.
class SignalGuard {
public:
  SignalGuard() : interrupt(std::signal(SIGINT, remember)), terminate(std::signal(SIGTERM, remember)) {
    caught_signal = 0;
  }
  ~SignalGuard() {
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, terminate);
  }

private:
  static void remember(int number) { caught_signal = number; }
  void (*interrupt)(int), (*terminate)(int);
};

/// Where a run stands. Everything else follows from it and the options.
struct Progress {
  uint64_t steps = 0, tokens = 0, epoch = 0, batch = 0; ///< batch: the next of the epoch
  double minutes = 0;
  bool validated = false;
  Scores best = {};
  unsigned without_improvement = 0;
};

class Run {
public:
  Run(const TrainOptions &options, DataSet training, DataSet validation, const model::Weights &initial)
      : options(options),
        training(std::move(training)),
        validation(std::move(validation)),
        trainer(initial, options),
        identity(describe(options, this->training)) {}

  Result<TrainResult> go();

private:
  std::string at(const char *name) const { return (std::filesystem::path(options.folder) / name).string(); }
  Status resume();
  Status save();
  Status log(nlohmann::ordered_json line);
  Status validate();
  Status exportTo(const char *name);
  std::string reasonToStop() const;
  double share() const;
  double learningRate() const;
  void startEpoch();

  const TrainOptions &options;
  DataSet training, validation;
  std::vector<std::vector<Piece>> validation_batches, epoch;
  Trainer trainer;
  std::string identity;
  Progress progress;
};

/// How much of the run is over, 0 to 1.
double Run::share() const {
  double result = 0;
  if (options.max_steps > 0)
    result = double(progress.steps) / double(options.max_steps);
  if (options.max_minutes > 0)
    result = std::max(result, progress.minutes / options.max_minutes);
  return std::min(result, 1.0);
}

/// Empty while the run is to go on.
std::string Run::reasonToStop() const {
  if (caught_signal != 0)
    return "signal";
  if (options.max_steps > 0 && progress.steps >= options.max_steps)
    return "steps";
  if (options.max_minutes > 0 && progress.minutes >= options.max_minutes)
    return "minutes";
  if (options.patience > 0 && progress.without_improvement >= options.patience)
    return "patience";
  return {};
}

double Run::learningRate() const {
  const double cosine = (1 + std::cos(std::numbers::pi * share())) / 2;
  const double rate = options.learning_rate * (options.final_rate + (1 - options.final_rate) * cosine);
  return progress.steps < options.warmup_steps ? rate * double(progress.steps + 1) / double(options.warmup_steps)
                                               : rate;
}

void Run::startEpoch() {
  support::Rng rng(support::Hash().add(options.seed).add(progress.epoch).value());
  const CutOptions cuts{options.context, options.overlap};
  epoch = group(cut(training.sequences, cuts, &rng), options.batch_tokens, rng);
}

Status Run::log(nlohmann::ordered_json line) {
  const std::string text = line.dump();
  std::ofstream out(at("log.jsonl"), std::ios::app);
  if (!(out << text << '\n').flush())
    return InputError{"cannot be written", at("log.jsonl")};
  if (options.progress)
    options.progress(text);
  return support::Ok{};
}

Status Run::exportTo(const char *name) {
  const model::Provenance from{options.name,    training.vocab_hash, training.hash,
                               options.command, progress.tokens,     options.words};
  return model::writeCheckpoint(at(name), trainer.weights(), from, options.storage);
}

Status Run::validate() {
  nlohmann::ordered_json line = {{"step", progress.steps}, {"minutes", progress.minutes}, {"kind", "validation"}};
  bool better = validation_batches.empty();
  if (!better) {
    const Scores scores = trainer.validate(validation_batches);
    better = !progress.validated || scores.loss < progress.best.loss;
    line["loss"] = scores.loss;
    line["accuracy"] = scores.accuracy;
    line["mass"] = scores.mass;
    line["regret"] = scores.regret;
    line["rule_regret"] = scores.rule_regret;
    progress.without_improvement = better ? 0 : progress.without_improvement + 1;
    if (better)
      progress.best = scores;
    progress.validated = true;
  }
  if (options.judge)
    for (const auto &[name, value] : options.judge(trainer.weights()))
      line[name] = value;
  line["best"] = better;
  if (better)
    if (Status status = exportTo("best.gguf"); !status)
      return status;
  return log(std::move(line));
}

Status Run::save() {
  torch::serialize::OutputArchive archive;
  trainer.save(archive);
  auto number = [&](const char *key, double value) { archive.write(key, torch::tensor({value}, torch::kFloat64)); };
  number("steps", double(progress.steps));
  number("tokens", double(progress.tokens));
  number("epoch", double(progress.epoch));
  number("batch", double(progress.batch));
  number("minutes", progress.minutes);
  number("validated", progress.validated);
  number("best_loss", progress.best.loss);
  number("best_accuracy", progress.best.accuracy);
  number("best_mass", progress.best.mass);
  number("best_regret", progress.best.regret);
  number("rule_regret", progress.best.rule_regret);
  number("without_improvement", progress.without_improvement);
  archive.write("identity", c10::IValue(identity));
  try {
    archive.save_to(at("state.pt.partial"));
  } catch (const c10::Error &error) {
    return InputError{"cannot be written: " + error.msg(), at("state.pt.partial")};
  }
  return model::publishFile(at("state.pt.partial"), at("state.pt"));
}

Status Run::resume() {
  std::string written_for;
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(at("state.pt"));
    c10::IValue value;
    archive.read("identity", value);
    written_for = value.toStringRef();
    if (written_for == identity) {
      auto number = [&](const char *key) {
        torch::Tensor tensor;
        archive.read(key, tensor);
        return tensor.item<double>();
      };
      progress.steps = uint64_t(number("steps"));
      progress.tokens = uint64_t(number("tokens"));
      progress.epoch = uint64_t(number("epoch"));
      progress.batch = uint64_t(number("batch"));
      progress.minutes = number("minutes");
      progress.validated = number("validated") != 0;
      progress.best = {number("best_loss"), number("best_accuracy"), number("best_mass"), number("best_regret"),
                       number("rule_regret")};
      progress.without_improvement = unsigned(number("without_improvement"));
      trainer.load(archive);
    }
  } catch (const std::exception &error) {
    return InputError{std::string("is not a training state: ") + error.what(), at("state.pt")};
  }
  if (written_for != identity)
    return InputError{fmt::format("belongs to a run with other options; name another folder, or remove it.\n  it has: "
                                  "{}\n  asked:  {}",
                                  written_for, identity),
                      at("state.pt")};
  // Lines after the state was saved will be written again.
  std::ifstream in(at("log.jsonl"));
  std::string kept, line;
  while (std::getline(in, line)) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    if (parsed.is_object() && parsed.value("step", uint64_t(0)) <= progress.steps)
      kept += line + "\n";
  }
  in.close();
  return model::writeFile(at("log.jsonl"), kept);
}

Result<TrainResult> Run::go() {
  std::error_code code;
  std::filesystem::create_directories(options.folder, code);
  if (code)
    return InputError{"cannot be made: " + code.message(), options.folder};
  if (std::filesystem::exists(at("state.pt"))) {
    if (Status status = resume(); !status)
      return status.error();
  } else if (Status status = model::writeFile(at("log.jsonl"), ""); !status) {
    return status.error();
  }
  if (!validation.sequences.empty()) {
    support::Rng rng(7); // the same part of the set in every run
    std::vector<Piece> pieces = cut(validation.sequences, {options.context, options.overlap}, nullptr);
    for (size_t i = pieces.size(); i > 1; --i)
      std::swap(pieces[i - 1], pieces[rng.below(i)]);
    uint64_t decisions = 0;
    size_t kept = 0;
    while (kept < pieces.size() && decisions < options.validate_decisions) {
      decisions += pieces[kept].last_decision - pieces[kept].first_decision;
      ++kept;
    }
    pieces.resize(kept);
    validation_batches = group(std::move(pieces), options.batch_tokens, rng);
  }
  startEpoch();
  if (epoch.empty())
    return InputError{"no decision to train on in the shards", options.training.front()};
  if (progress.steps == 0)
    if (Status status = log({{"step", 0},
                             {"kind", "start"},
                             {"command", options.command},
                             {"parameters", options.shape.parameters()},
                             {"training_tokens", training.tokens},
                             {"training_decisions", training.decisions},
                             {"validation_decisions", validation.decisions},
                             {"steps_an_epoch", epoch.size()},
                             {"data", fmt::format("{:016x}", training.hash)},
                             {"vocabulary", fmt::format("{:016x}", training.vocab_hash)}});
        !status)
      return status.error();

  SignalGuard guard;
  using Clock = std::chrono::steady_clock;
  auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Clock::time_point saved = Clock::now(), logged = Clock::now();
  StepReport sum;
  uint64_t steps_in_sum = 0;
  TrainResult result;
  result.stopped_by = reasonToStop(); // a finished run that was started again
  while (result.stopped_by.empty()) {
    if (progress.batch == epoch.size()) {
      ++progress.epoch;
      progress.batch = 0;
      startEpoch();
    }
    const Clock::time_point start = Clock::now();
    const double rate = learningRate();
    const StepReport report = trainer.step(makeBatch(epoch[progress.batch]), rate);
    ++progress.batch;
    ++progress.steps;
    progress.tokens += report.tokens;
    progress.minutes += since(start) / 60;
    sum.loss += report.loss;
    sum.gradient_norm += report.gradient_norm;
    sum.tokens += report.tokens;
    ++steps_in_sum;

    result.stopped_by = reasonToStop();
    if (progress.steps % 20 == 0 || !result.stopped_by.empty()) {
      const double seconds = since(logged);
      if (Status status = log({{"step", progress.steps},
                               {"minutes", progress.minutes},
                               {"kind", "training"},
                               {"loss", sum.loss / double(steps_in_sum)},
                               {"gradient_norm", sum.gradient_norm / double(steps_in_sum)},
                               {"learning_rate", rate},
                               {"epoch", progress.epoch},
                               {"tokens", progress.tokens},
                               {"tokens_a_second", double(sum.tokens) / seconds}});
          !status)
        return status.error();
      sum = {};
      steps_in_sum = 0;
      logged = Clock::now();
    }
    const bool last = !result.stopped_by.empty() && result.stopped_by != "signal";
    if (progress.steps % options.validate_every == 0 || last) {
      if (Status status = validate(); !status)
        return status.error();
      if (!last)
        result.stopped_by = reasonToStop();
      logged = Clock::now();
    }
    if (since(saved) >= options.save_seconds || !result.stopped_by.empty()) {
      if (Status status = save(); !status)
        return status.error();
      saved = Clock::now();
    }
  }
  if (Status status = exportTo("last.gguf"); !status)
    return status.error();
  result.steps = progress.steps;
  result.tokens = progress.tokens;
  result.minutes = progress.minutes;
  result.validation = progress.best;
  return result;
}

} // namespace

Result<TrainResult> train(const TrainOptions &given) {
  TrainOptions options = given;
  if (options.training.empty())
    return InputError{"no training shard is given"};
  if (options.max_steps == 0 && !(options.max_minutes > 0))
    return InputError{"a limit of steps or of minutes is needed"};
  if (options.context == 0 || options.overlap >= options.context || options.validate_every == 0)
    return InputError{fmt::format("pieces of {} tokens that overlap by {}", options.context, options.overlap)};
  Result<DataSet> training = readAll(options.training);
  if (!training)
    return training.error();
  Result<DataSet> validation = readAll(options.validation);
  if (!validation)
    return validation.error();
  if (!options.validation.empty() && validation->vocab_hash != training->vocab_hash)
    return InputError{fmt::format("made with the vocabulary {:016x}, the training shards with {:016x}",
                                  validation->vocab_hash, training->vocab_hash),
                      options.validation.front()};
  options.shape.vocab_size = training->vocab_size;
  if (options.features.size() != training->vocab_size)
    options.features.clear();
  model::Weights initial;
  if (options.initial.empty()) {
    if (Status fits = options.shape.check(); !fits)
      return fits.error();
    initial = model::randomWeights(options.shape, options.seed);
  } else {
    Result<model::Checkpoint> checkpoint = model::readCheckpoint(
        options.initial, {.vocab_hash = training->vocab_hash, .data_hash = {}, .vocab_size = training->vocab_size});
    if (!checkpoint)
      return checkpoint.error();
    initial = std::move(checkpoint->weights);
    options.shape = initial.shape;
  }
  useThreads(options.threads);
  Run run(options, std::move(*training), std::move(*validation), initial);
  return run.go();
}

} // namespace verilocc::train
