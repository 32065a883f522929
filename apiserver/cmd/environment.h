// What the server stands in: on its own, or behind a kube-apiserver. All that differs between the
// two; the composition root is the same.
#ifndef ASYNCOPS_APISERVER_CMD_ENVIRONMENT_H_
#define ASYNCOPS_APISERVER_CMD_ENVIRONMENT_H_

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "api/scheme.h"
#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/authorizer.h"
#include "apiserver/cmd/options.h"
#include "apiserver/handlers/health.h"
#include "apiserver/handlers/metrics.h"
#include "apiserver/http/server.h"
#include "apiserver/registry/cluster_objects.h"
#include "apiserver/registry/registry.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/status.h"
#include "reconciler/controller.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops {

// Called from the thread that starts and stops the server, in the order of the declarations; what
// it hands out lives as long as it does.
class Environment {
 public:
  virtual ~Environment() = default;

  // Identity, users and rights, before the listener is there. BadRequest for what the operator gave
  // wrongly.
  virtual Status Prepare() = 0;
  virtual const apiserver::Authenticator& authenticator() const = 0;
  virtual const apiserver::Authorizer& authorizer() const = 0;
  // What is served.
  virtual std::vector<ResourceInfo> resources() const = 0;
  // Null where the store has all objects.
  virtual const apiserver::ClusterObjects* cluster_objects() const = 0;
  virtual std::vector<apiserver::HealthCheck> health_checks() const = 0;
  virtual std::vector<apiserver::GaugeSource> gauges() const = 0;
  // Who may post AdmissionReviews; null where it is as with any other request.
  virtual std::function<Status(const http::Request&)> admit_review() const = 0;
  virtual const http::ServingCertificate& serving_certificate() const = 0;
  // Whose client certificates are asked for.
  virtual const std::string& client_ca_pem() const = 0;

  // The listener is there, and outlives what this begins (until Stop).
  virtual Status Listening(http::Server& server) = 0;
  // Where it listens: "https://127.0.0.1:6443".
  virtual const std::string& url() const = 0;
  // By which URL external systems reach it, where no other is given.
  virtual const std::string& callback_base() const = 0;
  // For people who stand before the terminal; "" where there is nothing to say.
  virtual std::string greeting() const = 0;

  // Whether WaitForObjects may take as long as it likes: then the server is not waited for.
  virtual bool starts_in_background() const = 0;
  // Until the declared objects can be read.
  virtual Status WaitForObjects(apiserver::Registry& registry, const std::stop_token& stop) = 0;
  virtual std::unique_ptr<reconciler::ResourceClient> MakeResources(storage::Store& store) = 0;
  // What the reconciler's options lack.
  virtual void Complete(reconciler::ControllerOptions* options) = 0;
  // Whether garbage collection, namespaces and the expiry of Events are ours.
  virtual bool has_own_controllers() const = 0;

  // Ends what Listening began; the reconciler has ended and the server is drained. Safe to call
  // more than once.
  virtual void Stop() = 0;
};

// References outlive it.
std::unique_ptr<Environment> MakeStandaloneEnvironment(const ServeOptions& options,
                                                       const Clock& clock, IdGenerator& ids);
std::unique_ptr<Environment> MakeClusterEnvironment(const ServeOptions& options, const Clock& clock,
                                                    IdGenerator& ids);

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_ENVIRONMENT_H_
