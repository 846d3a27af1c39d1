// A server on this machine that misbehaves as told.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace verilocc::model {

class HttpServer {
public:
  struct Request {
    std::string head, body;
  };
  /// What to send, byte for byte, before the connection is closed; `delay` seconds are waited first.
  struct Reply {
    std::string bytes;
    double delay = 0;
  };
  using Behaviour = std::function<Reply(const Request &)>;

  /// Answers the requests in turn, the last behaviour for all that follow.
  explicit HttpServer(std::vector<Behaviour> behaviours);
  ~HttpServer();
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port) + "/v1"; }
  std::vector<Request> requests() const;

  static Reply reply(int status, const std::string &body, const std::string &headers = "");

private:
  void serve();
  std::deque<Behaviour> behaviours;
  mutable std::mutex mutex;
  std::vector<Request> seen;
  std::atomic<bool> stopping = false;
  int listener = -1;
  unsigned port = 0;
  std::thread thread;
};

} // namespace verilocc::model
