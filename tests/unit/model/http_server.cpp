#include "tests/unit/model/http_server.h"

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace verilocc::model {

HttpServer::HttpServer(std::vector<Behaviour> list) : behaviours(list.begin(), list.end()) {
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr *>(&address), size) != 0 || listen(listener, 8) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    throw std::runtime_error("no socket for the test server");
  port = ntohs(address.sin_port);
  thread = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  stopping = true;
  thread.join();
  close(listener);
}

std::vector<HttpServer::Request> HttpServer::requests() const {
  const std::lock_guard lock(mutex);
  return seen;
}

HttpServer::Reply HttpServer::reply(int status, const std::string &body, const std::string &headers) {
  return {"HTTP/1.1 " + std::to_string(status) + " x\r\nConnection: close\r\n" + headers +
          "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body};
}

void HttpServer::serve() {
  while (!stopping) {
    pollfd waiting = {listener, POLLIN, 0};
    if (poll(&waiting, 1, 20) <= 0)
      continue;
    const int connection = accept(listener, nullptr, nullptr);
    if (connection < 0)
      continue;
    Request request;
    std::string text;
    size_t length = 0, head = std::string::npos;
    char buffer[4096];
    while (head == std::string::npos || text.size() < head + 4 + length) {
      const ssize_t got = recv(connection, buffer, sizeof buffer, 0);
      if (got <= 0)
        break;
      text.append(buffer, static_cast<size_t>(got));
      if (head == std::string::npos && (head = text.find("\r\n\r\n")) != std::string::npos)
        if (const size_t at = text.find("Content-Length: "); at < head)
          length = std::stoul(text.substr(at + 16));
    }
    if (head != std::string::npos)
      request = {text.substr(0, head), text.substr(head + 4)};
    Behaviour behaviour;
    {
      const std::lock_guard lock(mutex);
      seen.push_back(request);
      behaviour = behaviours.front();
      if (behaviours.size() > 1)
        behaviours.pop_front();
    }
    const Reply reply = behaviour(request);
    for (double waited = 0; waited < reply.delay && !stopping; waited += 0.01)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    size_t sent = 0;
    while (sent < reply.bytes.size()) {
      const ssize_t count = send(connection, reply.bytes.data() + sent, reply.bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0)
        break;
      sent += static_cast<size_t>(count);
    }
    close(connection);
  }
}

} // namespace verilocc::model
