#include "kube/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "kube/resolver.h"

namespace asyncops::kube {
namespace {

std::string ErrorText(int error) { return std::generic_category().message(error); }

// EWOULDBLOCK is EAGAIN on Linux.
bool WouldBlock(int error) { return error == EAGAIN || error == EINTR; }

int StartConnect(int socket, const std::string& address, int port) {
  const auto network_port = htons(static_cast<std::uint16_t>(port));
  if (address.size() == 4) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = network_port;
    std::copy(address.begin(), address.end(), reinterpret_cast<char*>(&to.sin_addr));
    return connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  sockaddr_in6 to{};
  to.sin6_family = AF_INET6;
  to.sin6_port = network_port;
  std::copy(address.begin(), address.end(), reinterpret_cast<char*>(&to.sin6_addr));
  return connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

std::string Where(const std::string& address, int port) {
  const std::string text = AddressText(address);
  return (address.size() == 4 ? text : "[" + text + "]") + ":" + std::to_string(port);
}

Status Unreachable(const std::string& address, int port, int error) {
  return {Reason::kServiceUnavailable,
          "cannot connect to " + Where(address, port) + ": " + ErrorText(error)};
}

// A peer that goes without a word (a machine that is switched off) would never be missed by who
// only waits for its next byte, as a watch does. It is noticed after a minute.
void KeepAlive(int socket) {
  constexpr int kOn = 1;
  constexpr int kIdleSeconds = 30;
  constexpr int kIntervalSeconds = 10;
  constexpr int kProbes = 3;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof kOn);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kIntervalSeconds, sizeof kIntervalSeconds);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::Open(const std::string& address, int port,
                                                     const CallBounds& bounds) {
  const int family = address.size() == 4 ? AF_INET : AF_INET6;
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Unreachable(address, port, errno);
  std::unique_ptr<Connection> connection(new Connection(fd));
  // A request is one or two writes; the second must not wait for an acknowledgement.
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  KeepAlive(fd);
  if (StartConnect(fd, address, port) == 0) return connection;
  if (errno != EINPROGRESS) return Unreachable(address, port, errno);
  if (connection->Wait(POLLOUT, bounds) != IoOutcome::kOk) {
    return Status(Reason::kTimeout,
                  "cannot connect to " + Where(address, port) + " within the time given");
  }
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return Unreachable(address, port, error);
  return connection;
}

Connection::~Connection() {
  if (tls_ != nullptr) tls_->Close();
  tls_.reset();
  close(socket_);
}

IoOutcome Connection::Wait(short events, const CallBounds& bounds) const {
  while (true) {
    if (bounds.cancel.is_set()) return IoOutcome::kCanceled;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(bounds.deadline - bounds.clock.SteadyNow());
    if (left.count() <= 0) return IoOutcome::kTimeout;
    std::array<pollfd, 2> fds = {{{socket_, events, 0}, {bounds.cancel.fd(), POLLIN, 0}}};
    const auto most = static_cast<std::int64_t>(std::numeric_limits<int>::max());
    const int ready =
        poll(fds.data(), fds.size(), static_cast<int>(std::min<std::int64_t>(left.count(), most)));
    if (ready < 0 && errno != EINTR) return IoOutcome::kFailed;
    if (ready > 0 && fds[0].revents != 0 && !bounds.cancel.is_set()) return IoOutcome::kOk;
  }
}

IoOutcome Connection::After(TlsStep step, const CallBounds& bounds) const {
  switch (step) {
    case TlsStep::kDone: return IoOutcome::kOk;
    case TlsStep::kRead: return Wait(POLLIN, bounds);
    case TlsStep::kWrite: return Wait(POLLOUT, bounds);
    case TlsStep::kEnd: return IoOutcome::kEnd;
    case TlsStep::kFailed: return IoOutcome::kFailed;
  }
  return IoOutcome::kFailed;
}

Status Connection::StartTls(std::shared_ptr<const TlsContext> context, const std::string& host,
                            const CallBounds& bounds) {
  Result<std::unique_ptr<TlsSession>> session = TlsSession::Make(std::move(context), host, socket_);
  if (!session.ok()) return session.status();
  tls_ = *std::move(session);
  while (true) {
    const TlsStep step = tls_->Handshake();
    if (step == TlsStep::kDone) return Status::Ok();
    const IoOutcome outcome = After(step, bounds);
    if (outcome == IoOutcome::kOk) continue;
    if (outcome == IoOutcome::kTimeout || outcome == IoOutcome::kCanceled)
      return {Reason::kTimeout, "TLS with " + host + " was not ready within the time given"};
    return {Reason::kForbidden, tls_->error()};
  }
}

IoOutcome Connection::Read(char* to, std::size_t size, std::size_t* got, const CallBounds& bounds) {
  while (true) {
    // A server that always has another byte must not outlast the deadline either.
    if (bounds.cancel.is_set()) return IoOutcome::kCanceled;
    if (bounds.clock.SteadyNow() >= bounds.deadline) return IoOutcome::kTimeout;
    if (tls_ != nullptr) {
      const TlsStep step = tls_->Read(to, size, got);
      const IoOutcome outcome = After(step, bounds);
      if (step == TlsStep::kDone || outcome != IoOutcome::kOk) return outcome;
      continue;
    }
    const ssize_t count = recv(socket_, to, size, 0);
    if (count == 0) return IoOutcome::kEnd;
    if (count > 0) {
      *got = static_cast<std::size_t>(count);
      return IoOutcome::kOk;
    }
    if (!WouldBlock(errno)) return IoOutcome::kFailed;
    if (const IoOutcome waited = Wait(POLLIN, bounds); waited != IoOutcome::kOk) return waited;
  }
}

IoOutcome Connection::Write(std::string_view bytes, bool* started, const CallBounds& bounds) {
  while (!bytes.empty()) {
    if (tls_ != nullptr) {
      // Part of a record may leave before OpenSSL reports anything.
      *started = true;
      std::size_t written = 0;
      const TlsStep step = tls_->Write(bytes, &written);
      const IoOutcome outcome = After(step, bounds);
      if (outcome != IoOutcome::kOk) return outcome;
      if (step == TlsStep::kDone) bytes.remove_prefix(written);
      continue;
    }
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      *started = true;
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && !WouldBlock(errno)) return IoOutcome::kFailed;
    if (const IoOutcome waited = Wait(POLLOUT, bounds); waited != IoOutcome::kOk) return waited;
  }
  return IoOutcome::kOk;
}

bool Connection::IsQuiet() const {
  if (tls_ != nullptr && tls_->HasPending()) return false;
  char byte = 0;
  const ssize_t count = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && WouldBlock(errno);
}

}  // namespace asyncops::kube
