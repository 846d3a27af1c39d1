// verilocc analyze: register pressure before allocation, what an allocator made of it, what that costs by rule, and the
// instructions that cost most, with the vregs that are to blame.
#include "inputs.h"
#include "pipeline/run.h"

#include "analysis/pressure.h"
#include "assignment/case.h"
#include "problem/registers.h"

#include <algorithm>
#include <fmt/format.h>

namespace verilocc::tool {

namespace {

struct Arguments {
  std::string input, json, dump, allocator = "greedy";
  unsigned top = 10;
  TargetOptions target;
  RecolourArguments recolour;
};

/// A charge with the instruction that it falls on.
struct HotSpot {
  std::string rule;
  double cycles = 0; ///< for one execution of the function
  problem::BlockId block = 0;
  std::string inst;
};

/// "v_add_f32 %7=v3 %2=v[4:5]": opcode and the registers of its vector operands, with their vregs.
std::string instText(const problem::Problem &before, const cost::AllocatedCode &code, problem::InstId id) {
  const problem::Inst &inst = code.code.insts[id];
  std::string text = code.code.opcodes[inst.opcode];
  const problem::InstId origin = code.origin[id];
  const auto operands = code.code.operandsOf(inst);
  for (uint32_t o = 0; o < operands.size(); ++o) {
    const problem::Operand &operand = operands[o];
    if (operand.has(problem::operand_flag::Implicit) || !operand.fixed)
      continue;
    text += operand.isDef() ? " def " : " ";
    if (origin != cost::AllocatedCode::no_origin)
      if (const problem::Operand &named = before.operands[before.insts[origin].first_operand + o]; !named.fixed)
        text += fmt::format("%{}=", named.reg);
    text += problem::tupleName(static_cast<problem::RegUnit>(operand.reg), operand.num_lanes);
  }
  return origin == cost::AllocatedCode::no_origin ? text + " (inserted)" : text;
}

std::vector<HotSpot> hotSpots(const pipeline::FunctionRun &run, const cost::Rules &rules, unsigned top,
                              cost::Explanation &estimate) {
  const cost::AllocatedCode code = cost::allocatedCode(run.before, run.assignment);
  estimate = cost::explain(code.code, rules);
  std::vector<std::pair<double, const cost::Charge *>> order;
  for (const cost::Charge &charge : estimate.charges)
    if (double cycles = charge.cycles * code.code.blocks[code.code.blockOf(charge.inst)].frequency; cycles > 0)
      order.push_back({cycles, &charge});
  std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<HotSpot> spots;
  for (size_t i = 0; i < std::min<size_t>(top, order.size()); ++i) {
    const auto &[cycles, charge] = order[i];
    spots.push_back(
        {name(charge->rule), cycles, code.code.blockOf(charge->inst), instText(run.before, code, charge->inst)});
  }
  return spots;
}

/// False if a file cannot be written.
bool analyzeFunction(const pipeline::FunctionRun &run, const Arguments &arguments, bool is_only, nlohmann::json &rows) {
  const problem::Problem &problem = run.before;
  const analysis::LiveRanges live(problem);
  const analysis::Pressure pressure = analysis::measurePressure(problem, live);
  size_t loops = 0;
  for (const problem::Block &block : problem.blocks)
    loops = std::max<size_t>(loops, block.loop_depth);
  fmt::print("{} on {}: {} blocks, {} instructions, {} vregs, loops {} deep\n", problem.name, problem.env.arch,
             problem.blocks.size(), problem.insts.size(), problem.vregs.size(), loops);
  fmt::print("{}", printPressure(problem, pressure));
  nlohmann::json row = {{"function", problem.name},
                        {"arch", problem.env.arch},
                        {"blocks", problem.blocks.size()},
                        {"instructions", problem.insts.size()},
                        {"vregs", problem.vregs.size()}};
  for (unsigned set = 0; set < analysis::num_pressure_sets; ++set) {
    const analysis::Peak &peak = pressure.peaks[set];
    row["pressure"][name(static_cast<analysis::PressureSet>(set))] = {{"lanes", peak.lanes}, {"inst", peak.inst}};
  }

  const auto &s = run.statistics;
  const std::string allocator = name(run.strategy);
  if (s.waves)
    fmt::print("{}: {} VGPRs, {} AGPRs, {} SGPRs, {} spilled, {} waves; {}\n", allocator, s.vgprs, s.agprs, s.sgprs,
               s.vgpr_spills + s.sgpr_spills, s.waves, name(run.check.verdict));
  else // a callable function: LLVM says nothing of it
    fmt::print("{}: {} VGPRs, {} AGPRs; {}\n", allocator, run.cost.vgprs, run.cost.agprs, name(run.check.verdict));
  row["allocator"] = allocator;
  row["verdict"] = name(run.check.verdict);
  row[allocator] = toJson(s);

  const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
  cost::Explanation estimate;
  const std::vector<HotSpot> spots = hotSpots(run, rules, arguments.top, estimate);
  std::vector<std::vector<std::string>> table = {{"cycles by rule", "estimated", "in the final code"}};
  for (unsigned rule = 0; rule < cost::num_rules; ++rule) {
    const double before = estimate.by_rule[rule], emitted = run.cost.by_rule[rule];
    const char *rule_name = name(static_cast<cost::Rule>(rule));
    row["cost"][rule_name] = {{"estimated", before}, {"final", emitted}};
    if (before != 0 || emitted != 0)
      table.push_back({rule_name, fmt::format("{:.1f}", before), fmt::format("{:.1f}", emitted)});
  }
  table.push_back({"whole function, issue", fmt::format("{:.1f}", estimate.issue_cycles),
                   fmt::format("{:.1f}", run.cost.issue_cycles)});
  table.push_back({"whole function, estimated time", fmt::format("{:.1f}", estimate.est_cycles),
                   fmt::format("{:.1f}", run.cost.est_cycles)});
  row["est_cycles"] = run.cost.est_cycles;
  fmt::print("{}", formatTable(table));

  row["costliest"] = nlohmann::json::array();
  std::vector<std::vector<std::string>> hot = {{"costliest", "cycles", "block", "instruction"}};
  for (const HotSpot &spot : spots) {
    hot.push_back({spot.rule, fmt::format("{:.1f}", spot.cycles), std::to_string(spot.block), spot.inst});
    row["costliest"].push_back(
        {{"rule", spot.rule}, {"cycles", spot.cycles}, {"block", spot.block}, {"instruction", spot.inst}});
  }
  if (!spots.empty())
    fmt::print("{}", formatTable(hot));
  rows.push_back(std::move(row));

  if (arguments.dump.empty())
    return true;
  assignment::Case contents;
  contents.comments = {"the problem of " + problem.name + " before allocation"};
  contents.problem = problem;
  return writeOutput(is_only ? arguments.dump : arguments.dump + "." + problem.name + ".ra", print(contents));
}

int analyze(const Arguments &arguments) {
  auto allocator = pipeline::parseAllocator(arguments.allocator);
  if (!allocator) {
    printError(allocator.error());
    return wrong_usage;
  }
  auto module = loadModule(arguments.input, arguments.target);
  if (!module)
    return bad_input;
  auto recolour = arguments.recolour.options(*allocator);
  if (!recolour)
    return bad_input;
  pipeline::RunOptions options;
  options.compile = arguments.target.compileOptions();
  options.strategy = pipeline::strategiesOf(*allocator).front();
  options.recolour = std::move(*recolour);
  options.keep = true;
  auto answer = pipeline::run(*module, options);
  if (auto *failure = std::get_if<codegen::Failure>(&answer)) {
    printFailure(*failure);
    return exitCodeOf(*failure);
  }
  const auto &functions = std::get<pipeline::Run>(answer).functions;
  nlohmann::json rows = nlohmann::json::array();
  for (const pipeline::FunctionRun &function : functions) {
    if (function.check.verdict == checker::Verdict::InvalidInput) {
      printError({function.name + ": " + function.check.invalid_reason, arguments.input});
      return bad_input;
    }
    if (!analyzeFunction(function, arguments, functions.size() == 1, rows))
      return bad_input;
  }
  return writeJson(arguments.json, {{"functions", rows}}) ? done : bad_input;
}

} // namespace

void addAnalyze(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("analyze", "register pressure, what an allocation costs by rule, and where");
  command->add_option("INPUT", arguments->input, "what compile takes")->required();
  command->add_option("--allocator", arguments->allocator, "whose allocation: " + pipeline::allocatorNames())
      ->capture_default_str();
  arguments->target.add(*command);
  arguments->recolour.add(*command);
  command->add_option("--top", arguments->top, "how many of the costliest instructions to show")->capture_default_str();
  command->add_option("--json", arguments->json, "write the figures as JSON to this file");
  command->add_option("--dump", arguments->dump, "write the problem before allocation as .ra to this file");
  command->callback([arguments, &session] { session.exit_code = analyze(*arguments); });
}

} // namespace verilocc::tool
