#include <algorithm>

#include "api/asyncops/v1alpha1/callback_rules.h"
#include "api/asyncops/v1alpha1/header_rules.h"
#include "api/asyncops/v1alpha1/ratchet.h"
#include "api/asyncops/v1alpha1/retry_rules.h"
#include "api/asyncops/v1alpha1/url_rules.h"
#include "api/asyncops/v1alpha1/validation.h"
#include "api/asyncops/v1alpha1/value_rules.h"
#include "base/ascii.h"
#include "base/duration.h"
#include "base/encoding.h"

namespace asyncops {
namespace {

// A call holds a worker: nothing that takes longer than this is one call.
constexpr std::chrono::minutes kMaxRequestTimeout{10};
// Calls a second. At a lower rate a handful of operations wait for each other for minutes.
constexpr double kSlowRate = 0.1;

void CheckTls(const std::string& path, const TlsSpec& tls, ValidationResult* out) {
  if (!tls.ca_bundle.empty()) {
    const auto pem = Base64Decode(tls.ca_bundle);
    if (!pem || pem->find("-----BEGIN CERTIFICATE-----") == std::string::npos)
      out->errors.push_back(
          InvalidField(path + ".caBundle", Json(),
                       "must be certificates in PEM, the whole in base64; make it with: base64 -w0 "
                       "ca.pem"));
  }
  CheckObjectRef(path + ".clientCertificateSecretRef", tls.client_certificate_secret_ref, out);
}

void CheckAuthHeaders(const std::string& path, const std::vector<HeaderAuth>& headers,
                      ValidationResult* out) {
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::string item = FieldPath(path, i);
    CheckHeaderName(item + ".name", headers[i].name, HeaderUse::kCredential, out);
    CheckSecretKeyRef(item + ".secretRef", headers[i].secret_ref, out);
    const auto end = headers.begin() + static_cast<std::ptrdiff_t>(i);
    const auto same = [&headers, i](const HeaderAuth& other) {
      return EqualsIgnoreCase(other.name, headers[i].name);
    };
    if (std::any_of(headers.begin(), end, same))
      out->errors.push_back(DuplicateField(item + ".name", headers[i].name));
  }
}

// RFC 6749, 3.3.
bool IsScope(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
}

void CheckOAuth2(const std::string& path, const OAuth2ClientCredentials& oauth2,
                 ValidationResult* out) {
  CheckTokenUrl(path + ".tokenURL", oauth2.token_url, out);
  CheckSecretKeyRef(path + ".clientIDSecretRef", oauth2.client_id_secret_ref, out);
  CheckSecretKeyRef(path + ".clientSecretRef", oauth2.client_secret_ref, out);
  for (std::size_t i = 0; i < oauth2.scopes.size(); ++i) {
    if (IsScope(oauth2.scopes[i])) continue;
    out->errors.push_back(
        InvalidField(FieldPath(path + ".scopes", i), oauth2.scopes[i],
                     "must be one scope: visible ASCII characters without blanks and quotes, such "
                     "as volumes.write; list several as items"));
  }
}

void CheckSigV4(const std::string& path, const AwsSigV4& aws, ValidationResult* out) {
  const auto check_word = [&path, out](const char* field, const std::string& word) {
    const bool plain =
        std::all_of(word.begin(), word.end(), [](char c) { return IsAlphanumeric(c) || c == '-'; });
    if (plain) return;
    out->errors.push_back(InvalidField(path + "." + field, word,
                                       "must be letters, digits and '-', as in AWS's list of "
                                       "endpoints"));
  };
  check_word("region", aws.region);
  check_word("service", aws.service);
  CheckSecretKeyRef(path + ".accessKeyIDSecretRef", aws.access_key_id_secret_ref, out);
  CheckSecretKeyRef(path + ".secretAccessKeySecretRef", aws.secret_access_key_secret_ref, out);
  CheckSecretKeyRef(path + ".sessionTokenSecretRef", aws.session_token_secret_ref, out);
}

void CheckAuth(const std::string& path, const AuthSpec& auth, ValidationResult* out) {
  const int given = (auth.bearer_token_secret_ref ? 1 : 0) + (auth.basic ? 1 : 0) +
                    (auth.headers.empty() ? 0 : 1) + (auth.oauth2_client_credentials ? 1 : 0) +
                    (auth.aws_sig_v4 ? 1 : 0);
  if (given > 1)
    out->errors.push_back(ForbiddenField(
        path,
        "takes one of bearerTokenSecretRef, basic, headers, oauth2ClientCredentials and awsSigV4; "
        "remove all but one"));
  if (given == 0)
    out->errors.push_back(RequiredField(
        path,
        "give one of bearerTokenSecretRef, basic, headers, oauth2ClientCredentials and awsSigV4, "
        "or remove auth"));
  CheckSecretKeyRef(path + ".bearerTokenSecretRef", auth.bearer_token_secret_ref, out);
  if (auth.basic) {
    CheckSecretKeyRef(path + ".basic.usernameSecretRef", auth.basic->username_secret_ref, out);
    CheckSecretKeyRef(path + ".basic.passwordSecretRef", auth.basic->password_secret_ref, out);
  }
  CheckAuthHeaders(path + ".headers", auth.headers, out);
  if (const auto& oauth2 = auth.oauth2_client_credentials)
    CheckOAuth2(path + ".oauth2ClientCredentials", *oauth2, out);
  if (auth.aws_sig_v4) CheckSigV4(path + ".awsSigV4", *auth.aws_sig_v4, out);
}

void CheckLimits(const std::string& path, const LimitsSpec& limits, ValidationResult* out) {
  if (limits.requests_per_second && *limits.requests_per_second < kSlowRate) {
    const auto apart = std::chrono::round<std::chrono::seconds>(
        std::chrono::duration<double>(1 / *limits.requests_per_second));
    Warn(path + ".requestsPerSecond lets one call out every " + FormatDuration(apart) +
             ", which submits and polls of all operations share",
         out);
  }
  const std::string timeout = path + ".requestTimeout";
  CheckPositive(timeout, limits.request_timeout, out);
  if (limits.request_timeout && *limits.request_timeout > kMaxRequestTimeout)
    out->errors.push_back(InvalidField(timeout, FormatDuration(*limits.request_timeout),
                                       "must be at most " + FormatDuration(kMaxRequestTimeout) +
                                           "; a call that takes longer is an operation to poll"));
}

}  // namespace

ValidationResult ValidateExternalSystem(const ExternalSystem& system) {
  const ExternalSystemSpec& spec = system.spec;
  ValidationResult out;
  CheckEndpoint("spec.endpoint", spec.endpoint, &out);
  CheckOrigins("spec.allowedOrigins", spec.allowed_origins, &out);
  if (spec.tls) CheckTls("spec.tls", *spec.tls, &out);
  if (spec.auth) CheckAuth("spec.auth", *spec.auth, &out);
  if (spec.limits) CheckLimits("spec.limits", *spec.limits, &out);
  if (const auto& idempotency = spec.idempotency) {
    CheckPlacement("spec.idempotency", {idempotency->in, idempotency->name, idempotency->pointer},
                   &out);
    CheckPositive("spec.idempotency.ttl", idempotency->ttl, &out);
    if (idempotency->quoted && idempotency->in == "Body")
      out.errors.push_back(ForbiddenField("spec.idempotency.quoted",
                                          "belongs to in: Header; remove it, or write in: Header"));
  } else {
    Warn(
        "spec.idempotency is absent: a submit of unknown outcome parks unless its step has a "
        "lookup",
        &out);
  }
  if (const auto& correlation = spec.correlation) {
    CheckPlacement("spec.correlation", {correlation->in, correlation->name, correlation->pointer},
                   &out);
  }
  CheckCallbackVerification("spec.callback", spec.callback, &out);
  CheckRetryPolicy("spec.retry", spec.retry, &out);
  CheckErrorRules("spec.errorRules", spec.error_rules, &out);
  return out;
}

ValidationResult ValidateExternalSystemUpdate(const ExternalSystem& system,
                                              const ExternalSystem& old) {
  if (system.spec == old.spec) return {};
  ValidationResult out = ValidateExternalSystem(system);
  if (!out.errors.empty()) DropUnchanged(ValidateExternalSystem(old).errors, &out.errors);
  if (system.spec.endpoint != old.spec.endpoint)
    Warn("spec.endpoint changed: operations that are in flight were started at the old one", &out);
  return out;
}

}  // namespace asyncops
