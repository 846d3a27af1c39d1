// A repro folder: all that is needed to see a rejected allocation again.
#pragma once

#include "pipeline/run.h"

#include <optional>

namespace verilocc::pipeline {

/// Writes PARENT/repro-HASH/ with command.txt, the input as given, case.ra (Problem, Assignment, expected verdict) and
/// verdict.txt; returns its path, nothing if it cannot be written. The same case gives the same folder.
std::optional<std::string> writeRepro(const std::string &parent, const codegen::Module &module,
                                      const FunctionRun &function, const std::string &why,
                                      const std::string &command_line);

} // namespace verilocc::pipeline
