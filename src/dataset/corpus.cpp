#include "dataset/corpus.h"

#include "problem/canonicalize.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace verilocc::dataset {

namespace fs = std::filesystem;
using support::InputError;

namespace {

/// As TEST_ARCHITECTURES of scripts/kernels.
const std::set<std::string> test_architectures = {"gfx908", "gfx1201"};

struct Variant {
  std::string family, split;
};

support::Result<std::map<std::string, Variant>> readManifest(const std::string &path) {
  std::ifstream in(path);
  if (!in)
    return InputError{"cannot be read", path};
  std::map<std::string, Variant> variants;
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name;
    Variant variant;
    if (!(words >> name))
      continue;
    if (!(words >> variant.family >> variant.split))
      return InputError{"expected NAME FAMILY SPLIT", path, number};
    variants[name] = variant;
  }
  return variants;
}

} // namespace

support::Result<std::vector<Entry>> readCorpus(const std::string &directory, const std::string &manifest,
                                               const CorpusOptions &options) {
  auto variants = readManifest(manifest);
  if (!variants)
    return variants.error();
  std::vector<Entry> entries;
  std::error_code error;
  for (const auto &folder : fs::directory_iterator(directory, error)) {
    const std::string arch = folder.path().filename().string();
    if (!folder.is_directory() ||
        (!options.archs.empty() && std::ranges::find(options.archs, arch) == options.archs.end()))
      continue;
    for (const auto &file : fs::directory_iterator(folder.path(), error)) {
      if (file.path().extension() != ".ra")
        continue;
      Entry entry;
      entry.path = file.path().string();
      entry.arch = arch;
      entry.kernel = file.path().stem().string();
      // A module's second function is KERNEL.1.
      if (const size_t dot = entry.kernel.rfind('.'); dot != std::string::npos && !variants->contains(entry.kernel))
        entry.kernel.resize(dot);
      const auto found = variants->find(entry.kernel);
      entry.family = found == variants->end() ? "other" : found->second.family;
      entry.split = found == variants->end()                                  ? "other"
                    : !options.by_kernel && test_architectures.contains(arch) ? "test-arch"
                                                                              : found->second.split;
      entries.push_back(std::move(entry));
    }
  }
  if (error)
    return InputError{error.message(), directory};
  if (entries.empty())
    return InputError{options.archs.empty() ? "no .ra files in folders of it"
                                            : "no .ra files in its folders of these architectures",
                      directory};
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.path < b.path; });
  return entries;
}

support::Result<assignment::Case> readCase(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    return InputError{"cannot be read", path};
  return assignment::parseCase(text.str(), path);
}

support::Status findDuplicates(std::vector<Entry> &entries) {
  std::map<std::string, std::set<uint64_t>> seen; // by split
  for (Entry &entry : entries) {
    auto contents = readCase(entry.path);
    if (!contents)
      return contents.error();
    entry.hash = problem::canonicalHash(contents->problem);
    entry.duplicate = !seen[entry.split].insert(entry.hash).second;
  }
  for (Entry &entry : entries)
    for (const auto &[split, hashes] : seen)
      if (split != entry.split && (entry.split == "train" || split.starts_with("test")) && hashes.contains(entry.hash))
        entry.duplicate |= entry.split == "train" || entry.split == "validation";
  return support::Ok{};
}

support::Result<ShardOf> parseShard(const std::string &text) {
  ShardOf shard;
  const char *end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, shard.index);
  if (error == std::errc() && slash != end && *slash == '/') {
    const auto [stop, other] = std::from_chars(slash + 1, end, shard.count);
    if (other == std::errc() && stop == end && shard.index < shard.count)
      return shard;
  }
  return InputError{fmt::format("'{}' is no shard; expected I/N with I from 0 to N - 1", text)};
}

} // namespace verilocc::dataset
