#include "pipeline/compile.h"

#include "cost/occupancy.h"
#include "pipeline/repro.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace verilocc::pipeline {

using checker::Verdict;
using codegen::Failure;
using codegen::FunctionStatistics;

namespace {

unsigned spills(const FunctionStatistics &s) {
  return s.vgpr_spills + s.sgpr_spills;
}

/// Registers as occupancy counts them: the unified file of gfx90a and later, else the larger of the two files.
unsigned countedVgprs(const FunctionStatistics &s) {
  return std::max({s.total_vgprs, s.vgprs, s.agprs});
}

/// True if no allocation can have fewer spills or more waves: nothing was spilled or left over, and the waves are
/// bounded by something else (LDS, attributes) or by the values that are live at once.
bool cannotBeBeaten(const FunctionRun &function, const std::string &mcpu) {
  const FunctionStatistics &s = function.statistics;
  if (function.vregs != function.placed || spills(s))
    return false;
  const unsigned wave_size = s.wave_size ? s.wave_size : (mcpu.starts_with("gfx9") ? 64 : 32);
  const unsigned by_registers = cost::wavesByVgprs(mcpu, wave_size, countedVgprs(s));
  const unsigned at_best = cost::wavesByVgprs(mcpu, wave_size, function.pressure);
  return by_registers && (by_registers > s.waves || at_best <= s.waves);
}

const FunctionRun *find(const Run &run, const std::string &name) {
  auto it =
      std::find_if(run.functions.begin(), run.functions.end(), [&](const FunctionRun &f) { return f.name == name; });
  return it == run.functions.end() ? nullptr : &*it;
}

constexpr Strategy greedy{};

class Compilation {
public:
  Compilation(const codegen::Module &module, const CompileOptions &options)
      : module(module),
        options(options),
        strategies(strategiesOf(options.allocator, options.recolour.model != nullptr)),
        by_cost(strategies.front().recolour != Recolour::None) {}

  std::variant<CompileOutcome, Failure> compile();

private:
  std::optional<Failure> tryStrategy(const Strategy &strategy);
  std::optional<Failure> tryDraws(const Strategy &strategy);
  std::optional<Failure> compose(Run &answer);
  std::optional<Failure> runWith(RunOptions run_options, Run &result);
  RunOptions optionsFor(const Strategy &strategy) const;
  bool greedyMayBeBetter() const;
  bool matrixInAgprs() const;
  bool emitsMachineCode() const;
  const Run *runOf(const Strategy &strategy) const;
  std::optional<Failure> refuse(const FunctionRun &function);
  void keepRepro(const FunctionRun &function, const std::string &why);

  const codegen::Module &module;
  const CompileOptions &options;
  const std::vector<Strategy> strategies;
  const bool by_cost;
  CompileOutcome outcome;
  /// In the order of preference; greedy's, if it was run, is where its strategy says.
  std::vector<std::pair<Strategy, Run>> runs;
  std::map<std::string, std::string> notes; ///< by function
  std::map<std::string, unsigned> waves;    ///< by function, of greedy's code
};

RunOptions Compilation::optionsFor(const Strategy &strategy) const {
  RunOptions run_options;
  run_options.compile = options.compile;
  run_options.strategy = strategy;
  run_options.recolour = options.recolour;
  run_options.waves = waves;
  run_options.explain = by_cost || options.explain;
  if (!emitsMachineCode())
    run_options.compile.emit = codegen::Emit::Object;
  if (strategy.isOurs())
    run_options.tamper = options.tamper;
  return run_options;
}

std::optional<Failure> Compilation::runWith(RunOptions run_options, Run &result) {
  ++outcome.runs;
  auto answer = run(module, run_options);
  if (auto *failure = std::get_if<Failure>(&answer))
    return std::move(*failure);
  result = std::move(std::get<Run>(answer));
  return std::nullopt;
}

const Run *Compilation::runOf(const Strategy &strategy) const {
  for (const auto &[own, result] : runs)
    if (own == strategy)
      return &result;
  return nullptr;
}

void Compilation::keepRepro(const FunctionRun &function, const std::string &why) {
  auto folder = writeRepro(options.repro_parent, module, function, why, options.command_line);
  if (folder)
    outcome.repro_folders.push_back(*folder);
}

/// Greedy's own allocation is wrong by the checker: an error of LLVM's or of ours; either way nothing may be emitted.
std::optional<Failure> Compilation::refuse(const FunctionRun &function) {
  if (function.check.verdict == Verdict::Accepted || function.check.verdict == Verdict::Undecided)
    return std::nullopt;
  const std::string why =
      fmt::format("LLVM's own allocation of '{}' is {}", function.name, name(function.check.verdict));
  keepRepro(function, why);
  std::string where = outcome.repro_folders.empty() ? "" : "; see " + outcome.repro_folders.back();
  return Failure{codegen::FailureKind::Unsupported, {why + where, module.name}};
}

/// A Failure only if no other strategy could do better: LLVM's own, or bad input.
std::optional<Failure> Compilation::tryStrategy(const Strategy &strategy) {
  Run result;
  if (auto failure = runWith(optionsFor(strategy), result)) {
    if (!strategy.isOurs() || failure->kind == codegen::FailureKind::BadInput)
      return failure;
    // Whatever our placement led LLVM into must not cost the user the compile.
    for (const std::string &function : module.functions)
      notes[function] = fmt::format("LLVM failed with our allocation ({}: {})", name(strategy), failure->error.str());
    return std::nullopt;
  }
  for (const FunctionRun &function : result.functions) {
    if (strategy == greedy)
      waves[function.name] = function.statistics.waves;
    if (function.check.verdict == Verdict::Accepted || !strategy.isOurs())
      continue;
    notes[function.name] = fmt::format("our allocation ({}) was {}", name(strategy), name(function.check.verdict));
    if (function.check.verdict != Verdict::Undecided)
      keepRepro(function, notes[function.name]);
  }
  runs.push_back({strategy, std::move(result)});
  return std::nullopt;
}

/// As many answers as were asked for, where chance tells them apart.
std::optional<Failure> Compilation::tryDraws(const Strategy &strategy) {
  const bool draws = strategy.recolour == Recolour::Search || strategy.recolour == Recolour::LearnedSearch;
  for (unsigned draw = 0; draw < (draws ? std::max(1u, options.recolour.draws) : 1); ++draw) {
    Strategy drawn = strategy;
    drawn.draw = draw;
    if (auto failure = tryStrategy(drawn))
      return failure;
  }
  return std::nullopt;
}

/// True if greedy's code has AGPRs that the other form of its matrix instructions could do without.
bool Compilation::matrixInAgprs() const {
  const Run *plain = runOf(greedy);
  if (!plain || module.kind == codegen::ModuleKind::Mir || !cost::hasUnifiedFile(plain->module.mcpu))
    return false;
  return std::any_of(plain->module.functions.begin(), plain->module.functions.end(),
                     [](const FunctionStatistics &s) { return s.agprs > 0; });
}

bool Compilation::greedyMayBeBetter() const {
  if (runs.empty() || options.always_compare)
    return true;
  const Run &first = runs.front().second;
  return std::any_of(first.functions.begin(), first.functions.end(), [&](const FunctionRun &function) {
    return function.check.verdict != Verdict::Accepted || !cannotBeBeaten(function, first.module.mcpu);
  });
}

/// What LLVM says of registers and waves, and so the choice, comes with machine code only.
bool Compilation::emitsMachineCode() const {
  return options.compile.emit != codegen::Emit::Mir && options.compile.emit != codegen::Emit::Nothing;
}

/// The best proved answer for each function; one more run puts them together if they come from several runs, or if
/// something else than machine code was asked for.
std::optional<Failure> Compilation::compose(Run &answer) {
  std::map<std::string, size_t> chosen; // by function: index into runs
  const Run *plain = by_cost ? runOf(greedy) : nullptr;
  for (const std::string &function : module.functions) {
    const FunctionRun *greedys = plain ? find(*plain, function) : nullptr;
    if (greedys && greedys->check.verdict != Verdict::Accepted)
      greedys = nullptr;
    std::optional<size_t> best;
    for (size_t i = 0; i < runs.size(); ++i) {
      const FunctionRun *candidate = find(runs[i].second, function);
      // What is not proved is no candidate, except LLVM's own where nothing else is left: refuse() looks at that.
      if (!candidate || (candidate->check.verdict != Verdict::Accepted && runs[i].first.isOurs()))
        continue;
      if (greedys && losesAnything(*candidate, *greedys))
        continue;
      const FunctionRun *present = best ? find(runs[*best].second, function) : nullptr;
      const bool is_proved = candidate->check.verdict == Verdict::Accepted;
      const bool present_is_proved = present && present->check.verdict == Verdict::Accepted;
      if (!present || (is_proved && !present_is_proved) || (is_proved && isWorse(*present, *candidate, by_cost)))
        best = i;
    }
    if (best)
      chosen[function] = *best;
  }
  const size_t first = chosen.empty() ? 0 : chosen.begin()->second;
  const bool is_one =
      std::all_of(chosen.begin(), chosen.end(), [&](const auto &entry) { return entry.second == first; });
  if (is_one && emitsMachineCode()) {
    answer = runs[first].second;
    return std::nullopt;
  }
  RunOptions run_options = optionsFor(is_one ? runs[first].first : greedy);
  run_options.compile.emit = options.compile.emit;
  run_options.tamper = nullptr;
  if (!is_one)
    for (const auto &[function, i] : chosen)
      run_options.exceptions[function] = runs[i].first;
  if (auto failure = runWith(std::move(run_options), answer))
    return failure;
  if (!emitsMachineCode())
    for (FunctionRun &function : answer.functions)
      if (auto it = chosen.find(function.name); it != chosen.end()) {
        const FunctionRun *known = find(runs[it->second].second, function.name);
        function.statistics = known->statistics;
        function.cost = known->cost;
      }
  return std::nullopt;
}

std::variant<CompileOutcome, Failure> Compilation::compile() {
  const auto start = std::chrono::steady_clock::now();
  const bool ours = strategies.front().isOurs();

  // Recolouring is told greedy's waves: greedy goes first. Where it is only a fallback, it waits for the need.
  if (by_cost)
    if (auto failure = tryStrategy(greedy))
      return std::move(*failure);
  for (const Strategy &strategy : strategies)
    if (auto failure = tryDraws(strategy))
      return std::move(*failure);
  if (by_cost && matrixInAgprs())
    if (auto failure = tryDraws({Base::Greedy, strategies.front().recolour, true}))
      return std::move(*failure);
  if (ours && !by_cost && greedyMayBeBetter())
    if (auto failure = tryStrategy(greedy))
      return std::move(*failure);
  // Preference at equal cost: what was asked for, then greedy's.
  std::stable_partition(runs.begin(), runs.end(), [](const auto &entry) { return entry.first.isOurs(); });

  Run answer;
  if (auto failure = compose(answer))
    return std::move(*failure);
  // Nothing unproved leaves.
  for (const FunctionRun &function : answer.functions)
    if (auto failure = refuse(function))
      return std::move(*failure);

  const Run *other_run = runOf(greedy);
  for (FunctionRun &function : answer.functions) {
    FunctionOutcome result;
    if (ours && !function.strategy.isOurs()) {
      result.note = notes[function.name];
      if (result.note.empty())
        result.note = "greedy alone is better";
    }
    if (function.check.verdict == Verdict::Undecided)
      result.note += std::string(result.note.empty() ? "" : "; ") + "the checker cannot decide greedy's either";
    if (const FunctionRun *other = ours && other_run ? find(*other_run, function.name) : nullptr) {
      result.compared = true;
      result.greedy = *other;
    }
    result.chosen = std::move(function);
    outcome.functions.push_back(std::move(result));
  }
  outcome.module = std::move(answer.module);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(outcome);
}

} // namespace

bool isWorse(const FunctionRun &a, const FunctionRun &b, bool by_cost) {
  if (spills(a.statistics) != spills(b.statistics))
    return spills(a.statistics) > spills(b.statistics);
  if (by_cost && a.cost.est_cycles != b.cost.est_cycles) // which know the waves
    return a.cost.est_cycles > b.cost.est_cycles;
  if (a.statistics.waves != b.statistics.waves)
    return a.statistics.waves < b.statistics.waves;
  return by_cost && a.cost.issue_cycles > b.cost.issue_cycles; // time that other waves can use
}

bool losesAnything(const FunctionRun &a, const FunctionRun &b) {
  return spills(a.statistics) > spills(b.statistics) || a.statistics.waves < b.statistics.waves ||
         a.cost.est_cycles > b.cost.est_cycles;
}

std::variant<CompileOutcome, Failure> compile(const codegen::Module &module, const CompileOptions &options) {
  return Compilation(module, options).compile();
}

} // namespace verilocc::pipeline
