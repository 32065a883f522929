// The floor of a fan-out: `raw_fan PORT CERTIFICATE KEY EVENT-FILE` accepts TLS connections on the
// loopback, reads one request of each and answers it with the head of a chunked stream. A line
// "send N" on stdin writes the bytes of the file N times to each connection, as chunks, one
// SSL_write each, and says "sent"; "quit", or the end of stdin, ends it.
#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <openssl/ssl.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "tests/bench/loopback.h"

namespace asyncops {
namespace {

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

struct Closer {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* connection) const { SSL_free(connection); }
};
using UniqueTls = std::unique_ptr<SSL, Closer>;

int Number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A connection with its request read and its head answered; null where it did not come so far.
UniqueTls Accept(SSL_CTX* context, int listener) {
  const int accepted = accept(listener, nullptr, nullptr);
  UniqueTls tls(SSL_new(context));
  SSL_set_fd(tls.get(), accepted);
  std::array<char, 4096> request{};
  const bool open = SSL_accept(tls.get()) == 1 &&
                    SSL_read(tls.get(), request.data(), static_cast<int>(request.size())) > 0 &&
                    SSL_write(tls.get(), kHead.data(), static_cast<int>(kHead.size())) > 0;
  if (!open) {
    close(accepted);
    return nullptr;
  }
  return tls;
}

std::string ChunkOf(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::array<char, 16> size{};
  const auto [end, error] = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16);
  return std::string(size.data(), end) + "\r\n" + bytes + "\r\n";
}

bool Send(const std::vector<UniqueTls>& connections, const std::string& chunk, int times) {
  for (int i = 0; i < times; ++i) {
    for (const UniqueTls& tls : connections) {
      if (SSL_write(tls.get(), chunk.data(), static_cast<int>(chunk.size())) <= 0) return false;
    }
  }
  return true;
}

int Main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: raw_fan PORT CERTIFICATE KEY EVENT-FILE\n";
    return 2;
  }
  const std::unique_ptr<SSL_CTX, Closer> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  const int listener = Listen(Number(arguments[1]));
  if (listener < 0 || SSL_CTX_use_certificate_chain_file(context.get(), arguments[2]) != 1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), arguments[3], SSL_FILETYPE_PEM) != 1) {
    std::cerr << "raw_fan: cannot listen with this port, certificate and key\n";
    return 1;
  }
  const std::string chunk = ChunkOf(arguments[4]);
  std::vector<UniqueTls> connections;
  std::array<pollfd, 2> waits{{{listener, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  while (poll(waits.data(), waits.size(), -1) > 0) {
    if (waits[0].revents != 0) {
      if (UniqueTls tls = Accept(context.get(), listener)) connections.push_back(std::move(tls));
      continue;
    }
    std::string line;
    if (!std::getline(std::cin, line) || line == "quit") break;
    if (!Send(connections, chunk, Number(std::string_view(line).substr(line.find(' ') + 1))))
      return 1;
    std::cout << "sent" << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace asyncops

int main(int count, char** arguments) { return asyncops::Main(count, arguments); }
