// Other programs: found, run, and their files removed afterwards. Their stderr is the user's stderr.
#pragma once

#include "support/result.h"

#include <string>
#include <vector>

namespace verilocc::codegen {

/// A file in the temporary folder, removed with this object and when a signal ends the process.
class TemporaryFile {
public:
  static support::Result<TemporaryFile> create(const std::string &suffix);
  TemporaryFile(TemporaryFile &&other) noexcept : file(std::move(other.file)) { other.file.clear(); }
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();
  const std::string &path() const { return file; }

private:
  explicit TemporaryFile(std::string path) : file(std::move(path)) {}
  std::string file;
};

/// The first of `names` that the PATH, or LLVM 19's own folder, holds; an absolute name is taken as it is.
support::Result<std::string> findProgram(const std::vector<std::string> &names);

/// Runs and waits. An exit status other than 0 is an error that names the program and the status.
support::Status runProgram(const std::string &program, const std::vector<std::string> &arguments);

support::Result<std::string> readFile(const std::string &path);
support::Status writeFile(const std::string &path, const std::string &bytes);

/// A relocatable object → the shared object that a runtime loads, by ld.lld (or `linker`).
support::Result<std::string> linkCodeObject(const std::string &object, const std::string &linker);

} // namespace verilocc::codegen
