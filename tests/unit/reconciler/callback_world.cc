#include "tests/unit/reconciler/callback_world.h"

#include <gtest/gtest.h>
#include <optional>

#include "base/crypto.h"
#include "base/encoding.h"
#include "base/uri.h"

namespace asyncops::reconciler {

CallbackWorld::CallbackWorld(const CallbackDeclaration& declaration)
    : submit_answer(Answered(202, R"({"id":"op-1"})")), declaration_(declaration) {
  engine.transport.Handle([this](const kube::OutboundRequest& request) {
    if (request.method == "POST") return submit_answer;
    ++polls;
    return Answered(200, poll_body);
  });
  Open();
  std::string system = R"(
kind: ExternalSystem
apiVersion: asyncops.dev/v1alpha1
metadata: {name: cloud}
spec:
  endpoint: http://cloud.example/v1
  idempotency: {in: Header, name: Idempotency-Key}
)";
  if (!declaration_.system.empty()) system += "  callback: " + declaration_.system + "\n";
  engine.Create(system + declaration_.more);
  engine.Create("kind: Secret\napiVersion: v1\nmetadata: {name: hook}\ndata: {k: " +
                Base64Encode(kCallbackSecret) + "}\n");
}

void CallbackWorld::Open() {
  engine.Start();
  intake =
      std::make_unique<CallbackIntake>(CallbackIntakeParts{.store = *engine.store,
                                                           .resources = engine.resources(),
                                                           .external = engine.external(),
                                                           .clock = engine.clock,
                                                           .links = engine.links,
                                                           .metrics = engine.callback_metrics,
                                                           .look =
                                                               [this](const ObjectName& name) {
                                                                 looks.push_back(name);
                                                                 engine.Look(name);
                                                               },
                                                           .poll =
                                                               [this](const ObjectName& name) {
                                                                 asked.push_back(name);
                                                                 engine.Look(name, kPollsAsked);
                                                               },
                                                           .max_messages = max_messages});
}

void CallbackWorld::Restart() {
  intake.reset();
  engine.Crash();
  Open();
}

void CallbackWorld::CreateOperation(const std::string& name) {
  std::string yaml = R"(
kind: AsyncOperation
apiVersion: operations.asyncops.dev/v1alpha1
metadata: {name: )" + name +
                     R"(}
spec:
  type: Create
  externalSystemRef: {name: cloud}
  submit: {path: /volumes, body: {size: 1Gi}}
  operation: {id: /id}
  poll:
    path: "/operations/${operation.id}"
    interval: {initial: 30s, max: 60s}
    acceptors:
      - {when: "response.body.status == 'done'", state: Succeeded}
      - {when: "response.body.status == 'failed'", state: Failed}
      - {when: "response.body.status == 'running'", state: Running}
    error: {code: /code, message: /message}
  outputs: [{name: volumeID, value: /volume})" +
                     declaration_.outputs + "]\n";
  if (!declaration_.operation.empty()) yaml += "  callback: " + declaration_.operation + "\n";
  engine.Create(yaml);
}

void CallbackWorld::Submit() {
  CreateOperation();
  engine.Settle();
  ASSERT_EQ(engine.Operation("op").state, "Submitted");
  ASSERT_EQ(engine.Row("op").operation_id, "op-1");
}

callbacks::Answer CallbackWorld::Post(const std::string& path, callbacks::Message message) {
  const std::optional<callbacks::LinkPath> parsed = callbacks::ParseLinkPath(path);
  std::optional<callbacks::Answer> answer;
  if (!parsed) {
    ADD_FAILURE() << "no path of a callback: " << path;
    return callbacks::Answer::kUnknown;
  }
  intake->Receive({.path = *parsed, .message = std::move(message)},
                  [&answer](callbacks::Answer given) { answer = given; });
  // What was written before this is answered before it.
  EXPECT_TRUE(storage::WriteAndWait(*engine.store, [](storage::Transaction& /*transaction*/) {
                return Status::Ok();
              }).ok());
  EXPECT_TRUE(answer) << "no answer";
  return answer.value_or(callbacks::Answer::kUnavailable);
}

std::string CallbackWorld::CalledPath() const {
  const std::vector<kube::OutboundRequest> requests = engine.transport.requests();
  for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
    if (request->method != "POST") continue;
    const Result<Json> body = ParseJson(request->body);
    const std::optional<Uri> uri =
        body.ok() ? ParseUri(body->StringAt({"callbackUrl"})) : std::nullopt;
    return uri ? uri->target : "";
  }
  return "";
}

callbacks::Message CallbackWorld::Signed(const std::string& body, const std::string& delivery,
                                         std::string_view secret) {
  return {.headers = {{"Content-Type", "application/json"},
                      {"X-Hub-Signature-256", "sha256=" + HexEncode(HmacSha256(secret, body))},
                      {"X-GitHub-Delivery", delivery}},
          .body = body};
}

}  // namespace asyncops::reconciler
