// What a compile produced, in LLVM's own words: the AsmPrinter's resource usage remarks, and the code object's
// metadata.
#pragma once

#include "codegen/compile.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class DiagnosticInfoOptimizationBase;
}

namespace verilocc::codegen {

constexpr const char *resource_remark_pass = "kernel-resource-usage";

/// Enters one remark of resource_remark_pass. A function's first remark is its name.
void addResourceRemark(std::vector<FunctionStatistics> &functions, const llvm::DiagnosticInfoOptimizationBase &remark);

/// Adds what the amdhsa metadata says of each kernel: the note of an ELF file, or the block of an assembly text.
/// Output without metadata (not amdhsa) adds nothing. Metadata that cannot be read is an error.
support::Status addMetadata(std::vector<FunctionStatistics> &functions, llvm::StringRef output, Emit emit);

} // namespace verilocc::codegen
