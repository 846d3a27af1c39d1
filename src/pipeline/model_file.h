// The model that the pipeline asks: a checkpoint file for the native decoder.
#pragma once

#include "model/backend.h"
#include "support/result.h"

#include <memory>
#include <string>

namespace verilocc::pipeline {

struct LoadedModel {
  std::shared_ptr<model::LmBackend> backend;
  uint64_t hash = 0; ///< of the weights
  std::string name;
};

/// The InputError names both hashes if the checkpoint was trained for other words than this program's.
support::Result<LoadedModel> loadModel(const std::string &path);

/// The checkpoint that ships with the program: $VERILOCC_MODEL, or models/stream.gguf of the source tree that the
/// program was built from. Empty if there is none.
std::string shippedModel();

} // namespace verilocc::pipeline
