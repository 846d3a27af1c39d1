#include "pipeline/model_file.h"

#include "model/checkpoint.h"
#include "model/native.h"
#include "tokens/vocab.h"

#include <cstdlib>
#include <filesystem>

namespace verilocc::pipeline {

support::Result<LoadedModel> loadModel(const std::string &path) {
  auto checkpoint = model::readCheckpoint(path, {.vocab_hash = tokens::vocabHash(), .vocab_size = tokens::vocabSize()});
  if (!checkpoint)
    return checkpoint.error();
  LoadedModel loaded;
  loaded.backend = model::nativeBackend(checkpoint->weights, checkpoint->provenance.vocab_hash);
  loaded.hash = checkpoint->hash;
  loaded.name = checkpoint->provenance.name;
  return loaded;
}

std::string shippedModel() {
  if (const char *path = std::getenv("VERILOCC_MODEL"))
    return path;
  const std::string path = VERILOCC_MODELS "/stream.gguf";
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : "";
}

} // namespace verilocc::pipeline
