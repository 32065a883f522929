// A cloud that costs next to nothing: `raw_cloud PORT POLLS` speaks HTTP/1.1 on the loopback, on
// one thread. POST starts an operation (202, Location); GET of that URL answers 202 while it runs
// and 200 at the POLLS-th time; with 0 it runs for ever. GET /calls tells how many POSTs and GETs
// there were.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <map>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/bench/loopback.h"

namespace asyncops {
namespace {

constexpr std::string_view kOperations = "/operations/";

std::uint64_t Number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string Answer(std::string_view status, std::string_view header, std::string_view body) {
  std::string out = "HTTP/1.1 ";
  out.append(status).append("\r\nContent-Type: application/json\r\n").append(header);
  out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return out.append(body);
}

class Cloud {
 public:
  explicit Cloud(std::uint64_t polls) : polls_(polls) {}

  std::string Handle(std::string_view request) {
    const std::string_view method = request.substr(0, request.find(' '));
    std::string_view target = request.substr(std::min(request.size(), method.size() + 1));
    target = target.substr(0, target.find(' '));
    if (method == "POST") return Start();
    if (target == "/calls") {
      return Answer(
          "200 OK", "",
          R"({"posts":)" + std::to_string(posts_) + R"(,"gets":)" + std::to_string(gets_) + "}");
    }
    if (!target.starts_with(kOperations)) return Answer("404 Not Found", "", "{}");
    return Poll(Number(target.substr(kOperations.size())));
  }

 private:
  std::string Start() {
    const std::string id = std::to_string(++posts_);
    return Answer("202 Accepted", "Location: /operations/" + id + "\r\n",
                  R"({"id":"op-)" + id + "\"}");
  }

  std::string Poll(std::uint64_t id) {
    ++gets_;
    if (polls_ == 0 || ++polled_[id] < polls_) return Answer("202 Accepted", "", "");
    polled_.erase(id);
    return Answer("200 OK", "", R"({"id":"thing-)" + std::to_string(id) + "\"}");
  }

  const std::uint64_t polls_;
  std::uint64_t posts_ = 0;
  std::uint64_t gets_ = 0;
  std::map<std::uint64_t, std::uint64_t> polled_;
};

void Watch(int epoll, int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = socket;
  epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

// The length of the whole request that the bytes begin with; 0 where its end has not come yet.
std::size_t RequestLength(std::string_view bytes) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::size_t head = bytes.find(kEnd);
  if (head == std::string_view::npos) return 0;
  const std::size_t length = bytes.substr(0, head).find(kLength);
  const std::size_t body =
      length == std::string_view::npos ? 0 : Number(bytes.substr(length + kLength.size()));
  const std::size_t whole = head + kEnd.size() + body;
  return bytes.size() < whole ? 0 : whole;
}

// False where the connection is over. `bytes` are those that came and were not answered.
bool Serve(Cloud* cloud, int connection, std::string* bytes) {
  std::array<char, 64 * 1024> piece{};
  const ssize_t size = recv(connection, piece.data(), piece.size(), 0);
  if (size <= 0) return false;
  bytes->append(piece.data(), static_cast<std::size_t>(size));
  while (const std::size_t length = RequestLength(*bytes)) {
    const std::string answer = cloud->Handle(std::string_view(*bytes).substr(0, length));
    bytes->erase(0, length);
    const ssize_t sent = send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(answer.size())) return false;
  }
  return true;
}

int Run(int port, std::uint64_t polls) {
  const int listener = Listen(port);
  if (listener < 0) {
    std::cerr << "raw_cloud: cannot listen on port " << port << "\n";
    return 1;
  }
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  Watch(epoll, listener);
  Cloud cloud(polls);
  std::map<int, std::string> waiting;
  std::array<epoll_event, 256> events{};
  while (true) {
    const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int socket = events[static_cast<std::size_t>(i)].data.fd;
      if (socket == listener) {
        const int accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        const int on = 1;
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        Watch(epoll, accepted);
      } else if (!Serve(&cloud, socket, &waiting[socket])) {
        waiting.erase(socket);
        close(socket);
      }
    }
  }
}

}  // namespace
}  // namespace asyncops

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: raw_cloud PORT POLLS\n";
    return 2;
  }
  return asyncops::Run(static_cast<int>(asyncops::Number(arguments[1])),
                       asyncops::Number(arguments[2]));
}
