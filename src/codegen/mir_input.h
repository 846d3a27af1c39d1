// MIR text as an entry into the pipeline: reading its functions, and finding where they should go on.
#pragma once

#include "codegen/parse.h"
#include "codegen/pass_stream.h"

namespace llvm {
class MachineModuleInfo;
class TargetMachine;
} // namespace llvm

namespace verilocc::codegen {

/// MIR text with lines added.
struct MirText {
  std::string text;
  std::vector<unsigned> added; ///< the added lines' numbers in `text`, ascending
  /// The line of the text without the additions. 0 stays 0.
  unsigned originalLine(unsigned line) const;
};

/// LLVM's parser runs the machine verifier on each function and ends the process over its errors. But a wrong
/// allocation is just what a checker wants to read. Functions marked as failedISel are spared.
MirText withoutVerification(const std::string &text);

/// MIR printed by LLVM 19 for wave32 after allocation does not parse: instructions whose description says VCC carry
/// VCC_LO, and the parser insists on the description. This gives the text that parses, with VCC in those places.
/// Text of which nothing must change comes back as it is.
std::string withFullVcc(const std::string &text, const llvm::Module &ir, const llvm::TargetMachine &machine);

/// Takes the mark of withoutVerification off again and, if `restore_vcc_lo`, puts VCC_LO back.
void undoPreparation(llvm::MachineFunction &function, bool restore_vcc_lo);

/// The machine functions of `ir`; an error if a function with a body has none.
support::Status checkMirFunctions(const llvm::Module &ir, llvm::MachineModuleInfo &info, const std::string &file);

/// Where the least advanced function of the module should enter; see CompileOptions::start_before.
EntryPoint chooseEntry(const llvm::Module &ir, llvm::MachineModuleInfo &info, bool assignment);

} // namespace verilocc::codegen
