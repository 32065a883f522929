#include "apiserver/cmd/app.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stop_token>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "api/scheme.h"
#include "api/subresources.h"
#include "apiserver/cmd/callback_key.h"
#include "apiserver/cmd/environment.h"
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
#include "base/duration.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/log.h"
#include "controllers/controller_loop.h"
#include "kube/httplib_transport.h"
#include "reconciler/callback_intake.h"
#include "reconciler/controller.h"
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

Result<std::vector<kube::Cidr>> AllowedRanges(const ServeOptions& options) {
  std::vector<kube::Cidr> ranges;
  for (const std::string& text : options.allow_outbound) {
    Result<kube::Cidr> range = kube::ParseCidr(text);
    if (!range.ok()) return range.status();
    ranges.push_back(std::move(*range));
  }
  return ranges;
}

class ServerApp final : public App {
 public:
  ServerApp(ServeOptions options, reconciler::FaultPoints* faults)
      : options_(std::move(options)), faults_(faults) {}
  ~ServerApp() override { Stop(); }
  ServerApp(const ServerApp&) = delete;
  ServerApp& operator=(const ServerApp&) = delete;

  Status Start();
  const std::string& url() const override { return environment_->url(); }
  std::string greeting() const override { return environment_->greeting(); }
  bool failed() const override { return failed_; }
  void LeaveService() override {
    if (health_ != nullptr) health_->SetReady(false);
  }
  void ReopenAuditLog() override {
    if (audit_log_ != nullptr) audit_log_->Reopen();
  }
  void Stop() override;

 private:
  Status OpenStore();
  Status OpenAuditLog();
  std::vector<apiserver::GaugeSource> Gauges();
  void MakeHandlers();
  Status Serve();
  // From the objects that are declared to readiness.
  Status Work(const std::stop_token& stop);
  void WorkInBackground(const std::stop_token& stop);
  Status StartReconciler();
  void StartCallbacks();
  void StartControllers();

  const ServeOptions options_;
  reconciler::FaultPoints* const faults_;
  const SystemClock clock_;
  RandomIds ids_;

  // In the order of construction; destroyed the other way round.
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<Environment> environment_;
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
  std::atomic<bool> failed_{false};
  std::jthread starter_;  // last: it makes the others
};

Status ServerApp::Start() {
  ASYNCOPS_RETURN_IF_ERROR(MakeDirectory(options_.data_dir));
  ASYNCOPS_RETURN_IF_ERROR(OpenStore());
  environment_ = options_.standalone ? MakeStandaloneEnvironment(options_, clock_, ids_)
                                     : MakeClusterEnvironment(options_, clock_, ids_);
  ASYNCOPS_RETURN_IF_ERROR(environment_->Prepare());
  ASYNCOPS_RETURN_IF_ERROR(OpenAuditLog());
  MakeHandlers();
  ASYNCOPS_RETURN_IF_ERROR(Serve());
  if (!environment_->starts_in_background()) return Work({});
  starter_ = std::jthread([this](const std::stop_token& stop) { WorkInBackground(stop); });
  return Status::Ok();
}

Status ServerApp::Work(const std::stop_token& stop) {
  ASYNCOPS_RETURN_IF_ERROR(environment_->WaitForObjects(*registry_, stop));
  if (stop.stop_requested()) return Status::Ok();
  ASYNCOPS_RETURN_IF_ERROR(StartReconciler());
  StartCallbacks();
  StartControllers();
  health_->SetReady(true);
  return Status::Ok();
}

void ServerApp::WorkInBackground(const std::stop_token& stop) {
  const Status status = Work(stop);
  if (status.ok()) return;
  Log(LogLevel::kError, "the server cannot begin its work", {{"error", status.ToString()}});
  failed_ = true;
  // Whoever waits for a signal to stop learns of it so.
  kill(getpid(), SIGTERM);
}

Status ServerApp::OpenStore() {
  storage::SqliteStoreOptions options;
  options.path = options_.data_dir + "/" + std::string(kDatabaseName);
  Result<std::unique_ptr<storage::Store>> store = storage::OpenSqliteStore(options, clock_);
  if (!store.ok()) return store.status();
  store_ = std::move(*store);
  return Status::Ok();
}

Status ServerApp::OpenAuditLog() {
  if (options_.audit_log_path.empty()) return Status::Ok();
  Result<std::unique_ptr<apiserver::AuditLog>> log =
      apiserver::AuditLog::Open(options_.audit_log_path);
  if (!log.ok()) return log.status();
  audit_log_ = *std::move(log);
  return Status::Ok();
}

std::vector<apiserver::GaugeSource> ServerApp::Gauges() {
  std::vector<apiserver::GaugeSource> gauges = {
      {"asyncops_store_revision", "The newest committed revision.",
       [this] { return static_cast<double>(store_->revision()); }},
      {"apiserver_audit_error_total", "Audit lines that were lost.",
       [this] { return audit_log_ == nullptr ? 0.0 : static_cast<double>(audit_log_->dropped()); },
       R"(plugin="log")", true}};
  for (apiserver::GaugeSource& gauge : environment_->gauges()) gauges.push_back(std::move(gauge));
  for (const ResourceInfo& resource : environment_->resources()) {
    if (HasOnlySubresources(resource)) continue;
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

void ServerApp::MakeHandlers() {
  registry_ =
      std::make_unique<apiserver::Registry>(*store_, clock_, ids_, environment_->cluster_objects());
  resource_handler_ = std::make_unique<apiserver::ResourceHandler>(
      *registry_, environment_->authorizer(), clock_, ids_);
  reviewer_ = std::make_unique<webhooks::AdmissionReviewer>();
  metrics_ = std::make_unique<apiserver::Metrics>(
      Gauges(), std::vector<apiserver::TextSource>{
                    [this] {
                      const reconciler::Controller* controller = running_controller_;
                      return controller == nullptr ? std::string() : controller->MetricsText();
                    },
                    [this] { return callback_metrics_.Text(); }});
  std::vector<apiserver::HealthCheck> checks = environment_->health_checks();
  checks.push_back({.name = "sqlite", .check = [this] { return store_->Health(); }});
  health_ = std::make_unique<apiserver::Health>(std::move(checks));
  const std::vector<ResourceInfo> served = environment_->resources();
  documents_.push_back(std::make_unique<apiserver::Discovery>(served));
  documents_.push_back(std::make_unique<apiserver::OpenApiHandler>(served));
  documents_.push_back(std::make_unique<apiserver::VersionHandler>(
      std::string(kProductVersion),
      std::vector<std::string>{"/api", "/apis", "/healthz", "/livez", "/metrics", "/openapi/v2",
                               "/openapi/v3", "/readyz", std::string(webhooks::kValidatePath),
                               "/version"}));
  apiserver::ApiHandlerOptions options;
  options.resources = served;
  options.path_handlers = {health_.get(), metrics_.get()};
  for (const auto& document : documents_) options.path_handlers.push_back(document.get());
  options.handle_resource = [this](const ResourceInfo& resource, apiserver::ApiContext context) {
    resource_handler_->Handle(resource, std::move(context));
  };
  options.review_path = webhooks::kValidatePath;
  options.review = [this](const http::Request& request) { return reviewer_->Review(request); };
  options.admit_review = environment_->admit_review();
  callback_handler_ = std::make_unique<apiserver::CallbackHandler>(
      [this]() -> callbacks::Receiver* { return running_intake_; }, clock_);
  options.callback = [this](http::Request request, http::Responder respond) {
    callback_handler_->Handle(std::move(request), std::move(respond));
  };
  if (audit_log_ != nullptr)
    options.audit = [log = audit_log_.get()](std::string_view line) { log->Write(line); };
  api_handler_ =
      std::make_unique<apiserver::ApiHandler>(std::move(options), environment_->authenticator(),
                                              environment_->authorizer(), *metrics_, clock_, ids_);
}

Status ServerApp::Serve() {
  http::ServerOptions options;
  options.address = options_.bind_address;
  options.port = static_cast<std::uint16_t>(options_.secure_port);
  options.threads = kHttpThreads;
  options.client_ca_pem = environment_->client_ca_pem();
  // The handler answers in time, and counts what it ended; the listener is behind it.
  options.request_timeout = kRequestTimeout + kListenerGrace;
  options.on_handshake_error = [this] { metrics_->CountTlsHandshakeError(); };
  Result<std::unique_ptr<http::Server>> server =
      http::StartServer(options, environment_->serving_certificate(), *api_handler_);
  if (!server.ok()) return server.status();
  server_ = std::move(*server);
  return environment_->Listening(*server_);
}

Status ServerApp::StartReconciler() {
  Result<std::vector<kube::Cidr>> ranges = AllowedRanges(options_);
  if (!ranges.ok()) return ranges.status();
  transport_ = kube::MakeHttplibTransport(kube::OutboundPolicy(std::move(*ranges)));
  resources_ = environment_->MakeResources(*store_);
  external_ = std::make_unique<reconciler::ExternalClient>(*transport_, *resources_, clock_);
  reconciler::ControllerOptions options;
  options.shards = options_.shards;
  options.faults = faults_;
  const Result<std::string> key = LoadCallbackKey(options_.data_dir);
  if (!key.ok()) return key.status();
  const std::string& base = options_.callback_base_url;
  links_ =
      std::make_unique<callbacks::Links>(base.empty() ? environment_->callback_base() : base, *key);
  options.links = links_.get();
  options.callback_metrics = &callback_metrics_;
  environment_->Complete(&options);
  Result<std::unique_ptr<reconciler::Controller>> controller =
      reconciler::StartController(options, *store_, *resources_, *external_, clock_, ids_);
  if (!controller.ok()) return controller.status();
  controller_ = *std::move(controller);
  running_controller_ = controller_.get();
  return Status::Ok();
}

void ServerApp::StartCallbacks() {
  intake_ = std::make_unique<reconciler::CallbackIntake>(reconciler::CallbackIntakeParts{
      .store = *store_,
      .resources = *resources_,
      .external = *external_,
      .clock = clock_,
      .links = *links_,
      .metrics = callback_metrics_,
      .look = [this](const reconciler::ObjectName& name) { controller_->Look(name); },
      .poll = [this](const reconciler::ObjectName& name) { controller_->Poll(name); }});
  running_intake_ = intake_.get();
}

void ServerApp::StartControllers() {
  controllers::ControllerOptions options;
  // Checked with the other options.
  options.event_ttl = ParseDuration(options_.event_ttl).value_or(options.event_ttl);
  options.counts_only = !environment_->has_own_controllers();
  controllers_ = std::make_unique<controllers::ControllerLoop>(options, *store_, clock_);
  running_controllers_ = controllers_.get();
}

void ServerApp::Stop() {
  LeaveService();
  // It makes what is ended below.
  starter_.request_stop();
  if (starter_.joinable()) starter_.join();
  if (controllers_ != nullptr) controllers_->Stop();
  if (controller_ != nullptr) controller_->Stop(kControllerStop);
  if (server_ != nullptr) server_->Drain(kDrain);
  if (environment_ != nullptr) environment_->Stop();
  // A connection that outlasted the drain may still ask for metrics, which read the controller.
  server_.reset();
  // What callbacks wrote tells the controller when it is on disk.
  running_intake_ = nullptr;
  if (store_ != nullptr)
    (void)storage::WriteAndWait(*store_, [](storage::Transaction&) { return Status::Ok(); });
  controller_.reset();
  controllers_.reset();
  resources_.reset();
  store_.reset();
}

}  // namespace

Result<std::unique_ptr<App>> StartApp(const ServeOptions& options,
                                      reconciler::FaultPoints* faults) {
  auto app = std::make_unique<ServerApp>(options, faults);
  if (Status status = app->Start(); !status.ok()) return status;
  return std::unique_ptr<App>(std::move(app));
}

}  // namespace asyncops
