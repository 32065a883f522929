// Requests out: a declaration's templates filled in for one operation.
#include <algorithm>

#include "base/ascii.h"
#include "base/encoding.h"
#include "reconciler/compiled_protocol.h"

namespace asyncops::reconciler {
namespace {

Status Invalid(std::string_view field, std::string_view why) {
  return {Reason::kInvalid, std::string(field) + ": " + std::string(why)};
}

bool HasHeader(const std::vector<RenderedHeader>& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(), [name](const RenderedHeader& header) {
    return EqualsIgnoreCase(header.name, name);
  });
}

// Sets a header of ours: a user's of the same name gives way.
void SetHeader(std::vector<RenderedHeader>* headers, std::string_view name, std::string value) {
  std::erase_if(*headers, [name](const RenderedHeader& header) {
    return EqualsIgnoreCase(header.name, name);
  });
  headers->push_back({std::string(name), std::move(value), std::nullopt});
}

void AddHeader(std::vector<RenderedHeader>* headers, std::string_view name,
               std::string_view value) {
  if (!HasHeader(*headers, name))
    headers->push_back({std::string(name), std::string(value), std::nullopt});
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

// Escapes what no URL may hold; `%` and the separators are the template's own.
std::string EscapeTarget(std::string_view text) {
  constexpr std::string_view kNever = " \"#<>\\^`{|}";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f || kNever.find(c) != std::string_view::npos) {
      out += PercentEncode(std::string_view(&c, 1));
    } else {
      out += c;
    }
  }
  return out;
}

bool IsAbsolute(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

// A path is joined to the endpoint's by text and never read as a reference, so that a value within
// it cannot lead to another host.
Result<Uri> Join(const Uri& endpoint, std::string_view text, std::string_view field) {
  if (IsAbsolute(text)) {
    const std::optional<Uri> uri = ParseUri(EscapeTarget(text));
    if (uri) return *uri;
    return Invalid(field, "renders to what is no http(s) URL");
  }
  std::string base = endpoint.target.substr(0, endpoint.target.find('?'));
  if (!text.empty()) {
    while (!base.empty() && base.back() == '/') base.pop_back();
    if (!text.starts_with('/') && !text.starts_with('?')) base += '/';
  }
  if (base.empty() && !text.starts_with('/')) base = "/";
  const std::string target = base + EscapeTarget(text);
  std::optional<Uri> uri = ParseUri(endpoint.Origin() + target);
  if (uri && uri->Origin() == endpoint.Origin()) return *std::move(uri);
  return Invalid(field, "renders to what is no path of a URL");
}

// The headers of a declaration, and those that every call has.
Result<std::vector<RenderedHeader>> RenderOwn(const std::vector<CompiledHeader>& own,
                                              std::string_view field, bool has_body,
                                              const EvaluationScope& scope) {
  std::vector<RenderedHeader> headers;
  for (const CompiledHeader& header : own) {
    if (!header.value) {
      headers.push_back({header.name, "", header.secret_key_ref});
      continue;
    }
    const std::string named = std::string(field) + " " + header.name;
    Result<std::string> value = header.value->RenderText(scope.bindings());
    if (!value.ok()) return Invalid(named, value.status().message());
    if (HasControl(*value)) return Invalid(named, "renders to a value with a line break");
    headers.push_back({header.name, *std::move(value), std::nullopt});
  }
  if (has_body) AddHeader(&headers, "Content-Type", "application/json");
  AddHeader(&headers, "Accept", "application/json");
  return headers;
}

std::string Quoted(const std::string& text) { return '"' + text + '"'; }

}  // namespace

Result<Uri> CompiledProtocol::SubmitUri(const EvaluationScope& scope) const {
  if (!parts_.submit_path) return parts_.endpoint;
  const Result<std::string> path = parts_.submit_path->RenderText(scope.bindings());
  if (!path.ok()) return Invalid("submit.path", path.status().message());
  return Join(parts_.endpoint, *path, "submit.path");
}

void CompiledProtocol::BindSubmitUrl(EvaluationScope* scope) const {
  if (!parts_.reads_submit_url) return;
  const Result<Uri> uri = SubmitUri(*scope);
  if (uri.ok()) scope->SetOperationField("submitURL", uri->ToString());
}

std::string CompiledProtocol::FromSubmit(const std::string& reference,
                                         const EvaluationScope& scope) const {
  if (reference.empty()) return "";
  const Result<Uri> submit = SubmitUri(scope);
  const std::optional<Uri> uri = submit.ok() ? ResolveUri(*submit, reference) : std::nullopt;
  return uri ? uri->ToString() : "";
}

void CompiledProtocol::AddKeyToQuery(const OperationIdentity& operation, std::string* url) const {
  if (!parts_.key || parts_.key->query.empty()) return;
  *url += url->find('?') == std::string::npos ? '?' : '&';
  *url += PercentEncode(parts_.key->query) + "=" + PercentEncode(operation.idempotency_key);
}

Status CompiledProtocol::PlaceCallback(const OperationIdentity& operation, Json* body) const {
  if (!parts_.callback || !parts_.callback->pointer || operation.callback_url.empty())
    return Status::Ok();
  const Status set = parts_.callback->pointer->Set(body, operation.callback_url);
  return set.ok() ? set : Invalid("callback.inject.pointer", set.message());
}

void CompiledProtocol::PlaceCallback(const OperationIdentity& operation,
                                     RenderedRequest* request) const {
  if (!parts_.callback || operation.callback_url.empty()) return;
  if (!parts_.callback->header.empty())
    SetHeader(&request->headers, parts_.callback->header, operation.callback_url);
  if (parts_.callback->query.empty()) return;
  request->url += request->url.find('?') == std::string::npos ? '?' : '&';
  request->url +=
      PercentEncode(parts_.callback->query) + "=" + PercentEncode(operation.callback_url);
}

Result<std::string> CompiledProtocol::RenderBody(const EvaluationScope& scope,
                                                 const OperationIdentity& operation) const {
  Json body;
  if (parts_.body) {
    Result<Json> rendered = parts_.body->Render(scope.bindings());
    if (!rendered.ok()) return Invalid("submit.body", rendered.status().message());
    body = *std::move(rendered);
  }
  if (parts_.key && parts_.key->pointer) {
    const Status set = parts_.key->pointer->Set(&body, operation.idempotency_key);
    if (!set.ok()) return Invalid("idempotency.pointer", set.message());
  }
  if (parts_.correlation && parts_.correlation->pointer) {
    const Status set = parts_.correlation->pointer->Set(&body, operation.correlation_id);
    if (!set.ok()) return Invalid("correlation.pointer", set.message());
  }
  ASYNCOPS_RETURN_IF_ERROR(PlaceCallback(operation, &body));
  return body.is_null() ? std::string() : EncodeJson(body);
}

Result<std::vector<RenderedHeader>> CompiledProtocol::RenderHeaders(
    const EvaluationScope& scope, const OperationIdentity& operation, bool has_body) const {
  Result<std::vector<RenderedHeader>> own =
      RenderOwn(parts_.headers, "submit.headers", has_body, scope);
  if (!own.ok()) return own.status();
  std::vector<RenderedHeader> headers = *std::move(own);
  if (parts_.key && !parts_.key->header.empty()) {
    const std::string& key = operation.idempotency_key;
    SetHeader(&headers, parts_.key->header, parts_.key->quoted ? Quoted(key) : key);
  }
  if (parts_.correlation && !parts_.correlation->pointer)
    SetHeader(&headers, parts_.correlation->header, operation.correlation_id);
  return headers;
}

Result<RenderedRequest> CompiledProtocol::RenderSubmit(const OperationIdentity& operation) const {
  EvaluationScope scope(context_, operation);
  const Result<Uri> uri = SubmitUri(scope);
  if (!uri.ok()) return uri.status();
  BindSubmitUrl(&scope);
  Result<std::string> body = RenderBody(scope, operation);
  if (!body.ok()) return body.status();
  Result<std::vector<RenderedHeader>> headers = RenderHeaders(scope, operation, !body->empty());
  if (!headers.ok()) return headers.status();
  std::string url = uri->ToString();
  AddKeyToQuery(operation, &url);
  RenderedRequest request{parts_.submit_method, std::move(url), *std::move(headers),
                          *std::move(body)};
  PlaceCallback(operation, &request);
  return request;
}

Result<RenderedRequest> CompiledProtocol::RenderCall(const CompiledCall& call,
                                                     const EvaluationScope& scope,
                                                     const OperationIdentity& operation,
                                                     std::string_view field) const {
  std::string url = operation.poll_url;
  if (call.path) {
    const Result<std::string> path = call.path->RenderText(scope.bindings());
    if (!path.ok()) return Invalid(field, path.status().message());
    const Result<Uri> uri = Join(parts_.endpoint, *path, field);
    if (!uri.ok()) return uri.status();
    url = uri->ToString();
  } else if (url.empty()) {
    return Invalid(field, "is not given, and the answer to the submit named no URL to poll");
  }
  std::string text;
  if (call.body) {
    const Result<Json> body = call.body->Render(scope.bindings());
    if (!body.ok()) return Invalid(field, "body: " + body.status().message());
    text = EncodeJson(*body);
  }
  Result<std::vector<RenderedHeader>> headers =
      RenderOwn(call.headers, field, !text.empty(), scope);
  if (!headers.ok()) return headers.status();
  return RenderedRequest{call.method, std::move(url), *std::move(headers), std::move(text)};
}

Result<RenderedRequest> CompiledProtocol::RenderPoll(const OperationIdentity& operation,
                                                     const Json& submit_response) const {
  EvaluationScope scope(context_, operation);
  scope.SetSubmitResponse(submit_response);
  BindSubmitUrl(&scope);
  return RenderCall(parts_.poll, scope, operation, "poll.path");
}

std::optional<Result<RenderedRequest>> CompiledProtocol::RenderLookup(
    const OperationIdentity& operation) const {
  if (!parts_.lookup) return std::nullopt;
  EvaluationScope scope(context_, operation);
  BindSubmitUrl(&scope);
  return RenderCall(*parts_.lookup, scope, operation, "recovery.lookup.path");
}

std::optional<Result<RenderedRequest>> CompiledProtocol::RenderCancel(
    const OperationIdentity& operation, const Json& submit_response) const {
  if (!parts_.cancel) return std::nullopt;
  EvaluationScope scope(context_, operation);
  scope.SetSubmitResponse(submit_response);
  BindSubmitUrl(&scope);
  return RenderCall(*parts_.cancel, scope, operation, "cancel.path");
}

std::optional<RenderedRequest> CompiledProtocol::RenderFetch(const ExternalAnswer& answer,
                                                             const OperationIdentity& operation,
                                                             const EvaluationScope& scope) const {
  std::string url;
  const std::optional<Uri> polled = ParseUri(operation.poll_url);
  if (parts_.result_from == "Expression") {
    const std::string reference = scope.Text(parts_.result_expression);
    const std::optional<Uri> uri =
        reference.empty() ? std::nullopt : ResolveUri(polled.value_or(parts_.endpoint), reference);
    if (uri) url = uri->ToString();
  } else if (parts_.result_from == "OriginalURL") {
    const Result<Uri> uri = SubmitUri(scope);
    if (uri.ok()) url = uri->ToString();
  } else if (parts_.result_from == "URL") {
    const CompiledCall call{"GET", parts_.result_url};
    const Result<RenderedRequest> request = RenderCall(call, scope, operation, "poll.result.url");
    if (request.ok()) url = request->url;
  } else if (parts_.result_from == "Location" || answer.status == 303) {
    const std::string_view location = answer.headers.StringAt({"location"});
    const std::optional<Uri> uri =
        location.empty() ? std::nullopt : ResolveUri(polled.value_or(parts_.endpoint), location);
    if (uri) url = uri->ToString();
  }
  if (url.empty()) return std::nullopt;
  return RenderedRequest{"GET", std::move(url), {{"Accept", "application/json", {}}}, ""};
}

}  // namespace asyncops::reconciler
