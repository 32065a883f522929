#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "api/crd_revision.h"
#include "api/subresources.h"
#include "apiserver/cluster/informed_objects.h"
#include "apiserver/cmd/cluster_access.h"
#include "apiserver/cmd/cluster_certificates.h"
#include "apiserver/cmd/environment.h"
#include "apiserver/cmd/listen_url.h"
#include "apiserver/cmd/listener_tls.h"
#include "base/log.h"
#include "base/mutex.h"
#include "kube/api_client.h"
#include "kube/cluster_config.h"
#include "kube/crd_check.h"
#include "kube/httplib_transport.h"
#include "kube/informer.h"
#include "reconciler/cluster_events.h"
#include "reconciler/cluster_resource_client.h"

namespace asyncops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// How often it is looked, and said, whether the declared objects are there.
constexpr milliseconds kSyncLook{100};
constexpr seconds kSyncLog{30};

// kube-apiserver may be anywhere but on a link-local address, which is never allowed.
kube::OutboundPolicy AnyAddress() {
  std::vector<kube::Cidr> all;
  for (const char* range : {"0.0.0.0/0", "::/0"}) all.push_back(*kube::ParseCidr(range));
  return kube::OutboundPolicy(std::move(all));
}

void Pause() {
  Mutex mutex;
  CondVar never;
  const MutexLock lock(mutex);
  never.WaitFor(mutex, kSyncLook);
}

std::string EnvironmentVariable(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs yet
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<kube::ClusterConfig> LoadConfig(const ServeOptions& options) {
  if (!options.kubeconfig.empty()) return kube::ReadKubeconfig(options.kubeconfig);
  return kube::InClusterConfig({.host = EnvironmentVariable("KUBERNETES_SERVICE_HOST"),
                                .port = EnvironmentVariable("KUBERNETES_SERVICE_PORT")});
}

// All that a request asks of a namespace.
Json ReduceNamespace(const Json& object) {
  JsonObject metadata;
  for (const char* member : {"name", "resourceVersion", "deletionTimestamp"}) {
    if (const Json* value = object.FindPath({"metadata", member})) metadata.Set(member, *value);
  }
  return Json::Of({{"metadata", Json(std::move(metadata))}});
}

// A connection to kube-apiserver, with its own sockets: the reconciler's calls do not hold up those
// that requests wait for.
struct Connection {
  std::unique_ptr<kube::HttpTransport> transport = kube::MakeHttplibTransport(AnyAddress());
  std::unique_ptr<kube::ApiClient> client;

  Status Open(const kube::ClusterConfig& config, const Clock& clock) {
    Result<std::unique_ptr<kube::ApiClient>> made = kube::MakeApiClient(config, *transport, clock);
    if (!made.ok()) return made.status();
    client = *std::move(made);
    return Status::Ok();
  }
};

class ClusterEnvironment final : public Environment {
 public:
  ClusterEnvironment(const ServeOptions& options, const Clock& clock, IdGenerator& ids)
      : options_(options), clock_(clock), ids_(ids) {}
  ~ClusterEnvironment() override { Stop(); }
  ClusterEnvironment(const ClusterEnvironment&) = delete;
  ClusterEnvironment& operator=(const ClusterEnvironment&) = delete;

  Status Prepare() override;
  const apiserver::Authenticator& authenticator() const override { return access_.authenticator(); }
  const apiserver::Authorizer& authorizer() const override { return access_.authorizer(); }
  std::vector<ResourceInfo> resources() const override;
  const apiserver::ClusterObjects* cluster_objects() const override { return objects_.get(); }
  std::vector<apiserver::HealthCheck> health_checks() const override;
  std::vector<apiserver::GaugeSource> gauges() const override;
  const http::ServingCertificate& serving_certificate() const override {
    return certificates_.first();
  }
  const std::string& client_ca_pem() const override { return client_ca_pem_; }
  std::function<Status(const http::Request&)> admit_review() const override {
    return [this](const http::Request& request) { return access_.CheckReview(request); };
  }
  Status Listening(http::Server& server) override;
  const std::string& url() const override { return url_; }
  const std::string& callback_base() const override { return service_url_; }
  std::string greeting() const override {
    return "kube-apiserver: " + config_.server.ToString() + "\n";
  }
  bool starts_in_background() const override { return true; }
  Status WaitForObjects(apiserver::Registry& registry, const std::stop_token& stop) override;
  std::unique_ptr<reconciler::ResourceClient> MakeResources(storage::Store& store) override;
  void Complete(reconciler::ControllerOptions* options) override;
  bool has_own_controllers() const override { return false; }
  void Stop() override;

 private:
  void StartInformers();
  // Logs where the CRDs are not those that this binary knows.
  void TellOfCrds();
  // Why the declared objects cannot be read yet; OK where they can.
  Status Synced() const;

  const ServeOptions& options_;
  const Clock& clock_;
  IdGenerator& ids_;

  std::string url_;
  std::string service_url_;
  std::string namespace_name_;
  kube::ClusterConfig config_;
  ListenerTls listener_;
  std::string client_ca_pem_;
  Connection front_;  // what requests wait for
  Connection work_;   // the reconciler's, and what goes on in the background
  std::unique_ptr<kube::Informer> resources_;
  std::unique_ptr<kube::Informer> systems_;
  std::unique_ptr<kube::Informer> namespaces_;
  ClusterAccess access_{listener_, clock_, ids_};
  std::unique_ptr<apiserver::InformedObjects> objects_;
  std::unique_ptr<reconciler::EventSink> events_;
  ClusterCertificates certificates_{options_, listener_, clock_};
};

Status ClusterEnvironment::Prepare() {
  Result<kube::ClusterConfig> config = LoadConfig(options_);
  if (!config.ok()) return config.status();
  config_ = *std::move(config);
  namespace_name_ =
      options_.service_namespace.empty() ? config_.namespace_name : options_.service_namespace;
  service_url_ = "https://" + options_.service_name + "." + namespace_name_ + ".svc";
  url_ = ListenUrl(options_, options_.secure_port);
  ASYNCOPS_RETURN_IF_ERROR(front_.Open(config_, clock_));
  ASYNCOPS_RETURN_IF_ERROR(work_.Open(config_, clock_));
  ASYNCOPS_RETURN_IF_ERROR(certificates_.Prepare(namespace_name_, *work_.client));
  StartInformers();
  ASYNCOPS_RETURN_IF_ERROR(access_.Prepare(options_, *front_.client, *work_.client));
  objects_ = std::make_unique<apiserver::InformedObjects>(
      std::map<std::string, const kube::Informer*>{
          {"asyncresources.asyncops.dev", resources_.get()},
          {"externalsystems.asyncops.dev", systems_.get()},
          {"namespaces", namespaces_.get()}},
      [this](std::string target, std::function<void(Result<Json>)> done) {
        access_.Get(std::move(target), std::move(done));
      });
  client_ca_pem_ = listener_.authorities();
  return Status::Ok();
}

void ClusterEnvironment::StartInformers() {
  const auto start = [this](std::string path, std::function<Json(const Json&)> reduce) {
    return kube::StartInformer({.path = std::move(path), .reduce = std::move(reduce)},
                               *work_.client, clock_, ids_);
  };
  resources_ = start("/apis/asyncops.dev/v1alpha1/asyncresources", nullptr);
  systems_ = start("/apis/asyncops.dev/v1alpha1/externalsystems", nullptr);
  namespaces_ = start("/api/v1/namespaces", ReduceNamespace);
}

std::vector<ResourceInfo> ClusterEnvironment::resources() const {
  std::vector<ResourceInfo> served;
  for (const ResourceInfo& resource : ServedResources())
    if (!resource.standalone_only) served.push_back(resource);
  return served;
}

Status ClusterEnvironment::Synced() const {
  const std::pair<std::string_view, const kube::Informer*> all[] = {
      {"asyncresources", resources_.get()},
      {"externalsystems", systems_.get()},
      {"namespaces", namespaces_.get()}};
  for (const auto& [name, informer] : all) {
    const kube::InformerHealth health = informer->health();
    if (health.synced) continue;
    if (!health.last_error.ok()) return health.last_error.WithContext(name);
    return Status(Reason::kServiceUnavailable, std::string(name) + " are being listed");
  }
  return access_.Known();
}

// A missing one keeps the server from being ready; with another version it works as far as it can.
void ClusterEnvironment::TellOfCrds() {
  const kube::CrdReport report = kube::CheckCrds(
      *work_.client, {.names = {"asyncresources.asyncops.dev", "externalsystems.asyncops.dev"},
                      .annotation = kCrdRevisionAnnotation,
                      .revision = kCrdRevision});
  if (report.state != kube::CrdState::kEqual && report.state != kube::CrdState::kUnknown)
    Log(LogLevel::kWarning, report.message);
}

Status ClusterEnvironment::WaitForObjects(apiserver::Registry& /*registry*/,
                                          const std::stop_token& stop) {
  TellOfCrds();
  SteadyTime said = clock_.SteadyNow();
  while (!stop.stop_requested()) {
    const Status synced = Synced();
    if (synced.ok()) return Status::Ok();
    if (clock_.SteadyNow() - said >= kSyncLog) {
      said = clock_.SteadyNow();
      Log(LogLevel::kWarning, "waiting for kube-apiserver to say what is declared",
          {{"error", synced.ToString()}});
      TellOfCrds();
    }
    Pause();
  }
  return Status::Ok();
}

std::unique_ptr<reconciler::ResourceClient> ClusterEnvironment::MakeResources(
    storage::Store& store) {
  return reconciler::MakeClusterResourceClient({.client = *work_.client,
                                                .resources = *resources_,
                                                .systems = *systems_,
                                                .store = store,
                                                .clock = clock_,
                                                .ids = ids_});
}

void ClusterEnvironment::Complete(reconciler::ControllerOptions* options) {
  events_ = reconciler::MakeClusterEventSink(*work_.client);
  options->events = events_.get();
  options->cut = [client = work_.client.get()] { client->Cancel(); };
}

Status ClusterEnvironment::Listening(http::Server& server) {
  url_ = ListenUrl(options_, server.port());
  listener_.Attach(&server);
  certificates_.Start();
  return Status::Ok();
}

void ClusterEnvironment::Stop() {
  for (const Connection* connection : {&front_, &work_})
    if (connection->client != nullptr) connection->client->Cancel();
  certificates_.Stop();
  listener_.Attach(nullptr);
  access_.Stop();
}

std::vector<apiserver::HealthCheck> ClusterEnvironment::health_checks() const {
  return {{.name = "informers", .check = [this] { return Synced(); }, .readiness_only = true},
          {.name = "serving-certificate",
           .check = [this] { return certificates_.Health(); },
           .readiness_only = true}};
}

std::vector<apiserver::GaugeSource> ClusterEnvironment::gauges() const {
  return {certificates_.ExpiryGauge()};
}

}  // namespace

std::unique_ptr<Environment> MakeClusterEnvironment(const ServeOptions& options, const Clock& clock,
                                                    IdGenerator& ids) {
  return std::make_unique<ClusterEnvironment>(options, clock, ids);
}

}  // namespace asyncops
