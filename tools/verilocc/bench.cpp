// verilocc bench: kernels with our allocation beside greedy's, and the time that it takes.
#include "inputs.h"
#include "pipeline/compile.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace verilocc::tool {

namespace {

struct Arguments {
  std::vector<std::string> inputs;
  std::string allocator = "first-fit", json;
  TargetOptions target;
  bool time = false, verify_machine_code = false, summary = false;
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

int bench(const Arguments &arguments, const Session &session) {
  auto allocator = pipeline::parseAllocator(arguments.allocator);
  if (!allocator) {
    printError(allocator.error());
    return wrong_usage;
  }
  std::vector<std::string> files = expand(arguments.inputs);
  if (files.empty()) {
    printError({"no .ll or .bc file there", arguments.inputs.front()});
    return bad_input;
  }
  std::vector<std::vector<std::string>> rows = {{"kernel", "arch", "VGPRs", "greedy", "AGPRs", "greedy", "SGPRs",
                                                 "greedy", "spills", "greedy", "waves", "greedy", "placed", "of",
                                                 "allocator", "verdict"}};
  nlohmann::json json_rows = nlohmann::json::array();
  std::vector<double> ratios;
  unsigned verdicts[4] = {}, more_waves = 0, fewer_waves = 0, fewer_spills = 0, ours = 0, functions = 0;
  uint64_t placed = 0, vregs = 0;
  int code = done;
  const bool progress = isatty(STDERR_FILENO);
  for (size_t i = 0; i < files.size(); ++i) {
    if (progress)
      fmt::print(stderr, "\r{}/{} ", i + 1, files.size());
    auto module = loadModule(files[i], arguments.target);
    if (!module) {
      code = bad_input;
      continue;
    }
    pipeline::CompileOptions options;
    options.compile = arguments.target.compileOptions();
    options.compile.verify = arguments.verify_machine_code ? codegen::Verify::EveryPass : codegen::Verify::Off;
    options.allocator = *allocator;
    options.command_line = session.command_line;
    // Timed as a user would run it; the comparison in the table comes from a run of its own.
    double ratio = 0;
    if (arguments.time) {
      pipeline::RunOptions plain;
      plain.compile = options.compile;
      plain.check = false;
      auto seconds = [](auto &&function) {
        auto start = std::chrono::steady_clock::now();
        function();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      };
      (void)pipeline::run(*module, plain); // warms caches for both
      const double greedy = seconds([&] { (void)pipeline::run(*module, plain); });
      const double whole = seconds([&] { (void)pipeline::compile(*module, options); });
      ratio = whole / greedy;
      ratios.push_back(ratio);
    }
    options.always_compare = true;
    auto answer = pipeline::compile(*module, options);
    if (auto *failure = std::get_if<codegen::Failure>(&answer)) {
      printFailure(*failure);
      code = std::max(code, exitCodeOf(*failure));
      continue;
    }
    auto &outcome = std::get<pipeline::CompileOutcome>(answer);
    for (const pipeline::FunctionOutcome &function : outcome.functions) {
      const auto &a = function.chosen.statistics;
      const auto &g = function.compared ? function.greedy : a;
      const unsigned spills = a.vgpr_spills + a.sgpr_spills, greedy_spills = g.vgpr_spills + g.sgpr_spills;
      ++functions;
      ++verdicts[static_cast<unsigned>(function.chosen.check.verdict)];
      more_waves += a.waves > g.waves;
      fewer_waves += a.waves < g.waves;
      fewer_spills += spills < greedy_spills;
      ours += function.allocator == pipeline::Allocator::FirstFit;
      placed += function.chosen.placed;
      vregs += function.chosen.vregs;
      auto text = [](unsigned value) { return std::to_string(value); };
      rows.push_back({function.chosen.name, outcome.module.mcpu, text(a.vgprs), text(g.vgprs), text(a.agprs),
                      text(g.agprs), text(a.sgprs), text(g.sgprs), text(spills), text(greedy_spills), text(a.waves),
                      text(g.waves), text(function.chosen.placed), text(function.chosen.vregs),
                      name(function.allocator), name(function.chosen.check.verdict)});
      nlohmann::json row = toJson(a);
      row["kernel"] = function.chosen.name;
      row["arch"] = outcome.module.mcpu;
      row["allocator"] = name(function.allocator);
      row["verdict"] = name(function.chosen.check.verdict);
      row["copies"] = function.chosen.copies;
      row["placed"] = function.chosen.placed;
      row["vregs"] = function.chosen.vregs;
      row["pressure"] = function.chosen.pressure;
      row["greedy"] = toJson(g);
      row["note"] = function.note;
      row["seconds"] = outcome.seconds;
      row["time_ratio"] = ratio;
      json_rows.push_back(std::move(row));
    }
  }
  if (progress)
    fmt::print(stderr, "\r");
  if (!arguments.summary)
    fmt::print("{}", formatTable(rows));
  fmt::print("{} functions: {} Accepted, {} Rejected, {} Undecided, {} InvalidInput\n", functions, verdicts[0],
             verdicts[1], verdicts[2], verdicts[3]);
  fmt::print("{} with our allocation, {} with greedy's; {} of {} vregs placed by us\n", ours, functions - ours, placed,
             vregs);
  fmt::print("against greedy: more waves {}, fewer waves {}, fewer spills {}\n", more_waves, fewer_waves, fewer_spills);
  if (!ratios.empty())
    fmt::print("time of compile over a plain greedy run of the same driver: median {:.2f}, largest {:.2f}\n",
               median(ratios), *std::max_element(ratios.begin(), ratios.end()));
  return writeJson(arguments.json, {{"rows", json_rows}}) ? code : bad_input;
}

} // namespace

void addBench(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("bench", "compile kernels with our allocation beside greedy's: a table");
  command->add_option("INPUT", arguments->inputs, "modules, or folders of them")->required();
  command->add_option("--allocator", arguments->allocator, "first-fit, greedy, basic or fast")->capture_default_str();
  arguments->target.add(*command);
  command->add_option("--json", arguments->json, "write the rows as JSON to this file");
  command->add_flag("--time", arguments->time, "also time compile against a plain greedy run");
  command->add_flag("--summary", arguments->summary, "only the lines below the table");
  command->add_flag("--verify-machine-code", arguments->verify_machine_code,
                    "run LLVM's machine verifier after each pass");
  command->callback([arguments, &session] { session.exit_code = bench(*arguments, session); });
}

} // namespace verilocc::tool
