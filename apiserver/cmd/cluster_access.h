// Who may come in behind a kube-apiserver, and what they may: asked of kube-apiserver.
#ifndef ASYNCOPS_APISERVER_CMD_CLUSTER_ACCESS_H_
#define ASYNCOPS_APISERVER_CMD_CLUSTER_ACCESS_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/authorizer.h"
#include "apiserver/auth/delegated_authenticator.h"
#include "apiserver/auth/delegated_config_watch.h"
#include "apiserver/auth/review_guard.h"
#include "apiserver/auth/review_queue.h"
#include "apiserver/cmd/listener_tls.h"
#include "apiserver/cmd/options.h"
#include "apiserver/http/request.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/status.h"
#include "kube/api_client.h"

namespace asyncops {

class ClusterAccess {
 public:
  // The listener is told whose client certificates to ask for. References outlive it.
  ClusterAccess(ListenerTls& listener, const Clock& clock, IdGenerator& ids)
      : listener_(listener), clock_(clock), ids_(ids) {}

  // From flags, else from kube-apiserver's ConfigMap, which is followed from now on. `front` is
  // what requests wait for, `work` what goes on beside them. BadRequest names the file that is
  // wrong.
  Status Prepare(const ServeOptions& options, kube::ApiClient& front, kube::ApiClient& work);
  // No review is waited for from now on.
  void Stop();

  // After Prepare.
  const apiserver::Authenticator& authenticator() const { return *authenticator_; }
  const apiserver::Authorizer& authorizer() const { return *authorizer_; }
  // Whether this may post AdmissionReviews.
  Status CheckReview(const http::Request& request) const { return review_guard_->Check(request); }
  // GETs a target from kube-apiserver, in the queue of reviews.
  void Get(std::string target, std::function<void(Result<Json>)> done) {
    reviews_->Get(std::move(target), std::move(done));
  }
  // Why nobody can be told apart; OK once it could be. What breaks later is not used, and logged.
  Status Known() const;

 private:
  Status GuardReviews(const std::string& ca_file);
  Status TakeFlags(const ServeOptions& options);

  ListenerTls& listener_;
  const Clock& clock_;
  IdGenerator& ids_;
  std::unique_ptr<apiserver::ReviewQueue> reviews_;
  apiserver::DelegatedAuthenticator* delegated_ = nullptr;  // of authenticator_
  std::unique_ptr<apiserver::Authenticator> authenticator_;
  std::unique_ptr<apiserver::Authorizer> authorizer_;
  std::unique_ptr<apiserver::ReviewGuard> review_guard_;
  mutable std::atomic<bool> known_{false};
  std::unique_ptr<apiserver::DelegatedConfigWatch> config_watch_;  // null where flags say it
};

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_CLUSTER_ACCESS_H_
