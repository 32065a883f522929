// What the simulated cloud has been told to do: the settings and rules of PUT /admin/behaviour.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_BEHAVIOUR_H_
#define ASYNCOPS_TESTS_SIMCLOUD_BEHAVIOUR_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::simcloud {

struct Failure {
  std::string code;
  std::string message;
};

// What a rule does to a request. A value.
struct Action {
  enum class Kind {
    kDelay,
    kDelayWork,
    kDropAfterWork,
    kDropBeforeWork,
    kStatus,
    kGarbage,
    kTruncate,
    kFailOperation,
    kSlowBody,
    kEndlessBody,
    kContentType,
    kUtf16,
    kRepeatFirst,
    kRepeatLast,
  };
  Kind kind = Kind::kDelay;
  Duration delay{0};         // kDelay, kDelayWork; kSlowBody: between two bytes
  std::string content_type;  // kContentType
  int status = 0;            // kStatus, with the next three
  std::string retry_after;   // "" for no such header
  Json body;                 // null for none
  bool after_work = false;
  Failure failure;  // kFailOperation
  Json source;      // as it was given, to be shown again
};

struct Rule {
  std::string method;       // "" matches every method
  std::string path_prefix;  // "" matches every path
  std::int64_t times_left = 1;
  Action action;
};

struct Behaviour {
  enum class Token { kNotAsked, kAny, kThisOne };

  Duration operation_duration = std::chrono::seconds(2);
  bool idempotency = true;
  Duration key_ttl = std::chrono::hours(24);  // how long keys are remembered
  bool progress = true;
  std::string retry_after;  // of answers about running operations; "" for none
  Token token = Token::kNotAsked;
  std::string token_sha256;  // raw digest, of kThisOne
  // Whose signature calls to /aws must have; none where access_key_id is empty.
  std::string access_key_id;
  std::string secret_access_key;
  std::vector<Rule> rules;
};

// `base` with the members of `patch` laid over it. BadRequest naming the first member that is
// unknown or has no meaning.
Result<Behaviour> MergeBehaviour(Behaviour base, const Json& patch);
// As GET /admin/behaviour shows it; never with the token.
Json BehaviourJson(const Behaviour& behaviour);
// The action of the first rule that matches and is not used up, which is counted down; or nothing.
std::optional<Action> TakeAction(Behaviour* behaviour, std::string_view method,
                                 std::string_view path);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_BEHAVIOUR_H_
