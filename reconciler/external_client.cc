#include "reconciler/external_client.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "reconciler/credentials.h"
#include "reconciler/gated_send.h"
#include "reconciler/redact.h"
#include "reconciler/retry_after.h"

namespace asyncops::reconciler {
namespace {

using Outcome = kube::Exchange::Outcome;

constexpr std::chrono::seconds kDefaultTimeout{30};
constexpr int kMaxRedirects = 5;
constexpr int kUnauthorized = 401;

ExternalAnswer NotSent(std::string code, std::string error, Time at) {
  ExternalAnswer answer;
  answer.code = std::move(code);
  answer.error = std::move(error);
  answer.at = at;
  return answer;
}

bool IsAllowedOrigin(const ExternalSystem& system, const Uri& uri) {
  const auto& origins = system.spec.allowed_origins;
  return std::any_of(origins.begin(), origins.end(), [&uri](const std::string& origin) {
    const std::optional<Uri> allowed = ParseUri(origin);
    return allowed && allowed->Origin() == uri.Origin();
  });
}

// Takes out what the system was sent, by this call and others, and what is of this call alone.
class AnswerRedactor {
 public:
  AnswerRedactor(std::shared_ptr<const Redactor> known, const std::vector<std::string>& own)
      : known_(std::move(known)), own_(own) {}

  std::string RedactText(std::string_view text) const {
    return own_.RedactText(known_->RedactText(text));
  }
  Json RedactJson(const Json& value) const { return own_.RedactJson(known_->RedactJson(value)); }

 private:
  const std::shared_ptr<const Redactor> known_;
  const Redactor own_;
};

Json HeadersOf(const kube::OutboundResponse& response, const AnswerRedactor& redactor) {
  JsonObject headers;
  for (const auto& [name, value] : response.headers) {
    const std::string key = LowerCase(redactor.RedactText(name));
    // A cookie is a credential that the server gives us; we never send one.
    if (key == "set-cookie" || headers.Has(key)) continue;
    headers.Set(key, redactor.RedactText(value));
  }
  return headers;
}

void ReadBody(const std::string& body, const AnswerRedactor& redactor, ExternalAnswer* answer) {
  if (body.empty()) return;
  const Result<Json> json = ParseJson(body);
  if (json.ok()) {
    answer->body = redactor.RedactJson(*json);
    return;
  }
  answer->body = redactor.RedactText(body);
  const std::string type = LowerCase(answer->headers.StringAt({"content-type"}));
  // A page for people comes from something on the way, such as a proxy's login: we asked for JSON.
  answer->garbled =
      type.find("json") != std::string::npos || type.find("text/html") != std::string::npos;
}

ExternalAnswer ReadExchange(const kube::Exchange& exchange, const AnswerRedactor& redactor,
                            Time now) {
  ExternalAnswer answer;
  answer.outcome = exchange.outcome;
  answer.at = now;
  answer.headers = JsonObject();
  answer.retry_after = ParseRetryAfter(exchange.response.headers, now);
  if (exchange.outcome != Outcome::kAnswered) {
    answer.error = redactor.RedactText(exchange.error);
    answer.code = exchange.code;
    return answer;
  }
  answer.status = exchange.response.status;
  answer.headers = HeadersOf(exchange.response, redactor);
  ReadBody(exchange.response.body, redactor, &answer);
  return answer;
}

// Where a GET goes on; nothing where the answer is final. 303 is final: it is how a status monitor
// says that the operation is done, so the one who asked must see it.
std::optional<Uri> RedirectOf(const kube::OutboundRequest& request,
                              const kube::Exchange& exchange) {
  if (request.method != "GET" || exchange.outcome != Outcome::kAnswered) return std::nullopt;
  const int status = exchange.response.status;
  if (status != 301 && status != 302 && status != 307 && status != 308) return std::nullopt;
  for (const auto& [name, value] : exchange.response.headers) {
    if (LowerCase(name) != "location" || value.empty()) continue;
    std::optional<Uri> target = ResolveUri(request.uri, value);
    if (target && target->Origin() == request.uri.Origin()) return target;
    return std::nullopt;
  }
  return std::nullopt;
}

// A call that was not made for want of a token.
kube::Exchange NoToken(const TokenAnswer& token) {
  kube::Exchange exchange;
  exchange.outcome = Outcome::kNotSent;
  exchange.code = token.code;
  exchange.error = token.error;
  if (token.retry_after) {
    exchange.response.headers.emplace_back(
        "Retry-After",
        std::to_string(std::chrono::ceil<std::chrono::seconds>(*token.retry_after).count()));
  }
  return exchange;
}

}  // namespace

Json ExternalAnswer::ToResponse() const {
  return Json::Of({{"status", status},
                   {"headers", headers.is_object() ? headers : Json(JsonObject())},
                   {"body", body}});
}

bool IsLocalRefusal(std::string_view code) {
  return code == "CredentialsMissing" || code == "InvalidSystem" || code == "OriginRefused" ||
         code == "AddressRefused";
}

Admission ExternalClient::Admit(const ExternalSystem& system, const std::string& url,
                                GateTicket* ticket) {
  const std::optional<Uri> uri = ParseUri(url);
  if (!uri) return {};
  const std::optional<Uri> endpoint = ParseUri(system.spec.endpoint);
  const bool ours = endpoint && uri->Origin() == endpoint->Origin();
  if (!ours && !IsAllowedOrigin(system, *uri)) return {};
  return gate_.Admit(SubjectOf(system, *uri), ticket);
}

ExternalAnswer ExternalClient::Send(const ExternalSystem& system, const RenderedRequest& request,
                                    Permit leave) {
  const std::optional<Uri> endpoint = ParseUri(system.spec.endpoint);
  if (!endpoint) {
    return NotSent("InvalidSystem", "the endpoint of the ExternalSystem is no http(s) URL",
                   clock_.Now());
  }
  const std::optional<Uri> uri = ParseUri(request.url);
  if (!uri) return NotSent("OriginRefused", "the URL to call is no http(s) URL", clock_.Now());
  const bool trusted = uri->Origin() == endpoint->Origin();
  if (!trusted && !IsAllowedOrigin(system, *uri)) {
    return NotSent("OriginRefused",
                   uri->Origin() + " is neither the endpoint's origin nor in allowedOrigins",
                   clock_.Now());
  }
  Result<Credentials> credentials = ReadCredentials(system, request, trusted, resources_);
  if (!credentials.ok()) {
    const bool invalid = credentials.status().reason() == Reason::kInvalid;
    return NotSent(invalid ? "InvalidSystem" : "CredentialsMissing", credentials.status().message(),
                   clock_.Now());
  }
  kube::OutboundRequest call;
  call.method = request.method;
  call.uri = *uri;
  call.headers = std::move(credentials->headers);
  call.body = request.body;
  call.tls = std::move(credentials->tls);
  const Duration timeout = system.spec.limits
                               ? system.spec.limits->request_timeout.value_or(kDefaultTimeout)
                               : Duration(kDefaultTimeout);
  call.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  GatedSender sender({.gate = gate_, .transport = transport_, .system = system, .clock = clock_},
                     std::move(leave));
  const kube::Exchange exchange = credentials->grant ? SendWithToken(call, &*credentials, &sender)
                                                     : Follow(call, &*credentials, &sender);
  std::vector<std::string> own = std::move(credentials->call_secrets);
  own.insert(own.end(), request.known_values.begin(), request.known_values.end());
  const AnswerRedactor redactor(known_.Use(system.metadata.uid, credentials->secrets), own);
  return ReadExchange(exchange, redactor, clock_.Now());
}

std::optional<Json> ExternalClient::Redact(const ExternalSystem& system,
                                           const RenderedRequest& request, const Json& told) {
  const Result<Credentials> credentials = ReadCredentials(system, request, true, resources_);
  if (!credentials.ok()) return std::nullopt;
  const AnswerRedactor redactor(known_.Use(system.metadata.uid, credentials->secrets),
                                request.known_values);
  return redactor.RedactJson(told);
}

kube::Exchange ExternalClient::Dispatch(kube::OutboundRequest call, Credentials* credentials,
                                        GatedSender* sender) {
  if (credentials->signer) {
    const SigV4Request to_sign{
        .method = call.method, .uri = call.uri, .headers = call.headers, .body = call.body};
    for (auto& header : SignSigV4(*credentials->signer, to_sign, clock_.Now())) {
      if (header.first == "Authorization")
        credentials->call_secrets.push_back(header.second.substr(header.second.rfind('=') + 1));
      call.headers.push_back(std::move(header));
    }
  }
  return sender->Send(call);
}

kube::Exchange ExternalClient::Follow(kube::OutboundRequest call, Credentials* credentials,
                                      GatedSender* sender) {
  kube::Exchange exchange = Dispatch(call, credentials, sender);
  for (int hop = 0; hop < kMaxRedirects; ++hop) {
    const std::optional<Uri> target = RedirectOf(call, exchange);
    if (!target) break;
    call.uri = *target;
    exchange = Dispatch(call, credentials, sender);
  }
  return exchange;
}

kube::Exchange ExternalClient::SendWithToken(const kube::OutboundRequest& call,
                                             Credentials* credentials, GatedSender* sender) {
  TokenGrant& grant = *credentials->grant;
  grant.timeout = call.timeout;
  const TokenCache::Sender send = [sender](const kube::OutboundRequest& request) {
    return sender->Send(request);
  };
  std::string refused;
  for (;;) {
    const TokenAnswer token = tokens_.Get(grant, send);
    if (token.token.empty()) return NoToken(token);
    credentials->secrets.push_back(token.token);
    kube::OutboundRequest authorized = call;
    authorized.headers.emplace_back("Authorization", "Bearer " + token.token);
    kube::Exchange exchange = Follow(std::move(authorized), credentials, sender);
    const bool expired =
        exchange.outcome == Outcome::kAnswered && exchange.response.status == kUnauthorized;
    if (!expired || !refused.empty()) return exchange;
    tokens_.Drop(grant, token.token);
    refused = token.token;
  }
}

}  // namespace asyncops::reconciler
