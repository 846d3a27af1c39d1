#include "codegen/target.h"

#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

namespace verilocc::codegen {
namespace {

using support::InputError;

const llvm::Target &amdgpu(llvm::StringRef triple) {
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple.str(), message);
  assert(target && "initializeTarget registers amdgcn");
  return *target;
}

std::unique_ptr<llvm::MCSubtargetInfo> subtarget() {
  return std::unique_ptr<llvm::MCSubtargetInfo>(amdgpu(default_triple).createMCSubtargetInfo(default_triple, "", ""));
}

/// "+a,-b" and "a+:b-" in one form; empty pieces are dropped.
void addFeature(std::string &features, llvm::StringRef piece) {
  if (piece.empty())
    return;
  if (!features.empty())
    features += ',';
  features +=
      piece.ends_with("+") || piece.ends_with("-") ? (piece.take_back(1) + piece.drop_back(1)).str() : piece.str();
}

} // namespace

void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    // llc's own defaults for TargetOptions come from these registered options.
    static llvm::codegen::RegisterCodeGenFlags flags;
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    llvm::PassRegistry &registry = *llvm::PassRegistry::getPassRegistry();
    llvm::initializeCore(registry);
    llvm::initializeCodeGen(registry);
    llvm::initializeLoopStrengthReducePass(registry);
    llvm::initializeLowerIntrinsicsPass(registry);
    llvm::initializeUnreachableBlockElimLegacyPassPass(registry);
    llvm::initializeConstantHoistingLegacyPassPass(registry);
    llvm::initializeScalarOpts(registry);
    llvm::initializeVectorization(registry);
    llvm::initializeScalarizeMaskedMemIntrinLegacyPassPass(registry);
    llvm::initializeExpandReductionsPass(registry);
    llvm::initializeTransformUtils(registry);
    llvm::initializeReplaceWithVeclibLegacyPass(registry);
    llvm::initializeTarget(registry);
  });
}

std::vector<std::string> knownCpus() {
  initializeTarget();
  std::vector<std::string> names;
  for (const llvm::SubtargetSubTypeKV &entry : subtarget()->getAllProcessorDescriptions())
    if (llvm::StringRef(entry.Key).starts_with("gfx"))
      names.push_back(entry.Key);
  return names;
}

support::Result<TargetChoice> chooseTarget(const std::string &mcpu, const std::string &attributes) {
  initializeTarget();
  TargetChoice choice;
  auto [cpu, modifiers] = llvm::StringRef(mcpu).split(':');
  choice.cpu = cpu.str();
  auto info = subtarget();
  if (!cpu.empty() && !info->isCPUStringValid(cpu))
    return InputError{fmt::format("unknown -mcpu={}; known: {}", choice.cpu, fmt::join(knownCpus(), " "))};
  llvm::SmallVector<llvm::StringRef> pieces, more;
  modifiers.split(pieces, ':', -1, false);
  llvm::StringRef(attributes).split(more, ',', -1, false);
  pieces.append(more.begin(), more.end());
  for (llvm::StringRef piece : pieces)
    addFeature(choice.features, piece.trim());
  llvm::SmallVector<llvm::StringRef> all;
  llvm::StringRef(choice.features).split(all, ',', -1, false);
  for (llvm::StringRef feature : all) {
    bool signed_name = feature.starts_with("+") || feature.starts_with("-");
    auto known = info->getAllProcessorFeatures();
    if (!signed_name || !llvm::any_of(known, [&](const auto &entry) { return entry.Key == feature.drop_front(); }))
      return InputError{fmt::format("unknown target feature '{}' (write +NAME or -NAME, names as in LLVM)",
                                    std::string_view(feature))};
  }
  return choice;
}

support::Status checkTriple(llvm::StringRef triple, const std::string &file) {
  if (!triple.empty() && llvm::Triple(triple).getArch() != llvm::Triple::amdgcn)
    return InputError{fmt::format("the module is for {}, not for amdgcn", std::string_view(triple)), file};
  return support::Ok{};
}

support::Status settleTarget(const llvm::Module &module, const std::string &file, TargetChoice &choice) {
  if (auto status = checkTriple(module.getTargetTriple(), file); !status)
    return status;
  for (const llvm::Function &function : module) {
    llvm::StringRef own = function.getFnAttribute("target-cpu").getValueAsString();
    if (function.isDeclaration() || own.empty())
      continue;
    if (choice.cpu.empty()) {
      auto from_module = chooseTarget(own.str(), choice.features);
      if (!from_module)
        return InputError{from_module.error().message, file};
      choice = *from_module;
    }
    if (own != choice.cpu)
      return InputError{fmt::format("function {} was compiled for {}, not for {}: its target-cpu attribute decides, so "
                                    "compile the source again for {} or give -mcpu={}",
                                    std::string_view(function.getName()), std::string_view(own), choice.cpu, choice.cpu,
                                    std::string_view(own)),
                        file};
  }
  if (choice.cpu.empty())
    return InputError{"no -mcpu given, and no function of the module names a target-cpu", file};
  return support::Ok{};
}

std::unique_ptr<llvm::LLVMTargetMachine> createMachine(const std::string &triple, const TargetChoice &choice,
                                                       unsigned opt_level) {
  initializeTarget();
  llvm::TargetOptions options = llvm::codegen::InitTargetOptionsFromCodeGenFlags(llvm::Triple(triple));
  options.MCOptions.AsmVerbose = true; // as llc
  options.MCOptions.PreserveAsmComments = true;
  auto level = *llvm::CodeGenOpt::getLevel(static_cast<int>(opt_level));
  return std::unique_ptr<llvm::LLVMTargetMachine>(
      static_cast<llvm::LLVMTargetMachine *>(amdgpu(triple).createTargetMachine(
          triple, choice.cpu, choice.features, options, std::nullopt, std::nullopt, level)));
}

} // namespace verilocc::codegen
