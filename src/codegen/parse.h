// Bytes to an llvm::Module, with errors that a user can act on. Internal to codegen.
#pragma once

#include "codegen/module.h"
#include "codegen/target.h"

#include "llvm/CodeGen/MIRParser/MIRParser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace verilocc::codegen {

struct Findings;

struct ParsedModule {
  std::unique_ptr<llvm::Module> ir;
  std::unique_ptr<llvm::MIRParser> mir; ///< null but for MIR; its functions are still to be parsed
};

/// Sets the data layout of amdgcn and default_triple where the module has none. `findings` is where the context's
/// DiagnosticCollector puts what it is told. `choice`: functions without target-cpu get it, as with llc.
support::Result<ParsedModule> parse(const Module &module, llvm::LLVMContext &context, Findings &findings,
                                    const TargetChoice &choice);

} // namespace verilocc::codegen
