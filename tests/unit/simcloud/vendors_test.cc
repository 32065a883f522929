// The faces of the vendors, and the misbehaviours that came with them.
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crypto.h"
#include "base/encoding.h"
#include "base/rfc3339.h"
#include "tests/simcloud/signature.h"
#include "tests/unit/simcloud/caller.h"

namespace asyncops::simcloud {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const std::map<std::string, std::string> kHost = {{"host", "127.0.0.1:1"}};

std::map<std::string, std::string> With(std::map<std::string, std::string> headers) {
  headers.insert(kHost.begin(), kHost.end());
  return headers;
}

// --- /arm ---

TEST(SimcloudVendorsTest, AzurePutMakesOnceAndIsPolledByItsMonitor) {
  Caller caller;
  const std::string body = R"({"properties":{"size":"10Gi"}})";
  const Reply made = caller.Call("PUT", "/arm/v1/volumes/data", body, kHost);
  EXPECT_EQ(made.status, 201);
  const std::string monitor = Caller::HeaderOf(made, "Azure-AsyncOperation");
  EXPECT_EQ(monitor, "http://127.0.0.1:1/arm/v1/operationStatuses/op-00000002");
  EXPECT_EQ(Caller::JsonOf(made).StringAt({"properties", "provisioningState"}), "Creating");
  const Reply again = caller.Call("PUT", "/arm/v1/volumes/data", body, kHost);
  EXPECT_EQ(Caller::HeaderOf(again, "Azure-AsyncOperation"), monitor) << "the same operation";
  EXPECT_EQ(caller.Status("PUT", "/arm/v1/volumes/data", R"({"properties":{"size":"1Gi"}})"), 409);
  const std::string path = "/arm/v1/operationStatuses/op-00000002";
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"status"}), "InProgress");
  caller.Pass(seconds(2));
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"status"}), "Succeeded");
  EXPECT_EQ(caller.CallForJson("PUT", "/arm/v1/volumes/data", body)
                .StringAt({"properties", "provisioningState"}),
            "Succeeded");
  EXPECT_EQ(caller.Stat("created"), 1);
  EXPECT_EQ(caller.Stat("operations"), 1) << "the same PUT changes nothing";
}

TEST(SimcloudVendorsTest, AzureNamesWhatToPollInTheHeaderThatIsAskedFor) {
  const auto put = [](const std::string& via) {
    Caller caller;
    return caller.Call("PUT", "/arm/v1/volumes/data?via=" + via, "{}", kHost);
  };
  EXPECT_THAT(Caller::HeaderOf(put("operation"), "Operation-Location"),
              HasSubstr("/operationStatuses/"));
  const Reply location = put("location");
  EXPECT_EQ(location.status, 202);
  EXPECT_THAT(Caller::HeaderOf(location, "Location"), HasSubstr("/operationResults/"));
  EXPECT_TRUE(put("body").headers.empty());
}

TEST(SimcloudVendorsTest, AzureChangesAndDeletesByLocation) {
  Caller caller;
  caller.Call("PUT", "/arm/v1/volumes/data", R"({"properties":{"size":"1Gi"}})", kHost);
  caller.Pass(seconds(2));
  const Reply changed = caller.Call("PUT", "/arm/v1/volumes/data?via=location",
                                    R"({"properties":{"size":"2Gi"}})", kHost);
  const std::string result =
      Caller::HeaderOf(changed, "Location").substr(std::string("http://127.0.0.1:1").size());
  EXPECT_EQ(caller.Status("GET", result), 202);
  caller.Pass(seconds(2));
  EXPECT_EQ(caller.CallForJson("GET", result).StringAt({"properties", "size"}), "2Gi");
  EXPECT_EQ(caller.Stat("updated"), 1);
  EXPECT_EQ(caller.Status("DELETE", "/arm/v1/volumes/data"), 202);
  caller.Pass(seconds(2));
  EXPECT_EQ(caller.Status("DELETE", "/arm/v1/volumes/data"), 204) << "gone, as ARM says it";
  EXPECT_EQ(caller.Stat("deleted"), 1);
}

TEST(SimcloudVendorsTest, AzureShowsAFailureInEachPlace) {
  Caller caller;
  caller.PutBehaviour(
      R"({"rules":[{"action":{"failOperation":{"code":"Quota","message":"no"}}}]})");
  caller.Call("PUT", "/arm/v1/volumes/data", "{}", kHost);
  caller.Pass(seconds(2));
  const Json status = caller.CallForJson("GET", "/arm/v1/operationStatuses/op-00000002");
  EXPECT_EQ(status.StringAt({"status"}), "Failed");
  EXPECT_EQ(status.StringAt({"error", "code"}), "Quota");
  EXPECT_EQ(caller.Status("GET", "/arm/v1/operationResults/op-00000002"), 409);
  EXPECT_EQ(caller.CallForJson("GET", "/arm/v1/volumes/data")
                .StringAt({"properties", "provisioningState"}),
            "Failed");
}

// --- /odata ---

TEST(SimcloudVendorsTest, ODataTellsTheOutcomeByVersion) {
  Caller caller;
  const std::string body = R"({"name":"data","size":"1Gi"})";
  const auto async = With({{"prefer", "respond-async"}});
  const Reply old = caller.Call("POST", "/odata/v4/Volumes", body, async);
  EXPECT_EQ(old.status, 202);
  EXPECT_EQ(Caller::HeaderOf(old, "Location"), "/odata/v4/$status/op-00000002");
  EXPECT_EQ(Caller::HeaderOf(old, "Preference-Applied"), "respond-async");
  EXPECT_EQ(caller.Status("GET", "/odata/v4/$status/op-00000002"), 202);
  caller.Pass(seconds(2));
  const Reply within = caller.Call("GET", "/odata/v4/$status/op-00000002", "", kHost);
  EXPECT_EQ(within.content_type, "application/http");
  EXPECT_THAT(within.body, testing::StartsWith("HTTP/1.1 201 "));
  EXPECT_THAT(within.body, HasSubstr("\r\n\r\n{"));
  const Reply plain = caller.Call("GET", "/odata/v401/$status/op-00000002", "", kHost);
  EXPECT_EQ(Caller::HeaderOf(plain, "AsyncResult"), "201");
  EXPECT_EQ(Caller::JsonOf(plain).StringAt({"id"}), "vol-00000001");
  EXPECT_EQ(caller.Status("DELETE", "/odata/v4/Volumes('vol-00000001')"), 204)
      << "without the preference it is done at once, as far as the answer says";
}

TEST(SimcloudVendorsTest, ODataMonitorIsCancelledByDeleteAndGoneThen) {
  Caller caller;
  caller.Call("POST", "/odata/v401/Volumes", R"({"name":"data"})",
              With({{"prefer", "respond-async"}}));
  EXPECT_EQ(caller.Status("DELETE", "/odata/v401/$status/op-00000002"), 204);
  EXPECT_EQ(caller.Status("GET", "/odata/v401/$status/op-00000002"), 404);
  EXPECT_EQ(caller.Stat("existing"), 0);
}

TEST(SimcloudVendorsTest, ODataRepeatsByRepeatabilityRequestId) {
  Caller caller;
  const auto keyed = With({{"prefer", "respond-async"}, {"repeatability-request-id", "key-1"}});
  const Reply first = caller.Call("POST", "/odata/v4/Volumes", R"({"name":"data"})", keyed);
  const Reply second = caller.Call("POST", "/odata/v4/Volumes", R"({"name":"data"})", keyed);
  EXPECT_EQ(Caller::HeaderOf(first, "Location"), Caller::HeaderOf(second, "Location"));
  EXPECT_EQ(caller.Stat("created"), 1);
}

// --- /compute ---

TEST(SimcloudVendorsTest, ComputeTellsWordsAndTakesItsKeyInTheQuery) {
  Caller caller;
  const Reply made =
      caller.Call("POST", "/compute/v1/volumes?requestId=k1", R"({"name":"data"})", kHost);
  const Json operation = Caller::JsonOf(made);
  EXPECT_EQ(operation.StringAt({"status"}), "PENDING");
  EXPECT_EQ(operation.StringAt({"selfLink"}),
            "http://127.0.0.1:1/compute/v1/operations/operation-op-00000002");
  EXPECT_EQ(
      caller.Call("POST", "/compute/v1/volumes?requestId=k1", R"({"name":"data"})", kHost).body,
      made.body);
  EXPECT_EQ(caller.Stat("created"), 1);
  const std::string path = "/compute/v1/operations/operation-op-00000002";
  caller.Pass(seconds(1));
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"status"}), "RUNNING");
  caller.Pass(seconds(1));
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"status"}), "DONE");
}

// --- /describe ---

TEST(SimcloudVendorsTest, WhatIsDescribedTellsItsWordAndKnowsNoKeys) {
  Caller caller;
  const std::string body = R"({"name":"data","metadata":{"correlation":"c-1"}})";
  const auto keyed = With({{"idempotency-key", "k"}});
  EXPECT_EQ(caller.Call("POST", "/describe/v1/volumes", body, keyed).status, 202);
  EXPECT_EQ(caller.Call("POST", "/describe/v1/volumes", body, keyed).status, 202);
  EXPECT_EQ(caller.Stat("created"), 2) << "keys are ignored";
  EXPECT_EQ(caller.CallForJson("GET", "/describe/v1/volumes?correlation=c-1")
                .Find("items")
                ->as_array()
                .size(),
            2u)
      << "the tag finds both";
  const std::string path = "/describe/v1/volumes/vol-00000001";
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"status"}), "BUILD");
  caller.Pass(seconds(2));
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"status"}), "ACTIVE");
  EXPECT_EQ(caller.Status("PATCH", path, R"({"size":"2Gi"})"), 202);
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"status"}), "RESIZE");
  caller.Pass(seconds(2));
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"size"}), "2Gi");
  EXPECT_EQ(caller.Status("DELETE", path), 204);
  EXPECT_EQ(caller.CallForJson("GET", path).StringAt({"status"}), "DELETING");
  caller.Pass(seconds(2));
  EXPECT_EQ(caller.Status("GET", path), 404);
}

TEST(SimcloudVendorsTest, WhatFailedIsDescribedWithItsFault) {
  Caller caller;
  caller.PutBehaviour(R"({"rules":[{"action":{"failOperation":{"code":"Q","message":"m"}}}]})");
  caller.Call("POST", "/describe/v1/volumes", R"({"name":"data"})");
  caller.Pass(seconds(2));
  const Json thing = caller.CallForJson("GET", "/describe/v1/volumes/vol-00000001");
  EXPECT_EQ(thing.StringAt({"status"}), "ERROR");
  EXPECT_EQ(thing.StringAt({"fault", "code"}), "Q");
}

// --- /aws ---

class AwsTest : public testing::Test {
 protected:
  Reply Do(const std::string& action, const std::string& body) {
    return caller_.Call("POST", "/aws/", body,
                        With({{"x-amz-target", "CloudApiService." + action},
                              {"content-type", "application/x-amz-json-1.0"}}));
  }
  Reply Create(const std::string& token, const std::string& name = "data") {
    return Do("CreateResource", R"({"TypeName":"Sim::Storage::Volume","ClientToken":")" + token +
                                    R"(","DesiredState":"{\"Name\":\")" + name + R"(\"}"})");
  }
  static std::string TypeOf(const Reply& reply) {
    return std::string(Caller::JsonOf(reply).StringAt({"__type"}));
  }
  std::string StatusOf(const std::string& token) {
    const Json json =
        Caller::JsonOf(Do("GetResourceRequestStatus", R"({"RequestToken":")" + token + "\"}"));
    return std::string(json.StringAt({"ProgressEvent", "OperationStatus"}));
  }

  Caller caller_;
};

TEST_F(AwsTest, AnEventTellsTheStatusAndTheIdentifierBeforeSuccess) {
  const Json event = *Caller::JsonOf(Create("t-1")).Find("ProgressEvent");
  EXPECT_EQ(event.StringAt({"Identifier"}), "vol-00000001");
  EXPECT_EQ(event.StringAt({"OperationStatus"}), "PENDING");
  ASSERT_NE(event.Find("RetryAfter"), nullptr);
  EXPECT_GT(event.Find("RetryAfter")->as_double(), 1e9) << "a time, not a number of seconds";
  const std::string token(event.StringAt({"RequestToken"}));
  caller_.Pass(seconds(1));
  EXPECT_EQ(StatusOf(token), "IN_PROGRESS");
  caller_.Pass(seconds(1));
  EXPECT_EQ(StatusOf(token), "SUCCESS");
}

TEST_F(AwsTest, ATokenIsHonouredAndAnotherBodyUnderItIsAConflict) {
  EXPECT_EQ(Create("t-1").body, Create("t-1").body);
  const Reply conflict = Create("t-1", "other");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_THAT(TypeOf(conflict), testing::EndsWith("#ClientTokenConflictException"));
  EXPECT_EQ(caller_.Stat("created"), 1);
}

TEST_F(AwsTest, UpdateDeleteAndCancelAreRequestsToo) {
  Create("t-1");
  caller_.Pass(seconds(2));
  const std::string id = R"("TypeName":"Sim::Storage::Volume","Identifier":"vol-00000001")";
  const std::string patch =
      R"(,"PatchDocument":"[{\"op\":\"replace\",\"path\":\"/Size\",\"value\":\"2Gi\"}]")";
  EXPECT_EQ(Do("UpdateResource", "{" + id + patch + "}").status, 200);
  EXPECT_THAT(TypeOf(Do("UpdateResource", "{" + id + patch + "}")),
              testing::EndsWith("#ConcurrentOperationException"));
  caller_.Pass(seconds(2));
  EXPECT_THAT(Do("GetResource", "{" + id + "}").body, HasSubstr("2Gi"));
  const Json deletion = Caller::JsonOf(Do("DeleteResource", "{" + id + "}"));
  const std::string token(deletion.StringAt({"ProgressEvent", "RequestToken"}));
  Do("CancelResourceRequest", R"({"RequestToken":")" + token + "\"}");
  EXPECT_EQ(StatusOf(token), "CANCEL_COMPLETE");
  EXPECT_EQ(caller_.Stat("existing"), 1);
}

TEST_F(AwsTest, ErrorsHaveTheirTypes) {
  EXPECT_THAT(TypeOf(Do("GetResourceRequestStatus", R"({"RequestToken":"x"})")),
              testing::EndsWith("#RequestTokenNotFoundException"));
  EXPECT_THAT(TypeOf(Do("CreateResource", R"({"TypeName":"A::B::C"})")),
              testing::EndsWith("#TypeNotFoundException"));
  EXPECT_THAT(
      TypeOf(Do("DeleteResource", R"({"TypeName":"Sim::Storage::Volume","Identifier":"x"})")),
      testing::EndsWith("#ResourceNotFoundException"));
  EXPECT_THAT(TypeOf(Do("Nonsense", "{}")), testing::EndsWith("#UnknownOperationException"));
  EXPECT_THAT(TypeOf(Do("CreateResource", "[")), testing::EndsWith("#SerializationException"));
}

// --- signatures: the example of AWS's own documentation of Signature Version 4 ---

Request ExampleRequest() {
  Request request;
  request.method = "GET";
  request.path = "/";
  request.query = {{"Action", "ListUsers"}, {"Version", "2010-05-08"}};
  request.headers = {{"host", "iam.amazonaws.com"},
                     {"content-type", "application/x-www-form-urlencoded; charset=utf-8"},
                     {"x-amz-date", "20150830T123600Z"},
                     {"x-amz-target", "T"}};
  return request;
}

// Signs as a client does, with HMAC alone.
std::string Sign(const Request& request, const std::string& secret) {
  const std::string canonical =
      request.method + "\n/\nAction=ListUsers&Version=2010-05-08\nhost:" + request.Header("host") +
      "\nx-amz-date:" + request.Header("x-amz-date") +
      "\nx-amz-target:" + request.Header("x-amz-target") + "\n\nhost;x-amz-date;x-amz-target\n" +
      HexEncode(Sha256(request.body));
  const std::string scope = "20150830/us-east-1/iam/aws4_request";
  const std::string text =
      "AWS4-HMAC-SHA256\n20150830T123600Z\n" + scope + "\n" + HexEncode(Sha256(canonical));
  std::string key = "AWS4" + secret;
  for (const char* part : {"20150830", "us-east-1", "iam", "aws4_request"})
    key = HmacSha256(key, part);
  return "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/" + scope +
         ", SignedHeaders=host;x-amz-date;x-amz-target, Signature=" +
         HexEncode(HmacSha256(key, text));
}

TEST(SignatureTest, IsCheckedOverMethodQueryHeadersAndBody) {
  const Time now = *ParseTime("2015-08-30T12:40:00Z");
  const AwsKey key{"AKIDEXAMPLE", "secret"};
  Request request = ExampleRequest();
  request.headers["authorization"] = Sign(request, "secret");
  EXPECT_TRUE(CheckSignature(request, key, now).ok());
  EXPECT_EQ(CheckSignature(request, key, now + seconds(1000)).message(), "SignatureExpired");
  EXPECT_EQ(CheckSignature(request, {"OTHER", "secret"}, now).message(),
            "UnrecognizedClientException");
  EXPECT_EQ(CheckSignature(request, {"AKIDEXAMPLE", "other"}, now).message(), "InvalidSignature");
  Request changed = request;
  changed.body = "x";
  EXPECT_EQ(CheckSignature(changed, key, now).message(), "InvalidSignature");
  changed = request;
  changed.query["Action"] = "DeleteUsers";
  EXPECT_EQ(CheckSignature(changed, key, now).message(), "InvalidSignature");
  changed = request;
  changed.headers["x-amz-target"] = "U";
  EXPECT_EQ(CheckSignature(changed, key, now).message(), "InvalidSignature");
  changed = request;
  changed.headers.erase("authorization");
  EXPECT_EQ(CheckSignature(changed, key, now).message(), "MissingAuthenticationToken");
}

TEST_F(AwsTest, CallsWithoutASignatureAreRefusedWhereAKeyIsKnown) {
  caller_.PutBehaviour(R"({"awsKey":{"accessKeyId":"A","secretAccessKey":"s"}})");
  const Reply reply = Create("t-1");
  EXPECT_EQ(reply.status, 403);
  EXPECT_THAT(TypeOf(reply), testing::EndsWith("#MissingAuthenticationToken"));
  EXPECT_EQ(caller_.Stat("unauthorized"), 1);
  EXPECT_EQ(caller_.Stat("created"), 0);
  EXPECT_THAT(caller_.Call("GET", "/admin/behaviour").body, testing::Not(HasSubstr("\"s\"")));
}

// --- misbehaviour ---

TEST(SimcloudVendorsTest, BodiesMisbehaveAsTold) {
  struct Case {
    const char* action;
    std::function<bool(const Reply&)> holds;
  };
  const std::vector<Case> cases = {
      {R"({"slowBody":"5ms"})",
       [](const Reply& r) { return r.delivery == Delivery::kSlow && r.pause == milliseconds(5); }},
      {R"({"endlessBody":true})",
       [](const Reply& r) { return r.delivery == Delivery::kEndless && r.status == 202; }},
      {R"({"contentType":"text/html"})",
       [](const Reply& r) { return r.content_type == "text/html" && r.body.front() == '{'; }},
      {R"({"utf16":true})",
       [](const Reply& r) { return r.body.substr(0, 2) == std::string("{\0", 2); }},
  };
  for (const Case& item : cases) {
    Caller caller;
    caller.PutBehaviour(std::string(R"({"rules":[{"action":)") + item.action + "}]}");
    EXPECT_TRUE(item.holds(caller.Call("POST", "/v1/volumes", R"({"name":"a"})"))) << item.action;
    EXPECT_EQ(caller.Stat("created"), 1) << item.action << ": the work is done";
  }
  Caller caller;
  EXPECT_EQ(caller.PutBehaviour(R"({"rules":[{"action":{"contentType":""}}]})").status, 400);
}

TEST(SimcloudVendorsTest, PollsRepeatTheirFirstOrLastAnswer) {
  Caller caller;
  caller.PutBehaviour(R"({"rules":[
      {"match":{"method":"GET"},"times":2,"action":{"delay":"0s"}},
      {"match":{"method":"GET"},"action":{"repeatFirst":true}},
      {"match":{"method":"GET"},"action":{"repeatLast":true}}]})");
  caller.Call("POST", "/v1/volumes", R"({"name":"a"})");
  const std::string path = "/v1/operations/op-00000002";
  const std::string first = caller.Call("GET", path).body;
  caller.Pass(seconds(1));
  const std::string second = caller.Call("GET", path).body;
  caller.Pass(seconds(1));
  EXPECT_NE(first, second);
  EXPECT_EQ(caller.Call("GET", path).body, first) << "out of order";
  EXPECT_EQ(caller.Call("GET", path).body, second) << "doubled";
  EXPECT_EQ(caller.Call("GET", path).status, 200) << "and then the truth";
}

TEST(SimcloudVendorsTest, AKeyIsForgottenAfterItsTime) {
  Caller caller;
  caller.PutBehaviour(R"({"keyTtl":"10s"})");
  const std::map<std::string, std::string> keyed = {{"idempotency-key", "k"}};
  caller.Call("POST", "/v1/volumes", R"({"name":"a"})", keyed);
  caller.Pass(seconds(9));
  caller.Call("POST", "/v1/volumes", R"({"name":"a"})", keyed);
  EXPECT_EQ(caller.Stat("created"), 1);
  caller.Pass(seconds(1));
  caller.Call("POST", "/v1/volumes", R"({"name":"a"})", keyed);
  EXPECT_EQ(caller.Stat("created"), 2);
}

TEST(SimcloudVendorsTest, EveryFaceChangesTheSizeOfAVolume) {
  for (const char* prefix : {"/v1", "/lro/v1", "/jobs/v1", "/sync/v1", "/compute/v1"}) {
    Caller caller;
    const std::string volumes = std::string(prefix) + "/volumes";
    caller.Call("POST", volumes, R"({"name":"a","size":"1Gi"})", kHost);
    EXPECT_EQ(caller.Status("PATCH", volumes + "/vol-00000009", R"({"size":"2Gi"})"), 404);
    caller.Pass(seconds(2));
    EXPECT_EQ(caller.Status("PATCH", volumes + "/vol-00000001", "{}"), 400) << prefix;
    EXPECT_LT(caller.Call("PATCH", volumes + "/vol-00000001", R"({"size":"2Gi"})", kHost).status,
              300)
        << prefix;
    caller.Pass(seconds(2));
    EXPECT_EQ(caller.CallForJson("GET", volumes + "/vol-00000001").StringAt({"size"}), "2Gi")
        << prefix;
    EXPECT_EQ(caller.Stat("updated"), 1) << prefix;
  }
}

}  // namespace
}  // namespace asyncops::simcloud
