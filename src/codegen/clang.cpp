#include "codegen/clang.h"

#include "codegen/tools.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace verilocc::codegen {
namespace {

using support::InputError;

/// clang's -x name, "" if `path` is not a source.
std::string language(const std::string &path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".hip")
    return "hip";
  if (extension == ".cl")
    return "cl";
  if (extension == ".c")
    return "c";
  return extension == ".cpp" || extension == ".cc" || extension == ".cxx" ? "c++" : "";
}

} // namespace

bool isSource(const std::string &path) {
  return !language(path).empty();
}

support::Result<std::string> compileSource(const std::string &path, const LoadOptions &options) {
  if (!llvm::sys::fs::exists(path))
    return InputError{"cannot read: no such file", path};
  if (options.mcpu.empty())
    return InputError{"a source needs -mcpu=", path};
  std::vector<std::string> names = {"clang-19", "clang"};
  auto clang = findProgram(options.clang.empty() ? names : std::vector<std::string>{options.clang});
  if (!clang)
    return InputError{clang.error().message + ", needed to compile a source", path};
  auto output = MemoryFile::create();
  if (!output)
    return output.error();

  std::string x = language(path);
  std::vector<std::string> arguments = {"-x", x, "-O" + std::to_string(options.opt_level), "-nogpulib"};
  if (x == "hip")
    arguments.insert(arguments.end(), {"--cuda-device-only", "-nogpuinc", "--offload-arch=" + options.mcpu});
  else
    arguments.insert(arguments.end(), {"--target=amdgcn-amd-amdhsa", "-mcpu=" + options.mcpu});
  if (x == "cl")
    arguments.push_back("-cl-std=CL2.0");
  arguments.insert(arguments.end(), options.clang_arguments.begin(), options.clang_arguments.end());
  arguments.insert(arguments.end(), {"-emit-llvm", "-c", path, "-o", "-"});
  if (auto status = runProgram(*clang, arguments, output->path()); !status)
    return InputError{status.error().message, path};
  return readFile(output->path());
}

} // namespace verilocc::codegen
