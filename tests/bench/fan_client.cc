// Many watchers in one process: `fan_client PORT TOKEN PATH COUNT` opens COUNT TLS connections to
// the loopback, asks for PATH on each, and says "ready" once each has its answer's head. A line
// "expect N" on stdin is answered by "done LEAST MOST" once every one has read N events since the
// last such line; "quit", or the end of stdin, ends it. An event is a line of JSON, chunked or not.
// The certificate is not verified: the server is our own child.
#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <iostream>
#include <memory>
#include <openssl/ssl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace asyncops {
namespace {

struct Closer {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* connection) const { SSL_free(connection); }
};

struct Watcher {
  std::unique_ptr<SSL, Closer> tls;
  int socket = -1;
  bool in_head = true;
  std::string head;
  char last = 0;
  std::int64_t events = 0;
};

std::optional<int> ParseCount(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

class Fan {
 public:
  Fan(int port, std::string request) : port_(port), request_(std::move(request)) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_mode(context_.get(), SSL_MODE_RELEASE_BUFFERS);
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
  }

  // False where a connection cannot be made, or an answer is no 200.
  bool Open(int count) {
    watchers_.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      if (!Connect()) return false;
    }
    for (waiting_ = watchers_.size(); waiting_ > 0;) {
      if (!Turn()) return false;
    }
    return true;
  }

  // Reads until each watcher has seen so many events since the last call; false where one ended.
  bool Await(std::int64_t events) {
    target_ += events;
    while (true) {
      std::size_t behind = 0;
      for (const Watcher& watcher : watchers_) behind += watcher.events < target_ ? 1 : 0;
      if (behind == 0) return true;
      if (!Turn()) return false;
    }
  }

  // The fewest and the most events that a watcher has seen beyond what was awaited.
  std::string Extremes() const {
    std::int64_t least = watchers_.front().events;
    std::int64_t most = least;
    for (const Watcher& watcher : watchers_) {
      least = std::min(least, watcher.events);
      most = std::max(most, watcher.events);
    }
    return std::to_string(least - target_) + " " + std::to_string(most - target_);
  }

 private:
  bool Connect() {
    Watcher watcher;
    watcher.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (watcher.socket < 0 ||
        connect(watcher.socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      return false;
    watcher.tls.reset(SSL_new(context_.get()));
    SSL_set_fd(watcher.tls.get(), watcher.socket);
    if (SSL_connect(watcher.tls.get()) != 1) return false;
    if (SSL_write(watcher.tls.get(), request_.data(), static_cast<int>(request_.size())) <= 0)
      return false;
    fcntl(watcher.socket, F_SETFL, O_NONBLOCK);
    epoll_event interest{};
    interest.events = EPOLLIN;
    interest.data.u64 = watchers_.size();
    watchers_.push_back(std::move(watcher));
    return epoll_ctl(epoll_, EPOLL_CTL_ADD, watchers_.back().socket, &interest) == 0;
  }

  bool Turn() {
    std::vector<epoll_event> ready(256);
    const int count = epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), 30000);
    if (count <= 0) return false;
    for (int i = 0; i < count; ++i) {
      if (!Drain(&watchers_[ready[static_cast<std::size_t>(i)].data.u64])) return false;
    }
    return true;
  }

  bool Drain(Watcher* watcher) {
    while (true) {
      const int size =
          SSL_read(watcher->tls.get(), buffer_.data(), static_cast<int>(buffer_.size()));
      if (size <= 0) {
        const int error = SSL_get_error(watcher->tls.get(), size);
        return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
      }
      if (!Take(std::string_view(buffer_.data(), static_cast<std::size_t>(size)), watcher))
        return false;
    }
  }

  bool Take(std::string_view bytes, Watcher* watcher) {
    if (watcher->in_head) {
      watcher->head.append(bytes);
      const std::size_t end = watcher->head.find("\r\n\r\n");
      if (end == std::string::npos) return true;
      if (!watcher->head.starts_with("HTTP/1.1 200")) return false;
      watcher->in_head = false;
      --waiting_;
      Count(std::string_view(watcher->head).substr(end + 4), watcher);
      watcher->head = std::string();
      return true;
    }
    Count(bytes, watcher);
    return true;
  }

  // JSON holds no raw line feed, and the ends of chunks come after a carriage return.
  static void Count(std::string_view bytes, Watcher* watcher) {
    for (const char c : bytes) {
      if (c == '\n' && watcher->last == '}') ++watcher->events;
      watcher->last = c;
    }
  }

  const int port_;
  const std::string request_;
  std::unique_ptr<SSL_CTX, Closer> context_;
  int epoll_ = -1;
  std::vector<Watcher> watchers_;
  std::string buffer_ = std::string(64U * 1024, '\0');
  std::size_t waiting_ = 0;
  std::int64_t target_ = 0;
};

int Fail(std::string_view why) {
  std::cout << "failed: " << why << std::endl;
  return 1;
}

int Main(int count, char** arguments) {
  const auto port = count == 5 ? ParseCount(arguments[1]) : std::nullopt;
  const auto watchers = count == 5 ? ParseCount(arguments[4]) : std::nullopt;
  if (!port || !watchers) {
    std::cerr << "usage: fan_client PORT TOKEN PATH COUNT\n";
    return 2;
  }
  Fan fan(*port, "GET " + std::string(arguments[3]) +
                     " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
                     "Authorization: Bearer " +
                     arguments[2] + "\r\n\r\n");
  if (!fan.Open(*watchers)) return Fail("a watcher could not be opened");
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    const auto events =
        line.starts_with("expect ") ? ParseCount(std::string_view(line).substr(7)) : std::nullopt;
    if (!events) return Fail("no such command");
    if (!fan.Await(*events)) return Fail("a watcher ended, or nothing came for 30 s");
    std::cout << "done " << fan.Extremes() << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace asyncops

int main(int count, char** arguments) { return asyncops::Main(count, arguments); }
