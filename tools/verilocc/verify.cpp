// verilocc verify: did a register allocator, any register allocator, keep the meaning?
#include "inputs.h"
#include "pipeline/run.h"

#include "assignment/case.h"
#include "checker/describe.h"
#include "codegen/tools.h"
#include "mir/reader.h"
#include "validate/validate.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace verilocc::tool {

namespace {

using checker::Verdict;

struct Arguments {
  std::string before, after, allocator = "greedy", json, cases;
  TargetOptions target;
  RecolourArguments recolour;
  unsigned errors = 5;
};

struct Judged {
  std::string function;
  checker::CheckResult result;
  problem::Problem before;
  assignment::Assignment assignment;
};

/// Writes a function and what was found of its allocation as DIR/FUNCTION.ra.
bool writeCase(const Judged &judged, const std::string &folder) {
  assignment::Case contents;
  contents.problem = judged.before;
  contents.assignment = judged.assignment;
  std::string file = judged.function;
  std::replace_if(
      file.begin(), file.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '_');
  auto written = codegen::writeFile(folder + "/" + file + ".ra", assignment::print(contents));
  if (!written)
    printError(written.error());
  return bool(written);
}

int report(const std::vector<Judged> &functions, const Arguments &arguments) {
  int code = functions.empty() ? bad_input : done;
  if (functions.empty())
    printError({"no function to verify", arguments.before});
  nlohmann::json rows = nlohmann::json::array();
  for (const Judged &judged : functions) {
    const auto &result = judged.result;
    if (result.verdict == Verdict::Rejected || result.verdict == Verdict::InvalidInput)
      code = bad_input;
    fmt::print("{}: {}\n", judged.function, name(result.verdict));
    if (!result.invalid_reason.empty())
      fmt::print("  {}\n", result.invalid_reason);
    const bool is_doubted = result.verdict == Verdict::Rejected || result.verdict == Verdict::Undecided;
    if (is_doubted && !arguments.cases.empty() && !writeCase(judged, arguments.cases))
      code = bad_input;
    nlohmann::json errors = nlohmann::json::array();
    for (size_t i = 0; i < result.errors.size(); ++i) {
      const checker::CheckerError &error = result.errors[i];
      if (i < arguments.errors)
        fmt::print("{}", describe(error, judged.before, judged.assignment));
      nlohmann::json found = nlohmann::json::array();
      for (const checker::Value &value : error.found)
        found.push_back(describe(value));
      nlohmann::json row;
      row["kind"] = name(error.kind);
      row["block"] = error.block;
      row["inst"] = error.inst;
      row["edit"] = error.edit;
      row["operand"] = error.operand;
      row["lane"] = error.lane;
      row["expected"] = describe(error.expected);
      row["location"] = describe(error.location);
      row["found"] = found;
      row["path"] = checker::pathTo(judged.before, error.block);
      errors.push_back(std::move(row));
    }
    if (result.errors.size() > arguments.errors)
      fmt::print("  and {} more errors\n", result.errors.size() - arguments.errors);
    for (size_t i = 0; i < result.doubts.size() && i < arguments.errors; ++i)
      fmt::print("{}", describe(result.doubts[i], judged.before));
    rows.push_back({{"function", judged.function},
                    {"verdict", name(result.verdict)},
                    {"reason", result.invalid_reason},
                    {"errors", errors},
                    {"doubts", result.doubts.size()}});
  }
  return writeJson(arguments.json, {{"functions", rows}}) ? code : bad_input;
}

/// Reads every function of a MIR file.
std::optional<std::map<std::string, problem::Problem>> readMir(const std::string &path, const Arguments &arguments) {
  auto module = loadModule(path, arguments.target);
  if (!module)
    return std::nullopt;
  if (module->kind != codegen::ModuleKind::Mir) {
    printError({"not a MIR file: two files to verify are MIR before and after register allocation", path});
    return std::nullopt;
  }
  std::map<std::string, problem::Problem> problems;
  bool failed = false;
  auto failure = codegen::visitMir(*module, arguments.target.compileOptions(), [&](codegen::SeamContext &context) {
    auto reading = mir::readFunction(context.function, {.frequencies_wanted = false});
    if (!reading) {
      printError(reading.error());
      failed = true;
      return;
    }
    problems[reading->problem.name] = std::move(reading->problem);
  });
  if (failure)
    printFailure(*failure);
  if (failure || failed)
    return std::nullopt;
  return problems;
}

int verifyFiles(const Arguments &arguments) {
  auto before = readMir(arguments.before, arguments);
  auto after = before ? readMir(arguments.after, arguments) : std::nullopt;
  if (!before || !after)
    return bad_input;
  std::vector<Judged> functions;
  for (auto &[function, problem] : *before) {
    Judged judged;
    judged.function = function;
    if (auto it = after->find(function); it != after->end()) {
      validate::Validation validation = validate::validate(problem, it->second);
      judged.result = std::move(validation.check);
      judged.assignment = std::move(validation.assignment);
    } else {
      judged.result.invalid_reason = "there is no function of this name in " + arguments.after;
    }
    judged.before = std::move(problem);
    functions.push_back(std::move(judged));
  }
  return report(functions, arguments);
}

int verifyAllocator(const Arguments &arguments) {
  auto allocator = pipeline::parseAllocator(arguments.allocator);
  if (!allocator) {
    printError(allocator.error());
    return wrong_usage;
  }
  auto module = loadModule(arguments.before, arguments.target);
  if (!module)
    return bad_input;
  auto recolour = arguments.recolour.options(*allocator);
  if (!recolour)
    return bad_input;
  pipeline::RunOptions options;
  options.compile = arguments.target.compileOptions();
  options.compile.emit = codegen::Emit::Nothing;
  options.strategy = pipeline::strategiesOf(*allocator).front();
  options.explain = false;
  options.recolour = std::move(*recolour);
  auto answer = pipeline::run(*module, options);
  if (auto *failure = std::get_if<codegen::Failure>(&answer)) {
    printFailure(*failure);
    return exitCodeOf(*failure);
  }
  std::vector<Judged> functions;
  for (pipeline::FunctionRun &function : std::get<pipeline::Run>(answer).functions)
    functions.push_back(
        {function.name, std::move(function.check), std::move(function.before), std::move(function.assignment)});
  return report(functions, arguments);
}

} // namespace

void addVerify(CLI::App &app, Session &session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("verify", "say whether a register allocator kept the meaning");
  command->add_option("BEFORE", arguments->before, "MIR before allocation; or, alone, any input that compile takes")
      ->required();
  command->add_option("AFTER", arguments->after, "MIR after allocation, by whatever allocator");
  command->add_option("--allocator", arguments->allocator, "with one input: " + pipeline::allocatorNames())
      ->capture_default_str();
  arguments->target.add(*command);
  arguments->recolour.add(*command);
  command->add_option("--errors", arguments->errors, "errors to print for each function")->capture_default_str();
  command->add_option("--cases", arguments->cases,
                      "write each function that is Rejected or Undecided into this folder, as a case file");
  command->add_option("--json", arguments->json, "write verdicts and errors as JSON to this file");
  command->callback([arguments, &session] {
    session.exit_code = arguments->after.empty() ? verifyAllocator(*arguments) : verifyFiles(*arguments);
  });
}

} // namespace verilocc::tool
