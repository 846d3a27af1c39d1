// Shared by mir's tests: short MIR in, readings out.
#pragma once

#include "mir/reader.h"

#include "codegen/compile.h"
#include "problem/text.h"

#include "llvm/CodeGen/MachineFunction.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace verilocc::mir::testing {

/// A MIR file with functions f0, f1, ..., one for each body (blocks with their labels, indented by any amount).
/// `extra`: further keys of each function, as `stack:`.
inline std::string mirOf(const std::vector<std::string> &bodies, const std::string &extra = "") {
  std::string ir = "--- |\n  target triple = \"amdgcn-amd-amdhsa\"\n  declare void @callee()\n";
  std::string functions;
  for (size_t i = 0; i < bodies.size(); ++i) {
    std::string name = "f" + std::to_string(i);
    ir += "  define amdgpu_kernel void @" + name + "() { ret void }\n";
    functions += "---\nname: " + name + "\ntracksRegLiveness: false\n" + extra + "body: |\n";
    const std::string &body = bodies[i];
    for (size_t pos = 0; pos < body.size();) {
      size_t end = std::min(body.find('\n', pos), body.size());
      functions += "  " + body.substr(pos, end - pos) + "\n";
      pos = end + 1;
    }
    functions += "...\n";
  }
  return ir + "...\n" + functions;
}
inline std::string mirOf(const std::string &body, const std::string &extra = "") {
  return mirOf(std::vector<std::string>{body}, extra);
}

using Visit = std::function<void(const support::Result<Reading> &, llvm::MachineFunction &)>;

/// Reads each function of a MIR text, then hands it to `visit` while LLVM's objects live.
inline void readText(const std::string &text, const std::string &mcpu, const Visit &visit) {
  auto module = codegen::loadBytes(text, "test.mir");
  ASSERT_TRUE(module) << module.error().str();
  codegen::CompileOptions options;
  options.mcpu = mcpu;
  bool visited = false;
  auto failure = codegen::visitMir(*module, options, [&](codegen::SeamContext &context) {
    visited = true;
    visit(readFunction(context.function), context.function);
  });
  ASSERT_FALSE(failure) << failure->error.str() << "\n" << text;
  ASSERT_TRUE(visited);
}

inline problem::Problem problemOf(const std::string &text, const std::string &mcpu) {
  problem::Problem result;
  readText(text, mcpu, [&](const support::Result<Reading> &reading, llvm::MachineFunction &) {
    ASSERT_TRUE(reading) << reading.error().str();
    auto status = problem::wellFormed(reading->problem);
    EXPECT_TRUE(status) << status.error().str();
    result = reading->problem;
  });
  return result;
}

/// The instruction lines of a Problem's text, without signatures.
inline std::vector<std::string> linesOf(const problem::Problem &problem) {
  std::vector<std::string> lines;
  std::string text = problem::print(problem);
  for (size_t pos = 0; pos < text.size();) {
    size_t end = text.find('\n', pos);
    std::string line = text.substr(pos, end - pos);
    pos = end + 1;
    if (line.substr(0, 2) != "  ")
      continue;
    line = line.substr(2, line.rfind(" sig ") - 2);
    lines.push_back(line);
  }
  return lines;
}

} // namespace verilocc::mir::testing
