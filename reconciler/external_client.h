// Every call to an external system goes through here: credentials, origin rule, redaction, bounds.
#ifndef ASYNCOPS_RECONCILER_EXTERNAL_CLIENT_H_
#define ASYNCOPS_RECONCILER_EXTERNAL_CLIENT_H_

#include <optional>
#include <string>
#include <string_view>

#include "api/asyncops/v1alpha1/external_system.h"
#include "base/clock.h"
#include "base/json.h"
#include "kube/http_transport.h"
#include "reconciler/known_secrets.h"
#include "reconciler/oauth2_token.h"
#include "reconciler/origin_gate.h"
#include "reconciler/rendered_request.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

struct Credentials;
class GatedSender;

// What came of a call, in the form that expressions see. Secret values that the caller sent are
// redacted in all of it.
struct ExternalAnswer {
  kube::Exchange::Outcome outcome = kube::Exchange::Outcome::kNotSent;
  int status = 0;        // of kAnswered
  Json headers;          // object, names in lower case; of repeated ones the first
  Json body;             // parsed JSON; a string where it is not JSON; null where it is empty
  bool garbled = false;  // JSON by its Content-Type and none in truth, or a page (HTML)
  std::string error;     // of the other outcomes: one plain sentence
  // Of the other outcomes: Exchange's code, or CredentialsMissing, OriginRefused, InvalidSystem,
  // TokenRequestFailed.
  std::string code;
  std::optional<Duration> retry_after;  // from Retry-After in any of its forms, never negative
  Time at{};                            // when the answer came

  // {"status", "headers", "body"}, as `response` in expressions.
  Json ToResponse() const;
};

// The code, and the Event's reason, of a call that was not made for want of a Secret.
inline constexpr std::string_view kCredentialsMissing = "CredentialsMissing";

// Whether the code is of a call that we did not make for a reason that a person mends, by a Secret,
// the ExternalSystem or a flag: CredentialsMissing, InvalidSystem, OriginRefused, AddressRefused.
// To try again soon is of no use.
bool IsLocalRefusal(std::string_view code);

// Safe for use from several threads.
class ExternalClient {
 public:
  // All outlive it.
  ExternalClient(kube::HttpTransport& transport, ResourceClient& resources, const Clock& clock)
      : transport_(transport),
        resources_(resources),
        clock_(clock),
        gate_(clock),
        known_(clock),
        tokens_(clock) {}

  // Asks for leave to make this call, before anything is written about it. Neither held nor refused
  // (kNone) where the URL is not to be called at all, which Send says.
  Admission Admit(const ExternalSystem& system, const std::string& url, GateTicket* ticket);
  OriginGate& gate() { return gate_; }

  // Sends it once; with OAuth2, once more with a new token where the first one was refused (401, by
  // which a server says that it did nothing). Credentials go to the endpoint's origin alone; a URL
  // of another origin must be in allowedOrigins and gets none; anything else is kNotSent. A Secret
  // that is missing is kNotSent with its name and key (reason for the event CredentialsMissing).
  // Redirects of a GET are followed within the origin, at most 5; of others never. 303 is an answer
  // like any other: a status monitor says so that the operation is done. Every request of it passes
  // the gate, the first with this leave; without one it goes at once, if no circuit is open.
  ExternalAnswer Send(const ExternalSystem& system, const RenderedRequest& request,
                      Permit leave = {});

  // What the system tells unasked, such as in a callback, without the secrets that it might show:
  // those of its auth, of this request (its headers and known ones), and what it was sent before.
  // Nothing where a Secret of them cannot be read.
  std::optional<Json> Redact(const ExternalSystem& system, const RenderedRequest& request,
                             const Json& told);

  // Cuts the calls under way, as HttpTransport::Cancel.
  void Cancel() { transport_.Cancel(); }

 private:
  // One request as it goes out: signed where it has a signer.
  kube::Exchange Dispatch(kube::OutboundRequest call, Credentials* credentials,
                          GatedSender* sender);
  // The call and those that its redirects lead to.
  kube::Exchange Follow(kube::OutboundRequest call, Credentials* credentials, GatedSender* sender);
  // The call with an access token.
  kube::Exchange SendWithToken(const kube::OutboundRequest& call, Credentials* credentials,
                               GatedSender* sender);

  kube::HttpTransport& transport_;
  ResourceClient& resources_;
  const Clock& clock_;
  OriginGate gate_;
  KnownSecrets known_;
  TokenCache tokens_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EXTERNAL_CLIENT_H_
