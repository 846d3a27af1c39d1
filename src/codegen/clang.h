// Sources to LLVM IR by the clang of the machine.
#pragma once

#include "codegen/module.h"

namespace verilocc::codegen {

/// Whether `path` ends as a source that clang compiles.
bool isSource(const std::string &path);

/// Bitcode of `path`, optimised at options.opt_level for options.mcpu. clang's diagnostics go to stderr.
support::Result<std::string> compileSource(const std::string &path, const LoadOptions &options);

} // namespace verilocc::codegen
