#include "model/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace verilocc::model {
namespace {

support::InputError failure(const char *doing, const std::string &path) {
  return {std::string(doing) + ": " + std::strerror(errno), path};
}

} // namespace

support::Result<std::string> readFile(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return failure("cannot be read", path);
  if (S_ISDIR(status.st_mode))
    return support::InputError{"is a folder", path};
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  if (!in || (status.st_size > 0 && !(content << in.rdbuf())))
    return failure("cannot be read", path);
  return std::move(content).str();
}

support::Status publishFile(const std::string &path, const std::string &target) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool durable = descriptor >= 0 && fsync(descriptor) == 0;
  if (!durable) {
    const support::InputError error = failure("cannot be written", path);
    if (descriptor >= 0)
      close(descriptor);
    return error;
  }
  close(descriptor);
  if (std::rename(path.c_str(), target.c_str()) != 0)
    return failure("cannot be written", target);
  return support::Ok{};
}

support::Status writeFile(const std::string &path, std::string_view bytes) {
  const std::string partial = path + ".partial";
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  if (!out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
    return failure("cannot be written", partial);
  out.close();
  return publishFile(partial, path);
}

} // namespace verilocc::model
