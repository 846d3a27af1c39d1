// Collects what LLVM reports while it works on one module. Without a handler LLVM prints errors and calls exit().
#pragma once

#include "codegen/compile.h"

#include "llvm/IR/DiagnosticHandler.h"

#include <string>
#include <vector>

namespace llvm {
class SMDiagnostic;
}

namespace verilocc::codegen {

struct Findings {
  std::vector<support::InputError> errors;
  std::vector<std::string> warnings;
  std::vector<FunctionStatistics> functions;
  /// Set while passes run: the first error then abandons the compile, because LLVM may not come to an end after it
  /// (greedy does not after "inline assembly requires more registers than available").
  bool abandon_on_error = false;
};

support::InputError toInputError(const llvm::SMDiagnostic &diagnostic, const std::string &file);

class DiagnosticCollector : public llvm::DiagnosticHandler {
public:
  /// `findings` outlives the context that owns this.
  DiagnosticCollector(Findings &findings, std::string file) : findings(findings), file(std::move(file)) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &diagnostic) override;
  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override;
  bool isMissedOptRemarkEnabled(llvm::StringRef) const override { return false; }
  bool isPassedOptRemarkEnabled(llvm::StringRef) const override { return false; }
  bool isAnyRemarkEnabled() const override { return true; }

private:
  Findings &findings;
  std::string file;
};

} // namespace verilocc::codegen
