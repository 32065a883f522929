// A server made of plain sockets, that breaks HTTP in whatever way a test wants.
#ifndef ASYNCOPS_TESTS_UNIT_KUBE_RAW_SERVER_H_
#define ASYNCOPS_TESTS_UNIT_KUBE_RAW_SERVER_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "apiserver/tls/certificate.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::kube {

// One accepted connection; used by its handler alone.
class RawConnection {
 public:
  virtual ~RawConnection() = default;
  // One request, header and body by Content-Length; "" where the peer ends first.
  virtual std::string ReadRequest() = 0;
  // False where the peer has gone.
  virtual bool Write(std::string_view bytes) = 0;
  // Ends with a reset rather than an orderly close.
  virtual void Reset() = 0;
  // Waits this long for the peer to go; whether it has.
  virtual bool PeerGone(std::chrono::milliseconds wait) = 0;
};

class RawServer {
 public:
  // Called for each connection in a thread of its own; `index` counts from 0. The connection is
  // closed when it returns.
  using Handler = std::function<void(RawConnection&, int index)>;

  // On 127.0.0.1 (or ::1), a free port; with TLS where there is a certificate.
  explicit RawServer(Handler handler, std::optional<tls::KeyPair> certificate = std::nullopt,
                     bool ipv6 = false);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  int port() const { return port_; }
  int connections() const { return connections_; }
  // All requests that were read, in their order.
  std::vector<std::string> requests() const ASYNCOPS_EXCLUDES(mutex_);
  // The SNI of each TLS connection, whether its handshake succeeded or not; "" for none.
  std::vector<std::string> server_names() const ASYNCOPS_EXCLUDES(mutex_);

 private:
  class Peer;
  void Accept();
  void Serve(int socket, int index);

  const Handler handler_;
  const std::optional<tls::KeyPair> certificate_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;

  mutable Mutex mutex_;
  std::vector<std::string> requests_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<std::string> server_names_ ASYNCOPS_GUARDED_BY(mutex_);
  std::list<int> open_ ASYNCOPS_GUARDED_BY(mutex_);
  bool stopping_ ASYNCOPS_GUARDED_BY(mutex_) = false;

  std::vector<std::thread> handlers_;  // of the accepting thread, until it has ended
  std::thread acceptor_;
};

// "HTTP/1.1 200 OK" with this body and its length, and these header lines ("A: b\r\n").
std::string HttpAnswer(std::string_view body, std::string_view headers = "");

// A serving certificate that names its host in the CN alone, which no client may accept.
tls::KeyPair MakeCnOnlyCertificate(const tls::KeyPair& ca, const std::string& common_name);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_TESTS_UNIT_KUBE_RAW_SERVER_H_
