// AzureARM, ODataAsync, AWSCloudControl, DescribeUntil and Compute Engine: what their vendors
// document, row by row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/presets.h"
#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kStatusUrl = "https://api.acme.example/v1/operationStatuses/op-1";
constexpr std::string_view kResultUrl = "https://api.acme.example/v1/operationResults/op-1";
constexpr std::string_view kVolumeUrl = "https://api.acme.example/v1/volumes";

AsyncOperation OperationOf(std::string_view type, std::string_view method) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.type = type;
  operation.spec.submit->method = method;
  return operation;
}

Json SubmitResponse(int status, Headers headers) {
  return Answer(status, "", std::move(headers)).ToResponse();
}

OperationIdentity PolledAt(std::string_view url) {
  OperationIdentity operation = Running();
  operation.poll_url = url;
  return operation;
}

std::string Submit(std::string_view preset, std::string_view type, std::string_view method,
                   const ExternalAnswer& answer) {
  const auto protocol = Compiled(AcmeSystem(preset), OperationOf(type, method));
  return Show(protocol->JudgeSubmit(answer, OperationIdentity{}));
}

// --- AzureARM ---

struct AzureSubmit {
  const char* method;
  ExternalAnswer answer;
  std::string shown;
  const char* reason;
};

TEST(ProtocolVendorsTest, AzureChoosesWhatToPollInTheVendorsOrder) {
  const std::string status(kStatusUrl);
  const std::string result(kResultUrl);
  const Headers all = {{"azure-asyncoperation", status},
                       {"operation-location", "https://api.acme.example/v1/other/1"},
                       {"location", result}};
  const std::vector<AzureSubmit> cases = {
      {"PUT", Answer(201, R"({"id": "/v"})", all),
       "Accepted id=op-1 poll=" + status + " resource=/v", "Azure-AsyncOperation wins"},
      {"PUT", Answer(202, "", {{"operation-location", status}, {"location", result}}),
       "Accepted id=op-1 poll=" + status, "then Operation-Location"},
      {"POST", Answer(202, "", {{"location", result}}), "Accepted id=op-1 poll=" + result,
       "then Location"},
      {"PUT", Answer(201, R"({"name": "v", "properties": {"provisioningState": "Creating"}})"),
       "Accepted id=v poll=" + std::string(kVolumeUrl), "then the resource itself"},
      {"PUT", Answer(201, R"({"name": "v"})"), "Accepted id=v poll=" + std::string(kVolumeUrl),
       "a 201 without a state is under way"},
      {"PATCH", Answer(200, R"({"name": "v", "properties": {"provisioningState": "Updating"}})"),
       "Accepted id=v poll=" + std::string(kVolumeUrl), "PATCH likewise"},
      {"PUT", Answer(200, R"({"name": "v", "properties": {"provisioningState": "SUCCEEDED"}})"),
       "Succeeded id=v", "done at once, in any case"},
      {"PUT", Answer(200, R"({"name": "v"})"), "Succeeded id=v", "no state means that it is done"},
      {"PUT", Answer(204), "Succeeded", "nothing to say"},
      {"PUT", Answer(201, R"({"name": "v", "properties": {"provisioningState": "Failed"},
                       "error": {"code": "Quota"}})"),
       "Failed Terminal Quota", "failed at once"},
      {"POST", Answer(202), "Failed Ambiguous NoPollURL", "the polling URL is missing"},
      {"POST", Answer(200, R"({"name": "v"})"), "Succeeded id=v", "a call that is done at once"},
  };
  for (const AzureSubmit& item : cases) {
    EXPECT_EQ(Submit("AzureARM", "Create", item.method, item.answer), item.shown) << item.reason;
  }
  EXPECT_EQ(Submit("AzureARM", "Delete", "DELETE", Answer(202)), "Failed Ambiguous NoPollURL");
  EXPECT_EQ(Submit("AzureARM", "Delete", "DELETE", Answer(204)), "Succeeded");
}

struct AzurePoll {
  ExternalAnswer answer;
  std::string shown;
  const char* reason;
};

TEST(ProtocolVendorsTest, AzureMonitorTellsItsWordInAnyCaseAndAnErrorThereIsNoEnd) {
  const auto protocol = Compiled(AcmeSystem("AzureARM"), OperationOf("Create", "PUT"));
  const Json submitted = SubmitResponse(201, {{"azure-asyncoperation", std::string(kStatusUrl)}});
  const std::string fetch = "Succeeded fetch=" + std::string(kVolumeUrl);
  const std::vector<AzurePoll> cases = {
      {Answer(200, R"({"status": "InProgress", "percentComplete": 40})"), "Running progress=40%",
       "under way"},
      {Answer(200, R"({"status": "Resolving"})"), "Running", "every other word is under way"},
      {Answer(202, R"({"status": "InProgress"})", {{"location", "/elsewhere"}}), "Running",
       "a Location is not where the monitor went"},
      {Answer(200, R"({"status": "x"})", {{"azure-asyncoperation", "/v1/operationStatuses/2"}}),
       "Running poll=https://api.acme.example/v1/operationStatuses/2", "its own header is"},
      {Answer(200, R"({"status": "sUCCeeded"})"), fetch, "then the resource is read"},
      {Answer(200, R"({"status": "Failed", "error": {"code": "Q"}})"), "Failed Terminal Q",
       "failed"},
      {Answer(200, R"({"status": "Cancelled"})"), "Canceled", "either spelling"},
      {Answer(200, "{}"), "Unreadable Recoverable NoStatus", "a monitor without a word"},
      {Answer(400, R"({"error": {"code": "BadThing"}})"), "Unreadable Recoverable BadThing",
       "a failed read says nothing of the operation"},
      {Answer(409), "Unreadable Recoverable HTTP409", "likewise"},
      {Answer(500), "Unreadable Recoverable HTTP500", "likewise"},
      {Answer(429), "Unreadable Throttled HTTP429", "asked too often"},
      {Answer(404), "NotFound Recoverable HTTP404", "not known, or not yet"},
  };
  for (const AzurePoll& item : cases) {
    EXPECT_EQ(Show(protocol->JudgePoll(item.answer, PolledAt(kStatusUrl), submitted)), item.shown)
        << item.reason;
  }
}

TEST(ProtocolVendorsTest, AzureLocationMovesAndItsAnswerIsTheResult) {
  const auto protocol = Compiled(AcmeSystem("AzureARM"), OperationOf("Action", "POST"));
  const Json submitted = SubmitResponse(202, {{"location", std::string(kResultUrl)}});
  const std::vector<AzurePoll> cases = {
      {Answer(202, "", {{"location", "/v1/operationResults/2"}}),
       "Running poll=https://api.acme.example/v1/operationResults/2", "it moved"},
      {Answer(200, R"({"id": "/v", "status": "Running"})"), "Succeeded",
       "the body is the result, whatever it says of itself"},
      {Answer(200, R"({"id": "/v", "properties": {"provisioningState": "Updating"}})"),
       "Running resource=/v", "but for its provisioningState"},
      {Answer(200, R"({"id": "/v", "properties": {"provisioningState": "Failed"}})"),
       "Failed Terminal OperationFailed", "which wins"},
      {Answer(204), "Succeeded", "nothing to show"},
      {Answer(409, R"({"error": {"code": "Conflict"}})"), "Failed Terminal Conflict",
       "an error here is the operation's"},
      {Answer(403), "Unreadable Recoverable HTTP403 delay=5m0s", "of our credentials"},
      {Answer(503), "Unreadable Recoverable HTTP503", "of the service"},
  };
  for (const AzurePoll& item : cases) {
    EXPECT_EQ(Show(protocol->JudgePoll(item.answer, PolledAt(kResultUrl), submitted)), item.shown)
        << item.reason;
  }
}

TEST(ProtocolVendorsTest, AzureResourceIsAskedForItsProvisioningState) {
  const auto protocol = Compiled(AcmeSystem("AzureARM"), OperationOf("Create", "PUT"));
  const Json submitted = SubmitResponse(201, {});
  const auto poll = [&protocol](const ExternalAnswer& answer, const Json& response) {
    return Show(protocol->JudgePoll(answer, PolledAt(kVolumeUrl), response));
  };
  const std::string creating = R"({"id": "/v", "properties": {"provisioningState": "Creating"}})";
  const std::string done = R"({"id": "/v", "properties": {"provisioningState": "Succeeded"}})";
  EXPECT_EQ(poll(Answer(200, creating), submitted), "Running resource=/v");
  EXPECT_EQ(poll(Answer(200, done), submitted), "Succeeded resource=/v") << "no second GET";
  EXPECT_EQ(poll(Answer(200, done), Json()), "Succeeded resource=/v") << "also when adopted";
  EXPECT_EQ(poll(Answer(200, R"({"id": "/v"})"), submitted), "Succeeded resource=/v");
}

struct AzureFinal {
  const char* method;
  Headers submitted;
  ExternalAnswer answer;
  std::string fetch;
  const char* reason;
};

TEST(ProtocolVendorsTest, AzureReadsTheResultWhereTheVendorPutsIt) {
  const std::string async(kStatusUrl);
  const ExternalAnswer done = Answer(200, R"({"status": "Succeeded"})");
  const ExternalAnswer named =
      Answer(200, R"({"status": "Succeeded", "resourceLocation": "https://api.acme.example/r"})");
  const std::vector<AzureFinal> cases = {
      {"PUT",
       {{"azure-asyncoperation", async}, {"location", "/l"}},
       done,
       std::string(kVolumeUrl),
       "PUT: the original URI"},
      {"PATCH", {{"azure-asyncoperation", async}}, done, std::string(kVolumeUrl), "PATCH too"},
      {"POST",
       {{"azure-asyncoperation", async}, {"location", "/l"}},
       done,
       "https://api.acme.example/l",
       "POST: the Location"},
      {"POST", {{"azure-asyncoperation", async}}, done, "", "POST without one: none"},
      {"PUT",
       {{"operation-location", async}},
       named,
       "https://api.acme.example/r",
       "Operation-Location: what the body names"},
      {"PUT", {{"operation-location", async}}, done, std::string(kVolumeUrl), "else the original"},
      {"POST",
       {{"operation-location", async}, {"location", "/l"}},
       done,
       "https://api.acme.example/l",
       "else the Location"},
      {"DELETE", {{"azure-asyncoperation", async}}, done, "", "DELETE: none"},
  };
  for (const AzureFinal& item : cases) {
    const auto protocol = Compiled(AcmeSystem("AzureARM"), OperationOf("Action", item.method));
    const PollVerdict verdict =
        protocol->JudgePoll(item.answer, PolledAt(async), SubmitResponse(202, item.submitted));
    ASSERT_EQ(verdict.outcome, PollVerdict::Outcome::kSucceeded) << item.reason;
    EXPECT_EQ(verdict.fetch ? verdict.fetch->url : "", item.fetch) << item.reason;
  }
}

// --- ODataAsync ---

TEST(ProtocolVendorsTest, ODataAsksForAnAsynchronousAnswerAndFollowsARelativeMonitor) {
  const auto protocol = Compiled("ODataAsync");
  EXPECT_THAT(Show(*protocol->RenderSubmit(OperationIdentity{})),
              testing::HasSubstr("[Prefer: respond-async]"));
  EXPECT_EQ(Submit("ODataAsync", "Create", "POST", Answer(202, "", {{"location", "$status/7"}})),
            "Accepted id=7 poll=https://api.acme.example/v1/$status/7");
  EXPECT_EQ(Submit("ODataAsync", "Create", "POST",
                   Answer(201, R"({"id": 5})", {{"location", "/v1/Volumes(5)"}})),
            "Succeeded id=Volumes(5) resource=5")
      << "done at once, and the Location is the entity's";
  const auto cancel = protocol->RenderCancel(Running(), Json());
  EXPECT_THAT(Show(**cancel), testing::StartsWith("DELETE " + Running().poll_url));
}

TEST(ProtocolVendorsTest, ODataReadsTheOutcomeInTheHeaderOrInTheMessageWithin) {
  const auto protocol = Compiled("ODataAsync");
  const std::string message =
      "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
      "OData-EntityId: /v1/Volumes(5)\r\n\r\n{\"id\": 5}";
  const std::string failed =
      "HTTP/1.1 422 No\r\nContent-Type: application/json\r\n\r\n{\"error\": {\"code\": \"Q\"}}";
  const Headers http = {{"content-type", "application/http"}};
  const std::vector<AzurePoll> cases = {
      {Answer(202), "Running", "under way"},
      {Answer(200, R"({"id": 5})", {{"asyncresult", "201"}}), "Succeeded resource=5", "4.01"},
      {Answer(200, R"({"error": {"code": "Q"}})", {{"asyncresult", "422"}}), "Failed Terminal Q",
       "4.01, failed"},
      {Answer(200, message, http), "Succeeded resource=5", "4.0"},
      {Answer(200, failed, http), "Failed Terminal Q", "4.0, failed"},
      {Answer(200, "HTTP/1.1 204 \r\n\r\n", http), "Succeeded", "4.0, nothing to show"},
      {Answer(200, "HTTP/1.1 201 Created\r\nno header\r\n\r\n", http),
       "Unreadable Recoverable UnreadableResponse", "a message that is none"},
      {Answer(200, message.substr(0, message.size() - 2), http),
       "Unreadable Recoverable UnreadableResponse", "cut in its body"},
      {Answer(404), "NotFound Recoverable HTTP404", "gone, or not there yet"},
      {Answer(400), "Unreadable Recoverable HTTP400", "an error of the monitor"},
  };
  for (const AzurePoll& item : cases) {
    EXPECT_EQ(Show(protocol->JudgePoll(item.answer, Running(), Json())), item.shown) << item.reason;
  }
}

TEST(ProtocolVendorsTest, ODataOutputsAreThoseOfTheMessageWithin) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.outputs = {{"id", "/id", std::nullopt},
                            {"entity", "response.headers['odata-entityid']", std::nullopt}};
  const auto protocol = Compiled(AcmeSystem("ODataAsync"), operation);
  const ExternalAnswer answer =
      Answer(200, "HTTP/1.1 201 Created\nOData-EntityId: /e\n\n{\"id\": 5}",
             {{"content-type", "application/http; msgtype=response"}});
  EXPECT_EQ(EncodeJson(protocol->Outputs(answer, Running(), Json())), R"({"entity":"/e","id":5})");
}

// --- AWSCloudControl ---

TEST(ProtocolVendorsTest, CloudControlCallsSayTheirTargetAndCarryTheToken) {
  struct Case {
    const char* type;
    const char* target;
  };
  for (const Case& item : {Case{"Create", "CreateResource"}, Case{"Update", "UpdateResource"},
                           Case{"Delete", "DeleteResource"}}) {
    AsyncOperation operation = OperationOf(item.type, "POST");
    operation.spec.submit->path = "/";
    operation.spec.submit->body = Json::Of({{"TypeName", "T"}});
    const auto protocol = Compiled(AcmeSystem("AWSCloudControl"), operation);
    OperationIdentity identity;
    identity.idempotency_key = "key-1";
    EXPECT_EQ(Show(*protocol->RenderSubmit(identity)),
              std::string("POST https://api.acme.example/v1/ [X-Amz-Target: CloudApiService.") +
                  item.target +
                  "] [Content-Type: application/x-amz-json-1.0] [Accept: application/json] "
                  R"({"ClientToken":"key-1","TypeName":"T"})");
    EXPECT_EQ(protocol->policy().key_ttl, std::chrono::hours(36));
    EXPECT_TRUE(protocol->policy().sends_key);
    const Result<RenderedRequest> poll = protocol->RenderPoll(Running(), Json());
    EXPECT_THAT(Show(*poll),
                testing::AllOf(testing::StartsWith("POST https://api.acme.example/v1/"),
                               testing::HasSubstr("GetResourceRequestStatus"),
                               testing::EndsWith(R"({"RequestToken":"op-1"})")));
    const auto cancel = protocol->RenderCancel(Running(), Json());
    EXPECT_THAT(Show(**cancel), testing::AllOf(testing::HasSubstr("CancelResourceRequest"),
                                               testing::EndsWith(R"({"RequestToken":"op-1"})")));
  }
}

std::string Event(std::string_view status, std::string_view more = "") {
  return R"({"ProgressEvent": {"RequestToken": "t-1", "Identifier": "v-1", "OperationStatus": ")" +
         std::string(status) + "\"" + std::string(more) + "}}";
}

TEST(ProtocolVendorsTest, CloudControlReadsProgressEvents) {
  const auto protocol = Compiled("AWSCloudControl");
  const auto failed = [](std::string_view code) {
    return Answer(200, Event("FAILED", R"(, "ErrorCode": ")" + std::string(code) + "\""));
  };
  ExternalAnswer later = Answer(200, Event("IN_PROGRESS", R"(, "RetryAfter": 1.7796E9)"));
  later.at = Time(std::chrono::seconds(1779600000 - 7));
  const std::vector<AzurePoll> cases = {
      {Answer(200, Event("PENDING")), "Running resource=v-1", "the identifier is no success"},
      {Answer(200, Event("IN_PROGRESS")), "Running resource=v-1", "under way"},
      {later, "Running resource=v-1 after=7s", "RetryAfter is a time"},
      {Answer(200, Event("CANCEL_IN_PROGRESS")), "Running resource=v-1", "not cancelled yet"},
      {Answer(200, Event("SUCCESS")), "Succeeded resource=v-1", "done"},
      {Answer(200, Event("CANCEL_COMPLETE")), "Canceled", "cancelled"},
      {failed("AlreadyExists"), "Failed Terminal AlreadyExists", "for good"},
      {failed("Throttling"), "Failed Throttled Throttling", "too much was asked"},
      {failed("NetworkFailure"), "Failed Recoverable NetworkFailure",
       "retried by CloudFormation too"},
      {failed("ResourceConflict"), "Failed Recoverable ResourceConflict", "in use just now"},
      {failed("ServiceLimitExceeded"), "Failed Recoverable ServiceLimitExceeded instead=5m0s",
       "a person may raise it"},
      {failed("InternalFailure"), "Failed Terminal InternalFailure", "what was made is not known"},
      {Answer(400, R"({"__type": "com.amazonaws#RequestTokenNotFoundException"})"),
       "NotFound Recoverable RequestTokenNotFoundException", "with 400"},
      {Answer(404, R"({"__type": "RequestTokenNotFoundException"})"),
       "NotFound Recoverable RequestTokenNotFoundException", "and with 404"},
      {Answer(400, R"({"__type": "a#ThrottlingException", "message": "m"})"),
       "Unreadable Throttled ThrottlingException", "a throttled call"},
      {Answer(200, "{}"), "Unreadable Recoverable NoStatus", "no event at all"},
  };
  for (const AzurePoll& item : cases) {
    EXPECT_EQ(Show(protocol->JudgePoll(item.answer, Running(), Json())), item.shown) << item.reason;
  }
}

TEST(ProtocolVendorsTest, CloudControlSubmitErrorsHaveTheClassThatTheirCodeNames) {
  const auto submit = [](int status, std::string_view type) {
    return Submit(
        "AWSCloudControl", "Create", "POST",
        Answer(status, R"({"__type": "com.amazonaws.cloudcontrol#)" + std::string(type) + "\"}"));
  };
  EXPECT_EQ(Submit("AWSCloudControl", "Create", "POST", Answer(200, Event("IN_PROGRESS"))),
            "Accepted id=t-1 poll=https://api.acme.example/v1/ resource=v-1");
  EXPECT_EQ(submit(409, "ClientTokenConflictException"),
            "Failed Terminal ClientTokenConflictException delay=5s");
  EXPECT_EQ(submit(400, "ClientTokenConflictException"),
            "Failed Terminal ClientTokenConflictException");
  EXPECT_EQ(submit(400, "ThrottlingException"), "Failed Throttled ThrottlingException");
  EXPECT_EQ(submit(400, "ConcurrentOperationException"),
            "Failed Recoverable ConcurrentOperationException");
  EXPECT_EQ(submit(400, "AlreadyExistsException"), "Failed Terminal AlreadyExistsException");
  EXPECT_EQ(submit(502, "ServiceInternalErrorException"),
            "Failed Ambiguous ServiceInternalErrorException");
  EXPECT_EQ(Submit("AWSCloudControl", "Create", "POST", Answer(200, "{}")),
            "Failed Terminal NothingToPoll");
}

// --- DescribeUntil ---

AsyncOperation Described(std::string_view type, std::string_view method) {
  AsyncOperation operation = OperationOf(type, method);
  operation.spec.poll.emplace();
  if (type != "Delete")
    operation.spec.poll->acceptors = {{"response.body.status == 'ACTIVE'", "Succeeded"}};
  return operation;
}

TEST(ProtocolVendorsTest, DescribeUntilAsksTheThingItself) {
  const auto submit = [](const AsyncOperation& operation, const ExternalAnswer& answer) {
    return Show(
        Compiled(AcmeSystem("DescribeUntil"), operation)->JudgeSubmit(answer, OperationIdentity{}));
  };
  EXPECT_EQ(submit(Described("Create", "POST"), Answer(202, R"({"id": "v-1"})")),
            "Accepted id=v-1 poll=https://api.acme.example/v1/volumes/v-1 resource=v-1")
      << "below the collection";
  EXPECT_EQ(submit(Described("Create", "POST"), Answer(202, "", {{"location", "/v2/v/9?x=1"}})),
            "Accepted id=9 poll=https://api.acme.example/v2/v/9?x=1 resource=9")
      << "or where its Location says";
  EXPECT_EQ(submit(Described("Update", "PUT"), Answer(200, R"({"id": "v-1"})")),
            "Accepted id=v-1 poll=https://api.acme.example/v1/volumes resource=v-1")
      << "a PUT names the thing";
  EXPECT_EQ(submit(Described("Delete", "DELETE"), Answer(204)),
            "Accepted poll=https://api.acme.example/v1/volumes");
}

TEST(ProtocolVendorsTest, DescribeUntilNeedsAcceptorsButADeletionEndsWhenTheThingIsGone) {
  EXPECT_EQ(CompileProtocol(AcmeSystem("DescribeUntil"), VolumeOperation()).status().reason(),
            Reason::kInvalid);
  const auto protocol = Compiled(AcmeSystem("DescribeUntil"), Described("Delete", "DELETE"));
  EXPECT_EQ(Show(protocol->JudgePoll(Answer(200, R"({"status": "DELETING"})"), Running(), Json())),
            "Running resource=op-1");
  EXPECT_EQ(Show(protocol->JudgePoll(Answer(404), Running(), Json())), "Succeeded");
  const auto create = Compiled(AcmeSystem("DescribeUntil"), Described("Create", "POST"));
  EXPECT_EQ(Show(create->JudgePoll(Answer(404), Running(), Json())),
            "NotFound Recoverable HTTP404");
}

// --- Compute Engine, by GoogleLRO ---

TEST(ProtocolVendorsTest, ComputeOperationsAreGoogleLroWithWords) {
  const auto protocol = Compiled("GoogleLRO");
  const std::string self = "https://api.acme.example/compute/operations/operation-1";
  const std::string pending = R"({"name": "operation-1", "status": "PENDING", "targetLink": "/v/7",
                                  "progress": 0, "selfLink": ")" +
                              self + "\"}";
  EXPECT_EQ(Submit("GoogleLRO", "Create", "POST", Answer(200, pending)),
            "Accepted id=operation-1 poll=" + self + " resource=/v/7");
  const std::vector<AzurePoll> cases = {
      {Answer(200, pending), "Running progress=0% resource=/v/7", "not started"},
      {Answer(200, R"({"name": "o", "status": "RUNNING", "progress": 30})"), "Running progress=30%",
       "under way"},
      {Answer(200, R"({"name": "o", "status": "DONE"})"), "Succeeded", "done"},
      {Answer(200, R"({"name": "o", "status": "DONE", "error": {"errors": [
                      {"code": "QUOTA_EXCEEDED", "message": "m"}]}})"),
       "Failed Terminal QUOTA_EXCEEDED", "the first of its errors"},
  };
  for (const AzurePoll& item : cases) {
    EXPECT_EQ(Show(protocol->JudgePoll(item.answer, Running(), Json())), item.shown) << item.reason;
  }
}

// --- for all ---

TEST(ProtocolVendorsTest, AnAnswerWithNothingToFollowIsAFailureWhereAnswersTellTheirState) {
  for (const char* preset : {"GoogleLRO", "JobStatus", "AWSCloudControl"}) {
    EXPECT_EQ(Submit(preset, "Create", "POST", Answer(200, R"({"hello": "world"})")),
              "Failed Terminal NothingToPoll")
        << preset;
    EXPECT_EQ(Submit(preset, "Create", "POST", Answer(201)), "Failed Terminal NothingToPoll")
        << preset << ": an empty 201";
    EXPECT_EQ(Submit(preset, "Create", "POST", Answer(204)), "Succeeded") << preset;
  }
  EXPECT_EQ(Submit("GoogleLRO", "Delete", "DELETE", Answer(200, "{}")), "Succeeded")
      << "google.protobuf.Empty";
  EXPECT_EQ(Submit("JobStatus", "Delete", "DELETE", Answer(200)), "Succeeded");
  EXPECT_EQ(Submit("JobStatus", "Create", "POST", Answer(200, R"({"status": "done"})")),
            "Succeeded");
  EXPECT_EQ(Submit("AcceptedLocation", "Create", "POST", Answer(200, R"({"hello": "world"})")),
            "Succeeded")
      << "its answers tell no state";
}

TEST(ProtocolVendorsTest, TheKeyGoesIntoTheQueryAndNotIntoTheUrlThatIsPolled) {
  ExternalSystem system = AcmeSystem("DescribeUntil");
  system.spec.idempotency.emplace();
  system.spec.idempotency->in = "Query";
  system.spec.idempotency->name = "requestId";
  OperationIdentity identity;
  identity.idempotency_key = "a b";
  const auto protocol = Compiled(system, Described("Update", "PUT"));
  EXPECT_THAT(Show(*protocol->RenderSubmit(identity)),
              testing::StartsWith("PUT https://api.acme.example/v1/volumes?requestId=a%20b ["));
  EXPECT_EQ(Show(protocol->JudgeSubmit(Answer(200, R"({"id": "v"})"), identity)),
            "Accepted id=v poll=https://api.acme.example/v1/volumes resource=v");
  AsyncOperation operation = Described("Update", "PUT");
  operation.spec.submit->path = "/volumes?x=1";
  EXPECT_THAT(Show(*Compiled(system, operation)->RenderSubmit(identity)),
              testing::StartsWith("PUT https://api.acme.example/v1/volumes?x=1&requestId=a%20b ["));
}

TEST(ProtocolVendorsTest, ALookupTellsWhereWhatItFoundIsPolled) {
  AsyncOperation operation = VolumeOperation();
  LookupSpec& lookup = operation.spec.recovery.emplace().lookup.emplace();
  lookup.path = "/operations";
  lookup.found = "size(response.body.items) > 0";
  lookup.id = "/items/0/id";
  lookup.poll_url = "'operations/' + operation.id";
  const ExternalAnswer found = Answer(200, R"({"items": [{"id": "op-9"}]})");
  const LookupVerdict verdict =
      Compiled(AcmeSystem("AcceptedLocation"), operation)->JudgeLookup(found, OperationIdentity{});
  EXPECT_EQ(verdict.outcome, LookupVerdict::Outcome::kFound);
  EXPECT_EQ(verdict.poll_url, "https://api.acme.example/v1/operations/op-9");
  lookup.poll_url = "";
  EXPECT_EQ(Compiled(AcmeSystem("AcceptedLocation"), operation)
                ->JudgeLookup(found, OperationIdentity{})
                .poll_url,
            "");
  EXPECT_EQ(Compiled(AcmeSystem("JobStatus"), operation)
                ->JudgeLookup(found, OperationIdentity{})
                .poll_url,
            "https://api.acme.example/v1/jobs/op-9")
      << "the preset knows it";
}

TEST(ProtocolVendorsTest, APollMayCarryABodyHeadersAndASecret) {
  AsyncOperation operation = VolumeOperation();
  PollSpec& poll = operation.spec.poll.emplace();
  poll.method = "POST";
  poll.path = "/status";
  poll.body = Json::Of({{"id", "${operation.id}"}, {"was", "${submit.response.status}"}});
  poll.headers = {{"X-Plain", "${metadata.name}", std::nullopt},
                  {"X-Secret", "", HeaderValueSource{SecretKeyRef{"s", "k"}}}};
  const auto protocol = Compiled(AcmeSystem("Custom"), operation);
  EXPECT_EQ(
      Show(*protocol->RenderPoll(Running(), SubmitResponse(202, {}))),
      "POST https://api.acme.example/v1/status [X-Plain: vol-create] [X-Secret: <s/k>] "
      R"([Content-Type: application/json] [Accept: application/json] {"id":"op-1","was":202})");
}

TEST(ProtocolVendorsTest, EveryPresetIsFieldsThatAUserCouldHaveWritten) {
  // What a preset filled in, written out by a user of Custom, judges alike.
  for (const char* preset : {"AcceptedLocation", "AWSCloudControl", "AzureARM", "GoogleLRO",
                             "JobStatus", "ODataAsync"}) {
    const Result<Declaration> filled = Declare(AcmeSystem(preset), VolumeOperation());
    ASSERT_TRUE(filled.ok()) << preset;
    AsyncOperation written = VolumeOperation();
    written.spec.submit = filled->submit;
    written.spec.operation = filled->operation;
    written.spec.poll = filled->poll;
    written.spec.cancel = filled->cancel;
    written.spec.error_rules = filled->error_rules;
    ExternalSystem custom = AcmeSystem("Custom");
    custom.spec.idempotency = filled->idempotency;
    const auto one = Compiled(AcmeSystem(preset), VolumeOperation());
    const auto other = Compiled(custom, written);
    OperationIdentity identity = Running();
    EXPECT_EQ(*one->RenderSubmit(identity), *other->RenderSubmit(identity)) << preset;
    for (const ExternalAnswer& answer :
         {Answer(200, R"({"done": true, "status": "succeeded", "name": "x"})"), Answer(202),
          Answer(200, "{}"), Answer(422), Answer(404), Answer(500)}) {
      EXPECT_EQ(Show(one->JudgePoll(answer, identity, Json())),
                Show(other->JudgePoll(answer, identity, Json())))
          << preset << " " << answer.status;
      EXPECT_EQ(Show(one->JudgeSubmit(answer, identity)),
                Show(other->JudgeSubmit(answer, identity)))
          << preset << " " << answer.status;
    }
  }
}

}  // namespace
}  // namespace asyncops::reconciler
