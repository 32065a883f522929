// `--self-signed`: our own CA and serving certificate, kept in a Secret, renewed in time, and made
// known to kube-apiserver.
#ifndef ASYNCOPS_APISERVER_TLS_SELF_SIGNED_H_
#define ASYNCOPS_APISERVER_TLS_SELF_SIGNED_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/tls/ca_injector.h"
#include "apiserver/tls/periodic.h"
#include "apiserver/tls/self_signed_set.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kube/api_client.h"

namespace asyncops::tls {

inline constexpr std::chrono::seconds kSelfSignedLook{10};
inline constexpr std::chrono::seconds kSelfSignedRetry{5};

struct SelfSignedOptions {
  std::string namespace_name;        // of the Service and the Secret
  std::string service = "asyncops";  // reached as SERVICE.NAMESPACE.svc
  std::string secret = "asyncops-serving";
  std::vector<std::string> more_names = {};  // DNS names and IP addresses, such as "localhost"
  CaTargets targets = {};
};

// A certificate of a CA that nobody knows: to listen with until the first Look has succeeded, so
// that probes are answered while kube-apiserver is away.
Result<KeyPair> MakePlaceholderCertificate(const SelfSignedOptions& options, Time now);

// Several processes may do this with one Secret: who creates or changes it first wins, the others
// take what is there.
class SelfSignedCertificates {
 public:
  using Present = std::function<Status(const KeyPair&)>;

  // `present` gets the serving certificate at each successful look; the client and the clock
  // outlive this.
  SelfSignedCertificates(SelfSignedOptions options, kube::ApiClient& client, const Clock& clock,
                         Present present);

  // Reads the Secret or makes it, renews what is due, sets caBundle where it is missing or another,
  // and only then presents the serving certificate. What it could not set does not keep it from
  // that. A Secret that does not read is made anew where its label says that it is ours, else left
  // alone: Forbidden says what to do. Blocks; one thread at a time.
  Status Look() ASYNCOPS_EXCLUDES(mutex_);

  // What the last Look said; ServiceUnavailable before the first. From any thread.
  Status Health() const ASYNCOPS_EXCLUDES(mutex_);

 private:
  Result<SelfSignedSet> Agree();
  Result<SelfSignedSet> AgreeOnce();
  Result<SelfSignedSet> Create(const SelfSignedPlan& plan);
  Result<SelfSignedSet> Replace(Json secret, const SelfSignedSet& set);
  Status LookOnce();

  const SelfSignedOptions options_;
  kube::ApiClient& client_;
  const Clock& clock_;
  const Present present_;
  const std::string target_;    // of the Secret
  std::string trusted_bundle_;  // the bundle that clients had at the last look
  mutable Mutex mutex_;
  Status health_ ASYNCOPS_GUARDED_BY(mutex_);
};

// Looks each kSelfSignedLook, and kSelfSignedRetry after a failure, until it is destroyed. Cancel
// the client first where that should not wait for a call under way.
std::unique_ptr<Periodic> StartSelfSigned(SelfSignedCertificates& certificates);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_SELF_SIGNED_H_
