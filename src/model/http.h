// One HTTP request.
#pragma once

#include <string>
#include <vector>

namespace verilocc::model {

struct HttpAnswer {
  std::string failure = {}; ///< empty if an answer came in whole; else what went wrong, e.g. "timed out"
  bool worth_retrying = true;
  long status = 0;
  double retry_after = 0; ///< seconds, if the server said so
  std::string body = {};
};

/// `headers` are whole lines. Redirects are not followed: a header may hold a secret that is meant for this host.
HttpAnswer postJson(const std::string &url, const std::vector<std::string> &headers, const std::string &body,
                    double timeout, size_t longest_answer);

} // namespace verilocc::model
