#include "apiserver/auth/subject_access_review.h"

#include <initializer_list>
#include <utility>

#include "apiserver/auth/probe_path.h"
#include "base/crypto.h"
#include "base/log.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kPath = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
constexpr std::size_t kMaxCached = 8192;
constexpr std::size_t kMaxCachedBytes = 10000;

// Those of an upstream request that selectors narrow.
bool HasSelectors(const Attributes& attributes) {
  const std::string_view verb = attributes.verb;
  return verb == "list" || verb == "watch" || verb == "deletecollection";
}

// Each part with its length, so that no two questions read alike.
class Question {
 public:
  explicit Question(const Attributes& attributes) {
    const UserInfo& user = *attributes.user;
    Add({user.name, user.uid, std::to_string(user.groups.size())});
    for (const std::string& group : user.groups) Add({group});
    for (const auto& [key, values] : user.extra) {
      Add({key, std::to_string(values.size())});
      for (const std::string& value : values) Add({value});
    }
    Add({attributes.resource_request ? "resource" : "path", attributes.verb, attributes.path});
    if (!attributes.resource_request) return;
    Add({attributes.group, attributes.version, attributes.resource, attributes.subresource,
         attributes.namespace_name, attributes.name});
    if (HasSelectors(attributes)) Add({attributes.field_selector, attributes.label_selector});
  }

  const std::string& text() const { return text_; }

 private:
  void Add(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
      text_.append(std::to_string(part.size())).append(1, ':').append(part);
    }
  }

  std::string text_;
};

Json StringsJson(const std::vector<std::string>& strings) {
  JsonArray out;
  for (const std::string& each : strings) out.emplace_back(each);
  return out;
}

// "" is left out, as Go does.
void SetText(std::string_view name, std::string_view value, Json* object) {
  if (!value.empty()) object->Set(name, value);
}

Json ResourceOf(const Attributes& attributes) {
  Json out{JsonObject()};
  SetText("namespace", attributes.namespace_name, &out);
  SetText("verb", attributes.verb, &out);
  SetText("group", attributes.group, &out);
  SetText("version", attributes.version, &out);
  SetText("resource", attributes.resource, &out);
  SetText("subresource", attributes.subresource, &out);
  SetText("name", attributes.name, &out);
  if (!HasSelectors(attributes)) return out;
  // kube-apiserver parses them into requirements; what does not parse limits nothing.
  if (!attributes.field_selector.empty())
    out.Set("fieldSelector", Json::Of({{"rawSelector", attributes.field_selector}}));
  if (!attributes.label_selector.empty())
    out.Set("labelSelector", Json::Of({{"rawSelector", attributes.label_selector}}));
  return out;
}

Json ReviewOf(const Attributes& attributes) {
  const UserInfo& user = *attributes.user;
  Json spec{JsonObject()};
  SetText("user", user.name, &spec);
  SetText("uid", user.uid, &spec);
  if (!user.groups.empty()) spec.Set("groups", StringsJson(user.groups));
  if (!user.extra.empty()) {
    JsonObject extra;
    for (const auto& [key, values] : user.extra) extra.Set(key, StringsJson(values));
    spec.Set("extra", std::move(extra));
  }
  if (attributes.resource_request) {
    spec.Set("resourceAttributes", ResourceOf(attributes));
  } else {
    spec.Set("nonResourceAttributes",
             Json::Of({{"path", attributes.path}, {"verb", attributes.verb}}));
  }
  return Json::Of({{"apiVersion", "authorization.k8s.io/v1"},
                   {"kind", "SubjectAccessReview"},
                   {"spec", std::move(spec)}});
}

bool FlagAt(const Json& review, std::string_view name) {
  const Json* flag = review.FindPath({"status", name});
  return flag != nullptr && flag->is_bool() && flag->as_bool();
}

Decision Judge(const Json& review) {
  Decision decision;
  decision.allowed = FlagAt(review, "allowed") && !FlagAt(review, "denied");
  decision.reason = review.StringAt({"status", "reason"});
  return decision;
}

Decision Failed(const Status& why) {
  Log(LogLevel::kError, "subject access review failed", {{"error", why.ToString()}});
  Decision decision;
  decision.error = why.reason() == Reason::kTooManyRequests
                       ? why
                       : InternalError("kube-apiserver could not say whether this is allowed");
  return decision;
}

}  // namespace

SubjectAccessReviewAuthorizer::SubjectAccessReviewAuthorizer(ReviewQueue& queue, const Clock& clock)
    : queue_(queue), clock_(clock), cache_(std::make_shared<Cache>(kMaxCached)) {}

void SubjectAccessReviewAuthorizer::Authorize(const Attributes& attributes,
                                              std::function<void(Decision)> done) const {
  if (attributes.user->InGroup(kMastersGroup) || IsProbe(attributes))
    return done({.allowed = true});
  const Question question(attributes);
  const bool kept = question.text().size() <= kMaxCachedBytes;
  const std::string key = Sha256(question.text());
  if (kept) {
    if (std::optional<Decision> known = cache_->Find(key, clock_.SteadyNow()))
      return done(*std::move(known));
  }
  // Made first: the request may be gone once somebody waits.
  const Json review = ReviewOf(attributes);
  if (!cache_->Wait(key, std::move(done))) return;
  const auto answer = [cache = cache_, key, kept, &clock = clock_](const Result<Json>& reviewed) {
    if (!reviewed.ok()) return cache->Answer(key, Failed(reviewed.status()), SteadyTime::min());
    const SteadyTime until = kept ? clock.SteadyNow() + kReviewTtl : SteadyTime::min();
    cache->Answer(key, Judge(*reviewed), until);
  };
  queue_.Post(std::string(kPath), review, answer);
}

}  // namespace asyncops::apiserver
