// The front door of every request: who asks, for what, whether they may, and who answers.
#ifndef ASYNCOPS_APISERVER_HANDLERS_API_HANDLER_H_
#define ASYNCOPS_APISERVER_HANDLERS_API_HANDLER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api/scheme.h"
#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/authorizer.h"
#include "apiserver/handlers/api_context.h"
#include "apiserver/handlers/metrics.h"
#include "apiserver/handlers/path_handler.h"
#include "apiserver/handlers/request_deadlines.h"
#include "base/clock.h"
#include "base/ids.h"

namespace asyncops::apiserver {

// Answers an AdmissionReview that was posted: bytes of one in, bytes of one out.
using ReviewFunction = std::function<http::Response(const http::Request&)>;
// Answers a callback of an external system: it has credentials of its own, and no user.
using CallbackFunction = std::function<void(http::Request, http::Responder)>;
// Answers a request for a resource of ours.
using ResourceFunction = std::function<void(const ResourceInfo&, ApiContext)>;

struct ApiHandlerOptions {
  std::vector<ResourceInfo> resources;      // those that are served
  std::vector<PathHandler*> path_handlers;  // asked in order; not owned
  ResourceFunction handle_resource;
  std::string review_path;  // where AdmissionReviews are posted
  ReviewFunction review;
  // Where set, reviews are for whom it is OK with, and neither user nor authorizer is asked.
  std::function<Status(const http::Request&)> admit_review = nullptr;
  CallbackFunction callback = nullptr;  // of paths below /callbacks/; null where none are served
  // Takes an audit line (audit_line.h); null where none are written. Must not block.
  std::function<void(std::string_view)> audit = nullptr;
};

// The chain of apiserver's DefaultBuildHandlerChain, as far as it applies: audit ID, request info,
// deadline, authentication, impersonation, in-flight limits, authorization, handler; then
// the form on the wire, metrics and one audit line. Whatever a handler waits for, its request is
// answered (504) when its time is over; it counts as in flight until the handler is done with it.
// Thread-safe.
class ApiHandler final : public http::Handler {
 public:
  // All references outlive it.
  ApiHandler(ApiHandlerOptions options, const Authenticator& authenticator,
             const Authorizer& authorizer, Metrics& metrics, const Clock& clock, IdGenerator& ids);

  void Handle(http::Request request, http::Responder respond) override;
  std::size_t MaxBodyBytes(const http::Request& head) const override;

  // Answers those whose time is over now; for tests, whose clock nobody hears.
  void ExpireOverdue() { deadlines_.ExpireOverdue(); }

 private:
  class Passage;  // one request on its way, for the audit line and the metrics
  using PassagePointer = std::shared_ptr<Passage>;

  // From the credentials to the handler, each step by the callback of the one before.
  void Enter(const PassagePointer& passage);
  void OnUser(const PassagePointer& passage, Authentication user);
  void OnActingUser(const PassagePointer& passage, UserPointer acting);
  void Authorize(const PassagePointer& passage);
  void OnDecision(const PassagePointer& passage, Decision decision);
  void Dispatch(ApiContext context, int resource_index) const;
  void DispatchPath(const ApiContext& context) const;
  // Among options_.resources; -1 where the request names none of ours.
  int FindServed(const RequestInfo& info) const;
  std::string AuditIdOf(const http::Request& request);
  bool IsGuardedReview(const http::Request& request) const;
  void Review(Passage* passage);
  // Counts it in; the status says why not.
  Status Admit(Passage* passage, const UserInfo& user);
  void Leave(Passage* passage);
  // What is not answered yet is waited for until the deadline.
  void Await(const PassagePointer& passage);
  void Finish(Passage* passage, http::Response response);
  void Expire(Passage* passage);
  void Answer(Passage* passage, http::Response response, bool terminated);
  void Record(const Passage& passage, const http::Response& response, bool terminated);

  const ApiHandlerOptions options_;
  const Authenticator& authenticator_;
  const Authorizer& authorizer_;
  Metrics& metrics_;
  const Clock& clock_;
  // Audit IDs are unique, not secret: a random UUID whose last twelve digits count.
  const std::string audit_prefix_;
  std::atomic<std::uint64_t> audit_count_{0};
  std::atomic<int> mutating_in_flight_{0};
  std::atomic<int> read_only_in_flight_{0};
  RequestDeadlines deadlines_;  // last: it calls back on a thread of its own
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_API_HANDLER_H_
