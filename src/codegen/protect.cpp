#include "codegen/protect.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <cassert>
#include <cstdio>
#include <cstring>
#include <mutex>

#if defined(__SANITIZE_ADDRESS__)
/// An abandoned stack's objects leak by design; all of them were allocated below a frame of LLVM's.
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions() {
  return "leak:libLLVM\n";
}
#endif

namespace verilocc::codegen {
namespace {

/// Where the fatal error handler leaves its reason: the string of the protect() that runs on this thread.
thread_local std::string *fatal_reason = nullptr;

void onFatalError(void *, const char *reason, bool) {
  if (fatal_reason)
    abandon(reason);
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason); // not ours: LLVM exits when this returns
}

void installOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(onFatalError);
  });
}

} // namespace

void abandon(const char *reason) {
  assert(fatal_reason && "only within protect()");
  *fatal_reason = reason;
  llvm::CrashRecoveryContext::GetCurrent()->HandleExit(1);
}

std::optional<Death> protect(llvm::function_ref<void()> body) {
  installOnce();
  constexpr unsigned stack_bytes = 64u << 20;
  std::string reason;
  llvm::CrashRecoveryContext context;
  bool returned = context.RunSafelyOnThread(
      [&] {
        fatal_reason = &reason; // the thread ends with this call, and its variable with it
        body();
      },
      stack_bytes);
  if (returned)
    return std::nullopt;
  if (!reason.empty())
    return Death{Death::FatalError, reason};
  constexpr int signal_base = 128;
  if (context.RetCode > signal_base)
    return Death{Death::Signal, strsignal(context.RetCode - signal_base)};
  return Death{Death::FatalError, "unknown fatal error"};
}

} // namespace verilocc::codegen
