// Other programs: found, run, and their files kept in memory, so that nothing is left behind however the process ends.
// (LLVM's RemoveFileOnSignal would do for temporary files, but its signal handlers replace protect.h's.)
// Their stderr is the user's stderr. Linux only: memfd_create and /proc/self/fd.
#pragma once

#include "support/result.h"

#include <string>
#include <utility>
#include <vector>

namespace verilocc::codegen {

/// An anonymous file. Programs that are started while it exists can open path().
class MemoryFile {
public:
  static support::Result<MemoryFile> create();
  MemoryFile(MemoryFile &&other) noexcept : descriptor(std::exchange(other.descriptor, -1)) {}
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile();
  std::string path() const;

private:
  explicit MemoryFile(int descriptor) : descriptor(descriptor) {}
  int descriptor;
};

/// The first of `names` that the PATH, or LLVM 19's own folder, holds; an absolute name is taken as it is.
support::Result<std::string> findProgram(const std::vector<std::string> &names);

/// Runs and waits. An exit status other than 0 is an error that names the program and the status.
/// `output`: where its stdout goes; empty: to ours.
support::Status runProgram(const std::string &program, const std::vector<std::string> &arguments,
                           const std::string &output = "");

support::Result<std::string> readFile(const std::string &path);
support::Status writeFile(const std::string &path, const std::string &bytes);

/// A relocatable object → the shared object that a runtime loads, by ld.lld (or `linker`).
support::Result<std::string> linkCodeObject(const std::string &object, const std::string &linker);

} // namespace verilocc::codegen
