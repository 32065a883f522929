#include "apiserver/cmd/app.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <future>
#include <iterator>
#include <string_view>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "api/scheme.h"
#include "api/subresources.h"
#include "apiserver/auth/client_certificate.h"
#include "apiserver/auth/standalone_authorizer.h"
#include "apiserver/auth/token_file.h"
#include "apiserver/cmd/callback_key.h"
#include "apiserver/cmd/version.h"
#include "apiserver/handlers/api_handler.h"
#include "apiserver/handlers/audit_log.h"
#include "apiserver/handlers/callback_handler.h"
#include "apiserver/handlers/discovery.h"
#include "apiserver/handlers/health.h"
#include "apiserver/handlers/openapi_handler.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/version.h"
#include "apiserver/http/server.h"
#include "apiserver/tls/serving_files.h"
#include "apiserver/tls/standalone_identity.h"
#include "base/duration.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/log.h"
#include "controllers/controller_loop.h"
#include "kube/httplib_transport.h"
#include "reconciler/callback_intake.h"
#include "reconciler/controller.h"
#include "reconciler/local_resource_client.h"
#include "storage/sqlite_store.h"
#include "webhooks/admission_reviewer.h"

namespace asyncops {
namespace {

constexpr std::string_view kDatabaseName = "asyncops.db";
// Threads of the HTTP front: handlers do not block, so a few serve any number of connections.
constexpr int kHttpThreads = 2;
// How much longer than the handler the listener waits for an answer.
constexpr std::chrono::seconds kListenerGrace{2};
// What a stop takes at most, in its two waits; the promise is 10 s.
constexpr std::chrono::seconds kControllerStop{4};
constexpr std::chrono::seconds kDrain{4};

Status MakeDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return Status::Ok();
  return BadRequest("cannot make --data-dir " + path + ": " + std::strerror(errno));
}

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return BadRequest("cannot read " + path);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

std::string UrlOf(const ServeOptions& options, int port) {
  const bool any = options.bind_address == "0.0.0.0" || options.bind_address == "::";
  std::string host = any ? "127.0.0.1" : options.bind_address;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return "https://" + host + ":" + std::to_string(port);
}

Result<std::vector<kube::Cidr>> AllowedRanges(const ServeOptions& options) {
  std::vector<kube::Cidr> ranges;
  for (const std::string& text : options.allow_outbound) {
    Result<kube::Cidr> range = kube::ParseCidr(text);
    if (!range.ok()) return range.status();
    ranges.push_back(std::move(*range));
  }
  return ranges;
}

class StandaloneApp final : public App {
 public:
  StandaloneApp(ServeOptions options, reconciler::FaultPoints* faults)
      : options_(std::move(options)), faults_(faults) {}
  ~StandaloneApp() override { Stop(); }
  StandaloneApp(const StandaloneApp&) = delete;
  StandaloneApp& operator=(const StandaloneApp&) = delete;

  Status Start();
  const std::string& url() const override { return url_; }
  const std::string& kubeconfig_path() const override { return kubeconfig_path_; }
  void LeaveService() override {
    if (health_ != nullptr) health_->SetReady(false);
  }
  void ReopenAuditLog() override {
    if (audit_log_ != nullptr) audit_log_->Reopen();
  }
  void Stop() override;

 private:
  Status OpenStore();
  Status LoadIdentity(int port);
  Status MakeAuthenticator();
  Status OpenAuditLog();
  std::vector<apiserver::GaugeSource> Gauges();
  void MakeHandlers();
  Status Serve();
  Status StartReconciler();
  void StartCallbacks();
  void StartControllers();
  Status MakeDefaultNamespace();

  const ServeOptions options_;
  reconciler::FaultPoints* const faults_;
  const SystemClock clock_;
  RandomIds ids_;
  std::string url_;
  std::string kubeconfig_path_;

  // In the order of construction; destroyed the other way round.
  std::unique_ptr<storage::Store> store_;
  tls::StandaloneIdentity identity_;
  http::ServingCertificate serving_;
  std::unique_ptr<apiserver::Authenticator> authenticator_;
  apiserver::StandaloneAuthorizer authorizer_;
  std::unique_ptr<apiserver::Registry> registry_;
  std::unique_ptr<apiserver::ResourceHandler> resource_handler_;
  std::unique_ptr<webhooks::AdmissionReviewer> reviewer_;
  std::unique_ptr<apiserver::Metrics> metrics_;
  std::unique_ptr<apiserver::Health> health_;
  std::vector<std::unique_ptr<apiserver::PathHandler>> documents_;
  std::unique_ptr<apiserver::AuditLog> audit_log_;  // null where none is kept
  std::unique_ptr<apiserver::CallbackHandler> callback_handler_;
  std::unique_ptr<apiserver::ApiHandler> api_handler_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<kube::HttpTransport> transport_;
  std::unique_ptr<reconciler::ResourceClient> resources_;
  std::unique_ptr<reconciler::ExternalClient> external_;
  reconciler::CallbackMetrics callback_metrics_;
  std::unique_ptr<callbacks::Links> links_;
  std::unique_ptr<reconciler::Controller> controller_;
  std::unique_ptr<reconciler::CallbackIntake> intake_;
  // For the threads that serve before they have started; null then.
  std::atomic<reconciler::Controller*> running_controller_{nullptr};
  std::atomic<reconciler::CallbackIntake*> running_intake_{nullptr};
  std::unique_ptr<controllers::ControllerLoop> controllers_;
  std::atomic<const controllers::ControllerLoop*> running_controllers_{nullptr};
};

Status StandaloneApp::Start() {
  ASYNCOPS_RETURN_IF_ERROR(MakeDirectory(options_.data_dir));
  ASYNCOPS_RETURN_IF_ERROR(OpenStore());
  ASYNCOPS_RETURN_IF_ERROR(LoadIdentity(options_.secure_port));
  ASYNCOPS_RETURN_IF_ERROR(MakeAuthenticator());
  ASYNCOPS_RETURN_IF_ERROR(OpenAuditLog());
  MakeHandlers();
  ASYNCOPS_RETURN_IF_ERROR(Serve());
  ASYNCOPS_RETURN_IF_ERROR(MakeDefaultNamespace());
  ASYNCOPS_RETURN_IF_ERROR(StartReconciler());
  StartCallbacks();
  StartControllers();
  health_->SetReady(true);
  return Status::Ok();
}

Status StandaloneApp::OpenStore() {
  storage::SqliteStoreOptions options;
  options.path = options_.data_dir + "/" + std::string(kDatabaseName);
  Result<std::unique_ptr<storage::Store>> store = storage::OpenSqliteStore(options, clock_);
  if (!store.ok()) return store.status();
  store_ = std::move(*store);
  return Status::Ok();
}

Status StandaloneApp::LoadIdentity(int port) {
  url_ = UrlOf(options_, port);
  tls::StandaloneOptions options;
  options.data_dir = options_.data_dir;
  options.server_url = url_;
  options.names = {"127.0.0.1", "localhost", "::1"};
  const bool any = options_.bind_address == "0.0.0.0" || options_.bind_address == "::";
  if (!any && options_.bind_address != "127.0.0.1" && options_.bind_address != "::1")
    options.names.push_back(options_.bind_address);
  Result<tls::StandaloneIdentity> identity = tls::LoadStandaloneIdentity(options, clock_);
  if (!identity.ok()) return identity.status();
  identity_ = std::move(*identity);
  kubeconfig_path_ = identity_.kubeconfig_path;
  tls::KeyPair serving = identity_.serving;
  if (!options_.tls_cert_file.empty()) {
    Result<tls::KeyPair> given =
        tls::LoadServingFiles({options_.tls_cert_file, options_.tls_private_key_file});
    if (!given.ok()) return given.status();
    serving = std::move(*given);
  }
  serving_ = {.certificate_pem = serving.certificate_pem, .key_pem = serving.key_pem};
  return Status::Ok();
}

Status StandaloneApp::MakeAuthenticator() {
  std::vector<std::string> bundles = {identity_.ca_certificate_pem};
  if (!options_.client_ca_file.empty()) {
    Result<std::string> bundle = tls::LoadCaBundle(options_.client_ca_file);
    if (!bundle.ok()) return bundle.status();
    bundles.push_back(std::move(*bundle));
  }
  std::vector<std::unique_ptr<tls::CertificateVerifier>> verifiers;
  for (const std::string& bundle : bundles) {
    Result<std::unique_ptr<tls::CertificateVerifier>> verifier =
        tls::CertificateVerifier::Make(bundle);
    if (!verifier.ok()) return verifier.status();
    verifiers.push_back(std::move(*verifier));
  }
  std::vector<std::unique_ptr<apiserver::Authenticator>> authenticators;
  authenticators.push_back(
      std::make_unique<apiserver::ClientCertificateAuthenticator>(std::move(verifiers), clock_));
  if (!options_.token_auth_file.empty()) {
    const Result<std::string> text = ReadFile(options_.token_auth_file);
    if (!text.ok()) return text.status();
    Result<std::unique_ptr<apiserver::Authenticator>> tokens =
        apiserver::TokenAuthenticator::Parse(*text);
    if (!tokens.ok()) return tokens.status().WithContext(options_.token_auth_file);
    authenticators.push_back(std::move(*tokens));
  }
  authenticator_ = std::make_unique<apiserver::UnionAuthenticator>(std::move(authenticators));
  return Status::Ok();
}

Status StandaloneApp::OpenAuditLog() {
  if (options_.audit_log_path.empty()) return Status::Ok();
  Result<std::unique_ptr<apiserver::AuditLog>> log =
      apiserver::AuditLog::Open(options_.audit_log_path);
  if (!log.ok()) return log.status();
  audit_log_ = *std::move(log);
  return Status::Ok();
}

std::vector<apiserver::GaugeSource> StandaloneApp::Gauges() {
  std::vector<apiserver::GaugeSource> gauges = {
      {"asyncops_store_revision", "The newest committed revision.",
       [this] { return static_cast<double>(store_->revision()); }},
      {"apiserver_audit_error_total", "Audit lines that were lost.",
       [this] { return audit_log_ == nullptr ? 0.0 : static_cast<double>(audit_log_->dropped()); },
       R"(plugin="log")", true}};
  for (const ResourceInfo& resource : AllResources()) {
    const std::string name = resource.GroupResource();
    gauges.push_back({"apiserver_storage_objects",
                      "Stored objects by resource; -1 until they are counted.",
                      [this, name] {
                        const controllers::ControllerLoop* loop = running_controllers_;
                        return loop == nullptr ? -1.0 : static_cast<double>(loop->CountOf(name));
                      },
                      "resource=\"" + name + "\""});
  }
  return gauges;
}

void StandaloneApp::MakeHandlers() {
  registry_ = std::make_unique<apiserver::Registry>(*store_, clock_, ids_);
  resource_handler_ =
      std::make_unique<apiserver::ResourceHandler>(*registry_, authorizer_, clock_, ids_);
  reviewer_ = std::make_unique<webhooks::AdmissionReviewer>();
  metrics_ = std::make_unique<apiserver::Metrics>(
      Gauges(), std::vector<apiserver::TextSource>{
                    [this] {
                      const reconciler::Controller* controller = running_controller_;
                      return controller == nullptr ? std::string() : controller->MetricsText();
                    },
                    [this] { return callback_metrics_.Text(); }});
  health_ = std::make_unique<apiserver::Health>(std::vector<apiserver::HealthCheck>{
      {.name = "sqlite", .check = [this] { return store_->Health(); }}});
  documents_.push_back(std::make_unique<apiserver::Discovery>(ServedResources()));
  documents_.push_back(std::make_unique<apiserver::OpenApiHandler>(ServedResources()));
  documents_.push_back(std::make_unique<apiserver::VersionHandler>(
      std::string(kProductVersion),
      std::vector<std::string>{"/api", "/apis", "/healthz", "/livez", "/metrics", "/openapi/v2",
                               "/openapi/v3", "/readyz", std::string(webhooks::kValidatePath),
                               "/version"}));
  apiserver::ApiHandlerOptions options;
  options.resources = ServedResources();
  options.path_handlers = {health_.get(), metrics_.get()};
  for (const auto& document : documents_) options.path_handlers.push_back(document.get());
  options.handle_resource = [this](const ResourceInfo& resource, apiserver::ApiContext context) {
    resource_handler_->Handle(resource, std::move(context));
  };
  options.review_path = webhooks::kValidatePath;
  options.review = [this](const http::Request& request) { return reviewer_->Review(request); };
  callback_handler_ = std::make_unique<apiserver::CallbackHandler>(
      [this]() -> callbacks::Receiver* { return running_intake_; }, clock_);
  options.callback = [this](http::Request request, http::Responder respond) {
    callback_handler_->Handle(std::move(request), std::move(respond));
  };
  if (audit_log_ != nullptr)
    options.audit = [log = audit_log_.get()](std::string_view line) { log->Write(line); };
  api_handler_ = std::make_unique<apiserver::ApiHandler>(std::move(options), *authenticator_,
                                                         authorizer_, *metrics_, clock_, ids_);
}

Status StandaloneApp::Serve() {
  http::ServerOptions options;
  options.address = options_.bind_address;
  options.port = static_cast<std::uint16_t>(options_.secure_port);
  options.threads = kHttpThreads;
  options.client_ca_pem = identity_.ca_certificate_pem;
  // The handler answers in time, and counts what it ended; the listener is behind it.
  options.request_timeout = kRequestTimeout + kListenerGrace;
  options.on_handshake_error = [this] { metrics_->CountTlsHandshakeError(); };
  Result<std::unique_ptr<http::Server>> server =
      http::StartServer(options, serving_, *api_handler_);
  if (!server.ok()) return server.status();
  server_ = std::move(*server);
  // Only now is it known which port was free: the kubeconfig names it.
  if (options_.secure_port == 0) return LoadIdentity(server_->port());
  return Status::Ok();
}

Status StandaloneApp::MakeDefaultNamespace() {
  const Json body = Json::Of(
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Json::Of({{"name", "default"}})}});
  std::promise<Status> created;
  registry_->Create(*FindResource("", "namespaces"), "", {body, {}}, {.field_manager = "asyncops"},
                    [&created](const Result<apiserver::WriteResult>& result) {
                      created.set_value(result.status());
                    });
  const Status status = created.get_future().get();
  return status.reason() == Reason::kAlreadyExists ? Status::Ok() : status;
}

Status StandaloneApp::StartReconciler() {
  Result<std::vector<kube::Cidr>> ranges = AllowedRanges(options_);
  if (!ranges.ok()) return ranges.status();
  transport_ = kube::MakeHttplibTransport(kube::OutboundPolicy(std::move(*ranges)));
  resources_ = reconciler::MakeLocalResourceClient(*store_, clock_, ids_);
  external_ = std::make_unique<reconciler::ExternalClient>(*transport_, *resources_, clock_);
  reconciler::ControllerOptions options;
  options.shards = options_.shards;
  options.faults = faults_;
  const Result<std::string> key = LoadCallbackKey(options_.data_dir);
  if (!key.ok()) return key.status();
  const std::string& base = options_.callback_base_url;
  links_ = std::make_unique<callbacks::Links>(base.empty() ? url_ : base, *key);
  options.links = links_.get();
  options.callback_metrics = &callback_metrics_;
  Result<std::unique_ptr<reconciler::Controller>> controller =
      reconciler::StartController(options, *store_, *resources_, *external_, clock_, ids_);
  if (!controller.ok()) return controller.status();
  controller_ = *std::move(controller);
  running_controller_ = controller_.get();
  return Status::Ok();
}

void StandaloneApp::StartCallbacks() {
  intake_ = std::make_unique<reconciler::CallbackIntake>(reconciler::CallbackIntakeParts{
      .store = *store_,
      .resources = *resources_,
      .external = *external_,
      .clock = clock_,
      .links = *links_,
      .metrics = callback_metrics_,
      .look = [this](const reconciler::ObjectName& name) { controller_->Look(name); }});
  running_intake_ = intake_.get();
}

void StandaloneApp::StartControllers() {
  controllers::ControllerOptions options;
  // Checked with the other options.
  options.event_ttl = ParseDuration(options_.event_ttl).value_or(options.event_ttl);
  controllers_ = std::make_unique<controllers::ControllerLoop>(options, *store_, clock_);
  running_controllers_ = controllers_.get();
}

void StandaloneApp::Stop() {
  LeaveService();
  if (controllers_ != nullptr) controllers_->Stop();
  if (controller_ != nullptr) controller_->Stop(kControllerStop);
  if (server_ != nullptr) server_->Drain(kDrain);
  // A connection that outlasted the drain may still ask for metrics, which read the controller.
  server_.reset();
  // What callbacks wrote tells the controller when it is on disk.
  running_intake_ = nullptr;
  if (store_ != nullptr)
    (void)storage::WriteAndWait(*store_, [](storage::Transaction&) { return Status::Ok(); });
  controller_.reset();
  controllers_.reset();
  store_.reset();
}

}  // namespace

Result<std::unique_ptr<App>> StartApp(const ServeOptions& options,
                                      reconciler::FaultPoints* faults) {
  auto app = std::make_unique<StandaloneApp>(options, faults);
  if (Status status = app->Start(); !status.ok()) return status;
  return std::unique_ptr<App>(std::move(app));
}

}  // namespace asyncops
