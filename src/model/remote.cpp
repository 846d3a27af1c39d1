#include "model/remote.h"

#include "model/http.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace verilocc::model {
namespace {

using Json = nlohmann::json;

std::string requestBody(const RemoteOptions &options, const CompletionRequest &request, unsigned have) {
  Json body = {{"prompt", request.prompt},           {"n", request.n - have},  {"max_tokens", request.max_tokens},
               {"temperature", request.temperature}, {"top_p", request.top_p}, {"stream", false}};
  if (!options.model.empty())
    body["model"] = options.model;
  if (request.seed)
    body["seed"] = *request.seed + have;
  if (!request.stop.empty())
    body["stop"] = request.stop;
  auto guide = [&](const char *name, const std::string &text) {
    if (!text.empty())
      body[name] = text;
  };
  switch (options.kind) {
  case ServerKind::Plain:
    break;
  case ServerKind::Vllm:
    guide("guided_regex", request.regex);
    guide("guided_grammar", request.grammar);
    break;
  case ServerKind::Sglang:
    guide("regex", request.regex);
    guide("ebnf", request.grammar);
    break;
  case ServerKind::Llama:
    guide("grammar", request.grammar);
    break;
  }
  // A prompt that is not UTF-8 must not throw.
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Adds the choices of an answer to `out`, at most up to `most`. Empty, or what is wrong with the answer.
std::string takeChoices(const std::string &body, size_t most, std::vector<Completion> &out) {
  const Json answer = Json::parse(body, nullptr, false);
  if (!answer.is_object())
    return "the answer is not JSON";
  const auto choices = answer.find("choices");
  if (choices == answer.end() || !choices->is_array())
    return "the answer has no list of choices";
  std::vector<Completion> taken;
  for (const Json &choice : *choices) {
    const auto text = choice.is_object() ? choice.find("text") : choice.end();
    if (!choice.is_object() || text == choice.end() || !text->is_string())
      return "a choice has no text";
    const auto reason = choice.find("finish_reason");
    taken.push_back({*text, reason != choice.end() && reason->is_string() ? reason->get<std::string>() : ""});
  }
  if (taken.empty())
    return "the answer has no choice";
  for (Completion &one : taken)
    if (out.size() < most)
      out.push_back(std::move(one));
  return {};
}

/// What a server said went wrong, cut to a line.
std::string explanation(const HttpAnswer &answer) {
  std::string text = fmt::format("HTTP status {}", answer.status);
  const Json body = Json::parse(answer.body, nullptr, false);
  if (body.is_object()) {
    const Json error = body.value("error", Json());
    const Json message = error.is_object() ? error.value("message", Json()) : error;
    if (message.is_string())
      text += ": " + message.get<std::string>().substr(0, 300);
  }
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

std::string without(std::string text, const std::string &secret) {
  if (secret.empty())
    return text;
  for (size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += 5)
    text.replace(at, secret.size(), "[key]");
  return text;
}

} // namespace

support::Result<std::vector<Completion>> complete(const RemoteOptions &options, const CompletionRequest &request) {
  const char *variable = options.key_variable.empty() ? nullptr : std::getenv(options.key_variable.c_str());
  const std::string key = variable ? variable : "";
  if (std::ranges::any_of(key, [](unsigned char c) { return c <= ' ' || c == 127; }))
    return support::InputError{fmt::format("the key in ${} has spaces or control characters", options.key_variable)};
  std::vector<std::string> headers;
  if (!key.empty())
    headers.push_back("Authorization: Bearer " + key);
  std::string url = options.url;
  while (url.ends_with('/'))
    url.pop_back();
  url += "/completions";

  std::vector<Completion> completions;
  std::string failure;
  double pause = options.first_pause;
  unsigned failures = 0;
  while (completions.size() < request.n) {
    const std::string body = requestBody(options, request, static_cast<unsigned>(completions.size()));
    const HttpAnswer answer = postJson(url, headers, body, options.timeout, options.longest_answer);
    bool retry = answer.worth_retrying;
    if (!answer.failure.empty()) {
      failure = answer.failure;
    } else if (answer.status != 200) {
      failure = explanation(answer);
      retry = answer.status == 408 || answer.status == 429 || answer.status >= 500;
    } else {
      failure = takeChoices(answer.body, request.n, completions);
      if (failure.empty())
        continue; // fewer than asked for is progress, not a failure
    }
    if (!retry || failures == options.retries)
      return support::InputError{without(fmt::format("{} (tried {} times; {} of {} completions came)", failure,
                                                     failures + 1, completions.size(), request.n),
                                         key),
                                 without(options.url, key)};
    ++failures;
    const double seconds = std::min(options.longest_pause, std::max(pause, answer.retry_after));
    pause *= 2;
    if (options.pause)
      options.pause(seconds);
    else
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
  return completions;
}

} // namespace verilocc::model
