// verilocc analyze: register pressure before allocation, and what greedy made of it.
#include "inputs.h"
#include "pipeline/run.h"

#include "analysis/pressure.h"
#include "assignment/case.h"
#include "mir/reader.h"

#include <fmt/format.h>

namespace verilocc::tool {

namespace {

struct Arguments {
  std::string input, json, dump;
  TargetOptions target;
};

int analyze(const Arguments &arguments) {
  auto module = loadModule(arguments.input, arguments.target);
  if (!module)
    return bad_input;
  std::vector<problem::Problem> problems;
  std::optional<support::InputError> unreadable;
  codegen::Seams seams;
  seams[codegen::SeamPoint::BeforeSgpr] = [&](codegen::SeamContext &context) {
    mir::ReadOptions options;
    options.frequencies = context.frequencies;
    options.loops = context.loops;
    auto reading = mir::readFunction(context.function, options);
    if (reading)
      problems.push_back(std::move(reading->problem));
    else
      unreadable = reading.error();
  };
  auto compiled = codegen::compile(*module, arguments.target.compileOptions(), seams);
  if (!compiled) {
    printFailure(compiled.failure());
    return exitCodeOf(compiled.failure());
  }
  if (unreadable) {
    printError(*unreadable);
    return bad_input;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const problem::Problem &problem : problems) {
    analysis::LiveRanges live(problem);
    analysis::Pressure pressure = analysis::measurePressure(problem, live);
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
    for (const codegen::FunctionStatistics &s : compiled->functions)
      if (s.name == problem.name) {
        fmt::print("greedy: {} VGPRs, {} AGPRs, {} SGPRs, {} spilled, {} waves\n", s.vgprs, s.agprs, s.sgprs,
                   s.vgpr_spills + s.sgpr_spills, s.waves);
        row["greedy"] = toJson(s);
      }
    rows.push_back(std::move(row));
    if (!arguments.dump.empty()) {
      assignment::Case contents;
      contents.comments = {"the problem of " + problem.name + " before allocation"};
      contents.problem = problem;
      const std::string path = problems.size() > 1 ? arguments.dump + "." + problem.name + ".ra" : arguments.dump;
      if (!writeOutput(path, print(contents)))
        return bad_input;
    }
  }
  return writeJson(arguments.json, {{"functions", rows}}) ? done : bad_input;
}

} // namespace

void addAnalyze(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("analyze", "register pressure, and the registers that greedy uses");
  command->add_option("INPUT", arguments->input, "what compile takes")->required();
  arguments->target.add(*command);
  command->add_option("--json", arguments->json, "write the figures as JSON to this file");
  command->add_option("--dump", arguments->dump, "write the problem before allocation as .ra to this file");
  command->callback([arguments, &session] { session.exit_code = analyze(*arguments); });
}

} // namespace verilocc::tool
