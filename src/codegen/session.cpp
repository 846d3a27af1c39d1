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
  context.setDiagnosticHandler(std::make_unique<DiagnosticCollector>(findings, module.name), true);
}

void Session::parseModule() {
  auto result = parse(module, context, findings, choice);
  if (!result) {
    error = result.error();
    return;
  }
  parsed = std::move(*result);
  if (auto status = settleTarget(*parsed.ir, module.name, choice); !status) {
    error = status.error();
    return;
  }
  llvm::codegen::setFunctionAttributes(choice.cpu, choice.features, *parsed.ir);
  log.finish(&StageTimes::parse);

  machine = createMachine(parsed.ir->getTargetTriple(), choice, options.opt_level);
  info_owner = std::make_unique<llvm::MachineModuleInfoWrapperPass>(machine.get());
  info = info_owner.get();
  log.finish(&StageTimes::setup);
  if (parsed.mir) {
    parseMachineFunctions();
    log.finish(&StageTimes::parse);
  }
}

bool Session::parseMachineFunctions() {
  widened_mir = withFullVcc(module.bytes, *parsed.ir, *machine);
  bool widened = widened_mir != module.bytes;
  if (widened) {
    Module replacement = module;
    replacement.bytes = std::move(widened_mir);
    auto again = parse(replacement, context, findings, choice);
    widened_mir = std::move(replacement.bytes);
    assert(again && "only machine code was changed");
    parsed = std::move(*again);
    llvm::codegen::setFunctionAttributes(choice.cpu, choice.features, *parsed.ir);
  }
  if (parsed.mir->parseMachineFunctions(*parsed.ir, info->getMMI())) {
    if (findings.errors.empty())
      error = InputError{"the MIR cannot be parsed", module.name};
    return false;
  }
  if (auto status = checkMirFunctions(*parsed.ir, info->getMMI(), module.name); !status) {
    error = status.error();
    return false;
  }
  if (widened)
    for (llvm::Function &function : *parsed.ir)
      if (llvm::MachineFunction *code = info->getMMI().getMachineFunction(function))
        restoreVccLo(*code);
  entry = options.start_before.empty() ? chooseEntry(*parsed.ir, info->getMMI(), hasAssignment(options))
                                       : EntryPoint{options.start_before};
  return true;
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
