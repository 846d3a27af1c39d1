// Shared by codegen's tests: the inputs, a stored compile, and programs run for comparison.
#pragma once

#include "codegen/compile.h"
#include "codegen/tools.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace verilocc::codegen::testing {

inline std::string inputPath(const std::string &name) {
  return VERILOCC_SOURCE_DIR "/tests/unit/codegen/inputs/" + name;
}

inline Module input(const std::string &name, const LoadOptions &options = {}) {
  auto module = load(inputPath(name), options);
  EXPECT_TRUE(module) << module.error().str();
  return module ? *module : Module{};
}

inline std::string text(const Failure &failure) {
  return std::string(name(failure.kind)) + ": " + failure.error.str();
}

/// A compile that must succeed.
inline CompiledModule compiled(const Module &module, const CompileOptions &options, const Seams &seams = {}) {
  CompileResult result = compile(module, options, seams);
  EXPECT_TRUE(result) << text(result.failure());
  return result ? *result : CompiledModule{};
}

inline std::string errorOf(const support::Result<Module> &result) {
  return result ? "(no error)" : result.error().str();
}

/// A file that a test writes and that is gone with it.
class ScratchFile {
public:
  ScratchFile(const std::string &name, const std::string &bytes) : file(::testing::TempDir() + name) {
    EXPECT_TRUE(writeFile(file, bytes));
  }
  ~ScratchFile() { std::filesystem::remove(file); }
  const std::string &path() const { return file; }

private:
  std::string file;
};

/// What a program writes to its stdout ("-o -").
inline std::string outputOf(const std::vector<std::string> &names, std::vector<std::string> arguments) {
  auto program = findProgram(names);
  EXPECT_TRUE(program);
  auto file = MemoryFile::create();
  EXPECT_TRUE(file);
  arguments.insert(arguments.end(), {"-o", "-"});
  auto status = runProgram(*program, arguments, file->path());
  EXPECT_TRUE(status) << status.error().str();
  auto bytes = readFile(file->path());
  return bytes ? *bytes : "";
}

} // namespace verilocc::codegen::testing
