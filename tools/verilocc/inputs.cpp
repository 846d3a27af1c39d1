#include "inputs.h"

#include "pipeline/model_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace verilocc::tool {

void TargetOptions::add(CLI::App &command) {
  command.add_option("-m,--mcpu", mcpu,
                     "GPU, such as gfx1100 (also written -mcpu=gfx1100); default: what the input was compiled for");
  command.add_option("-O", opt_level, "optimisation level of code generation")->check(CLI::Range(0, 3));
  command.add_option("--attributes", attributes, "target features, such as +wavefrontsize64,-xnack");
}

codegen::CompileOptions TargetOptions::compileOptions() const {
  codegen::CompileOptions options;
  options.mcpu = mcpu;
  options.attributes = attributes;
  options.opt_level = opt_level;
  return options;
}

void RecolourArguments::add(CLI::App &command) {
  command.add_option("--seed", seed, "of all that is chosen at random; the same seed gives the same code")
      ->capture_default_str();
  command.add_option("--moves", moves, "how many moves a search may make; 0: in proportion to the function");
  command
      .add_option("--final", draws, "answers of each search, told apart by chance, that are judged by their final code")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command.add_option("--model", model, "checkpoint for learned and best; default: the one that ships");
  command.add_option("--attempts", attempts, "answers that the model gives for a function")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--temperature", temperature, "at which it draws all but the first of them")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
}

std::optional<pipeline::RecolourOptions> RecolourArguments::options(pipeline::Allocator allocator) const {
  pipeline::RecolourOptions result;
  result.seed = seed;
  result.moves = moves;
  result.attempts = attempts;
  result.draws = draws;
  result.temperature = temperature;
  const bool needs_model = allocator == pipeline::Allocator::Learned;
  if (!needs_model && allocator != pipeline::Allocator::Best)
    return result;
  const std::string path = model.empty() ? pipeline::shippedModel() : model;
  if (path.empty()) {
    if (!needs_model)
      return result;
    printError({"there is no model: name one with --model=FILE"});
    return std::nullopt;
  }
  auto loaded = pipeline::loadModel(path);
  if (!loaded) {
    printError(loaded.error());
    return std::nullopt;
  }
  result.model = std::move(loaded->backend);
  result.model_hash = loaded->hash;
  return result;
}

void printError(const support::InputError &error) {
  fmt::print(stderr, "verilocc: error: {}\n", error.str());
}

void printFailure(const codegen::Failure &failure) {
  printError(failure.error);
  for (const support::InputError &error : failure.more)
    printError(error);
}

int exitCodeOf(const codegen::Failure &failure) {
  return failure.kind == codegen::FailureKind::Crash || failure.kind == codegen::FailureKind::MachineVerifier
             ? own_fault
             : bad_input;
}

bool writeOutput(const std::string &path, const std::string &bytes) {
  if (path == "-") {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    return std::fflush(stdout) == 0;
  }
  namespace fs = std::filesystem;
  // A device or a pipe is written to; renaming would replace it.
  std::error_code ignored;
  const bool is_special =
      fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) && !fs::is_directory(path, ignored);
  const std::string partial = is_special ? path : fmt::format("{}.{}.part", path, getpid());
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  bool written = bool(out);
  int reason = errno;
  if (written && !is_special && std::rename(partial.c_str(), path.c_str()) != 0) {
    written = false;
    reason = errno;
  }
  if (!written) {
    if (!is_special)
      fs::remove(partial, ignored);
    printError({fmt::format("cannot write: {}", std::strerror(reason)), path});
  }
  return written;
}

bool writeJson(const std::string &path, const nlohmann::json &json) {
  return path.empty() || writeOutput(path, json.dump(2) + "\n");
}

nlohmann::json toJson(const codegen::FunctionStatistics &s) {
  return {{"vgprs", s.vgprs},
          {"agprs", s.agprs},
          {"sgprs", s.sgprs},
          {"vgpr_spills", s.vgpr_spills},
          {"sgpr_spills", s.sgpr_spills},
          {"scratch_bytes", s.scratch_bytes},
          {"lds_bytes", s.lds_bytes},
          {"waves", s.waves}};
}

std::optional<codegen::Module> loadModule(const std::string &path, const TargetOptions &target) {
  codegen::LoadOptions options;
  options.mcpu = target.compileOptions().mcpu;
  options.opt_level = target.opt_level;
  auto module = codegen::load(path, options);
  if (!module) {
    printError(module.error());
    return std::nullopt;
  }
  return std::move(*module);
}

std::string placedText(const pipeline::FunctionRun &run) {
  return run.vregs ? fmt::format("{}/{}", run.placed, run.vregs) : "-";
}

std::string formatTable(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_number =
          !row[i].empty() && (std::isdigit(static_cast<unsigned char>(row[i][0])) || row[i][0] == '-');
      line += is_number ? fmt::format("{:>{}}  ", row[i], widths[i]) : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

} // namespace verilocc::tool
