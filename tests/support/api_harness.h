// The API server without a socket: real handlers over a real store, with a clock and names that a
// test moves.
#ifndef ASYNCOPS_TESTS_SUPPORT_API_HARNESS_H_
#define ASYNCOPS_TESTS_SUPPORT_API_HARNESS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/handlers/api_handler.h"
#include "apiserver/handlers/health.h"
#include "apiserver/handlers/metrics.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/registry/registry.h"
#include "base/json.h"
#include "base/mutex.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"
#include "tests/support/temp_dir.h"

namespace asyncops::apiserver {

// An answer with its body complete, streamed ones too.
struct ApiResponse {
  int status = 0;
  http::Headers headers;
  std::string body;
  bool aborted = false;  // the stream broke off

  // The body as JSON; null where it is none.
  Json json() const;
  // The value at a path; "" where there is none.
  std::string Text(std::initializer_list<std::string_view> path) const;
};

// A watch that is open. Not safe for use from several threads.
class WatchStream {
 public:
  WatchStream(int status, http::Headers headers, std::unique_ptr<http::BodySource> source);
  ~WatchStream();
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  int status() const { return status_; }
  const http::Headers& headers() const { return headers_; }
  // Events that are there now, without waiting.
  std::vector<Json> Available();
  // Waits (at most 10 s) until as many events have come since the last call; fewer where it ended.
  std::vector<Json> Next(std::size_t count);
  bool ended() const { return ended_; }
  http::BodySource& source() { return *source_; }

 private:
  struct Bell;  // rung by the source's wake

  void Pull();

  const int status_;
  const http::Headers headers_;
  const std::shared_ptr<Bell> bell_;
  std::unique_ptr<http::BodySource> source_;
  std::string unread_;
  bool ended_ = false;
};

using AuthorizationFunction = std::function<Decision(const Attributes& attributes)>;

struct ApiHeader {
  std::string name;
  std::string value;
};

// Calls come as user "tester" with the bearer token kToken, unless they bring an Authorization
// header of their own. Namespaces "default" and "team-a" are there.
class ApiHarness {
 public:
  static constexpr std::string_view kToken = "token-of-the-tester";
  // Of a user in system:masters.
  static constexpr std::string_view kMasterToken = "token-of-the-master";

  ApiHarness();
  ~ApiHarness();
  ApiHarness(const ApiHarness&) = delete;
  ApiHarness& operator=(const ApiHarness&) = delete;

  // `target` as on a request line. Waits for the whole answer (at most 10 s).
  ApiResponse Send(std::string_view method, std::string_view target, std::string body = "",
                   const std::vector<ApiHeader>& headers = {});
  ApiResponse Get(std::string_view target, const std::vector<ApiHeader>& headers = {}) {
    return Send("GET", target, "", headers);
  }
  // The merge patch, or (with a list) the JSON patch.
  ApiResponse Patch(std::string_view target, std::string patch);
  std::unique_ptr<WatchStream> Watch(std::string_view target,
                                     const std::vector<ApiHeader>& headers = {});
  // Stores objects of this resource as they are, in one transaction, past all checks: for tests
  // that need many. Ends the process where that fails.
  void Insert(std::string_view group, std::string_view plural, const std::vector<Json>& objects);
  // Without reading the body: who holds the response holds the request.
  void Start(http::Request request, http::Responder respond);
  static http::Request MakeRequest(std::string_view method, std::string_view target,
                                   std::string body, const std::vector<ApiHeader>& headers);

  FakeClock& clock() { return clock_; }
  FakeIds& ids() { return ids_; }
  storage::Store& store() { return *store_; }
  Registry& registry() { return *registry_; }
  Health& health() { return *health_; }
  ApiHandler& handler() { return *api_handler_; }
  // The audit lines so far.
  std::vector<Json> AuditLines() const ASYNCOPS_EXCLUDES(audit_mutex_);
  // Takes the place of the resource handler, for requests that are to stay unanswered.
  void SetResourceFunction(ResourceFunction function) { resource_function_ = std::move(function); }
  // Who may do what, in place of the standalone rule; every request is shown to it.
  void SetAuthorization(AuthorizationFunction function) { authorization_ = std::move(function); }
  // The check that /healthz, /livez and /readyz ask beside the server's own.
  void SetStoreStatus(Status status) { store_status_ = std::move(status); }

 private:
  class HarnessAuthorizer;

  http::Response Wait(http::Request request);

  const TempDir dir_;
  FakeClock clock_;
  FakeIds ids_;
  Status store_status_;
  mutable Mutex audit_mutex_;
  std::vector<Json> audit_lines_ ASYNCOPS_GUARDED_BY(audit_mutex_);
  ResourceFunction resource_function_;
  AuthorizationFunction authorization_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<Authenticator> authenticator_;
  std::unique_ptr<Authorizer> authorizer_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<ResourceHandler> resource_handler_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<Health> health_;
  std::vector<std::unique_ptr<PathHandler>> documents_;
  std::unique_ptr<ApiHandler> api_handler_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_TESTS_SUPPORT_API_HARNESS_H_
