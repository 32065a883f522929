#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Refusal {
  std::string_view reason;
  std::string_view patch;  // of ValidSystem
  std::string_view path;
  std::string_view text;
};

// Names the case in the list of tests.
void PrintTo(const Refusal& row, std::ostream* out) { *out << row.reason; }

class ExternalSystemRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(ExternalSystemRefusalTest, IsOneErrorAtTheField) {
  const Refusal& row = GetParam();
  const ValidationResult result = Create(Patched(ValidSystem(), row.patch));
  ASSERT_THAT(Texts(result), ElementsAre(HasSubstr(row.text))) << row.reason;
  EXPECT_EQ(result.errors.front().path, row.path) << row.reason;
}

constexpr Refusal kRefusals[] = {
    {"an endpoint is absolute", "spec: {endpoint: api.acme.example/v1}", "spec.endpoint",
     "must be an absolute http or https URL such as https://api.acme.example/v1"},
    {"other schemes are not spoken", "spec: {endpoint: 'ftp://api.acme.example'}", "spec.endpoint",
     "must be an absolute http or https URL"},
    {"a fragment is never sent", "spec: {endpoint: 'https://api.acme.example/#v1'}",
     "spec.endpoint", "must not have a fragment"},
    {"paths are joined to it", "spec: {endpoint: 'https://api.acme.example/?a=b'}", "spec.endpoint",
     "must not have a query"},
    {"an origin has no path", "spec: {allowedOrigins: ['https://ops.acme.example/x']}",
     "spec.allowedOrigins[0]", "must be a scheme, host and port alone"},
    {"an origin stands once",
     "spec: {allowedOrigins: ['https://ops.acme.example', 'https://ops.acme.example:443']}",
     "spec.allowedOrigins[1]", "Duplicate value"},
    {"a bundle is base64", "spec: {tls: {caBundle: '-----BEGIN CERTIFICATE-----'}}",
     "spec.tls.caBundle", "base64"},
    {"a bundle is PEM", "spec: {tls: {caBundle: aGVsbG8=}}", "spec.tls.caBundle",
     "must be certificates in PEM"},
    {"one way to authenticate",
     "spec: {auth: {headers: [{name: X-Api-Key, secretRef: {name: acme, key: key}}]}}", "spec.auth",
     "takes one of bearerTokenSecretRef, basic, headers"},
    {"auth says how", "spec: {auth: {bearerTokenSecretRef: null}}", "spec.auth",
     "give one of bearerTokenSecretRef, basic, headers, oauth2ClientCredentials and awsSigV4"},
    {"two ways by name",
     "spec: {auth: {awsSigV4: {region: eu-1, service: s3, accessKeyIDSecretRef: {name: s, key: i}, "
     "secretAccessKeySecretRef: {name: s, key: k}}}}",
     "spec.auth",
     "takes one of bearerTokenSecretRef, basic, headers, oauth2ClientCredentials and "},
    {"a region is a word",
     "spec: {auth: {bearerTokenSecretRef: null, awsSigV4: {region: 'eu/1', service: s3, "
     "accessKeyIDSecretRef: {name: s, key: i}, secretAccessKeySecretRef: {name: s, key: k}}}}",
     "spec.auth.awsSigV4.region", "must be letters, digits and '-'"},
    {"a service is a word",
     "spec: {auth: {bearerTokenSecretRef: null, awsSigV4: {region: eu-1, service: 's 3', "
     "accessKeyIDSecretRef: {name: s, key: i}, secretAccessKeySecretRef: {name: s, key: k}}}}",
     "spec.auth.awsSigV4.service", "must be letters, digits and '-'"},
    {"a region is needed",
     "spec: {auth: {bearerTokenSecretRef: null, awsSigV4: {service: s3, accessKeyIDSecretRef: "
     "{name: s, key: i}, secretAccessKeySecretRef: {name: s, key: k}}}}",
     "spec.auth.awsSigV4.region", "Required value"},
    {"AWS keys are keys of a Secret",
     "spec: {auth: {bearerTokenSecretRef: null, awsSigV4: {region: eu-1, service: s3, "
     "accessKeyIDSecretRef: {name: s, key: i}, secretAccessKeySecretRef: {name: s, key: k/}}}}",
     "spec.auth.awsSigV4.secretAccessKeySecretRef.key", "a key of a Secret consists of"},
    {"a key of a Secret", "spec: {auth: {bearerTokenSecretRef: {key: a/b}}}",
     "spec.auth.bearerTokenSecretRef.key", "a key of a Secret consists of"},
    {"presets that work are listed", "spec: {preset: Azure}", "spec.preset",
     "Unsupported value: \"Azure\": supported values: \"AcceptedLocation\", \"GoogleLRO\", "
     "\"AzureARM\", \"ODataAsync\", \"AWSCloudControl\", \"JobStatus\", \"DescribeUntil\", "
     "\"Custom\""},
    {"a key goes somewhere", "spec: {idempotency: {name: null}}", "spec.idempotency.name",
     "with in: Header, give the header's name"},
    {"a key's place in the body", "spec: {idempotency: {in: Body, name: null}}",
     "spec.idempotency.pointer", "give a JSON Pointer such as /requestId"},
    {"a pointer starts with /", "spec: {correlation: {in: Body, pointer: tags}}",
     "spec.correlation.pointer", "write a JSON Pointer such as /requestId"},
    {"a name beside a pointer", "spec: {correlation: {in: Body, pointer: /tag, name: X-A}}",
     "spec.correlation.name", "belongs to in: Header"},
    {"a key in a credential's place", "spec: {idempotency: {name: Authorization}}",
     "spec.idempotency.name", "carries credentials"},
    {"a call is short", "spec: {limits: {requestTimeout: 1h}}", "spec.limits.requestTimeout",
     "must be at most 10m0s"},
    {"no calls at all", "spec: {limits: {requestsPerSecond: 0}}", "spec.limits.requestsPerSecond",
     "greater than or equal to 0.001"},
    {"a burst of nothing lets nothing through", "spec: {limits: {burst: 0}}", "spec.limits.burst",
     "greater than or equal to 1"},
    {"none under way is no call", "spec: {limits: {maxInFlight: 0}}", "spec.limits.maxInFlight",
     "greater than or equal to 1"},
    {"a signature needs a secret", "spec: {callback: {scheme: GitHub}}", "spec.callback.secretRefs",
     "name the Secret keys that hold what GitHub callbacks are signed with"},
    {"a callback's secret is a key of a Secret",
     "spec: {callback: {scheme: Stripe, secretRefs: [{name: s, key: a/b}]}}",
     "spec.callback.secretRefs[0].key", "a key of a Secret consists of"},
    {"what is not signed is not trusted", "spec: {callback: {scheme: Token, trustPayload: true}}",
     "spec.callback.trustPayload", "what is not signed is not trusted"},
    {"hmac is for HMAC",
     "spec: {callback: {scheme: Slack, secretRefs: [{name: s, key: k}], hmac: {header: X-S}}}",
     "spec.callback.hmac", "belongs to scheme: HMAC"},
    {"the body is signed",
     "spec: {callback: {scheme: HMAC, secretRefs: [{name: s, key: k}], hmac: {idHeader: X-Id, "
     "content: '${id}'}}}",
     "spec.callback.hmac.content", "must hold ${body}"},
    {"other values are not signed",
     "spec: {callback: {scheme: HMAC, secretRefs: [{name: s, key: k}], hmac: {content: "
     "'${url}.${body}'}}}",
     "spec.callback.hmac.content", "knows ${body}, ${timestamp} and ${id}, not ${url}"},
    {"a time ends where text begins",
     "spec: {callback: {scheme: HMAC, secretRefs: [{name: s, key: k}], hmac: {timestampHeader: "
     "X-T, content: '${timestamp}${body}'}}}",
     "spec.callback.hmac.content", "needs text before ${body}"},
    {"a body is signed once",
     "spec: {callback: {scheme: HMAC, secretRefs: [{name: s, key: k}], hmac: {content: "
     "'${body}.${body}'}}}",
     "spec.callback.hmac.content", "holds ${body} twice"},
    {"a signed time is in a header",
     "spec: {callback: {scheme: HMAC, secretRefs: [{name: s, key: k}], hmac: {content: "
     "'${timestamp}.${body}'}}}",
     "spec.callback.hmac.timestampHeader", "say which header brings it"},
    {"a signed name is in a header",
     "spec: {callback: {scheme: HMAC, secretRefs: [{name: s, key: k}], hmac: {content: "
     "'${id}.${body}'}}}",
     "spec.callback.hmac.idHeader", "say which header brings it"},
    {"a time is signed",
     "spec: {callback: {scheme: HMAC, secretRefs: [{name: s, key: k}], hmac: {timestampHeader: "
     "X-T}}}",
     "spec.callback.hmac.content", "a time that is not signed proves nothing"},
    {"a callback does not live for ever",
     "spec: {callback: {scheme: Slack, secretRefs: [{name: s, key: k}], tolerance: 2h}}",
     "spec.callback.tolerance", "must be at most 1h0m0s"},
    {"a tolerance is a time",
     "spec: {callback: {scheme: Slack, secretRefs: [{name: s, key: k}], tolerance: -1s}}",
     "spec.callback.tolerance", ""},
    {"queues are not carried out yet", "spec: {queueRef: {name: q}}", "spec.queueRef",
     "this release does not carry it out"},
    {"a client secret does not travel in the open",
     "spec: {auth: {bearerTokenSecretRef: null, oauth2ClientCredentials: {tokenURL: "
     "'http://a.example', clientIDSecretRef: {name: s, key: i}, clientSecretRef: {name: s, key: "
     "k}}}}",
     "spec.auth.oauth2ClientCredentials.tokenURL", "must be https"},
    {"a name that looks like a loopback address is none",
     "spec: {auth: {bearerTokenSecretRef: null, oauth2ClientCredentials: {tokenURL: "
     "'http://127.evil.example', clientIDSecretRef: {name: s, key: i}, clientSecretRef: {name: s, "
     "key: k}}}}",
     "spec.auth.oauth2ClientCredentials.tokenURL", "must be https"},
    {"scopes are items",
     "spec: {auth: {bearerTokenSecretRef: null, oauth2ClientCredentials: {tokenURL: "
     "'https://a.example', clientIDSecretRef: {name: s, key: i}, clientSecretRef: {name: s, key: "
     "k}, scopes: ['a b']}}}",
     "spec.auth.oauth2ClientCredentials.scopes[0]", "must be one scope"},
    {"ways to show a client secret are two",
     "spec: {auth: {bearerTokenSecretRef: null, oauth2ClientCredentials: {tokenURL: "
     "'https://a.example', clientIDSecretRef: {name: s, key: i}, clientSecretRef: {name: s, key: "
     "k}, clientAuthentication: PrivateKey}}}",
     "spec.auth.oauth2ClientCredentials.clientAuthentication", "Unsupported value"},
    {"rules are compiled", "spec: {errorRules: [{when: 'error.kode == 1', class: Terminal}]}",
     "spec.errorRules[0].when", "col "},
};
INSTANTIATE_TEST_SUITE_P(Rules, ExternalSystemRefusalTest, testing::ValuesIn(kRefusals));

TEST(ExternalSystemValidationTest, AcceptsASystemWithoutAWarning) {
  const ValidationResult result = Create(ValidSystem());
  EXPECT_THAT(Texts(result), IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(ExternalSystemValidationTest, NeverShowsThePasswordOfAUrl) {
  const auto texts =
      Texts(Create(Patched(ValidSystem(), "spec: {endpoint: 'https://me:hunter2@a.example'}")));
  EXPECT_THAT(texts, ElementsAre("spec.endpoint: Invalid value: must not carry a user or password; "
                                 "put credentials in spec.auth, as bearerTokenSecretRef, basic or "
                                 "headers"));
}

TEST(ExternalSystemValidationTest, WarnsOfPlainHttpAndOfSubmitsThatMayPark) {
  const ValidationResult result =
      Create(Patched(ValidSystem(), "spec: {endpoint: 'http://a.example', idempotency: null}"));
  EXPECT_THAT(Texts(result), IsEmpty());
  EXPECT_THAT(
      result.warnings,
      ElementsAre("spec.endpoint is http: credentials and data travel unencrypted; use https",
                  HasSubstr("spec.idempotency is absent")));
  for (const std::string& warning : result.warnings) EXPECT_LE(warning.size(), 120u);
}

TEST(ExternalSystemValidationTest, WarnsOfARateAtWhichAllWaitForMinutes) {
  const auto warnings = [](const std::string& rate) {
    return Create(Patched(ValidSystem(), "spec: {limits: {requestsPerSecond: " + rate + "}}"))
        .warnings;
  };
  EXPECT_THAT(warnings("0.01"),
              ElementsAre("spec.limits.requestsPerSecond lets one call out every 1m40s, which "
                          "submits and polls of all operations share"));
  EXPECT_THAT(warnings("0.5"), IsEmpty());
}

TEST(ExternalSystemValidationTest, AcceptsOAuth2AndSigV4) {
  const std::string oauth2 =
      "spec: {auth: {bearerTokenSecretRef: null, oauth2ClientCredentials: {tokenURL: "
      "'https://a.example/t?tenant=1', clientIDSecretRef: {name: s, key: i}, clientSecretRef: "
      "{name: s, key: k}, scopes: [a, 'https://a.example/.default'], clientAuthentication: Post}}}";
  const std::string aws =
      "spec: {auth: {bearerTokenSecretRef: null, awsSigV4: {region: eu-central-1, service: "
      "cloudcontrolapi, accessKeyIDSecretRef: {name: s, key: i}, secretAccessKeySecretRef: {name: "
      "s, key: k}, sessionTokenSecretRef: {name: s, key: t}}}}";
  for (const std::string& patch : {oauth2, aws}) {
    const ValidationResult result = Create(Patched(ValidSystem(), patch));
    EXPECT_THAT(Texts(result), IsEmpty());
    EXPECT_THAT(result.warnings, IsEmpty());
  }
}

TEST(ExternalSystemValidationTest, WarnsOfATokenServerOnThisMachineWithoutTls) {
  for (const char* url : {"http://127.0.0.1:8080/t", "http://localhost/t", "http://[::1]/t"}) {
    const ValidationResult result = Create(Patched(
        ValidSystem(),
        "spec: {auth: {bearerTokenSecretRef: null, oauth2ClientCredentials: {tokenURL: '" +
            std::string(url) +
            "', clientIDSecretRef: {name: s, key: i}, clientSecretRef: {name: s, key: k}}}}"));
    EXPECT_THAT(Texts(result), IsEmpty());
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("the client secret travels unencrypted")));
  }
}

TEST(ExternalSystemUpdateTest, WarnsThatOperationsAreInFlightElsewhere) {
  const ValidationResult result =
      Update(Patched(ValidSystem(), "spec: {endpoint: 'https://b.example'}"), ValidSystem());
  EXPECT_THAT(Texts(result), IsEmpty());
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("spec.endpoint changed")));
}

TEST(ExternalSystemUpdateTest, RefusesNewMistakesAlone) {
  const Json old = Patched(ValidSystem(), "spec: {queueRef: {name: q}, endpoint: a}");
  EXPECT_THAT(Texts(Update(Patched(old, "metadata: {labels: {a: b}}"), old)), IsEmpty());
  EXPECT_THAT(Texts(Update(Patched(old, "spec: {endpoint: b}"), old)),
              ElementsAre(HasSubstr("spec.endpoint: Invalid value: \"b\"")));
}

TEST(ExternalSystemUpdateTest, JudgesAStatusByItsStructureAlone) {
  const Json old = Patched(ValidSystem(), "spec: {queueRef: {name: q}, endpoint: a}");
  const ValidationResult right = Update(Patched(old, "status: {inFlight: 3}"), old);
  EXPECT_THAT(Texts(right), IsEmpty());
  EXPECT_THAT(right.warnings, IsEmpty());
  EXPECT_THAT(Texts(Update(Patched(old, "status: {inFlight: many}"), old)),
              ElementsAre(HasSubstr("status.inFlight")));
}

}  // namespace
}  // namespace asyncops
