// LLVM's target hands its passes one by one to a pass manager. Standing in between, we choose the allocators, put the
// seams and the verifier in their places, and cut the list at both ends.
//
// Why so and not TargetPassConfig::insertPass with -sgpr-regalloc: insertPass makes its passes from a global registry
// (a callback would have to be global), and the options are read once in a process. In this way each compile decides
// for itself, and no pass is looked up by a position that a new pass upstream could shift.
#pragma once

#include "codegen/seam_pass.h"

#include "llvm/IR/LegacyPassManager.h"

#include <string>
#include <vector>

namespace verilocc::codegen {

/// Where MIR enters the list. `pass` empty: at its beginning, all passes run.
struct EntryPoint {
  std::string pass;
  bool after = false; ///< start behind it instead of with it
  unsigned occurrence = 1;
  bool is_allocated = false; ///< behind the allocators: nothing is left for them
};

class PassStream : public llvm::legacy::PassManagerBase {
public:
  PassStream(llvm::legacy::PassManager &manager, const CompileOptions &options, const Seams &seams, EntryPoint entry,
             PassLog &log);

  void add(llvm::Pass *pass) override;

  /// From here on the passes are machine passes: only these are verified.
  void beginMachinePasses() { machine_passes = true; }
  /// No more machine passes: the Final seam.
  void endMachinePasses();

  /// After the list: whether the entry and every seam that has a callback found its place; else what is missing.
  std::string missing() const;
  bool stoppedEarly() const { return stopped; }

private:
  bool isAllocator(llvm::StringRef argument) const;
  llvm::Pass *chooseAllocator(llvm::Pass *original, llvm::StringRef argument);
  void place(SeamPoint point);
  void forward(llvm::Pass *pass, llvm::StringRef argument);

  llvm::legacy::PassManager &manager;
  const CompileOptions &options;
  const Seams &seams;
  EntryPoint entry;
  PassLog &log;
  SeamPoint last_point = SeamPoint::Final; ///< nothing after it is needed
  bool cut = false;                        ///< stop at last_point
  bool started = true, stopped = false, machine_passes = false;
  unsigned entry_seen = 0, allocators = 0, rewriters = 0;
  std::vector<SeamPoint> placed;
};

/// Whether LLVM's optimised allocation pipeline is wanted; none: as LLVM decides.
std::optional<bool> wantsOptimizedAllocation(const CompileOptions &options);
/// Whether `options` lead to an allocation with VirtRegMap and intervals.
bool hasAssignment(const CompileOptions &options);

} // namespace verilocc::codegen
