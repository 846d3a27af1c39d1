// What the user gave, checked: an LLVM module as text, bitcode or MIR, or a source that clang turned into one.
//
// A Module is immutable bytes. Each compile parses them into an LLVM context of its own, because code generation
// rewrites the IR: so one Module may be compiled many times, by several threads, with equal results.
#pragma once

#include "support/result.h"

#include <string>
#include <vector>

namespace verilocc::codegen {

enum class ModuleKind { Text, Bitcode, Mir };

struct Module {
  std::string name; ///< the path, for messages
  ModuleKind kind = ModuleKind::Text;
  std::string bytes;
  std::string triple;                 ///< as the module says; may be empty
  std::vector<std::string> functions; ///< those with a body, in the module's order
};

struct LoadOptions {
  std::string mcpu;       ///< sources (.hip .cl .c .cpp) need it; a target id such as gfx90a:xnack- is fine
  unsigned opt_level = 3; ///< clang's -O
  std::string clang;      ///< program; empty: clang-19, else clang
  std::vector<std::string> clang_arguments; ///< appended, so that they win
};

/// Reads `path` ("-": standard input): .ll, .bc, .mir, .hip, .cl, .c, .cpp (.cc, .cxx); other names by their content.
support::Result<Module> load(const std::string &path, const LoadOptions &options = {});

/// Checks `bytes`; `name` stands for the path in messages and decides the kind as a path would.
support::Result<Module> loadBytes(std::string bytes, const std::string &name);

} // namespace verilocc::codegen
