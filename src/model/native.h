// The decoder that runs inside the compiler: no Python, no library, one file of weights.
//
// A sequence keeps its keys and values in pages of 32 tokens. Forks share pages; a page that is shared and not yet full
// is copied by the first that appends to it. A page that has left the window of every token to come is dropped, so
// memory grows with the window and the number of sequences that differ, not with their length. The rows of all chunks
// of a feed go through the network together, at most a few hundred at a time.
// The same tokens give the same bits, whatever the chunks, neighbours and threads (kernels.h).
#pragma once

#include "model/backend.h"
#include "model/weights.h"

#include <memory>

namespace verilocc::model {

struct NativeOptions {
  unsigned threads = 1;       ///< at most so many work on one feed
  bool plain_kernels = false; ///< those for any machine, also on a better one (tests)
};

/// `weights.shape` must pass its check. The weights are copied into the form that the kernels want.
std::unique_ptr<LmBackend> nativeBackend(const Weights &weights, uint64_t vocab_hash,
                                         const NativeOptions &options = {});

} // namespace verilocc::model
