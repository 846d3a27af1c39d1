#include "codegen/tools.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace verilocc::codegen {

using support::InputError;

support::Result<MemoryFile> MemoryFile::create() {
  int descriptor = memfd_create("verilocc", 0); // not close-on-exec: the programs open it by its number
  if (descriptor < 0)
    return InputError{fmt::format("cannot create a file in memory: {}", std::strerror(errno))};
  return MemoryFile(descriptor);
}

MemoryFile::~MemoryFile() {
  if (descriptor >= 0)
    close(descriptor);
}

std::string MemoryFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

support::Result<std::string> findProgram(const std::vector<std::string> &names) {
  for (const std::string &name : names) {
    if (llvm::sys::path::is_absolute(name)) {
      if (llvm::sys::fs::can_execute(name))
        return name;
      continue;
    }
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
    if (auto path = llvm::sys::findProgramByName(name, {"/usr/lib/llvm-19/bin"}))
      return *path;
  }
  return InputError{fmt::format("cannot find {} in PATH or /usr/lib/llvm-19/bin", fmt::join(names, " or "))};
}

support::Status runProgram(const std::string &program, const std::vector<std::string> &arguments,
                           const std::string &output) {
  std::vector<llvm::StringRef> argv = {program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::string reason;
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, std::nullopt, std::nullopt};
  if (!output.empty())
    redirects[1] = output;
  int status = llvm::sys::ExecuteAndWait(program, argv, std::nullopt, redirects, 0, 0, &reason);
  if (status == 0)
    return support::Ok{};
  return InputError{reason.empty() ? fmt::format("{} failed with exit status {}", program, status)
                                   : fmt::format("{}: {}", program, reason)};
}

support::Result<std::string> readFile(const std::string &path) {
  auto buffer = path == "-" ? llvm::MemoryBuffer::getSTDIN() : llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return InputError{"cannot read: " + buffer.getError().message(), path};
  return (*buffer)->getBuffer().str();
}

support::Status writeFile(const std::string &path, const std::string &bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error(); // its destructor would end the process
  }
  if (error)
    return InputError{"cannot write: " + error.message(), path};
  return support::Ok{};
}

support::Result<std::string> linkCodeObject(const std::string &object, const std::string &linker) {
  std::vector<std::string> names = {"ld.lld-19", "ld.lld"};
  auto program = findProgram(linker.empty() ? names : std::vector<std::string>{linker});
  if (!program)
    return program.error();
  auto input = MemoryFile::create();
  if (!input)
    return input.error();
  auto output = MemoryFile::create();
  if (!output)
    return output.error();
  if (auto status = writeFile(input->path(), object); !status)
    return status.error();
  if (auto status = runProgram(*program, {"-shared", "--no-undefined", input->path(), "-o", "-"}, output->path());
      !status)
    return status.error();
  return readFile(output->path());
}

} // namespace verilocc::codegen
