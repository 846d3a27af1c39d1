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

/// What a program writes to the file that its arguments end with.
inline std::string outputOf(const std::vector<std::string> &names, std::vector<std::string> arguments) {
  auto program = findProgram(names);
  EXPECT_TRUE(program);
  auto file = TemporaryFile::create("out");
  EXPECT_TRUE(file);
  arguments.push_back(file->path());
  auto status = runProgram(*program, arguments);
  EXPECT_TRUE(status) << status.error().str();
  auto bytes = readFile(file->path());
  return bytes ? *bytes : "";
}

} // namespace verilocc::codegen::testing
