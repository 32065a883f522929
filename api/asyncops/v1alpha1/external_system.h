// ExternalSystem: the API that makes things: its endpoint, credentials, limits and habits. A plain
// value.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_EXTERNAL_SYSTEM_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_EXTERNAL_SYSTEM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/steps.h"
#include "api/meta/condition.h"
#include "api/meta/object_meta.h"

namespace asyncops {

struct TlsSpec {
  std::string ca_bundle;  // base64 PEM; "" means the system's CAs
  std::optional<LocalObjectRef> client_certificate_secret_ref;

  static const ObjectBinding<TlsSpec>& Binding();
  bool operator==(const TlsSpec&) const = default;
};

struct BasicAuth {
  std::optional<SecretKeyRef> username_secret_ref;
  std::optional<SecretKeyRef> password_secret_ref;

  static const ObjectBinding<BasicAuth>& Binding();
  bool operator==(const BasicAuth&) const = default;
};

struct HeaderAuth {
  std::string name;
  std::optional<SecretKeyRef> secret_ref;

  static const ObjectBinding<HeaderAuth>& Binding();
  bool operator==(const HeaderAuth&) const = default;
};

struct OAuth2ClientCredentials {
  std::string token_url;
  std::optional<SecretKeyRef> client_id_secret_ref;
  std::optional<SecretKeyRef> client_secret_ref;
  std::vector<std::string> scopes;
  std::string client_authentication;  // Basic | Post; "" means Basic

  static const ObjectBinding<OAuth2ClientCredentials>& Binding();
  bool operator==(const OAuth2ClientCredentials&) const = default;
};

struct AwsSigV4 {
  std::string region;
  std::string service;
  std::optional<SecretKeyRef> access_key_id_secret_ref;
  std::optional<SecretKeyRef> secret_access_key_secret_ref;
  std::optional<SecretKeyRef> session_token_secret_ref;  // absent with long-term keys

  static const ObjectBinding<AwsSigV4>& Binding();
  bool operator==(const AwsSigV4&) const = default;
};

// One of them is set.
struct AuthSpec {
  std::optional<SecretKeyRef> bearer_token_secret_ref;
  std::optional<BasicAuth> basic;
  std::vector<HeaderAuth> headers;
  std::optional<OAuth2ClientCredentials> oauth2_client_credentials;
  std::optional<AwsSigV4> aws_sig_v4;

  static const ObjectBinding<AuthSpec>& Binding();
  bool operator==(const AuthSpec&) const = default;
};

struct LimitsSpec {
  std::optional<double> requests_per_second;  // 20
  std::optional<std::int64_t> burst;          // 40
  std::optional<std::int64_t> max_in_flight;  // 1000
  std::optional<Duration> request_timeout;    // 30s

  static const ObjectBinding<LimitsSpec>& Binding();
  bool operator==(const LimitsSpec&) const = default;
};

// How the system takes an idempotency key; absent: it takes none.
struct IdempotencySpec {
  std::string in;       // Header | Body
  std::string name;     // with Header
  std::string pointer;  // JSON Pointer, with Body
  bool quoted = false;  // as a structured-field string (draft-ietf-httpapi-idempotency-key-header)
  std::optional<Duration> ttl;  // how long the system remembers a key; 24h

  static const ObjectBinding<IdempotencySpec>& Binding();
  bool operator==(const IdempotencySpec&) const = default;
};

struct CorrelationSpec {
  std::string in;  // Header | Body
  std::string name;
  std::string pointer;

  static const ObjectBinding<CorrelationSpec>& Binding();
  bool operator==(const CorrelationSpec&) const = default;
};

// How a system that follows no known scheme signs: HMAC-SHA256 over `content`, in one header.
struct CallbackHmac {
  std::string header;            // X-Signature
  std::string prefix;            // before the signature, such as "sha256="
  std::string encoding;          // Hex (default) | Base64
  std::string content;           // ${body}, ${timestamp} and ${id} among other text
  std::string timestamp_header;  // Unix seconds; "" where nothing says when it was signed
  std::string id_header;         // what a message is known by; "" where it has no name

  static const ObjectBinding<CallbackHmac>& Binding();
  bool operator==(const CallbackHmac&) const = default;
};

struct CallbackVerification {
  std::string scheme;  // StandardWebhooks | GitHub | Stripe | Slack | HMAC | Token
  std::vector<SecretKeyRef> secret_refs;
  std::optional<CallbackHmac> hmac;   // with HMAC
  std::string correlate;              // expression over `event`: the operation's ID
  std::optional<Duration> tolerance;  // 5m
  bool trust_payload = false;

  static const ObjectBinding<CallbackVerification>& Binding();
  bool operator==(const CallbackVerification&) const = default;
};

struct ExternalSystemSpec {
  std::string endpoint;
  std::vector<std::string> allowed_origins;
  std::optional<TlsSpec> tls;
  std::optional<AuthSpec> auth;
  std::string preset;  // GoogleLRO | AcceptedLocation | JobStatus | Custom ...; "" means Custom
  std::optional<LimitsSpec> limits;
  std::optional<IdempotencySpec> idempotency;
  std::optional<CorrelationSpec> correlation;
  std::optional<CallbackVerification> callback;
  std::optional<LocalObjectRef> queue_ref;
  std::optional<RetryPolicy> retry;
  std::vector<ErrorRule> error_rules;

  static const ObjectBinding<ExternalSystemSpec>& Binding();
  bool operator==(const ExternalSystemSpec&) const = default;
};

struct ExternalSystemStatus {
  std::int64_t observed_generation = 0;
  std::string circuit;  // Closed | Open | HalfOpen
  std::int64_t in_flight = 0;
  Conditions conditions;

  static const ObjectBinding<ExternalSystemStatus>& Binding();
  bool operator==(const ExternalSystemStatus&) const = default;
};

struct ExternalSystem {
  ObjectMeta metadata;
  ExternalSystemSpec spec;
  ExternalSystemStatus status;

  static const ObjectBinding<ExternalSystem>& Binding();
  bool operator==(const ExternalSystem&) const = default;
};

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_EXTERNAL_SYSTEM_H_
