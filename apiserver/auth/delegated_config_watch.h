// How an extension API server learns whom to believe: from a ConfigMap that kube-apiserver writes.
#ifndef ASYNCOPS_APISERVER_AUTH_DELEGATED_CONFIG_WATCH_H_
#define ASYNCOPS_APISERVER_AUTH_DELEGATED_CONFIG_WATCH_H_

#include <memory>

#include "apiserver/auth/delegated_authenticator.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "kube/informer.h"

namespace asyncops::apiserver {

// Watches the ConfigMap kube-system/extension-apiserver-authentication and sets what it says. A
// value that cannot be taken is logged, naming the key, and the last good one stays; so it does
// where the ConfigMap is gone, or kube-apiserver away.
class DelegatedConfigWatch {
 public:
  // All references outlive it; the client is cancelled before it is destroyed.
  DelegatedConfigWatch(DelegatedAuthenticator& authenticator, kube::ApiClient& client,
                       const Clock& clock, IdGenerator& ids);

  // OK where what the ConfigMap says now is in use. Otherwise why not: it was not read yet,
  // is not there, or says what cannot be taken. Thread-safe.
  Status health() const;
  // Whether the ConfigMap was looked for within the time.
  bool WaitForSync(Duration timeout) const { return informer_->WaitForSync(timeout); }

 private:
  void Read(const kube::ObjectKey& key);

  DelegatedAuthenticator& authenticator_;

  mutable Mutex mutex_;
  Status status_ ASYNCOPS_GUARDED_BY(mutex_) = Status(Reason::kServiceUnavailable,
                                                      "the ConfigMap is not there (yet)");

  const std::unique_ptr<kube::Informer> informer_;
  const std::unique_ptr<kube::Informer::Handler> handler_;  // last: it calls back
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_DELEGATED_CONFIG_WATCH_H_
