// One compile in its three steps, each of which runs under protect(). Internal to codegen.
#pragma once

#include "codegen/compile.h"
#include "codegen/diagnostics.h"
#include "codegen/parse.h"
#include "codegen/pass_stream.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <optional>

namespace verilocc::codegen {

/// Lives on the heap and is leaked if LLVM dies. Steps set `error` when they fail.
class Session {
public:
  Session(const Module &module, const CompileOptions &options, const Seams &seams, TargetChoice choice);

  void parseModule();
  /// For MIR: LLVM's machine verifier on what was read. The passes may not survive what it rejects.
  void verifyInput();
  /// To be called with the lock of LLVM's options held: LLVM reads them here.
  void buildPasses();
  void run();
  /// Instead of buildPasses and run.
  void visit(const Seam &seam);

  std::optional<support::InputError> error;
  Findings findings;
  PassLog log;
  llvm::SmallVector<char, 0> output;
  TargetChoice choice;

private:
  bool parseSource();
  void parseMachineFunctions();

  const Module &module;
  const CompileOptions &options;
  const Seams &seams;
  llvm::LLVMContext context;
  Module source; ///< for MIR: the text as the parser wants it, which the parser points into
  ParsedModule parsed;
  std::unique_ptr<llvm::LLVMTargetMachine> machine;
  llvm::raw_svector_ostream stream{output};
  llvm::MachineModuleInfoWrapperPass *info = nullptr; ///< owned by passes once added
  std::unique_ptr<llvm::MachineModuleInfoWrapperPass> info_owner;
  EntryPoint entry;
  llvm::legacy::PassManager passes;
};

} // namespace verilocc::codegen
