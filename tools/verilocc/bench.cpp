// verilocc bench: kernels with the allocations of several allocators beside greedy's: what each costs, and the time
// that it takes.
#include "correlate.h"
#include "inputs.h"
#include "pipeline/compile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace verilocc::tool {

namespace {

struct Arguments {
  std::vector<std::string> inputs;
  std::vector<std::string> allocators = {"best"};
  std::string json, repro = ".";
  TargetOptions target;
  RecolourArguments recolour;
  bool time = false, verify_machine_code = false, summary = false;
  unsigned correlate = 0;
};

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<std::string> expand(const std::vector<std::string> &inputs) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string &input : inputs) {
    std::error_code failed;
    if (!fs::is_directory(input, failed)) {
      files.push_back(input);
      continue;
    }
    for (const auto &entry : fs::recursive_directory_iterator(input, failed))
      if (entry.path().extension() == ".ll" || entry.path().extension() == ".bc")
        files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

double secondsOf(const std::function<void()> &function) {
  auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The geometric mean of ratios of counts that may be zero: one is added to both, and pairs below `least` are left out.
class MeanRatio {
public:
  explicit MeanRatio(double least) : least(least) {}
  void add(double ours, double greedy) {
    if (greedy < least)
      return;
    sum += std::log((ours + 1) / (greedy + 1));
    ++count;
  }
  std::string str() const { return count ? fmt::format("{:.3f} of {}", std::exp(sum / count), count) : "-"; }

private:
  double least, sum = 0;
  unsigned count = 0;
};

unsigned spillsOf(const pipeline::FunctionRun &run) {
  return run.statistics.vgpr_spills + run.statistics.sgpr_spills;
}

/// What one allocator did over all functions.
struct Totals {
  unsigned functions = 0, verdicts[4] = {}, ours = 0;
  unsigned more_waves = 0, fewer_waves = 0, fewer_spills = 0, more_spills = 0, costlier = 0;
  uint64_t placed = 0, vregs = 0;
  MeanRatio est_cycles{0}, issued{0}, bank_stalls{1}, wmma_conflicts{1}, vopd_pairs{1}, nop_cycles{1}, agpr_moves{1},
      copies{1};
  std::vector<double> time_ratios;

  void add(const pipeline::FunctionOutcome &function) {
    const pipeline::FunctionRun &a = function.chosen, &g = function.compared ? function.greedy : function.chosen;
    ++functions;
    ++verdicts[static_cast<unsigned>(a.check.verdict)];
    ours += a.strategy.isOurs();
    placed += a.placed;
    vregs += a.vregs;
    more_waves += a.statistics.waves > g.statistics.waves;
    fewer_waves += a.statistics.waves < g.statistics.waves;
    fewer_spills += spillsOf(a) < spillsOf(g);
    more_spills += spillsOf(a) > spillsOf(g);
    costlier += a.cost.est_cycles > g.cost.est_cycles && a.statistics.waves == g.statistics.waves;
    est_cycles.add(a.cost.est_cycles, g.cost.est_cycles);
    issued.add(a.cost.issue_cycles, g.cost.issue_cycles);
    bank_stalls.add(a.cost.bank_stalls, g.cost.bank_stalls);
    wmma_conflicts.add(a.cost.wmma_conflicts, g.cost.wmma_conflicts);
    vopd_pairs.add(a.cost.vopd_pairs, g.cost.vopd_pairs);
    nop_cycles.add(a.cost.nop_cycles, g.cost.nop_cycles);
    agpr_moves.add(a.cost.agpr_moves, g.cost.agpr_moves);
    copies.add(a.cost.copies, g.cost.copies);
  }

  void print(const std::string &allocator) const {
    fmt::print("{}: {} functions: {} Accepted, {} Rejected, {} Undecided, {} InvalidInput\n", allocator, functions,
               verdicts[0], verdicts[1], verdicts[2], verdicts[3]);
    fmt::print("  {} with our allocation, {} with greedy's; {} of {} vregs placed by us\n", ours, functions - ours,
               placed, vregs);
    fmt::print("  against greedy: more waves {}, fewer waves {}, fewer spills {}, more spills {}; costlier at equal "
               "waves {}\n",
               more_waves, fewer_waves, fewer_spills, more_spills, costlier);
    fmt::print("  geometric means over greedy: est_cycles {}; issue {}; bank_stalls {}; wmma_conflicts {}; vopd_pairs "
               "{}; nop_cycles {}; agpr_moves {}; copies {}\n",
               est_cycles.str(), issued.str(), bank_stalls.str(), wmma_conflicts.str(), vopd_pairs.str(),
               nop_cycles.str(), agpr_moves.str(), copies.str());
    if (!time_ratios.empty())
      fmt::print("  time of compile over a plain greedy run of the same driver: median {:.2f}, largest {:.2f}\n",
                 median(time_ratios), *std::max_element(time_ratios.begin(), time_ratios.end()));
  }
};

const std::vector<std::string> heading = {"kernel",     "arch",   "allocator", "VGPRs", "AGPRs",  "SGPRs",  "spills",
                                          "waves",      "stalls", "wmma",      "vopd",  "nops",   "amoves", "copies",
                                          "est_cycles", "placed", "moved",     "used",  "verdict"};

std::vector<std::string> tableRow(const pipeline::FunctionRun &run, const std::string &arch,
                                  const std::string &allocator) {
  auto text = [](auto value) { return fmt::format("{:.0f}", static_cast<double>(value)); };
  const auto &s = run.statistics;
  const auto &c = run.cost;
  return {run.name,
          arch,
          allocator,
          text(s.vgprs),
          text(s.agprs),
          text(s.sgprs),
          text(spillsOf(run)),
          text(s.waves),
          text(c.bank_stalls),
          text(c.wmma_conflicts),
          text(c.vopd_pairs),
          text(c.nop_cycles),
          text(c.agpr_moves),
          text(c.copies),
          text(c.est_cycles),
          placedText(run),
          text(run.recoloured),
          name(run.strategy),
          name(run.check.verdict)};
}

nlohmann::json jsonRow(const pipeline::FunctionRun &run, const std::string &arch, const std::string &allocator,
                       const std::string &note, double seconds) {
  nlohmann::json row = toJson(run.statistics);
  row["kernel"] = run.name;
  row["arch"] = arch;
  row["allocator"] = allocator;
  row["used"] = name(run.strategy);
  row["verdict"] = name(run.check.verdict);
  row["spills"] = spillsOf(run);
  row["placed"] = run.placed;
  row["recoloured"] = run.recoloured;
  row["vregs"] = run.vregs;
  row["pressure"] = run.pressure;
  row["bank_stalls"] = run.cost.bank_stalls;
  row["wmma_conflicts"] = run.cost.wmma_conflicts;
  row["vopd_pairs"] = run.cost.vopd_pairs;
  row["nop_cycles"] = run.cost.nop_cycles;
  row["agpr_moves"] = run.cost.agpr_moves;
  row["copies"] = run.cost.copies;
  row["issue_cycles"] = run.cost.issue_cycles;
  row["est_cycles"] = run.cost.est_cycles;
  row["moves"] = run.recolour.moves;
  row["recolour_seconds"] = run.recolour.seconds;
  row["check_seconds"] = run.check_seconds;
  row["cost_before"] = run.recolour.cost_before;
  row["cost_after"] = run.recolour.cost_after;
  for (const allocators::Attempt &attempt : run.recolour.attempts.attempts)
    row["attempts"].push_back({{"outcome", allocators::name(attempt.outcome)},
                               {"decisions", attempt.decisions},
                               {"legal", attempt.legal},
                               {"dead_ends", attempt.dead_ends},
                               {"repairs", attempt.repairs},
                               {"cost", attempt.cost},
                               {"seconds", attempt.seconds}});
  row["note"] = note;
  row["seconds"] = seconds;
  return row;
}

class Bench {
public:
  Bench(const Arguments &arguments, const Session &session) : arguments(arguments), session(session) {}
  int run();

private:
  void benchFile(const std::string &file);
  void benchAllocator(const codegen::Module &module, size_t index);
  void correlateModule(const codegen::Module &module);
  double timeRatio(const codegen::Module &module, const pipeline::CompileOptions &options) const;

  const Arguments &arguments;
  const Session &session;
  std::vector<pipeline::Allocator> allocators;
  std::vector<pipeline::RecolourOptions> recolours; ///< parallel to allocators
  std::vector<Totals> totals;
  std::vector<std::vector<std::string>> rows = {heading};
  nlohmann::json json_rows = nlohmann::json::array(), json_correlations = nlohmann::json::array();
  std::vector<std::vector<std::string>> correlation_rows = {
      {"kernel", "assignments", "estimated from", "to", "emitted from", "to", "rank correlation"}};
  std::vector<double> correlations;
  int code = done;
};

/// Timed as a user would run it; the comparison in the table comes from a run of its own.
double Bench::timeRatio(const codegen::Module &module, const pipeline::CompileOptions &options) const {
  pipeline::RunOptions plain;
  plain.compile = options.compile;
  plain.check = plain.explain = false;
  (void)pipeline::run(module, plain); // warms caches for both
  const double greedy = secondsOf([&] { (void)pipeline::run(module, plain); });
  return secondsOf([&] { (void)pipeline::compile(module, options); }) / greedy;
}

void Bench::benchAllocator(const codegen::Module &module, size_t index) {
  const std::string allocator = name(allocators[index]);
  pipeline::CompileOptions options;
  options.compile = arguments.target.compileOptions();
  options.compile.verify = arguments.verify_machine_code ? codegen::Verify::EveryPass : codegen::Verify::Off;
  options.allocator = allocators[index];
  options.recolour = recolours[index];
  options.repro_parent = arguments.repro;
  options.command_line = session.command_line;
  if (arguments.time)
    totals[index].time_ratios.push_back(timeRatio(module, options));
  options.always_compare = options.explain = true;
  auto answer = pipeline::compile(module, options);
  if (auto *failure = std::get_if<codegen::Failure>(&answer)) {
    printFailure(*failure);
    code = std::max(code, exitCodeOf(*failure));
    return;
  }
  auto &outcome = std::get<pipeline::CompileOutcome>(answer);
  for (const pipeline::FunctionOutcome &function : outcome.functions) {
    totals[index].add(function);
    // Greedy's own row once, before the first allocator's.
    if (index == 0 && function.compared) {
      rows.push_back(tableRow(function.greedy, outcome.module.mcpu, "greedy"));
      json_rows.push_back(jsonRow(function.greedy, outcome.module.mcpu, "greedy", "", 0));
    }
    rows.push_back(tableRow(function.chosen, outcome.module.mcpu, allocator));
    json_rows.push_back(jsonRow(function.chosen, outcome.module.mcpu, allocator, function.note, outcome.seconds));
    if (arguments.time)
      json_rows.back()["time_ratio"] = totals[index].time_ratios.back();
  }
}

void Bench::correlateModule(const codegen::Module &module) {
  pipeline::RunOptions options;
  options.compile = arguments.target.compileOptions();
  options.recolour = recolours.front();
  auto answer = correlate(module, options, arguments.correlate);
  if (auto *failure = std::get_if<codegen::Failure>(&answer)) {
    printFailure(*failure);
    code = std::max(code, exitCodeOf(*failure));
    return;
  }
  for (const Correlation &c : std::get<std::vector<Correlation>>(answer)) {
    json_correlations.push_back({{"kernel", c.function}, {"estimated", c.estimated}, {"emitted", c.emitted}});
    if (!std::isfinite(c.rho))
      continue; // nothing to rank
    json_correlations.back()["rho"] = c.rho;
    correlations.push_back(c.rho);
    const auto [least_estimated, most_estimated] = std::minmax_element(c.estimated.begin(), c.estimated.end());
    const auto [least_emitted, most_emitted] = std::minmax_element(c.emitted.begin(), c.emitted.end());
    correlation_rows.push_back({c.function, std::to_string(c.estimated.size()), fmt::format("{:.0f}", *least_estimated),
                                fmt::format("{:.0f}", *most_estimated), fmt::format("{:.0f}", *least_emitted),
                                fmt::format("{:.0f}", *most_emitted), fmt::format("{:.2f}", c.rho)});
  }
}

void Bench::benchFile(const std::string &file) {
  auto module = loadModule(file, arguments.target);
  if (!module) {
    code = bad_input;
    return;
  }
  for (size_t i = 0; i < allocators.size(); ++i)
    benchAllocator(*module, i);
  if (arguments.correlate)
    correlateModule(*module);
}

int Bench::run() {
  for (const std::string &text : arguments.allocators) {
    auto allocator = pipeline::parseAllocator(text);
    if (!allocator) {
      printError(allocator.error());
      return wrong_usage;
    }
    auto recolour = arguments.recolour.options(*allocator);
    if (!recolour)
      return bad_input;
    allocators.push_back(*allocator);
    recolours.push_back(std::move(*recolour));
  }
  totals.resize(allocators.size());
  const std::vector<std::string> files = expand(arguments.inputs);
  if (files.empty()) {
    printError({"no .ll or .bc file there", arguments.inputs.front()});
    return bad_input;
  }
  const bool progress = isatty(STDERR_FILENO);
  for (size_t i = 0; i < files.size(); ++i) {
    if (progress)
      fmt::print(stderr, "\r{}/{} ", i + 1, files.size());
    benchFile(files[i]);
  }
  if (progress)
    fmt::print(stderr, "\r");
  if (!arguments.summary)
    fmt::print("{}", formatTable(rows));
  for (size_t i = 0; i < allocators.size(); ++i)
    totals[i].print(name(allocators[i]));
  nlohmann::json json = {{"rows", json_rows}};
  if (arguments.correlate) {
    json["correlations"] = json_correlations;
    if (!arguments.summary)
      fmt::print("{}", formatTable(correlation_rows));
    fmt::print("rank correlation of estimated and emitted cost: median {:.2f} of {} functions\n", median(correlations),
               correlations.size());
  }
  return writeJson(arguments.json, json) ? code : bad_input;
}

} // namespace

void addBench(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("bench", "compile kernels with our allocations beside greedy's: a table");
  command->add_option("INPUT", arguments->inputs, "modules, or folders of them")->required();
  command->add_option("--allocator", arguments->allocators, "one or more of " + pipeline::allocatorNames())
      ->delimiter(',')
      ->capture_default_str();
  arguments->target.add(*command);
  arguments->recolour.add(*command);
  command->add_option("--json", arguments->json, "write the rows as JSON to this file");
  command->add_option("--repro", arguments->repro, "folder in which repro folders are made")->capture_default_str();
  command->add_flag("--time", arguments->time, "also time compile against a plain greedy run");
  command
      ->add_option("--correlate", arguments->correlate,
                   "also compile each kernel with N assignments: does the estimate rank them as their final code does?")
      ->check(CLI::Range(3, 1000));
  command->add_flag("--summary", arguments->summary, "only the lines below the table");
  command->add_flag("--verify-machine-code", arguments->verify_machine_code,
                    "run LLVM's machine verifier after each pass");
  command->callback([arguments, &session] { session.exit_code = Bench(*arguments, session).run(); });
}

} // namespace verilocc::tool
