// Every call to an external system goes through here: credentials, origin rule, redaction, bounds.
#ifndef ASYNCOPS_RECONCILER_EXTERNAL_CLIENT_H_
#define ASYNCOPS_RECONCILER_EXTERNAL_CLIENT_H_

#include <optional>
#include <string>

#include "api/asyncops/v1alpha1/external_system.h"
#include "base/clock.h"
#include "base/json.h"
#include "kube/http_transport.h"
#include "reconciler/rendered_request.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// What came of a call, in the form that expressions see. Secret values that the caller sent are
// redacted in all of it.
struct ExternalAnswer {
  kube::Exchange::Outcome outcome = kube::Exchange::Outcome::kNotSent;
  int status = 0;        // of kAnswered
  Json headers;          // object, names in lower case; of repeated ones the first
  Json body;             // parsed JSON; a string where it is not JSON; null where it is empty
  bool garbled = false;  // JSON by its Content-Type and none in truth, or a page (HTML)
  std::string error;     // of the other outcomes: one plain sentence
  // Of the other outcomes: Exchange's code, or CredentialsMissing, OriginRefused, InvalidSystem.
  std::string code;
  std::optional<Duration> retry_after;  // from Retry-After in any of its forms, never negative
  Time at{};                            // when the answer came

  // {"status", "headers", "body"}, as `response` in expressions.
  Json ToResponse() const;
};

// Safe for use from several threads.
class ExternalClient {
 public:
  // All outlive it.
  ExternalClient(kube::HttpTransport& transport, ResourceClient& resources, const Clock& clock)
      : transport_(transport), resources_(resources), clock_(clock) {}

  // Sends it once. Credentials go to the endpoint's origin alone; a URL of another origin must be
  // in allowedOrigins and gets none; anything else is kNotSent. A Secret that is missing is
  // kNotSent with its name and key (reason for the event CredentialsMissing). Redirects of a GET
  // are followed within the origin, at most 5; of others never. 303 is an answer like any other: a
  // status monitor says so that the operation is done.
  ExternalAnswer Send(const ExternalSystem& system, const RenderedRequest& request);

  // Cuts the calls under way, as HttpTransport::Cancel.
  void Cancel() { transport_.Cancel(); }

 private:
  kube::HttpTransport& transport_;
  ResourceClient& resources_;
  const Clock& clock_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EXTERNAL_CLIENT_H_
