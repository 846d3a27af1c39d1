#include "model/http.h"

#include <curl/curl.h>
#include <memory>
#include <mutex>

namespace verilocc::model {
namespace {

struct Sink {
  std::string *body;
  size_t most;
  bool overflow = false;
};

size_t receive(char *data, size_t size, size_t count, void *to) {
  auto *sink = static_cast<Sink *>(to);
  if (sink->body->size() + size * count > sink->most) {
    sink->overflow = true;
    return 0;
  }
  sink->body->append(data, size * count);
  return size * count;
}

bool isWorthRetrying(CURLcode code) {
  switch (code) {
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_URL_MALFORMAT:
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CERTPROBLEM:
  case CURLE_SSL_CACERT_BADFILE:
    return false;
  default:
    return true;
  }
}

} // namespace

HttpAnswer postJson(const std::string &url, const std::vector<std::string> &headers, const std::string &body,
                    double timeout, size_t longest_answer) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  HttpAnswer answer;
  const std::unique_ptr<CURL, void (*)(CURL *)> curl(curl_easy_init(), curl_easy_cleanup);
  if (!curl) {
    answer.failure = "libcurl cannot start";
    answer.worth_retrying = false;
    return answer;
  }
  curl_slist *list = nullptr;
  for (const std::string &header : headers)
    list = curl_slist_append(list, header.c_str());
  list = curl_slist_append(list, "Content-Type: application/json");
  const std::unique_ptr<curl_slist, void (*)(curl_slist *)> owned(list, curl_slist_free_all);
  Sink sink{&answer.body, longest_answer};
  char reason[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(timeout * 1000));
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &sink);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, reason);
  const CURLcode code = curl_easy_perform(curl.get());
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  curl_off_t wait = 0;
  if (curl_easy_getinfo(curl.get(), CURLINFO_RETRY_AFTER, &wait) == CURLE_OK)
    answer.retry_after = static_cast<double>(wait);
  if (sink.overflow) {
    answer.failure = "the answer is longer than " + std::to_string(longest_answer) + " bytes";
    answer.worth_retrying = false;
  } else if (code != CURLE_OK) {
    answer.failure = *reason ? reason : curl_easy_strerror(code);
    answer.worth_retrying = isWorthRetrying(code);
  }
  return answer;
}

} // namespace verilocc::model
