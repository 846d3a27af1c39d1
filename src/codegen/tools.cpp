#include "codegen/tools.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace verilocc::codegen {

using support::InputError;

support::Result<TemporaryFile> TemporaryFile::create(const std::string &suffix) {
  llvm::SmallString<128> path;
  if (auto error = llvm::sys::fs::createTemporaryFile("verilocc", suffix, path))
    return InputError{"cannot create a temporary file: " + error.message()};
  llvm::sys::RemoveFileOnSignal(path);
  return TemporaryFile(std::string(path));
}

TemporaryFile::~TemporaryFile() {
  if (file.empty())
    return;
  llvm::sys::fs::remove(file);
  llvm::sys::DontRemoveFileOnSignal(file);
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

support::Status runProgram(const std::string &program, const std::vector<std::string> &arguments) {
  std::vector<llvm::StringRef> argv = {program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::string reason;
  int status = llvm::sys::ExecuteAndWait(program, argv, std::nullopt, {}, 0, 0, &reason);
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
  auto input = TemporaryFile::create("o");
  if (!input)
    return input.error();
  auto output = TemporaryFile::create("hsaco");
  if (!output)
    return output.error();
  if (auto status = writeFile(input->path(), object); !status)
    return status.error();
  if (auto status = runProgram(*program, {"-shared", "--no-undefined", input->path(), "-o", output->path()}); !status)
    return status.error();
  return readFile(output->path());
}

} // namespace verilocc::codegen
