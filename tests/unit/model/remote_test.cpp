#include "model/remote.h"

#include "tests/unit/model/http_server.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace verilocc::model {
namespace {

using Json = nlohmann::json;
using Request = HttpServer::Request;
using Reply = HttpServer::Reply;

constexpr const char *key_variable = "VERILOCC_TEST_KEY";

std::string choices(unsigned count) {
  Json list = Json::array();
  for (unsigned i = 0; i < count; ++i)
    list.push_back({{"text", "answer " + std::to_string(i)}, {"finish_reason", i ? "length" : "stop"}, {"index", i}});
  return Json{{"choices", list}}.dump();
}

/// As many as it is asked for.
Reply good(const Request &request) {
  return HttpServer::reply(200, choices(Json::parse(request.body)["n"]));
}

struct Client {
  explicit Client(std::vector<HttpServer::Behaviour> behaviours) : server(std::move(behaviours)) {
    options.url = server.url();
    options.key_variable = key_variable;
    options.timeout = 5;
    options.pause = [this](double seconds) { pauses.push_back(seconds); };
    unsetenv(key_variable);
  }
  HttpServer server;
  RemoteOptions options;
  std::vector<double> pauses;
};

TEST(Remote, SendsWhatIsAskedAndReadsTheAnswers) {
  Client client({good});
  client.options.model = "big";
  auto got =
      complete(client.options,
               {.prompt = "alloc \"x\"\n", .n = 3, .max_tokens = 7, .temperature = 0.5, .seed = 11, .stop = {"END"}});
  ASSERT_TRUE(got) << got.error().str();
  ASSERT_EQ(got->size(), 3u);
  EXPECT_EQ((*got)[1].text, "answer 1");
  EXPECT_EQ((*got)[0].finish_reason, "stop");
  const auto requests = client.server.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_TRUE(requests[0].head.starts_with("POST /v1/completions "));
  EXPECT_EQ(requests[0].head.find("Authorization"), std::string::npos) << "no key, no header";
  const Json body = Json::parse(requests[0].body);
  EXPECT_EQ(body["prompt"], "alloc \"x\"\n");
  EXPECT_EQ(body["model"], "big");
  EXPECT_EQ(body["n"], 3);
  EXPECT_EQ(body["max_tokens"], 7);
  EXPECT_EQ(body["temperature"], 0.5);
  EXPECT_EQ(body["seed"], 11);
  EXPECT_EQ(body["stop"][0], "END");
}

TEST(Remote, GuidesInEachServersWords) {
  const std::pair<ServerKind, std::vector<std::string>> kinds[] = {
      {ServerKind::Plain, {}},
      {ServerKind::Vllm, {"guided_regex", "guided_grammar"}},
      {ServerKind::Sglang, {"regex", "ebnf"}},
      {ServerKind::Llama, {"grammar"}}};
  for (const auto &[kind, fields] : kinds) {
    Client client({good});
    client.options.kind = kind;
    ASSERT_TRUE(complete(client.options, {.prompt = "x", .regex = "a+", .grammar = "root ::= \"a\""}));
    const Json body = Json::parse(client.server.requests()[0].body);
    for (const char *field : {"guided_regex", "guided_grammar", "regex", "ebnf", "grammar"})
      EXPECT_EQ(body.contains(field), std::ranges::count(fields, field) > 0) << field;
  }
}

TEST(Remote, AsksAgainForWhatIsMissingWithOtherSeeds) {
  auto two = [](const Request &) { return HttpServer::reply(200, choices(2)); };
  Client client({two});
  auto got = complete(client.options, {.prompt = "x", .n = 5, .seed = 40});
  ASSERT_TRUE(got) << got.error().str();
  EXPECT_EQ(got->size(), 5u);
  std::vector<uint64_t> seeds;
  for (const Request &request : client.server.requests())
    seeds.push_back(Json::parse(request.body)["seed"]);
  EXPECT_EQ(seeds, (std::vector<uint64_t>{40, 42, 44}));
  EXPECT_TRUE(client.pauses.empty());
}

TEST(Remote, TooManyAreCut) {
  auto nine = [](const Request &) { return HttpServer::reply(200, choices(9)); };
  Client client({nine});
  auto got = complete(client.options, {.prompt = "x", .n = 2});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->size(), 2u);
}

TEST(Remote, RetriesWithGrowingPauses) {
  auto busy = [](const Request &) { return HttpServer::reply(503, "busy"); };
  auto wait = [](const Request &) { return HttpServer::reply(429, "{}", "Retry-After: 9\r\n"); };
  auto cut_off = [](const Request &) { return Reply{"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"cho"}; };
  auto closed = [](const Request &) { return Reply{}; };
  Client client({busy, wait, cut_off, closed, good});
  auto got = complete(client.options, {.prompt = "x"});
  ASSERT_TRUE(got) << got.error().str();
  EXPECT_EQ(client.pauses, (std::vector<double>{0.5, 9, 2, 4}));
  EXPECT_EQ(client.server.requests().size(), 5u);
}

TEST(Remote, PausesAreBounded) {
  auto wait = [](const Request &) { return HttpServer::reply(429, "", "Retry-After: 86400\r\n"); };
  Client client({wait, good});
  ASSERT_TRUE(complete(client.options, {.prompt = "x"}));
  EXPECT_EQ(client.pauses, (std::vector<double>{30}));
}

TEST(Remote, GivesUpAndSaysWhy) {
  const std::pair<std::string, std::string> bodies[] = {{"<html>hello</html>", "not JSON"},
                                                        {"[]", "not JSON"},
                                                        {"{}", "no list of choices"},
                                                        {R"({"choices":{}})", "no list of choices"},
                                                        {R"({"choices":[]})", "no choice"},
                                                        {R"({"choices":[7]})", "no text"},
                                                        {R"({"choices":[{"text":1}]})", "no text"},
                                                        {std::string("\xff\x00\x01{", 4), "not JSON"}};
  for (const auto &[body, reason] : bodies) {
    Client client({[&](const Request &) { return HttpServer::reply(200, body); }});
    client.options.retries = 2;
    auto got = complete(client.options, {.prompt = "x"});
    ASSERT_FALSE(got) << body;
    EXPECT_NE(got.error().message.find(reason), std::string::npos) << got.error().message;
    EXPECT_NE(got.error().message.find("tried 3 times"), std::string::npos) << got.error().message;
    EXPECT_EQ(got.error().file, client.server.url());
  }
}

TEST(Remote, DoesNotRepeatWhatCannotSucceed) {
  Client client(
      {[](const Request &) { return HttpServer::reply(404, R"({"error":{"message":"no model\nof that name"}})"); }});
  auto got = complete(client.options, {.prompt = "x"});
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("404: no model of that name"), std::string::npos) << got.error().message;
  EXPECT_EQ(client.server.requests().size(), 1u);
  client.options.url = "gopher://127.0.0.1/";
  EXPECT_FALSE(complete(client.options, {.prompt = "x"}));
  EXPECT_TRUE(client.pauses.empty());
}

TEST(Remote, SlowServersTimeOut) {
  Client client({[](const Request &request) {
    Reply reply = good(request);
    reply.delay = 3;
    return reply;
  }});
  client.options.timeout = 0.2;
  client.options.retries = 1;
  auto got = complete(client.options, {.prompt = "x"});
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("timed out"), std::string::npos) << got.error().message;
}

TEST(Remote, NobodyListens) {
  Client client({good});
  client.options.url = "http://127.0.0.1:1/v1";
  client.options.retries = 1;
  auto got = complete(client.options, {.prompt = "x"});
  ASSERT_FALSE(got);
  EXPECT_EQ(client.pauses.size(), 1u);
}

TEST(Remote, EndlessAnswersAreCutOff) {
  Client client({[](const Request &) { return HttpServer::reply(200, std::string(1 << 20, ' ')); }});
  client.options.longest_answer = 1000;
  auto got = complete(client.options, {.prompt = "x"});
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("longer than 1000"), std::string::npos) << got.error().message;
}

TEST(Remote, TheKeyIsSentAndNeverShown) {
  auto echo = [](const Request &request) {
    return HttpServer::reply(401, Json{{"error", {{"message", "bad: " + request.head}}}}.dump());
  };
  Client client({echo});
  setenv(key_variable, "sk-very-secret", 1);
  auto got = complete(client.options, {.prompt = "x"});
  EXPECT_NE(client.server.requests()[0].head.find("Authorization: Bearer sk-very-secret"), std::string::npos);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().str().find("secret"), std::string::npos) << got.error().str();
  EXPECT_NE(got.error().str().find("[key]"), std::string::npos);
  setenv(key_variable, "two\r\nlines: x", 1);
  got = complete(client.options, {.prompt = "x"});
  ASSERT_FALSE(got);
  EXPECT_EQ(client.server.requests().size(), 1u) << "a key that would break the request is not sent";
  unsetenv(key_variable);
}

TEST(Remote, RedirectsAreNotFollowed) {
  Client client({[](const Request &) { return HttpServer::reply(302, "", "Location: http://127.0.0.1:1/\r\n"); }});
  auto got = complete(client.options, {.prompt = "x"});
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("302"), std::string::npos);
}

} // namespace
} // namespace verilocc::model
