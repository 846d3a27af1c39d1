// verilocc explain: at one decision, what a model could say, what it believes, and what each answer would cost.
#include "allocators/learned.h"
#include "allocators/rule_backend.h"
#include "dataset/corpus.h"
#include "inputs.h"
#include "model/checkpoint.h"
#include "model/native.h"
#include "tokens/replay.h"
#include "tokens/rollout.h"

#include <fmt/format.h>

namespace verilocc::tool {

namespace {

struct Arguments {
  std::string input, model, json;
  unsigned decision = 0;
  std::string vreg;
  bool list = false;
};

/// The decision asked for, as it stood when the model answered.
class Explainer {
public:
  Explainer(const problem::Problem &problem, const Arguments &arguments) : problem(problem), arguments(arguments) {}

  void operator()(const tokens::Episode &episode, std::span<const double> probabilities) {
    const unsigned number = asked++;
    const bool wanted = arguments.list           ? false
                        : arguments.vreg.empty() ? number == arguments.decision
                                                 : fmt::format("%{}", episode.vreg()) == arguments.vreg;
    if (arguments.list)
      fmt::print("{:>5}  %{} ({}), {} candidates\n", number, episode.vreg(), problem.classOf(episode.vreg()).name,
                 episode.candidates().size());
    if (!wanted || found)
      return;
    found = true;
    const problem::VReg v = episode.vreg();
    const tokens::Traits &traits = episode.outlook().traits(v);
    fmt::print(
        "decision {}: %{} of class {}, {} executions of its hottest block, {} registers to spare in its life\n\n",
        number, v, problem.classOf(v).name, traits.hottest, traits.spare);
    fmt::print("{:<12} {:>6} {:>8} {:>10} {:>10} {:>10} {:>7}  {}\n", "place", "model", "idle", "cost", "foreseen",
               "plan", "leaves", "word");
    const char *const leaves[] = {"none", "moved", "room"};
    nlohmann::json rows = nlohmann::json::array();
    for (size_t c = 0; c < probabilities.size(); ++c) {
      const tokens::Candidate &candidate = episode.candidates()[c];
      const std::string place = problem::tupleName(candidate.base, problem.widthOf(v));
      const std::string idle = candidate.idle == tokens::Room::never ? "never used" : std::to_string(candidate.idle);
      fmt::print("{:<12} {:>5.1f}% {:>8} {:>10.2f} {:>10.2f} {:>10.2f} {:>7}  {}\n", place, 100 * probabilities[c],
                 idle, double(candidate.cost) / tokens::cycle, double(candidate.ahead) / tokens::cycle,
                 double(candidate.plan) / tokens::cycle, leaves[candidate.leaves], tokens::textOf(candidate.word));
      rows.push_back({{"place", place},
                      {"probability", probabilities[c]},
                      {"cost", double(candidate.cost) / tokens::cycle},
                      {"foreseen", double(candidate.ahead) / tokens::cycle},
                      {"plan", double(candidate.plan) / tokens::cycle},
                      {"leaves", candidate.leaves},
                      {"word", tokens::textOf(candidate.word)}});
    }
    json["vreg"] = v;
    json["decision"] = number;
    json["candidates"] = std::move(rows);
    std::map<std::string, unsigned> excluded;
    const problem::RegClass &cls = problem.classOf(v);
    for (size_t base = cls.bases._Find_first(); base < problem::num_units; base = cls.bases._Find_next(base))
      if (const auto why = episode.excluded(static_cast<problem::RegUnit>(base)).why; why != tokens::Exclusion::None)
        ++excluded[name(why)];
    fmt::print("\nnot offered, of {} places of the class:", cls.bases.count());
    for (const auto &[why, count] : excluded)
      fmt::print(" {} {};", count, why);
    fmt::print("\n");
    json["excluded"] = excluded;
  }

  bool found = false;
  nlohmann::json json;

private:
  const problem::Problem &problem;
  const Arguments &arguments;
  unsigned asked = 0;
};

int run(const Arguments &arguments) {
  auto contents = dataset::readCase(arguments.input);
  if (!contents) {
    printError(contents.error());
    return bad_input;
  }
  std::unique_ptr<model::LmBackend> backend;
  if (arguments.model.empty()) {
    backend = std::make_unique<model::ScriptedBackend>(allocators::ruleBackend(allocators::WordRule::Foresighted));
  } else {
    model::Expected expected;
    expected.vocab_hash = tokens::vocabHash();
    expected.vocab_size = tokens::vocabSize();
    auto checkpoint = model::readCheckpoint(arguments.model, expected);
    if (!checkpoint) {
      printError(checkpoint.error());
      return bad_input;
    }
    backend = model::nativeBackend(checkpoint->weights, checkpoint->provenance.vocab_hash);
  }
  const problem::Problem &problem = contents->problem;
  const analysis::LiveRanges live(problem);
  Explainer explainer(problem, arguments);
  allocators::LearnedOptions options;
  options.observe = [&](const tokens::Episode &episode, std::span<const double> probabilities) {
    explainer(episode, probabilities);
  };
  allocators::AttemptLog log;
  allocators::learned(problem, live, cost::rulesFor(problem.env.arch, problem.env.wave_size), *backend, options, &log);
  if (!arguments.list && !explainer.found) {
    printError(
        {fmt::format("there is no such decision; {} were taken", log.attempts.front().decisions), arguments.input});
    return bad_input;
  }
  return writeJson(arguments.json, explainer.json) ? done : bad_input;
}

} // namespace

void addExplain(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command =
      app.add_subcommand("explain", "Show one decision: candidates, the model's beliefs, costs, reasons");
  command->add_option("input", arguments->input, "A .ra file (verilocc dataset --problems writes them)")->required();
  command->add_option("--model", arguments->model, "Checkpoint; none: the foresighted rule");
  command->add_option("--decision", arguments->decision, "Which, from 0")->capture_default_str();
  command->add_option("--vreg", arguments->vreg, "The decision on this one instead, such as %12");
  command->add_flag("--list", arguments->list, "List the decisions");
  command->add_option("--json", arguments->json, "Write the decision there as well");
  command->callback([arguments, &session] { session.exit_code = run(*arguments); });
}

} // namespace verilocc::tool
