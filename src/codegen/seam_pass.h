// The passes that we put between LLVM's: the seams with their clock, and the machine verifier that answers.
#pragma once

#include "codegen/compile.h"

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <exception>
#include <string>
#include <vector>

namespace llvm {
class Pass;
}

namespace verilocc::codegen {

/// What the passes of one compile leave behind.
struct PassLog {
  using Clock = std::chrono::steady_clock;
  StageTimes times;
  Clock::time_point last = Clock::now();
  std::exception_ptr exception;               ///< the first to leave a callback; later callbacks are skipped
  std::vector<std::string> verifier_failures; ///< "after PASS: function F"

  /// Adds the time since the last call to `stage`.
  void finish(double StageTimes::*stage);
};

/// `seam` may be empty: then the pass only tells the time. `assignment`: intervals, VirtRegMap and matrix exist here.
llvm::Pass *createSeamPass(SeamPoint point, const Seam &seam, bool assignment, PassLog &log);

/// The stage that ends at `point`, null if none does.
double StageTimes::*stageBefore(SeamPoint point);

llvm::Pass *createVerifyPass(std::string after, PassLog &log);

} // namespace verilocc::codegen
