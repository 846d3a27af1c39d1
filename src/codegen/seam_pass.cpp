#include "codegen/seam_pass.h"

#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/LiveRegMatrix.h"
#include "llvm/CodeGen/LiveStacks.h"
#include "llvm/CodeGen/LiveVariables.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/VirtRegMap.h"

namespace verilocc::codegen {
namespace {

class SeamPass : public llvm::MachineFunctionPass {
public:
  static char ID;
  SeamPass(SeamPoint point, const Seam &seam, bool assignment, PassLog &log)
      : MachineFunctionPass(ID), point(point), seam(seam), assignment(assignment), log(log) {}

  llvm::StringRef getPassName() const override { return "verilocc seam"; }

  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    if (seam) {
      usage.addRequired<llvm::MachineBlockFrequencyInfoWrapperPass>();
      usage.addRequired<llvm::MachineLoopInfoWrapperPass>();
      if (assignment) {
        usage.addRequired<llvm::LiveIntervalsWrapperPass>();
        usage.addRequired<llvm::SlotIndexesWrapperPass>();
        usage.addRequired<llvm::VirtRegMap>();
        usage.addRequired<llvm::LiveRegMatrix>();
      }
    }
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    if (auto stage = stageBefore(point))
      log.finish(stage);
    if (!seam || log.exception)
      return false;
    // A callback in the middle of a stage must not count as part of it.
    auto started = PassLog::Clock::now();
    SeamContext context{point, function};
    context.frequencies = &getAnalysis<llvm::MachineBlockFrequencyInfoWrapperPass>().getMBFI();
    context.loops = &getAnalysis<llvm::MachineLoopInfoWrapperPass>().getLI();
    if (assignment) {
      context.intervals = &getAnalysis<llvm::LiveIntervalsWrapperPass>().getLIS();
      context.slots = &getAnalysis<llvm::SlotIndexesWrapperPass>().getSI();
      context.virt_reg_map = &getAnalysis<llvm::VirtRegMap>();
      context.matrix = &getAnalysis<llvm::LiveRegMatrix>();
    }
    try {
      seam(context);
    } catch (...) {
      log.exception = std::current_exception();
    }
    auto spent = PassLog::Clock::now() - started;
    log.times.seams += std::chrono::duration<double>(spent).count();
    log.last += spent;
    return true;
  }

private:
  SeamPoint point;
  const Seam &seam;
  bool assignment;
  PassLog &log;
};
char SeamPass::ID = 0;

/// LLVM's own verifier pass ends the process on an error.
class VerifyPass : public llvm::MachineFunctionPass {
public:
  static char ID;
  VerifyPass(std::string after, PassLog &log) : MachineFunctionPass(ID), after(std::move(after)), log(log) {}

  llvm::StringRef getPassName() const override { return "verilocc machine verifier"; }

  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.addUsedIfAvailable<llvm::LiveStacks>();
    usage.addUsedIfAvailable<llvm::LiveVariablesWrapperPass>();
    usage.addUsedIfAvailable<llvm::SlotIndexesWrapperPass>();
    usage.addUsedIfAvailable<llvm::LiveIntervalsWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    if (function.getProperties().hasProperty(llvm::MachineFunctionProperties::Property::FailsVerification))
      return false;
    std::string banner = "after " + after;
    // One report a function: what follows a broken pass is broken too.
    if (log.verifier_failures.empty() && !function.verify(this, banner.c_str(), false))
      log.verifier_failures.push_back(banner + ": function " + function.getName().str());
    return false;
  }

private:
  std::string after;
  PassLog &log;
};
char VerifyPass::ID = 0;

} // namespace

void PassLog::finish(double StageTimes::*stage) {
  auto now = Clock::now();
  times.*stage += std::chrono::duration<double>(now - last).count();
  last = now;
}

double StageTimes::*stageBefore(SeamPoint point) {
  switch (point) {
  case SeamPoint::BeforeSgpr:
    return &StageTimes::select;
  case SeamPoint::AfterRewrite:
    return &StageTimes::allocate;
  case SeamPoint::Final:
    return &StageTimes::finish;
  default:
    return nullptr;
  }
}

llvm::Pass *createSeamPass(SeamPoint point, const Seam &seam, bool assignment, PassLog &log) {
  return new SeamPass(point, seam, assignment, log);
}

llvm::Pass *createVerifyPass(std::string after, PassLog &log) {
  return new VerifyPass(std::move(after), log);
}

} // namespace verilocc::codegen
