#include "pipeline/run.h"

#include "allocators/first_fit.h"
#include "analysis/pressure.h"
#include "mir/homes.h"
#include "mir/reader.h"
#include "rewriter/apply.h"
#include "support/clock.h"
#include "validate/validate.h"

#include <algorithm>

namespace verilocc::pipeline {

using codegen::SeamContext;
using codegen::SeamPoint;

namespace {

/// Moves that the allocated code makes between registers: of the original copies and inserted ones, those that stayed.
unsigned countCopies(const problem::Problem &after) {
  unsigned copies = 0;
  for (const problem::Inst &inst : after.insts)
    copies += inst.kind == problem::InstKind::Copy;
  return copies;
}

class Observer {
public:
  explicit Observer(const RunOptions &options) : options(options) {}

  codegen::Seams seams() {
    bool places = false, recolours = false;
    auto look = [&](const Strategy &strategy) {
      places |= strategy.base == Base::FirstFit;
      recolours |= strategy.recolour != Recolour::None;
    };
    look(options.strategy);
    for (const auto &[function, strategy] : options.exceptions)
      look(strategy);

    codegen::Seams seams;
    if (options.check || places)
      seams[SeamPoint::BeforeSgpr] = [this](SeamContext &context) { beforeAllocation(context); };
    if (places)
      seams[SeamPoint::BeforeVgpr] = [this](SeamContext &context) { placeVectors(context); };
    if (recolours)
      seams[SeamPoint::AfterVgpr] = [this](SeamContext &context) { recolourVectors(context); };
    if (options.check)
      seams[SeamPoint::AfterRewrite] = [this](SeamContext &context) { afterAllocation(context); };
    if (options.explain)
      seams[SeamPoint::Final] = [this](SeamContext &context) { explainFinal(context); };
    return seams;
  }

  std::map<std::string, FunctionRun> functions;
  std::optional<support::InputError> error;

private:
  FunctionRun &at(SeamContext &context);
  std::optional<mir::Reading> read(SeamContext &context, bool frequencies);
  void place(SeamContext &context, const mir::Reading &reading, bool scalars);
  void beforeAllocation(SeamContext &context);
  void placeVectors(SeamContext &context);
  void recolourVectors(SeamContext &context);
  void afterAllocation(SeamContext &context);
  void explainFinal(SeamContext &context);

  const RunOptions &options;
};

FunctionRun &Observer::at(SeamContext &context) {
  std::string name = context.function.getName().str();
  FunctionRun &function = functions[name];
  function.name = name;
  function.strategy = options.strategyOf(name);
  return function;
}

std::optional<mir::Reading> Observer::read(SeamContext &context, bool frequencies) {
  mir::ReadOptions read_options;
  read_options.frequencies = frequencies ? context.frequencies : nullptr;
  read_options.intervals = context.point == codegen::SeamPoint::BeforeSgpr ? context.intervals : nullptr;
  read_options.loops = frequencies ? context.loops : nullptr;
  read_options.frequencies_wanted = frequencies;
  auto reading = mir::readFunction(context.function, read_options);
  if (!reading) {
    if (!error)
      error = reading.error();
    return std::nullopt;
  }
  return std::move(*reading);
}

void Observer::place(SeamContext &context, const mir::Reading &reading, bool scalars) {
  const double start = support::now();
  FunctionRun &function = at(context);
  analysis::LiveRanges live(reading.problem);
  if (!scalars)
    function.pressure = analysis::measurePressure(reading.problem, live).any_vector.lanes;
  allocators::FirstFitOptions first_fit;
  first_fit.scalars = scalars;
  first_fit.vectors = !scalars;
  assignment::Homes homes = allocators::firstFit(reading.problem, live, first_fit);
  auto report = rewriter::applyHomes(homes, reading, *context.intervals, *context.virt_reg_map, *context.matrix);
  function.placed += report.assigned;
  for (problem::VReg v = 0; v < reading.problem.vregs.size(); ++v)
    function.vregs += reading.problem.classOf(v).isPerThread() != scalars;
  function.allocate_seconds += support::now() - start;
}

void Observer::beforeAllocation(SeamContext &context) {
  FunctionRun &function = at(context);
  const bool is_first_fit = function.strategy.base == Base::FirstFit;
  auto reading = read(context, is_first_fit || options.keep);
  if (!reading)
    return;
  if (is_first_fit)
    place(context, *reading, true);
  function.before = std::move(reading->problem);
}

void Observer::placeVectors(SeamContext &context) {
  if (at(context).strategy.base != Base::FirstFit)
    return;
  if (auto reading = read(context, true))
    place(context, *reading, false);
}

void Observer::recolourVectors(SeamContext &context) {
  FunctionRun &function = at(context);
  if (function.strategy.recolour == Recolour::None || !context.virt_reg_map)
    return;
  const double start = support::now();
  auto reading = read(context, true);
  if (!reading)
    return;
  const assignment::Homes homes = mir::readHomes(reading->source, *context.virt_reg_map);
  RecolourOptions recolour_options = options.recolour;
  recolour_options.seed += function.strategy.draw;
  if (auto it = options.waves.find(function.name); it != options.waves.end())
    recolour_options.waves = it->second;
  const assignment::Homes better =
      recolour(function.strategy.recolour, reading->problem, homes, recolour_options, function.recolour);
  // What LLVM refuses (its liveness knows more) leaves all as it was.
  auto report = rewriter::applyHomes(better, *reading, *context.intervals, *context.virt_reg_map, *context.matrix);
  function.recoloured = report.rolled_back ? 0 : report.changed;
  function.allocate_seconds += support::now() - start;
}

/// What the emitted code will cost. The frequencies are those of the final blocks.
void Observer::explainFinal(SeamContext &context) {
  auto reading = read(context, true);
  if (!reading)
    return;
  cost::ExplainOptions explain_options;
  explain_options.final_code = true;
  const problem::MachineEnv &env = reading->problem.env;
  cost::Explanation explanation =
      cost::explain(reading->problem, cost::rulesFor(env.arch, env.wave_size), explain_options);
  explanation.charges.clear(); // they name instructions of a Problem that ends here
  at(context).cost = std::move(explanation);
}

void Observer::afterAllocation(SeamContext &context) {
  FunctionRun &function = at(context);
  const double start = support::now();
  auto after = read(context, false);
  if (!after)
    return;
  if (options.tamper)
    options.tamper(after->problem);
  validate::Validation validation = validate::validate(function.before, after->problem);
  function.check = std::move(validation.check);
  function.copies = countCopies(after->problem);
  if (function.check.verdict == checker::Verdict::Accepted && !options.keep)
    function.before = {};
  else
    function.assignment = std::move(validation.assignment);
  function.check_seconds = support::now() - start;
}

} // namespace

std::variant<Run, codegen::Failure> run(const codegen::Module &module, const RunOptions &options) {
  codegen::CompileOptions compile_options = options.compile;
  const codegen::RegAlloc regalloc = options.strategy.base == Base::Basic  ? codegen::RegAlloc::Basic
                                     : options.strategy.base == Base::Fast ? codegen::RegAlloc::Fast
                                                                           : codegen::RegAlloc::Greedy;
  compile_options.sgpr_allocator = compile_options.vgpr_allocator = regalloc;
  for (const std::string &function : module.functions)
    if (options.strategyOf(function).matrix_in_vgprs)
      compile_options.matrix_in_vgprs.insert(function);
  Observer observer(options);
  auto compiled = codegen::compile(module, compile_options, observer.seams());
  if (!compiled)
    return compiled.failure();
  if (observer.error)
    return codegen::Failure{codegen::FailureKind::Unsupported, *observer.error};
  Run result;
  result.module = std::move(*compiled);
  // Callable functions have no statistics of their own, and are checked like the others.
  for (const std::string &function_name : module.functions) {
    FunctionRun function;
    if (auto it = observer.functions.find(function_name); it != observer.functions.end())
      function = std::move(it->second);
    else if (options.check)
      continue; // nothing was generated for it
    function.name = function_name;
    for (const codegen::FunctionStatistics &statistics : result.module.functions)
      if (statistics.name == function_name)
        function.statistics = statistics;
    // The waves that LDS and attributes leave are known only now.
    if (function.statistics.waves)
      function.cost.est_cycles =
          std::max(function.cost.issue_cycles, function.cost.single_cycles / function.statistics.waves);
    result.functions.push_back(std::move(function));
  }
  return result;
}

} // namespace verilocc::pipeline
