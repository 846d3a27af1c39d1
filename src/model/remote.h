// Large models behind a server: the completions request that OpenAI defined and that vLLM, SGLang and llama-server
// answer as well.
//
// A server may be slow, cut off, overloaded, or answer something else than it was asked. Each of these is either tried
// again, with growing pauses, or becomes an InputError; never more than `n` completions come back, and never less
// without an error. The transport is libcurl: HTTPS with the system's certificates, proxies and time limits are its
// trade, and Debian keeps it patched.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace verilocc::model {

/// What kind of server it is decides the names of the fields for guided decoding; the rest is common to all.
enum class ServerKind { Plain, Vllm, Sglang, Llama };

struct RemoteOptions {
  std::string url = {};   ///< of the API, e.g. "http://127.0.0.1:8000/v1"
  std::string model = {}; ///< name; empty: not sent
  ServerKind kind = ServerKind::Plain;
  std::string key_variable = "OPENAI_API_KEY";    ///< environment variable with the key; unset or empty: none is sent
  double timeout = 120;                           ///< seconds for one request, connecting included
  unsigned retries = 4;                           ///< after the first try, for all of a request together
  double first_pause = 0.5;                       ///< seconds before the first retry; doubles each time
  double longest_pause = 30;                      ///< also for what the server asks for (Retry-After)
  size_t longest_answer = 64u << 20;              ///< bytes; more is an error
  std::function<void(double seconds)> pause = {}; ///< instead of sleeping (tests)
};

struct CompletionRequest {
  std::string prompt = {};
  unsigned n = 1;
  unsigned max_tokens = 1024;
  double temperature = 1, top_p = 1;
  std::optional<uint64_t> seed = {};
  std::vector<std::string> stop = {};
  /// What the answer must look like, where the server can hold it to that (Vllm, Sglang: both; Llama: the grammar, in
  /// its own notation; Plain: neither). The caller checks the answer in any case.
  std::string regex = {}, grammar = {};
};

struct Completion {
  std::string text = {};
  std::string finish_reason = {}; ///< "stop", "length", or whatever the server says
};

/// Exactly request.n completions. Where the server gives fewer at once, it is asked again for the rest, with seeds that
/// follow on. Errors say what was tried how often, and never contain the key.
support::Result<std::vector<Completion>> complete(const RemoteOptions &options, const CompletionRequest &request);

} // namespace verilocc::model
