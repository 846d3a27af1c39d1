#include "codegen/pass_stream.h"

#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/RegAllocCommon.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"

#include <algorithm>

namespace verilocc::codegen {
namespace {

/// A class of scalar registers only. The three bits are SIRCFlags of LLVM 19 (SIDefines.h), which is not installed;
/// tests hold the result against llc's own basic allocator.
bool isSgprClass(const llvm::TargetRegisterClass &reg_class) {
  constexpr unsigned has_vgpr = 4, has_agpr = 8, has_sgpr = 16;
  return (reg_class.TSFlags & (has_vgpr | has_agpr | has_sgpr)) == has_sgpr;
}

bool onlySgprs(const llvm::TargetRegisterInfo &, const llvm::MachineRegisterInfo &registers, const llvm::Register reg) {
  return isSgprClass(*registers.getRegClass(reg));
}
bool onlyVgprs(const llvm::TargetRegisterInfo &, const llvm::MachineRegisterInfo &registers, const llvm::Register reg) {
  return !isSgprClass(*registers.getRegClass(reg));
}

llvm::StringRef argumentOf(const llvm::Pass &pass) {
  const llvm::PassInfo *info = llvm::PassRegistry::getPassRegistry()->getPassInfo(pass.getPassID());
  return info ? info->getPassArgument() : llvm::StringRef();
}

const char *argumentOf(RegAlloc allocator) {
  switch (allocator) {
  case RegAlloc::Greedy:
    return "greedy";
  case RegAlloc::Basic:
    return "regallocbasic";
  case RegAlloc::Fast:
    return "regallocfast";
  case RegAlloc::Automatic:
    break;
  }
  return "";
}

} // namespace

std::optional<bool> wantsOptimizedAllocation(const CompileOptions &options) {
  RegAlloc sgpr = options.sgpr_allocator, vgpr = options.vgpr_allocator;
  if (sgpr == RegAlloc::Automatic && vgpr == RegAlloc::Automatic)
    return std::nullopt;
  auto fast = [&](RegAlloc allocator) {
    return allocator == RegAlloc::Fast || (allocator == RegAlloc::Automatic && options.opt_level == 0);
  };
  return !(fast(sgpr) && fast(vgpr));
}

bool hasAssignment(const CompileOptions &options) {
  return wantsOptimizedAllocation(options).value_or(options.opt_level > 0);
}

PassStream::PassStream(llvm::legacy::PassManager &manager, const CompileOptions &options, const Seams &seams,
                       EntryPoint entry, PassLog &log)
    : manager(manager), options(options), seams(seams), entry(std::move(entry)), log(log) {
  started = this->entry.pass.empty();
  if (options.emit == Emit::Mir) {
    cut = true;
    last_point = options.mir_point;
  } else if (options.emit == Emit::Nothing) {
    cut = true;
    last_point = SeamPoint::BeforeSgpr;
    for (size_t i = 0; i < num_seam_points; ++i)
      if (seams.callbacks[i])
        last_point = static_cast<SeamPoint>(i);
  }
}

bool PassStream::isAllocator(llvm::StringRef argument) const {
  return argument == "greedy" || argument == "regallocbasic" || argument == "regallocfast";
}

llvm::Pass *PassStream::chooseAllocator(llvm::Pass *original, llvm::StringRef argument) {
  bool scalar = allocators == 1;
  RegAlloc wanted = scalar ? options.sgpr_allocator : options.vgpr_allocator;
  if (wanted == RegAlloc::Automatic || argument == argumentOf(wanted))
    return original;
  delete original;
  auto filter = scalar ? onlySgprs : onlyVgprs;
  switch (wanted) {
  case RegAlloc::Basic:
    return llvm::createBasicRegisterAllocator(filter);
  case RegAlloc::Fast:
    // The first round leaves the other half virtual; the last one clears the vregs, as in AMDGPUTargetMachine.cpp.
    return llvm::createFastRegisterAllocator(filter, !scalar);
  default:
    return llvm::createGreedyRegisterAllocator(filter);
  }
}

void PassStream::place(SeamPoint point) {
  if (!started || stopped)
    return;
  bool assignment = hasAssignment(options) && point <= SeamPoint::AfterVgpr;
  const Seam &seam = seams[point];
  manager.add(createSeamPass(point, seam, assignment, log));
  placed.push_back(point);
  if (options.verify == Verify::EveryPass || (options.verify == Verify::Seams && (seam || point == SeamPoint::Final)))
    manager.add(createVerifyPass(std::string("seam ") + name(point), log));
  stopped = cut && point == last_point;
}

void PassStream::forward(llvm::Pass *pass, llvm::StringRef argument) {
  // Immutable passes carry what analyses need (alias analysis, target information) wherever the list begins.
  bool keep = pass->getAsImmutablePass() || (started && !stopped);
  if (!keep) {
    delete pass;
    return;
  }
  std::string after = argument.empty() ? pass->getPassName().str() : argument.str();
  bool verify = options.verify == Verify::EveryPass && machine_passes && !pass->getAsImmutablePass() &&
                pass->getPassKind() == llvm::PT_Function;
  manager.add(pass); // may delete it
  if (verify)
    manager.add(createVerifyPass(std::move(after), log));
}

void PassStream::add(llvm::Pass *pass) {
  llvm::StringRef argument = argumentOf(*pass);
  bool at_entry = !started && argument == entry.pass && ++entry_seen == entry.occurrence;
  if (at_entry && !entry.after)
    started = true;

  if (isAllocator(argument)) {
    ++allocators;
    place(allocators == 1 ? SeamPoint::BeforeSgpr : SeamPoint::BeforeVgpr);
    llvm::Pass *chosen = chooseAllocator(pass, argument);
    forward(chosen, argumentOf(*chosen));
    if (allocators == 1)
      place(SeamPoint::AfterSgpr);
  } else {
    forward(pass, argument);
    if (argument == "si-lower-wwm-copies" && allocators == 2) {
      place(SeamPoint::AfterVgpr);
      if (!hasAssignment(options))
        place(SeamPoint::AfterRewrite);
    } else if (argument == "virtregrewriter" && ++rewriters == 2) {
      place(SeamPoint::AfterRewrite);
    }
  }
  if (at_entry)
    started = true;
}

void PassStream::endMachinePasses() {
  place(SeamPoint::Final);
  machine_passes = false;
}

std::string PassStream::missing() const {
  if (!started)
    return "LLVM's pipeline has no pass '" + entry.pass + "' to start at";
  for (size_t i = 0; i < num_seam_points; ++i) {
    auto point = static_cast<SeamPoint>(i);
    bool wanted = seams[point] || (cut && point == last_point);
    if (wanted && std::find(placed.begin(), placed.end(), point) == placed.end())
      return entry.is_allocated && point < SeamPoint::AfterRewrite
                 ? "its registers are allocated already; what allocates takes code from before that"
                 : std::string("the passes that run do not reach the point ") + name(point);
  }
  return "";
}

} // namespace verilocc::codegen
