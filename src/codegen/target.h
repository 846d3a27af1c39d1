// Which GPU to compile for: -mcpu and features checked before LLVM sees them, because LLVM only warns about an unknown
// processor and then generates code for another.
#pragma once

#include "support/result.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace verilocc::codegen {

constexpr const char *default_triple = "amdgcn-amd-amdhsa";

struct TargetChoice {
  std::string cpu;      ///< "gfx90a"
  std::string features; ///< "+xnack,-sramecc"
};

/// Initialises LLVM's AMDGPU target, its passes and its options. Idempotent, thread-safe, and called by all that
/// need it.
void initializeTarget();

/// Splits a target id ("gfx90a:xnack+:sramecc-") and adds `attributes` ("+wavefrontsize64", comma separated).
/// An empty `mcpu` gives an empty cpu. Unknown names are an error that lists the known ones.
support::Result<TargetChoice> chooseTarget(const std::string &mcpu, const std::string &attributes);

/// The names that -mcpu takes, gfx ones only, in LLVM's order.
std::vector<std::string> knownCpus();

/// Takes the triple and the processor from the module where the caller gave none, and refuses a module that was
/// compiled for another target or, function by function, for another processor.
support::Status settleTarget(const llvm::Module &module, const std::string &file, TargetChoice &choice);

/// "module.triple is not for us" as an error, or Ok; the empty triple passes.
support::Status checkTriple(llvm::StringRef triple, const std::string &file);

std::unique_ptr<llvm::LLVMTargetMachine> createMachine(const std::string &triple, const TargetChoice &choice,
                                                       unsigned opt_level);

} // namespace verilocc::codegen
