// verilocc compile: a module in, proved code out.
#include "pipeline/compile.h"
#include "inputs.h"

#include "checker/describe.h"

#include <filesystem>
#include <fmt/format.h>

namespace verilocc::tool {

namespace {

struct Arguments {
  std::string input, output, allocator = "best", emit = "obj", json, repro = ".";
  TargetOptions target;
  RecolourArguments recolour;
  bool verify_machine_code = false, quiet = false;
};

const std::map<std::string, codegen::Emit> emits = {{"obj", codegen::Emit::Object},
                                                    {"hsaco", codegen::Emit::Hsaco},
                                                    {"asm", codegen::Emit::Assembly},
                                                    {"mir", codegen::Emit::Mir}};

std::string outputName(const Arguments &arguments) {
  if (!arguments.output.empty())
    return arguments.output;
  static const std::map<std::string, const char *> endings = {
      {"obj", ".o"}, {"hsaco", ".hsaco"}, {"asm", ".s"}, {"mir", ".out.mir"}};
  return std::filesystem::path(arguments.input).stem().string() + endings.at(arguments.emit);
}

int compile(const Arguments &arguments, const Session &session) {
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

  pipeline::CompileOptions options;
  options.compile = arguments.target.compileOptions();
  options.compile.emit = emits.at(arguments.emit);
  options.compile.verify = arguments.verify_machine_code ? codegen::Verify::EveryPass : codegen::Verify::Off;
  options.allocator = *allocator;
  options.recolour = std::move(*recolour);
  options.repro_parent = arguments.repro;
  options.command_line = session.command_line;
  auto answer = pipeline::compile(*module, options);
  if (auto *failure = std::get_if<codegen::Failure>(&answer)) {
    printFailure(*failure);
    return exitCodeOf(*failure);
  }
  const auto &outcome = std::get<pipeline::CompileOutcome>(answer);
  for (const std::string &warning : outcome.module.warnings)
    fmt::print(stderr, "verilocc: warning: {}\n", warning);
  if (!writeOutput(outputName(arguments), outcome.module.bytes))
    return bad_input;

  nlohmann::json functions = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows = {
      {"function", "VGPRs", "AGPRs", "SGPRs", "spills", "waves", "placed", "moved", "allocator", "verdict"}};
  for (const pipeline::FunctionOutcome &function : outcome.functions) {
    const auto &s = function.chosen.statistics;
    rows.push_back({function.chosen.name, std::to_string(s.vgprs), std::to_string(s.agprs), std::to_string(s.sgprs),
                    std::to_string(s.vgpr_spills + s.sgpr_spills), std::to_string(s.waves),
                    placedText(function.chosen), std::to_string(function.chosen.recoloured),
                    name(function.chosen.strategy), name(function.chosen.check.verdict)});
    nlohmann::json row = toJson(s);
    row["function"] = function.chosen.name;
    row["allocator"] = name(function.chosen.strategy);
    row["verdict"] = name(function.chosen.check.verdict);
    row["vregs"] = function.chosen.vregs;
    row["placed"] = function.chosen.placed;
    row["recoloured"] = function.chosen.recoloured;
    row["note"] = function.note;
    if (function.compared)
      row["greedy"] = toJson(function.greedy.statistics);
    functions.push_back(std::move(row));
  }
  // The report goes where the code does not.
  std::FILE *report = outputName(arguments) == "-" ? stderr : stdout;
  if (!arguments.quiet)
    fmt::print(report, "{}", formatTable(rows));
  for (const pipeline::FunctionOutcome &function : outcome.functions)
    if (!function.note.empty())
      fmt::print(stderr, "verilocc: note: {}: {}: greedy's allocation is used\n", function.chosen.name, function.note);
  for (const std::string &folder : outcome.repro_folders)
    fmt::print(stderr, "verilocc: note: see {}\n", folder);
  return writeJson(arguments.json, {{"input", arguments.input},
                                    {"arch", outcome.module.mcpu},
                                    {"seconds", outcome.seconds},
                                    {"runs", outcome.runs},
                                    {"functions", functions}})
             ? done
             : bad_input;
}

} // namespace

void addCompile(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("compile", "compile a module; every function's allocation is proved");
  command->add_option("INPUT", arguments->input, ".ll, .bc, .mir, or .hip, .cl, .c through clang; - for stdin")
      ->required();
  command->add_option("-o,--output", arguments->output, "output file; - for stdout; default: the input's name");
  command->add_option("--emit", arguments->emit, "what to write")->check(CLI::IsMember(emits))->capture_default_str();
  command->add_option("--allocator", arguments->allocator, pipeline::allocatorNames())->capture_default_str();
  arguments->target.add(*command);
  arguments->recolour.add(*command);
  command->add_option("--json", arguments->json, "write the report as JSON to this file");
  command->add_option("--repro", arguments->repro, "folder in which repro folders are made")->capture_default_str();
  command->add_flag("--verify-machine-code", arguments->verify_machine_code,
                    "run LLVM's machine verifier after each pass");
  command->add_flag("-q,--quiet", arguments->quiet, "no table");
  command->callback([arguments, &session] { session.exit_code = compile(*arguments, session); });
}

} // namespace verilocc::tool
