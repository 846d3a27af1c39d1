// LLVM ends the process on what it calls fatal errors (report_fatal_error: "Cannot select", a hopeless allocation, a
// malformed attribute), and a bug in it ends in a signal. A driver that compiles many functions, and a library, must
// get an answer instead.
//
// Idea: run each piece of LLVM work on a thread of its own inside a CrashRecoveryContext, with a fatal error handler
// that leaves through it. A forked child would be stronger (memory corruption stays outside), but the seams' callbacks
// hand C++ objects to the caller, which cannot cross a process; and forking a threaded process is itself unsafe.
//
// After a failure the objects of that compile must be leaked, not destroyed: no destructor ran on the abandoned stack.
// Not covered: an overflow of the thread's stack (64 MiB), and a lock of libc held at the time of a signal.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace verilocc::codegen {

struct Death {
  enum Kind { FatalError, Signal } kind = FatalError;
  std::string message; ///< LLVM's reason, or the signal's name
};

/// Runs `body` and returns nothing if it returned. Exceptions must not leave `body`.
std::optional<Death> protect(llvm::function_ref<void()> body);

/// Leaves the protect() that runs on this thread, as a fatal error does.
[[noreturn]] void abandon(const char *reason);

} // namespace verilocc::codegen
