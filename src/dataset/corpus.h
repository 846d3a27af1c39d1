// Which problems there are, and what each may be used for.
//
// Splits are those of kernels/manifest.txt (docs/kernels.md): train, validation, test-shape, test-family; architectures
// never trained on make a split of their own, test-arch. What a training problem has in common with a problem of
// another split, up to names (problem/canonicalize.h), is taken out of the training problems.
#pragma once

#include "assignment/case.h"

#include <string>
#include <vector>

namespace verilocc::dataset {

struct Entry {
  std::string path;   ///< of the .ra file
  std::string kernel; ///< name in the manifest; the file's stem where the manifest does not know it
  std::string arch, family, split;
  uint64_t hash = 0; ///< canonicalHash; 0 until findDuplicates
  bool duplicate = false;
};

struct CorpusOptions {
  std::vector<std::string> archs = {}; ///< only these; empty: all
  /// Splits are the kernels' on every architecture: there is no test-arch, and what is left of it may be trained on. For
  /// fine-tuning on an architecture that a model never saw.
  bool by_kernel = false;
};

/// All DIRECTORY/ARCH/KERNEL[.N].ra, by architecture and name. A kernel that the manifest does not know has the family
/// and split "other".
support::Result<std::vector<Entry>> readCorpus(const std::string &directory, const std::string &manifest,
                                               const CorpusOptions &options = {});

support::Result<assignment::Case> readCase(const std::string &path);

/// Sets hash and duplicate of `entries`: an entry is a duplicate if one of another split that is tested on, or an
/// earlier one of its own split, has its hash.
support::Status findDuplicates(std::vector<Entry> &entries);

/// Entry i belongs to shard i % count.
struct ShardOf {
  unsigned index = 0, count = 1;
};
/// "I/N", I below N.
support::Result<ShardOf> parseShard(const std::string &text);

} // namespace verilocc::dataset
