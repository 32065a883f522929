#include "tests/simcloud/behaviour.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/crypto.h"
#include "base/duration.h"

namespace asyncops::simcloud {
namespace {

// A forgotten delay must not outlast the test run that set it.
constexpr Duration kMaxDelay = std::chrono::minutes(5);
constexpr Duration kMaxOperationDuration = std::chrono::hours(24);
constexpr std::size_t kMaxRules = 1000;
constexpr std::int64_t kMaxTimes = 1'000'000'000;

Status Wrong(std::string_view field, std::string_view why) {
  return BadRequest(std::string(field) + ": " + std::string(why));
}

Status OnlyMembers(const Json& value, std::string_view field,
                   std::initializer_list<std::string_view> allowed) {
  if (!value.is_object()) return Wrong(field, "must be an object");
  for (const JsonMember& member : value.as_object()) {
    if (std::find(allowed.begin(), allowed.end(), member.name) == allowed.end()) {
      return Wrong(field, "unknown member \"" + member.name + "\"");
    }
  }
  return Status::Ok();
}

Result<Duration> DurationOf(const Json& value, std::string_view field, Duration most) {
  const auto parsed = value.is_string() ? ParseDuration(value.as_string()) : std::nullopt;
  if (!parsed || *parsed < Duration{0} || *parsed > most) {
    return Wrong(field, "must be a duration from \"0s\" to \"" + FormatDuration(most) + "\"");
  }
  return *parsed;
}

Result<bool> BoolOf(const Json& value, std::string_view field) {
  if (!value.is_bool()) return Wrong(field, "must be true or false");
  return value.as_bool();
}

// Text that may stand in a header: null and "" mean that there is none.
Result<std::string> HeaderValueOf(const Json& value, std::string_view field) {
  if (value.is_null()) return std::string();
  if (value.is_int()) return std::to_string(value.as_int());
  if (!value.is_string()) return Wrong(field, "must be a string, an integer or null");
  for (const char c : value.as_string()) {
    if (c < ' ' || c > '~') return Wrong(field, "must be printable ASCII");
  }
  return value.as_string();
}

Result<Failure> FailureOf(const Json& value) {
  constexpr std::string_view kField = "action.failOperation";
  ASYNCOPS_RETURN_IF_ERROR(OnlyMembers(value, kField, {"code", "message"}));
  Failure failure;
  const Json* code = value.Find("code");
  if (code != nullptr && code->is_int()) {
    failure.code = std::to_string(code->as_int());
  } else {
    failure.code = value.StringAt({"code"});
  }
  if (failure.code.empty()) return Wrong(kField, "code must be a string or an integer");
  failure.message = value.StringAt({"message"});
  return failure;
}

Status ReadStatusAction(const Json& value, Action* action) {
  ASYNCOPS_RETURN_IF_ERROR(
      OnlyMembers(value, "action", {"status", "retryAfter", "body", "afterWork"}));
  action->status = static_cast<int>(std::clamp<std::int64_t>(value.IntAt({"status"}, 0), 0, 1000));
  if (action->status < 200 || action->status > 599) {
    return Wrong("action.status", "must be an integer from 200 to 599");
  }
  if (const Json* retry_after = value.Find("retryAfter")) {
    Result<std::string> text = HeaderValueOf(*retry_after, "action.retryAfter");
    if (!text) return text.status();
    action->retry_after = *text;
  }
  if (const Json* body = value.Find("body")) action->body = *body;
  if (const Json* after_work = value.Find("afterWork")) {
    const Result<bool> on = BoolOf(*after_work, "action.afterWork");
    if (!on) return on.status();
    action->after_work = *on;
  }
  return Status::Ok();
}

struct ActionName {
  std::string_view name;
  Action::Kind kind;
};

constexpr std::array<ActionName, 14> kActionNames = {{
    {"delay", Action::Kind::kDelay},
    {"delayWork", Action::Kind::kDelayWork},
    {"dropAfterWork", Action::Kind::kDropAfterWork},
    {"dropBeforeWork", Action::Kind::kDropBeforeWork},
    {"status", Action::Kind::kStatus},
    {"garbage", Action::Kind::kGarbage},
    {"truncate", Action::Kind::kTruncate},
    {"failOperation", Action::Kind::kFailOperation},
    {"slowBody", Action::Kind::kSlowBody},
    {"endlessBody", Action::Kind::kEndlessBody},
    {"contentType", Action::Kind::kContentType},
    {"utf16", Action::Kind::kUtf16},
    {"repeatFirst", Action::Kind::kRepeatFirst},
    {"repeatLast", Action::Kind::kRepeatLast},
}};

// Reads the member that names the action into it.
Status ReadActionValue(const Json& source, const ActionName& named, Action* action) {
  if (named.kind == Action::Kind::kStatus) return ReadStatusAction(source, action);
  ASYNCOPS_RETURN_IF_ERROR(OnlyMembers(source, "action", {named.name}));
  const Json& value = *source.Find(named.name);
  if (named.kind == Action::Kind::kContentType) {
    Result<std::string> type = HeaderValueOf(value, "action.contentType");
    if (!type) return type.status();
    if (type->empty()) return Wrong("action.contentType", "must not be empty");
    action->content_type = *std::move(type);
    return Status::Ok();
  }
  if (named.kind == Action::Kind::kDelay || named.kind == Action::Kind::kDelayWork ||
      named.kind == Action::Kind::kSlowBody) {
    const Result<Duration> delay = DurationOf(value, "action.delay", kMaxDelay);
    if (!delay) return delay.status();
    action->delay = *delay;
    return Status::Ok();
  }
  if (named.kind == Action::Kind::kFailOperation) {
    Result<Failure> failure = FailureOf(value);
    if (!failure) return failure.status();
    action->failure = *std::move(failure);
    return Status::Ok();
  }
  if (!value.is_bool() || !value.as_bool())
    return Wrong("action", "must be true where it is named");
  return Status::Ok();
}

Result<Action> ActionOf(const Json* source) {
  if (source == nullptr || !source->is_object()) return Wrong("action", "must be an object");
  for (const ActionName& named : kActionNames) {
    if (source->Find(named.name) == nullptr) continue;
    Action action;
    action.kind = named.kind;
    ASYNCOPS_RETURN_IF_ERROR(ReadActionValue(*source, named, &action));
    action.source = *source;
    return action;
  }
  return Wrong("action", "must name one of the actions");
}

Status ReadMatch(const Json& match, Rule* rule) {
  ASYNCOPS_RETURN_IF_ERROR(OnlyMembers(match, "match", {"method", "pathPrefix"}));
  for (const JsonMember& member : match.as_object()) {
    if (!member.value.is_string()) return Wrong("match." + member.name, "must be a string");
  }
  rule->method = match.StringAt({"method"});
  rule->path_prefix = match.StringAt({"pathPrefix"});
  return Status::Ok();
}

Result<Rule> RuleOf(const Json& value) {
  ASYNCOPS_RETURN_IF_ERROR(OnlyMembers(value, "rule", {"match", "times", "action"}));
  Rule rule;
  if (const Json* match = value.Find("match")) {
    ASYNCOPS_RETURN_IF_ERROR(ReadMatch(*match, &rule));
  }
  if (const Json* times = value.Find("times")) {
    rule.times_left = times->is_int() ? times->as_int() : 0;
    if (rule.times_left < 1 || rule.times_left > kMaxTimes) {
      return Wrong("times", "must be an integer of at least 1");
    }
  }
  Result<Action> action = ActionOf(value.Find("action"));
  if (!action) return action.status();
  rule.action = *std::move(action);
  return rule;
}

Result<std::vector<Rule>> RulesOf(const Json& value) {
  if (!value.is_array()) return Wrong("rules", "must be an array");
  if (value.as_array().size() > kMaxRules) return Wrong("rules", "must be 1000 rules at most");
  std::vector<Rule> rules;
  for (const Json& item : value.as_array()) {
    Result<Rule> rule = RuleOf(item);
    if (!rule) {
      return rule.status().WithContext("rules[" + std::to_string(rules.size()) + "]");
    }
    rules.push_back(*std::move(rule));
  }
  return rules;
}

Status ReadToken(const Json& value, Behaviour* behaviour) {
  behaviour->token_sha256.clear();
  if (value.is_null() || (value.is_bool() && !value.as_bool())) {
    behaviour->token = Behaviour::Token::kNotAsked;
    return Status::Ok();
  }
  if (value.is_bool()) {
    behaviour->token = Behaviour::Token::kAny;
    return Status::Ok();
  }
  if (!value.is_string() || value.as_string().empty()) {
    return Wrong("requireToken", "must be a token, true, false or null");
  }
  behaviour->token = Behaviour::Token::kThisOne;
  behaviour->token_sha256 = Sha256(value.as_string());
  return Status::Ok();
}

Status ReadAwsKey(const Json& value, Behaviour* behaviour) {
  behaviour->access_key_id.clear();
  behaviour->secret_access_key.clear();
  if (value.is_null()) return Status::Ok();
  ASYNCOPS_RETURN_IF_ERROR(OnlyMembers(value, "awsKey", {"accessKeyId", "secretAccessKey"}));
  behaviour->access_key_id = value.StringAt({"accessKeyId"});
  behaviour->secret_access_key = value.StringAt({"secretAccessKey"});
  if (!behaviour->access_key_id.empty() && !behaviour->secret_access_key.empty())
    return Status::Ok();
  return Wrong("awsKey", "must have accessKeyId and secretAccessKey, or be null");
}

// Stores what a result holds, or passes its failure on.
template <class T>
Status Store(Result<T> result, T* out) {
  if (!result) return result.status();
  *out = *std::move(result);
  return Status::Ok();
}

Status ReadSetting(const JsonMember& member, Behaviour* out) {
  const std::string& name = member.name;
  if (name == "operationDuration") {
    return Store(DurationOf(member.value, name, kMaxOperationDuration), &out->operation_duration);
  }
  if (name == "idempotency") return Store(BoolOf(member.value, name), &out->idempotency);
  if (name == "keyTtl")
    return Store(DurationOf(member.value, name, std::chrono::hours(36)), &out->key_ttl);
  if (name == "awsKey") return ReadAwsKey(member.value, out);
  if (name == "progress") return Store(BoolOf(member.value, name), &out->progress);
  if (name == "retryAfter") return Store(HeaderValueOf(member.value, name), &out->retry_after);
  if (name == "requireToken") return ReadToken(member.value, out);
  if (name == "rules") return Store(RulesOf(member.value), &out->rules);
  return BadRequest("unknown member \"" + name + "\"");
}

Json RuleJson(const Rule& rule) {
  JsonObject match;
  if (!rule.method.empty()) match.Set("method", rule.method);
  if (!rule.path_prefix.empty()) match.Set("pathPrefix", rule.path_prefix);
  return Json::Of({{"match", match}, {"times", rule.times_left}, {"action", rule.action.source}});
}

}  // namespace

Result<Behaviour> MergeBehaviour(Behaviour base, const Json& patch) {
  if (!patch.is_object()) return BadRequest("the behaviour must be an object");
  for (const JsonMember& member : patch.as_object()) {
    ASYNCOPS_RETURN_IF_ERROR(ReadSetting(member, &base));
  }
  return base;
}

Json BehaviourJson(const Behaviour& behaviour) {
  JsonArray rules;
  for (const Rule& rule : behaviour.rules) rules.push_back(RuleJson(rule));
  const bool asks = behaviour.token != Behaviour::Token::kNotAsked;
  return Json::Of(
      {{"operationDuration", FormatDuration(behaviour.operation_duration)},
       {"idempotency", behaviour.idempotency},
       {"progress", behaviour.progress},
       {"retryAfter", behaviour.retry_after.empty() ? Json() : Json(behaviour.retry_after)},
       {"requireToken", asks ? Json(true) : Json()},
       {"keyTtl", FormatDuration(behaviour.key_ttl)},
       {"awsKey", behaviour.access_key_id.empty() ? Json() : Json(behaviour.access_key_id)},
       {"rules", std::move(rules)}});
}

std::optional<Action> TakeAction(Behaviour* behaviour, std::string_view method,
                                 std::string_view path) {
  for (Rule& rule : behaviour->rules) {
    if (rule.times_left == 0) continue;
    if (!rule.method.empty() && rule.method != method) continue;
    if (!path.starts_with(rule.path_prefix)) continue;
    --rule.times_left;
    return rule.action;
  }
  return std::nullopt;
}

}  // namespace asyncops::simcloud
