// The certificate that a server behind a kube-apiserver shows: of files, or self-signed.
#ifndef ASYNCOPS_APISERVER_CMD_CLUSTER_CERTIFICATES_H_
#define ASYNCOPS_APISERVER_CMD_CLUSTER_CERTIFICATES_H_

#include <atomic>
#include <memory>
#include <string>

#include "apiserver/cmd/listener_tls.h"
#include "apiserver/cmd/options.h"
#include "apiserver/handlers/metrics.h"
#include "apiserver/http/server.h"
#include "apiserver/tls/current_certificate.h"
#include "apiserver/tls/periodic.h"
#include "apiserver/tls/self_signed.h"
#include "base/clock.h"
#include "base/status.h"
#include "kube/api_client.h"

namespace asyncops {

class ClusterCertificates {
 public:
  // The listener is told of each renewal. References outlive it.
  ClusterCertificates(const ServeOptions& options, ListenerTls& listener, const Clock& clock)
      : options_(options), listener_(listener), clock_(clock) {}

  // What to listen with. BadRequest names the file that is missing or wrong. The Service is of
  // `namespace_name`; the client outlives this.
  Status Prepare(const std::string& namespace_name, kube::ApiClient& client);
  // Renewals begin and end.
  void Start();
  void Stop() { watcher_.reset(); }

  // After Prepare.
  const http::ServingCertificate& first() const { return first_; }
  // Before the first one of our own is kept, clients do not know whom they reach; later looks may
  // fail.
  Status Health() const;
  apiserver::GaugeSource ExpiryGauge() const;

 private:
  const ServeOptions& options_;
  ListenerTls& listener_;
  const Clock& clock_;
  http::ServingCertificate first_;
  std::unique_ptr<tls::CurrentCertificate> current_;
  std::unique_ptr<tls::SelfSignedCertificates> self_signed_;  // null where files are given
  std::atomic<bool> presented_{false};                        // one of those
  std::unique_ptr<tls::Periodic> watcher_;                    // last: it uses the others
};

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_CLUSTER_CERTIFICATES_H_
