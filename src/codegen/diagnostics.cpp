#include "codegen/diagnostics.h"

#include "codegen/protect.h"
#include "codegen/statistics.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace verilocc::codegen {

support::InputError toInputError(const llvm::SMDiagnostic &diagnostic, const std::string &file) {
  support::InputError error{diagnostic.getMessage().str(), file};
  if (diagnostic.getLineNo() > 0) {
    error.line = static_cast<unsigned>(diagnostic.getLineNo());
    error.column = static_cast<unsigned>(diagnostic.getColumnNo() + 1); // LLVM counts columns from 0
  }
  return error;
}

static support::InputError toInputError(const llvm::DiagnosticInfo &diagnostic, const std::string &file) {
  if (auto *mir = llvm::dyn_cast<llvm::DiagnosticInfoMIRParser>(&diagnostic))
    return toInputError(mir->getDiagnostic(), file);
  // The lines of these count within an inline asm string, not within the file.
  if (auto *source = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&diagnostic))
    return {source->isInlineAsmDiag() ? "inline asm: " + source->getSMDiag().getMessage().str()
                                      : source->getSMDiag().getMessage().str(),
            file};
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  diagnostic.print(printer);
  return {llvm::StringRef(text).trim().str(), file};
}

bool DiagnosticCollector::isAnalysisRemarkEnabled(llvm::StringRef pass) const {
  return pass == resource_remark_pass;
}

bool DiagnosticCollector::handleDiagnostics(const llvm::DiagnosticInfo &diagnostic) {
  if (auto *remark = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&diagnostic)) {
    if (remark->getPassName() == resource_remark_pass)
      addResourceRemark(findings.functions, *remark);
    return true;
  }
  if (diagnostic.getSeverity() == llvm::DS_Error) {
    findings.errors.push_back(toInputError(diagnostic, file));
    if (findings.abandon_on_error)
      abandon("error");
  } else if (diagnostic.getSeverity() == llvm::DS_Warning) {
    findings.warnings.push_back(toInputError(diagnostic, file).message);
  }
  return true;
}

} // namespace verilocc::codegen
