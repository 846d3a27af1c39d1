// Problems for the data set, read where the model will work: at the seam after LLVM has allocated vector registers.
//
// There greedy's splits and spills are code, each vreg has a home, and what is left to decide is where each lies. The
// homes go along: they are a baseline, and they say how many registers the function may use.
#pragma once

#include "assignment/case.h"
#include "codegen/compile.h"

#include <variant>
#include <vector>

namespace verilocc::dataset {

/// One case a function of `module`, in the module's order: the Problem, greedy's homes, and as limits in its MachineEnv
/// the largest register counts that keep greedy's waves (tokens/limits.h).
std::variant<std::vector<assignment::Case>, codegen::Failure> extract(const codegen::Module &module,
                                                                      const codegen::CompileOptions &options);

} // namespace verilocc::dataset
