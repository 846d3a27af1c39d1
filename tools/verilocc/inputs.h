// What the subcommands share: target options, messages, writing files, tables.
#pragma once

#include "commands.h"

#include "checker/checker.h"
#include "codegen/compile.h"
#include "pipeline/recolour.h"
#include "pipeline/run.h"

#include <nlohmann/json.hpp>

namespace verilocc::tool {

/// -mcpu=, -O, --attributes: written as llc and clang have them.
struct TargetOptions {
  std::string mcpu, attributes;
  unsigned opt_level = 3;
  void add(CLI::App &command);
  codegen::CompileOptions compileOptions() const;
};

/// --seed=, --moves=, --final=, --model=, --attempts=, --temperature=: for allocators that search or ask the model.
struct RecolourArguments {
  uint64_t seed = 1, moves = 0;
  std::string model;
  unsigned attempts = pipeline::RecolourOptions().attempts, draws = pipeline::RecolourOptions().draws;
  double temperature = pipeline::RecolourOptions().temperature;
  void add(CLI::App &command);
  /// Reads the model if `allocator` asks one; without --model= the shipped one. Prints the error.
  std::optional<pipeline::RecolourOptions> options(pipeline::Allocator allocator) const;
};

void printError(const support::InputError &error); ///< "verilocc: error: ..." on stderr
void printFailure(const codegen::Failure &failure);
/// bad_input, or own_fault for a crash.
int exitCodeOf(const codegen::Failure &failure);

/// Writes all of `bytes` beside `path` and renames: an old file is lost only to a complete new one. "-" is stdout.
/// Prints the error.
bool writeOutput(const std::string &path, const std::string &bytes);
/// Nothing if `path` is empty.
bool writeJson(const std::string &path, const nlohmann::json &json);

nlohmann::json toJson(const codegen::FunctionStatistics &statistics);

/// Loads with a message on failure.
std::optional<codegen::Module> loadModule(const std::string &path, const TargetOptions &target);

/// Vregs that the first allocation placed, of those there were: "402/402"; "-" if it was LLVM's own.
std::string placedText(const pipeline::FunctionRun &run);

/// Rows of cells as columns, the first row a heading; numbers to the right.
std::string formatTable(const std::vector<std::vector<std::string>> &rows);

} // namespace verilocc::tool
