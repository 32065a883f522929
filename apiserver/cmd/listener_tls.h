// What the listener shows in its handshakes and asks for, from before it is there.
#ifndef ASYNCOPS_APISERVER_CMD_LISTENER_TLS_H_
#define ASYNCOPS_APISERVER_CMD_LISTENER_TLS_H_

#include <string>

#include "apiserver/http/server.h"
#include "base/mutex.h"
#include "base/status.h"

namespace asyncops {

// Safe for use from several threads.
class ListenerTls {
 public:
  // From now on this listener is told; null tells nobody.
  void Attach(http::Server* server) ASYNCOPS_EXCLUDES(mutex_);

  // The certificate that it shows. InternalError says what is wrong with it.
  Status Present(const http::ServingCertificate& certificate) ASYNCOPS_EXCLUDES(mutex_);

  // It asks for client certificates of these CAs (PEM, "" for none): those that are always asked
  // for, and those that change. What it refuses is logged, and it asks as before.
  void AskAlways(const std::string& pem) ASYNCOPS_EXCLUDES(mutex_);
  void Ask(const std::string& pem) ASYNCOPS_EXCLUDES(mutex_);
  // Both.
  std::string authorities() const ASYNCOPS_EXCLUDES(mutex_);

 private:
  void TellAuthorities() ASYNCOPS_REQUIRES(mutex_);

  mutable Mutex mutex_;
  http::Server* server_ ASYNCOPS_GUARDED_BY(mutex_) = nullptr;
  http::ServingCertificate certificate_ ASYNCOPS_GUARDED_BY(mutex_);
  std::string always_ ASYNCOPS_GUARDED_BY(mutex_);
  std::string asked_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_LISTENER_TLS_H_
