// A system that calls back, an operation on it, and the intake of callbacks, on the real store.
#ifndef ASYNCOPS_TESTS_UNIT_RECONCILER_CALLBACK_WORLD_H_
#define ASYNCOPS_TESTS_UNIT_RECONCILER_CALLBACK_WORLD_H_

#include <memory>
#include <string>
#include <vector>

#include "reconciler/callback_intake.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {

// The signing secret of the system "cloud".
inline constexpr std::string_view kCallbackSecret = "a secret of more than 24 bytes";

// What is written below spec of the system, and of the operation.
struct CallbackDeclaration {
  // Of the system's spec.callback; "" for none.
  std::string system = "{scheme: GitHub, secretRefs: [{name: hook, key: k}]}";
  // Of the operation's spec.callback; "" for none.
  std::string operation = "{inject: {in: Body, pointer: /callbackUrl}}";
  // More outputs of the operation, such as ", {name: n, value: /v}".
  std::string outputs = {};
  // More of the system's spec, 2 spaces deep.
  std::string more = {};
};

// For one thread.
class CallbackWorld {
 public:
  // Starts with the system, its Secret and nothing else.
  explicit CallbackWorld(const CallbackDeclaration& declaration = {});

  // Creates the operation "op" and lets it be submitted as "op-1", which then runs.
  void Submit();
  void CreateOperation(const std::string& name = "op");
  // As after kill -9: what the file says and no more.
  void Restart();

  // The answer to a POST to this path ("" where none came).
  callbacks::Answer Post(const std::string& path, callbacks::Message message);
  // The path that the last submit told the cloud to call.
  std::string CalledPath() const;
  // Signed as GitHub does, with this secret.
  static callbacks::Message Signed(const std::string& body, const std::string& delivery = "d1",
                                   std::string_view secret = kCallbackSecret);

  // What polls are answered with, and how many there were.
  std::string poll_body = R"({"status":"running"})";
  int polls = 0;
  // What a submit is answered with.
  kube::Exchange submit_answer;
  // Of all systems, that the inbox may hold; counts from the next Restart on.
  std::int64_t max_messages = CallbackIntakeParts::kMaxMessages;
  // Operations that were looked at because of a callback.
  std::vector<ObjectName> looks;
  std::vector<ObjectName> asked;  // to be polled

  EngineWorld engine;
  std::unique_ptr<CallbackIntake> intake;

 private:
  void Open();

  const CallbackDeclaration declaration_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_TESTS_UNIT_RECONCILER_CALLBACK_WORLD_H_
