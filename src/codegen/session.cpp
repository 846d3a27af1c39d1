#include "codegen/session.h"

#include "codegen/mir_input.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetLoweringObjectFile.h"

namespace verilocc::codegen {
namespace {

using support::InputError;

/// Sets -optimize-regalloc while TargetPassConfig makes its list, and puts it back.
class OptimizedAllocationOption {
public:
  explicit OptimizedAllocationOption(std::optional<bool> wanted) {
    if (!wanted)
      return;
    auto &all = llvm::cl::getRegisteredOptions();
    option = static_cast<llvm::cl::opt<llvm::cl::boolOrDefault> *>(all.lookup("optimize-regalloc"));
    assert(option && "LLVM 19 has this option");
    option->setValue(*wanted ? llvm::cl::BOU_TRUE : llvm::cl::BOU_FALSE);
  }
  ~OptimizedAllocationOption() {
    if (option)
      option->setValue(llvm::cl::BOU_UNSET);
  }

private:
  llvm::cl::opt<llvm::cl::boolOrDefault> *option = nullptr;
};

} // namespace

Session::Session(const Module &module, const CompileOptions &options, const Seams &seams, TargetChoice choice)
    : choice(std::move(choice)), module(module), options(options), seams(seams) {
  source.name = module.name;
  source.kind = module.kind;
  context.setDiagnosticHandler(std::make_unique<DiagnosticCollector>(findings, module.name), true);
}

void Session::parseModule() {
  MirText unverified;
  if (module.kind == ModuleKind::Mir) {
    unverified = withoutVerification(module.bytes);
    source.bytes = std::move(unverified.text);
  }
  if (!parseSource())
    return;
  if (auto status = settleTarget(*parsed.ir, module.name, choice); !status) {
    error = status.error();
    return;
  }
  llvm::codegen::setFunctionAttributes(choice.cpu, choice.features, *parsed.ir);
  for (const std::string &name : options.matrix_in_vgprs)
    if (llvm::Function *function = parsed.ir->getFunction(name);
        function && !function->hasFnAttribute("amdgpu-waves-per-eu"))
      function->addFnAttr("amdgpu-waves-per-eu", "2"); // two waves share the 512 registers of a SIMD
  log.finish(&StageTimes::parse);

  machine = createMachine(parsed.ir->getTargetTriple(), choice, options.opt_level);
  info_owner = std::make_unique<llvm::MachineModuleInfoWrapperPass>(machine.get());
  info = info_owner.get();
  log.finish(&StageTimes::setup);
  if (parsed.mir) {
    parseMachineFunctions();
    for (InputError &found : findings.errors)
      found.line = unverified.originalLine(found.line);
    log.finish(&StageTimes::parse);
  }
}

bool Session::parseSource() {
  auto result = parse(module.kind == ModuleKind::Mir ? source : module, context, findings, choice);
  if (!result) {
    error = result.error();
    return false;
  }
  parsed = std::move(*result);
  return true;
}

void Session::parseMachineFunctions() {
  std::string widened = withFullVcc(source.bytes, *parsed.ir, *machine);
  bool restore = widened != source.bytes;
  if (restore) {
    source.bytes = std::move(widened);
    if (!parseSource())
      return;
    llvm::codegen::setFunctionAttributes(choice.cpu, choice.features, *parsed.ir);
  }
  if (parsed.mir->parseMachineFunctions(*parsed.ir, info->getMMI())) {
    if (findings.errors.empty())
      error = InputError{"the MIR cannot be parsed", module.name};
    return;
  }
  if (auto status = checkMirFunctions(*parsed.ir, info->getMMI(), module.name); !status) {
    error = status.error();
    return;
  }
  for (llvm::Function &function : *parsed.ir)
    if (llvm::MachineFunction *code = info->getMMI().getMachineFunction(function))
      undoPreparation(*code, restore);
  entry = options.start_before.empty() ? chooseEntry(*parsed.ir, info->getMMI(), hasAssignment(options))
                                       : EntryPoint{options.start_before};
}

void Session::verifyInput() {
  if (!parsed.mir)
    return;
  for (llvm::Function &function : *parsed.ir)
    if (llvm::MachineFunction *code = info->getMMI().getMachineFunction(function))
      if (!code->verify(nullptr, "in the input", false))
        log.verifier_failures.push_back("in the input: function " + function.getName().str());
}

void Session::buildPasses() {
  OptimizedAllocationOption option(wantsOptimizedAllocation(options));
  PassStream stream_of_passes(passes, options, seams, entry, log);
  llvm::TargetLibraryInfoImpl library{llvm::Triple(parsed.ir->getTargetTriple())};
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  llvm::TargetPassConfig *config = machine->createPassConfig(stream_of_passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(info_owner.release());
  // The object file's sections, which the MIR and the IR passes ask for.
  machine->getObjFileLowering()->Initialize(info->getMMI().getContext(), *machine);
  if (config->addISelPasses()) {
    error = InputError{"LLVM has no instruction selector for this target", module.name};
    return;
  }
  stream_of_passes.beginMachinePasses();
  config->addMachinePasses();
  stream_of_passes.endMachinePasses();
  config->setInitialized();
  if (std::string missing = stream_of_passes.missing(); !missing.empty()) {
    error = InputError{missing, module.name};
    return;
  }
  if (options.emit == Emit::Mir) {
    passes.add(llvm::createPrintMIRPass(stream));
  } else if (options.emit != Emit::Nothing) {
    auto type =
        options.emit == Emit::Assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
    if (machine->addAsmPrinter(passes, stream, nullptr, type, info->getMMI().getContext())) {
      error = InputError{"LLVM cannot print code for this target", module.name};
      return;
    }
  }
  passes.add(llvm::createFreeMachineFunctionPass());
  log.finish(&StageTimes::setup);
}

void Session::run() {
  findings.abandon_on_error = true;
  passes.run(*parsed.ir);
  log.finish(&StageTimes::emit);
}

void Session::visit(const Seam &seam) {
  passes.add(info_owner.release());
  passes.add(createSeamPass(SeamPoint::Final, seam, false, log));
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(*parsed.ir);
}

} // namespace verilocc::codegen
