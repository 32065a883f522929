#include "tests/support/api_harness.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <mutex>
#include <utility>

#include "api/subresources.h"
#include "apiserver/auth/standalone_authorizer.h"
#include "apiserver/auth/token_file.h"
#include "apiserver/handlers/discovery.h"
#include "apiserver/handlers/openapi_handler.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/version.h"
#include "apiserver/http/request_target.h"
#include "base/log.h"
#include "storage/object_version.h"
#include "storage/sqlite_store.h"

namespace asyncops::apiserver {
namespace {

constexpr std::chrono::seconds kPatience{10};

// Ends the test process: what follows would only hang.
[[noreturn]] void GiveUp(const std::string& why) {
  Log(LogLevel::kError, "api harness gives up", {{"why", why}});
  std::abort();
}

std::unique_ptr<storage::Store> OpenStore(const TempDir& dir, const Clock& clock) {
  storage::SqliteStoreOptions options;
  options.path = dir.File("asyncops.db");
  Result<std::unique_ptr<storage::Store>> store = storage::OpenSqliteStore(options, clock);
  if (!store.ok()) GiveUp(store.status().ToString());
  return std::move(*store);
}

std::unique_ptr<Authenticator> MakeTokens() {
  const std::string csv = std::string(ApiHarness::kToken) + ",tester,1\n" +
                          std::string(ApiHarness::kMasterToken) + ",master,2,\"system:masters\"\n";
  Result<std::unique_ptr<Authenticator>> tokens = TokenAuthenticator::Parse(csv);
  if (!tokens.ok()) GiveUp(tokens.status().ToString());
  std::vector<std::unique_ptr<Authenticator>> all;
  all.push_back(std::move(*tokens));
  return std::make_unique<UnionAuthenticator>(std::move(all));
}

std::string NamespaceBody(std::string_view name) {
  return EncodeJson(Json::Of(
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Json::Of({{"name", name}})}}));
}

}  // namespace

Json ApiResponse::json() const {
  const Result<Json> parsed = ParseJson(body);
  return parsed.ok() ? *parsed : Json();
}

std::string ApiResponse::Text(std::initializer_list<std::string_view> path) const {
  const Json parsed = json();
  const Json* found = parsed.FindPath(path);
  if (found == nullptr) return "";
  return found->is_string() ? found->as_string() : EncodeJson(*found);
}

struct WatchStream::Bell {
  std::mutex mutex;
  std::condition_variable rung;
  bool ringing = false;

  void Ring() {
    const std::lock_guard<std::mutex> lock(mutex);
    ringing = true;
    rung.notify_all();
  }
  bool Wait() {
    std::unique_lock<std::mutex> lock(mutex);
    const bool heard = rung.wait_for(lock, kPatience, [this] { return ringing; });
    ringing = false;
    return heard;
  }
};

WatchStream::WatchStream(int status, http::Headers headers,
                         std::unique_ptr<http::BodySource> source)
    : status_(status),
      headers_(std::move(headers)),
      bell_(std::make_shared<Bell>()),
      source_(std::move(source)) {
  if (source_ == nullptr) {
    ended_ = true;
    return;
  }
  source_->SetWake([bell = bell_] { bell->Ring(); });
}

WatchStream::~WatchStream() = default;

void WatchStream::Pull() {
  while (!ended_) {
    const http::BodySource::State state = source_->Read(&unread_);
    if (state == http::BodySource::State::kPending) return;
    ended_ = state != http::BodySource::State::kMore;
  }
}

std::vector<Json> WatchStream::Available() {
  Pull();
  std::vector<Json> events;
  std::size_t end = 0;
  while ((end = unread_.find('\n')) != std::string::npos) {
    const Result<Json> event = ParseJson(unread_.substr(0, end));
    if (!event.ok()) GiveUp("an event does not parse: " + unread_);
    events.push_back(*event);
    unread_.erase(0, end + 1);
  }
  return events;
}

std::vector<Json> WatchStream::Next(std::size_t count) {
  std::vector<Json> events = Available();
  while (events.size() < count && !ended_) {
    if (!bell_->Wait()) return events;
    for (Json& event : Available()) events.push_back(std::move(event));
  }
  return events;
}

// The standalone rule, until a test sets another.
class ApiHarness::HarnessAuthorizer final : public Authorizer {
 public:
  explicit HarnessAuthorizer(const AuthorizationFunction& function) : function_(function) {}
  void Authorize(const Attributes& attributes, std::function<void(Decision)> done) const override {
    if (!function_) return standalone_.Authorize(attributes, std::move(done));
    done(function_(attributes));
  }

 private:
  const AuthorizationFunction& function_;
  const StandaloneAuthorizer standalone_;
};

ApiHarness::ApiHarness()
    : store_(OpenStore(dir_, clock_)),
      authenticator_(MakeTokens()),
      authorizer_(std::make_unique<HarnessAuthorizer>(authorization_)),
      registry_(std::make_unique<Registry>(*store_, clock_, ids_)),
      resource_handler_(std::make_unique<ResourceHandler>(*registry_, *authorizer_, clock_, ids_)),
      metrics_(std::make_unique<Metrics>(
          std::vector<GaugeSource>{{"asyncops_store_revision", "The newest committed revision.",
                                    [this] { return static_cast<double>(store_->revision()); }}})),
      health_(std::make_unique<Health>(std::vector<HealthCheck>{
          {.name = "sqlite", .check = [this] { return store_status_; }}})) {
  documents_.push_back(std::make_unique<Discovery>(ServedResources()));
  documents_.push_back(std::make_unique<OpenApiHandler>(ServedResources()));
  documents_.push_back(
      std::make_unique<VersionHandler>("0.1.0", std::vector<std::string>{"/api", "/apis"}));
  ApiHandlerOptions options;
  options.resources = ServedResources();
  options.path_handlers = {health_.get(), metrics_.get()};
  for (const auto& document : documents_) options.path_handlers.push_back(document.get());
  options.handle_resource = [this](const ResourceInfo& resource, ApiContext context) {
    if (resource_function_) return resource_function_(resource, std::move(context));
    resource_handler_->Handle(resource, std::move(context));
  };
  options.review_path = "/validate";
  options.review = [](const http::Request& request) { return JsonResponse(200, request.body); };
  options.audit = [this](std::string_view line) {
    const Result<Json> parsed = ParseJson(line);
    if (!parsed.ok() || !line.ends_with('\n')) GiveUp("an audit line is no line of JSON");
    const MutexLock lock(audit_mutex_);
    audit_lines_.push_back(*parsed);
  };
  api_handler_ = std::make_unique<ApiHandler>(std::move(options), *authenticator_, *authorizer_,
                                              *metrics_, clock_, ids_);
  for (const std::string_view name : {"default", "team-a"}) {
    const ApiResponse made = Send("POST", "/api/v1/namespaces", NamespaceBody(name));
    if (made.status != 201) GiveUp(made.body);
  }
}

ApiHarness::~ApiHarness() {
  // Its writer may still let go of a request that was answered, and that counts itself out.
  store_.reset();
}

std::vector<Json> ApiHarness::AuditLines() const {
  const MutexLock lock(audit_mutex_);
  return audit_lines_;
}

void ApiHarness::Insert(std::string_view group, std::string_view plural,
                        const std::vector<Json>& objects) {
  const ResourceInfo& resource = *FindResource(group, plural);
  const auto write = [&resource, &objects](storage::Transaction& transaction) -> Status {
    for (const Json& object : objects) {
      const auto key = storage::KeyOf(resource, object.StringAt({"metadata", "namespace"}),
                                      object.StringAt({"metadata", "name"}));
      ASYNCOPS_RETURN_IF_ERROR(
          transaction.Create(key, storage::MakeObjectVersion(resource, object)));
    }
    return Status::Ok();
  };
  const Status status = storage::WriteAndWait(*store_, write);
  if (!status.ok()) GiveUp(status.ToString());
}

http::Request ApiHarness::MakeRequest(std::string_view method, std::string_view target,
                                      std::string body, const std::vector<ApiHeader>& headers) {
  http::Request request;
  request.method = method;
  request.body = std::move(body);
  request.remote_address = "127.0.0.1:51234";
  const Status status = http::ReadRequestTarget(target, &request);
  if (!status.ok()) GiveUp(status.ToString());
  for (const ApiHeader& header : headers) request.headers.Add(header.name, header.value);
  if (!request.headers.Has("Authorization"))
    request.headers.Add("Authorization", "Bearer " + std::string(kToken));
  return request;
}

void ApiHarness::Start(http::Request request, http::Responder respond) {
  api_handler_->Handle(std::move(request), std::move(respond));
}

http::Response ApiHarness::Wait(http::Request request) {
  auto answered = std::make_shared<std::promise<http::Response>>();
  std::future<http::Response> future = answered->get_future();
  Start(std::move(request),
        [answered](http::Response response) { answered->set_value(std::move(response)); });
  if (future.wait_for(kPatience) != std::future_status::ready) GiveUp("no answer came");
  return future.get();
}

ApiResponse ApiHarness::Send(std::string_view method, std::string_view target, std::string body,
                             const std::vector<ApiHeader>& headers) {
  http::Response response = Wait(MakeRequest(method, target, std::move(body), headers));
  ApiResponse out;
  out.status = response.status;
  out.headers = std::move(response.headers);
  out.body = std::move(response.body);
  if (response.source == nullptr) return out;
  response.source->SetWake([] {});
  http::BodySource::State state = http::BodySource::State::kMore;
  while (state == http::BodySource::State::kMore) state = response.source->Read(&out.body);
  out.aborted = state == http::BodySource::State::kAbort;
  return out;
}

ApiResponse ApiHarness::Patch(std::string_view target, std::string patch) {
  const bool list = patch.starts_with('[');
  return Send(
      "PATCH", target, std::move(patch),
      {{"Content-Type", list ? "application/json-patch+json" : "application/merge-patch+json"}});
}

std::unique_ptr<WatchStream> ApiHarness::Watch(std::string_view target,
                                               const std::vector<ApiHeader>& headers) {
  http::Response response = Wait(MakeRequest("GET", target, "", headers));
  return std::make_unique<WatchStream>(response.status, std::move(response.headers),
                                       std::move(response.source));
}

}  // namespace asyncops::apiserver
