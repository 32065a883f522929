#include "kube/api_client.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "kube/api_status.h"
#include "kube/credential_files.h"
#include "kube/watch_decoder.h"

namespace asyncops::kube {
namespace {

constexpr std::string_view kJsonType = "application/json";
// A page of a list; one that is asked for without a limit may hold all there is.
constexpr std::size_t kMaxAnswerBytes = 256u * 1024 * 1024;
constexpr std::int64_t kMaxRetryAfterSeconds = 3600;

std::string_view HeaderOf(const OutboundResponse& response, std::string_view name) {
  for (const auto& [header, value] : response.headers) {
    if (EqualsIgnoreCase(header, name)) return value;
  }
  return "";
}

// The Status of a call that was not answered.
Status Unanswered(const Exchange& exchange) {
  const bool late = exchange.code == "Timeout";
  return {late ? Reason::kTimeout : Reason::kServiceUnavailable,
          "kube-apiserver did not answer: " + exchange.error};
}

// The Status of an answer that is not 2xx.
Status Refusal(const OutboundResponse& response) {
  const Result<Json> body = ParseJson(response.body, {.max_depth = kMaxApiJsonDepth});
  Status status = StatusOf(body.ok() ? *body : Json(), response.status);
  if (status.details().retry_after_seconds > 0) return status;
  const auto seconds = ParseInt64(HeaderOf(response, "Retry-After"));
  if (!seconds || *seconds <= 0) return status;
  return status.WithRetryAfter(static_cast<int>(std::min(*seconds, kMaxRetryAfterSeconds)));
}

bool IsSuccess(const Exchange& exchange) {
  return exchange.outcome == Exchange::Outcome::kAnswered && exchange.response.status / 100 == 2;
}

class HttpApiClient final : public ApiClient {
 public:
  HttpApiClient(const ClusterConfig& config, std::unique_ptr<CredentialFiles> credentials,
                HttpTransport& transport)
      : server_(config.server),
        tls_server_name_(config.tls_server_name),
        credentials_(std::move(credentials)),
        transport_(transport) {}

  Result<Json> Call(const ApiRequest& request) override;
  Status Watch(const ApiRequest& request, const std::function<bool(WatchEvent)>& event) override;
  void Cancel() override { transport_.Cancel(); }

 private:
  OutboundRequest Outbound(const ApiRequest& request) const;
  // The failure of an exchange that brought no 2xx answer.
  Status Failure(const Exchange& exchange);

  const Uri server_;
  const std::string tls_server_name_;
  const std::unique_ptr<CredentialFiles> credentials_;
  HttpTransport& transport_;
};

OutboundRequest HttpApiClient::Outbound(const ApiRequest& request) const {
  Credentials credentials = credentials_->Current();
  OutboundRequest out;
  out.method = request.method;
  out.uri = server_;
  // The server may stand below a path of its URL.
  while (out.uri.target.ends_with('/')) out.uri.target.pop_back();
  out.uri.target += request.target;
  out.headers.emplace_back("Accept", request.accept.empty() ? kJsonType : request.accept);
  if (!request.body.empty()) {
    out.headers.emplace_back("Content-Type",
                             request.content_type.empty() ? kJsonType : request.content_type);
  }
  if (!credentials.token.empty())
    out.headers.emplace_back("Authorization", "Bearer " + credentials.token);
  out.body = request.body;
  out.tls = std::move(credentials.tls);
  out.tls_server_name = tls_server_name_;
  out.timeout = request.timeout;
  out.max_body_bytes = kMaxAnswerBytes;
  return out;
}

Status HttpApiClient::Failure(const Exchange& exchange) {
  if (exchange.outcome != Exchange::Outcome::kAnswered) return Unanswered(exchange);
  if (exchange.response.status != HttpCode(Reason::kUnauthorized))
    return Refusal(exchange.response);
  credentials_->Distrust();
  return Refusal(exchange.response)
      .WithContext("kube-apiserver does not accept " + credentials_->Shown());
}

Result<Json> HttpApiClient::Call(const ApiRequest& request) {
  const Exchange exchange = transport_.Send(Outbound(request));
  if (!IsSuccess(exchange)) return Failure(exchange);
  const std::string& body = exchange.response.body;
  if (body.empty()) return Json(JsonObject());
  Result<Json> parsed = ParseJson(body, {.max_depth = kMaxApiJsonDepth});
  if (!parsed.ok() || !parsed->is_object()) {
    return Status(Reason::kServiceUnavailable,
                  "kube-apiserver answered " + request.method + " with what is no JSON object");
  }
  return parsed;
}

Status HttpApiClient::Watch(const ApiRequest& request,
                            const std::function<bool(WatchEvent)>& event) {
  WatchDecoder decoder(event);
  OutboundRequest out = Outbound(request);
  out.receive = [&decoder](std::string_view bytes) { return decoder.Feed(bytes); };
  const Exchange exchange = transport_.Send(out);
  if (decoder.stopped()) return Status::Ok();
  if (!decoder.error().ok()) return decoder.error();
  if (!IsSuccess(exchange)) return Failure(exchange);
  decoder.Finish();
  return decoder.error();
}

}  // namespace

Result<std::unique_ptr<ApiClient>> MakeApiClient(const ClusterConfig& config,
                                                 HttpTransport& transport, const Clock& clock) {
  Result<std::unique_ptr<CredentialFiles>> credentials = CredentialFiles::Open(config, clock);
  if (!credentials.ok()) return credentials.status();
  return std::unique_ptr<ApiClient>(
      std::make_unique<HttpApiClient>(config, *std::move(credentials), transport));
}

}  // namespace asyncops::kube
