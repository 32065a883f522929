#include "kube/api_client.h"

#include <gtest/gtest.h>

#include "apiserver/tls/ca.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"

namespace asyncops::kube {
namespace {

using std::chrono::seconds;

ClusterConfig ConfigOf(const std::string& server = "https://kube.example:6443") {
  ClusterConfig config;
  config.server = *ParseUri(server);
  config.token.bytes = "secret-token";
  return config;
}

// A client on a transport that a test scripts.
class ApiClientTest : public testing::Test {
 protected:
  std::unique_ptr<ApiClient> Make(const ClusterConfig& config = ConfigOf()) {
    return *MakeApiClient(config, transport_, clock_);
  }
  // The events of one watch as "ADDED a; ", and how it ended.
  std::string Watched(ApiClient& client, std::size_t most = 100) {
    std::string told;
    std::size_t count = 0;
    const auto event = [&told, &count, most](const WatchEvent& got) {
      told += got.type + " " + std::string(got.object.StringAt({"metadata", "name"})) + "; ";
      return ++count < most;
    };
    ApiRequest request;
    request.target = "/api/v1/secrets?watch=true";
    request.timeout = seconds(300);
    const Status end = client.Watch(request, event);
    return told + end.ToString();
  }
  static std::string Show(const Result<Json>& result) {
    return result.ok() ? EncodeJson(*result) : result.status().ToString();
  }

  FakeClock clock_;
  FakeTransport transport_;
  TempDir dir_;
};

std::string Event(const std::string& type, const std::string& name) {
  return R"({"type":")" + type + R"(","object":{"metadata":{"name":")" + name + R"("}}})" + "\n";
}

TEST_F(ApiClientTest, SendsWhatTheApiExpects) {
  transport_.Script(Answered(201, R"({"kind":"Event"})"));
  ClusterConfig config = ConfigOf("https://kube.example/k8s/c-1/");
  config.tls_server_name = "kubernetes";
  ApiRequest request;
  request.method = "POST";
  request.target = "/api/v1/events?dryRun=All";
  request.body = "{}";
  request.timeout = seconds(7);
  EXPECT_EQ(Show(Make(config)->Call(request)), R"({"kind":"Event"})");
  const OutboundRequest sent = transport_.requests().at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.uri.ToString(), "https://kube.example/k8s/c-1/api/v1/events?dryRun=All");
  EXPECT_EQ(HeaderOf(sent, "Accept"), "application/json");
  EXPECT_EQ(HeaderOf(sent, "Content-Type"), "application/json");
  EXPECT_EQ(HeaderOf(sent, "Authorization"), "Bearer secret-token");
  EXPECT_EQ(sent.body, "{}");
  EXPECT_EQ(sent.timeout, seconds(7));
  EXPECT_EQ(sent.tls_server_name, "kubernetes");
}

TEST_F(ApiClientTest, TypesOfTheRequestReplaceTheDefaultsAndNoBodyHasNone) {
  transport_.Script(Answered(200, "{}"));
  transport_.Script(Answered(200, ""));
  ClusterConfig config = ConfigOf();
  config.token = {};
  const auto client = Make(config);
  ApiRequest request;
  request.method = "PATCH";
  request.target = "/api/v1/namespaces/x";
  request.body = "{}";
  request.content_type = "application/merge-patch+json";
  request.accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  EXPECT_TRUE(client->Call(request).ok());
  request.method = "DELETE";
  request.body = "";
  EXPECT_EQ(Show(client->Call(request)), "{}") << "an empty body";
  const std::vector<OutboundRequest> sent = transport_.requests();
  EXPECT_EQ(HeaderOf(sent[0], "Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(HeaderOf(sent[0], "Accept"), request.accept);
  EXPECT_EQ(HeaderOf(sent[0], "Authorization"), "");
  EXPECT_EQ(HeaderOf(sent[1], "Content-Type"), "");
}

TEST_F(ApiClientTest, EachRefusalBecomesItsStatus) {
  struct Case {
    Exchange exchange;
    const char* shown;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {Answered(404, R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,)"
                     R"("message":"secrets \"x\" not found"})"),
       "NotFound: secrets \"x\" not found", "by name"},
      {Answered(409, R"({"kind":"Status","reason":"AlreadyExists","code":409,"message":"m"})"),
       "AlreadyExists: m", "one of two reasons of a code"},
      {Answered(410, R"({"kind":"Status","reason":"Expired","code":410,"message":"m"})"),
       "Expired: m", "the version is too old"},
      {Answered(422, R"({"kind":"Status","reason":"NewFangled","code":422,"message":"m"})"),
       "Invalid: m", "an unknown reason has its code"},
      {Answered(418, R"({"kind":"Status","reason":"Teapot","code":418,"message":"m"})"),
       "BadRequest: m", "an unknown code of the client"},
      {Answered(403, R"({"kind":"Status","reason":"Forbidden"})"),
       "Forbidden: kube-apiserver answered 403", "without a message"},
      {Answered(429, "Too many requests, please try again later.\n"),
       "TooManyRequests: kube-apiserver answered 429 without a Status", "plain text"},
      {Answered(502, "<html>"), "ServiceUnavailable: kube-apiserver answered 502 without a Status",
       "a proxy that reaches nobody"},
      {Answered(302, ""), "ServiceUnavailable: kube-apiserver answered 302 without a Status",
       "a redirect is no answer"},
      {Answered(503, R"({"kind":"Status","status":"Success","message":"liar"})"),
       "ServiceUnavailable: kube-apiserver answered 503 without a Status", "never OK"},
      {Answered(200, "<html>"),
       "ServiceUnavailable: kube-apiserver answered GET with what is no JSON object", "no JSON"},
      {Answered(200, "[]"),
       "ServiceUnavailable: kube-apiserver answered GET with what is no JSON object", "no object"},
      {NotSent("cannot connect"),
       "ServiceUnavailable: kube-apiserver did not answer: cannot connect", "out of reach"},
      {Ambiguous("reset"), "ServiceUnavailable: kube-apiserver did not answer: reset", "reset"},
  };
  const auto client = Make();
  for (const Case& item : cases) {
    transport_.Script(item.exchange);
    ApiRequest request;
    request.target = "/api/v1/secrets";
    EXPECT_EQ(Show(client->Call(request)), item.shown) << item.reason;
  }
  Exchange late = Ambiguous("no answer within 10s");
  late.code = "Timeout";
  transport_.Script(late);
  EXPECT_EQ(Show(client->Call({})), "Timeout: kube-apiserver did not answer: no answer within 10s");
}

TEST_F(ApiClientTest, DetailsOfAStatusAreKept) {
  const auto client = Make();
  transport_.Script(Answered(422, R"({"kind":"Status","reason":"Invalid","code":422,"message":"m",
    "details":{"name":"n","group":"g","kind":"k","uid":"u","retryAfterSeconds":3,"causes":[
    {"reason":"FieldValueInvalid","message":"bad","field":"spec.x"},7]}})"));
  const StatusDetails details = client->Call({}).status().details();
  EXPECT_EQ(details.name + details.group + details.kind + details.uid, "ngku");
  EXPECT_EQ(details.retry_after_seconds, 3);
  ASSERT_EQ(details.causes.size(), 2U);
  EXPECT_EQ(details.causes[0], (StatusCause{"FieldValueInvalid", "bad", "spec.x"}));
}

TEST_F(ApiClientTest, RetryAfterComesFromTheHeaderToo) {
  const auto client = Make();
  transport_.Script(Answered(429, "busy", {{"retry-after", "17"}}));
  EXPECT_EQ(client->Call({}).status().details().retry_after_seconds, 17);
  transport_.Script(Answered(503, "busy", {{"Retry-After", "99999999999"}}));
  EXPECT_EQ(client->Call({}).status().details().retry_after_seconds, 3600) << "within bounds";
  transport_.Script(Answered(503, "busy", {{"Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"}}));
  EXPECT_EQ(client->Call({}).status().details().retry_after_seconds, 0);
  EXPECT_EQ(transport_.requests().size(), 3U) << "nothing is sent again";
}

TEST_F(ApiClientTest, ObjectsOfOthersMayNestDeep) {
  std::string deep;
  for (int i = 0; i < 400; ++i) deep += "{\"a\":";
  deep += "1" + std::string(400, '}');
  transport_.Script(Answered(200, deep));
  EXPECT_EQ(Show(Make()->Call({})), deep);
}

TEST_F(ApiClientTest, AWatchTellsEachEventHoweverItIsCut) {
  const std::string stream = Event("ADDED", "a") + "\n" + Event("MODIFIED", "ä") +
                             Event("DELETED", "c\\n") + Event("BOOKMARK", "");
  const auto client = Make();
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    transport_.SetPieces(piece);
    transport_.Script(Answered(200, stream));
    ASSERT_EQ(Watched(*client), "ADDED a; MODIFIED ä; DELETED c\n; BOOKMARK ; OK") << piece;
  }
  EXPECT_EQ(transport_.requests()[0].uri.target, "/api/v1/secrets?watch=true");
  EXPECT_EQ(transport_.requests()[0].timeout, seconds(300));
}

TEST_F(ApiClientTest, AnEventMayBeLarge) {
  const std::string name(3u * 1024 * 1024, 'x');
  transport_.SetPieces(10007);
  transport_.Script(Answered(200, Event("ADDED", name)));
  EXPECT_EQ(Watched(*Make()), "ADDED " + name + "; OK");
  transport_.Script(Answered(200, std::string(17u * 1024 * 1024, 'x')));
  EXPECT_EQ(Watched(*Make()),
            "ServiceUnavailable: kube-apiserver sent an event that is too large in a watch");
}

TEST_F(ApiClientTest, AWatchEndsAsItsServerSays) {
  struct Case {
    Exchange exchange;
    const char* shown;
    const char* reason;
  };
  const std::string a = Event("ADDED", "a");
  const std::vector<Case> cases = {
      {Answered(200, ""), "OK", "nothing happened"},
      {Answered(200, a + a.substr(0, a.size() - 1)), "ADDED a; ADDED a; OK", "no last new line"},
      {Answered(200, a +
                         R"({"type":"ERROR","object":{"kind":"Status","code":410,)"
                         R"("reason":"Expired","message":"too old"}})" +
                         "\n" + a),
       "ADDED a; Expired: too old", "an ERROR event ends it"},
      {Answered(200, R"({"type":"ERROR","object":{"kind":"Status","code":410}})"
                     "\n"),
       "Expired: kube-apiserver answered 410", "by its code alone"},
      {Answered(200, R"({"type":"ERROR","object":{}})"
                     "\n"),
       "InternalError: kube-apiserver answered 500 without a Status", "an ERROR without a Status"},
      {Answered(410, R"({"kind":"Status","reason":"Gone","code":410,"message":"gone"})"),
       "Gone: gone", "refused at once"},
      {Answered(200, a + "{\"type\":\"ADDED\",\n" + a),
       "ADDED a; ServiceUnavailable: kube-apiserver sent what is no JSON in a watch", "broken"},
      {Answered(200, "{\"kind\":\"List\"}\n" + a),
       "ServiceUnavailable: kube-apiserver sent what is no event in a watch", "a list"},
      {CutAfter(a + a.substr(0, 10)),
       "ADDED a; ServiceUnavailable: kube-apiserver did not answer: the connection was closed",
       "cut within an event"},
      {NotSent("refused"), "ServiceUnavailable: kube-apiserver did not answer: refused", "away"},
  };
  const auto client = Make();
  for (const Case& item : cases) {
    transport_.Script(item.exchange);
    EXPECT_EQ(Watched(*client), item.shown) << item.reason;
  }
}

TEST_F(ApiClientTest, FalseEndsAWatch) {
  transport_.Script(Answered(200, Event("ADDED", "a") + Event("ADDED", "b")));
  EXPECT_EQ(Watched(*Make(), 1), "ADDED a; OK");
}

TEST_F(ApiClientTest, CancelCutsTheTransport) {
  Make()->Cancel();
  EXPECT_TRUE(transport_.cancelled());
}

}  // namespace
}  // namespace asyncops::kube
