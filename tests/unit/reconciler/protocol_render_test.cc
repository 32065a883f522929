// Requests as they go out, byte for byte.
#include <gtest/gtest.h>

#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

std::string Shown(const Result<RenderedRequest>& request) {
  return request.ok() ? Show(*request) : request.status().ToString();
}

std::string Submit(const ExternalSystem& system, const AsyncOperation& operation) {
  return Shown(Compiled(system, operation)->RenderSubmit(Running()));
}

TEST(ProtocolRenderTest, ASubmitHasBodyHeadersKeyAndCorrelation) {
  ExternalSystem system = AcmeSystem("AcceptedLocation");
  system.spec.idempotency.emplace();
  system.spec.correlation.emplace();
  AsyncOperation operation = VolumeOperation();
  SubmitSpec& submit = *operation.spec.submit;
  submit.path = "/volumes/${metadata.namespace}?dry=${spec.parameters.size}";
  submit.body = *ParseJson(R"({"size": "${spec.parameters.size}", "tag": "a-${metadata.name}"})");
  submit.headers = {{"X-Env", "prod-${metadata.namespace}", std::nullopt},
                    {"X-Key", "", HeaderValueSource{SecretKeyRef{"s", "k"}}}};
  EXPECT_EQ(Submit(system, operation),
            "POST https://api.acme.example/v1/volumes/team-a?dry=10Gi [X-Env: prod-team-a]"
            " [X-Key: <s/k>] [Content-Type: application/json] [Accept: application/json]"
            " [Idempotency-Key: key-1] [X-Correlation-Id: corr-1]"
            " {\"size\":\"10Gi\",\"tag\":\"a-vol-create\"}");
}

TEST(ProtocolRenderTest, TheSameIdentityRendersTheSameBytes) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.submit->body = *ParseJson(R"({"z": 1, "a": "${operation.idempotencyKey}"})");
  const std::string first = Submit(AcmeSystem(""), operation);
  EXPECT_EQ(first, Submit(AcmeSystem(""), operation));
  EXPECT_NE(first.find(R"({"a":"key-1","z":1})"), std::string::npos) << first;
}

TEST(ProtocolRenderTest, AKeyMayBeQuotedNamedOrInTheBody) {
  ExternalSystem system = AcmeSystem("");
  system.spec.idempotency = IdempotencySpec{"Header", "X-Request-Key", "", true, std::nullopt};
  EXPECT_NE(Submit(system, VolumeOperation()).find("[X-Request-Key: \"key-1\"]"),
            std::string::npos);
  system.spec.idempotency = IdempotencySpec{"Body", "", "/meta/requestId", false, std::nullopt};
  system.spec.correlation = CorrelationSpec{"Body", "", "/tags/correlation"};
  EXPECT_EQ(Submit(system, VolumeOperation()),
            "POST https://api.acme.example/v1/volumes [Content-Type: application/json]"
            " [Accept: application/json]"
            R"( {"meta":{"requestId":"key-1"},"tags":{"correlation":"corr-1"}})");
}

TEST(ProtocolRenderTest, AHeaderOfTheUserGivesWayToTheKey) {
  ExternalSystem system = AcmeSystem("");
  system.spec.idempotency.emplace();
  AsyncOperation operation = VolumeOperation();
  operation.spec.submit->headers = {{"idempotency-key", "mine", std::nullopt},
                                    {"accept", "text/plain", std::nullopt}};
  EXPECT_EQ(Submit(system, operation),
            "POST https://api.acme.example/v1/volumes [accept: text/plain]"
            " [Idempotency-Key: key-1]");
}

TEST(ProtocolRenderTest, PathsAreJoinedToTheEndpointAndNeverLeadElsewhere) {
  struct Case {
    const char* endpoint;
    const char* path;
    std::string url;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {"https://a.example/v1", "/x", "https://a.example/v1/x", "joined"},
      {"https://a.example/v1/", "x", "https://a.example/v1/x", "one slash"},
      {"https://a.example", "/x", "https://a.example/x", "no path in the endpoint"},
      {"https://a.example/v1", "", "https://a.example/v1", "the endpoint itself"},
      {"https://a.example/v1", "?all=1", "https://a.example/v1?all=1", "a query alone"},
      {"https://a.example:8443", "//evil.example/x", "https://a.example:8443//evil.example/x",
       "no other host by two slashes"},
      {"https://a.example", "@evil.example/", "https://a.example/@evil.example/",
       "no other host by an at sign"},
      {"https://a.example", "/a b/\xc3\xa9#f\"", "https://a.example/a%20b/%C3%A9%23f%22",
       "what no URL holds is escaped"},
      {"https://a.example", "/a%2Fb?c=d&e=%20", "https://a.example/a%2Fb?c=d&e=%20",
       "escapes of the template stay"},
      {"https://a.example", "https://b.example/y", "https://b.example/y",
       "an absolute URL: the client judges its origin"},
  };
  for (const Case& item : cases) {
    ExternalSystem system = AcmeSystem("");
    system.spec.endpoint = item.endpoint;
    AsyncOperation operation = VolumeOperation();
    operation.spec.submit->path = item.path;
    const Result<RenderedRequest> request = Compiled(system, operation)->RenderSubmit(Running());
    ASSERT_TRUE(request.ok()) << item.reason << ": " << request.status().ToString();
    EXPECT_EQ(request->url, item.url) << item.reason;
  }
}

TEST(ProtocolRenderTest, AMissingValueIsInvalidAndNamesTheExpression) {
  struct Case {
    std::function<void(SubmitSpec*)> write;
    const char* field;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {[](SubmitSpec* submit) { submit->path = "/v/${spec.parameters.zone}"; }, "submit.path",
       "in the path"},
      {[](SubmitSpec* submit) {
         submit->body = *ParseJson(R"({"a": ["${spec.parameters.zone}"]})");
       },
       "submit.body", "in the body"},
      {[](SubmitSpec* submit) {
         submit->headers = {{"X-Z", "${spec.parameters.zone}", std::nullopt}};
       },
       "submit.headers X-Z", "in a header"},
      {[](SubmitSpec* submit) { submit->path = "/v/${outputs.zone}"; }, "submit.path",
       "no outputs yet"},
  };
  for (const Case& item : cases) {
    AsyncOperation operation = VolumeOperation();
    item.write(&*operation.spec.submit);
    const Status status = Compiled(AcmeSystem(""), operation)->RenderSubmit(Running()).status();
    EXPECT_EQ(status.reason(), Reason::kInvalid) << item.reason;
    EXPECT_EQ(status.message().find(item.field), 0U) << status.message();
    EXPECT_NE(status.message().find("zone"), std::string::npos) << status.message();
  }
}

TEST(ProtocolRenderTest, AHeaderWithALineBreakIsInvalid) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.parameters = Json::Of({{"x", "a\r\nX-Admin: yes"}});
  operation.spec.submit->headers = {{"X-A", "${spec.parameters.x}", std::nullopt}};
  const Status status = Compiled(AcmeSystem(""), operation)->RenderSubmit(Running()).status();
  EXPECT_EQ(status.reason(), Reason::kInvalid);
}

TEST(ProtocolRenderTest, TheContextOfTheResourceIsSeen) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.context.emplace();
  operation.spec.context->metadata = *ParseJson(R"({"name": "vol", "labels": {"app": "db"}})");
  operation.spec.context->outputs = *ParseJson(R"({"volumeID": "v-1"})");
  operation.spec.submit->path =
      "/${metadata.name}/${metadata.labels['app']}/${outputs.volumeID}/${operation.submission}";
  EXPECT_EQ(Compiled(AcmeSystem(""), operation)->RenderSubmit(Running())->url,
            "https://api.acme.example/v1/vol/db/v-1/1");
}

TEST(ProtocolRenderTest, ADeleteIsADelete) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.type = "Delete";
  EXPECT_EQ(Submit(AcmeSystem(""), operation),
            "DELETE https://api.acme.example/v1/volumes [Accept: application/json]");
}

TEST(ProtocolRenderTest, APollAsksTheMonitorOrThePath) {
  const std::string accept = " [Accept: application/json]";
  EXPECT_EQ(Shown(Compiled("AcceptedLocation")->RenderPoll(Running(), Json())),
            "GET https://api.acme.example/v1/operations/op-1" + accept);
  EXPECT_EQ(Shown(Compiled("GoogleLRO")->RenderPoll(Running(), Json())),
            "GET https://api.acme.example/v1/op-1" + accept);
  AsyncOperation operation = VolumeOperation();
  operation.spec.poll.emplace();
  operation.spec.poll->method = "POST";
  operation.spec.poll->path = "/status/${submit.response.body.ref}";
  const Json submitted = *ParseJson(R"({"status": 200, "headers": {}, "body": {"ref": "r 1"}})");
  EXPECT_EQ(Shown(Compiled(AcmeSystem(""), operation)->RenderPoll(Running(), submitted)),
            "POST https://api.acme.example/v1/status/r%201" + accept);
  OperationIdentity unknown;
  EXPECT_EQ(Compiled("AcceptedLocation")->RenderPoll(unknown, Json()).status().reason(),
            Reason::kInvalid);
}

TEST(ProtocolRenderTest, LookupAndCancelAreThereWhereTheyAreDeclared) {
  EXPECT_FALSE(Compiled("")->RenderLookup(Running()).has_value());
  EXPECT_FALSE(Compiled("")->RenderCancel(Running(), Json()).has_value());
  const std::string accept = " [Accept: application/json]";
  EXPECT_EQ(Shown(*Compiled("GoogleLRO")->RenderCancel(Running(), Json())),
            "POST https://api.acme.example/v1/op-1:cancel" + accept);
  AsyncOperation operation = VolumeOperation();
  operation.spec.cancel = CancelSpec{"DELETE", "${operation.pollURL}", {}, Json(), {}};
  operation.spec.recovery.emplace();
  operation.spec.recovery->lookup.emplace();
  operation.spec.recovery->lookup->path = "/volumes?correlation=${operation.correlationID}";
  const auto protocol = Compiled(AcmeSystem(""), operation);
  EXPECT_EQ(Shown(*protocol->RenderCancel(Running(), Json())),
            "DELETE https://api.acme.example/v1/operations/op-1" + accept);
  EXPECT_EQ(Shown(*protocol->RenderLookup(Running())),
            "GET https://api.acme.example/v1/volumes?correlation=corr-1" + accept);
}

TEST(ProtocolRenderTest, HeadersSurviveTheirStoredForm) {
  const std::vector<RenderedHeader> headers = {{"A", "b \"c\"", std::nullopt},
                                               {"X-Key", "", SecretKeyRef{"s", "k"}}};
  const Result<std::vector<RenderedHeader>> back = DecodeHeaders(EncodeHeaders(headers));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, headers);
  for (const char* damaged : {"", "{}", "[1]", R"([{"name": "A"}])", R"([{"value": "b"}])",
                              R"([{"name": "A", "secretKeyRef": {"name": "s"}}])"}) {
    EXPECT_EQ(DecodeHeaders(damaged).status().reason(), Reason::kInternalError) << damaged;
  }
}

}  // namespace
}  // namespace asyncops::reconciler
