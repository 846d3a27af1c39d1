// A folder that lives as long as a test.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace verilocc::model {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "verilocc-model-XXXXXX").string();
    folder = mkdtemp(name.data()) ? name : throw std::runtime_error("mkdtemp");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::string operator/(const std::string &name) const { return (folder / name).string(); }

private:
  std::filesystem::path folder;
};

} // namespace verilocc::model
