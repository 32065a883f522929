#include "tests/unit/reconciler/fake_cluster.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>

#include "api/meta/patch.h"

namespace asyncops::reconciler {
namespace {

std::vector<std::string> SplitPath(std::string_view target) {
  std::vector<std::string> parts;
  target = target.substr(0, target.find('?'));
  while (!target.empty()) {
    target.remove_prefix(1);
    const std::size_t end = std::min(target.find('/'), target.size());
    parts.emplace_back(target.substr(0, end));
    target.remove_prefix(end);
  }
  return parts;
}

kube::ObjectKey KeyOf(const Json& object) {
  return {.namespace_name = std::string(object.StringAt({"metadata", "namespace"})),
          .name = std::string(object.StringAt({"metadata", "name"}))};
}

Json MemberOf(const Json& object, std::string_view name) {
  const Json* member = object.Find(name);
  return member == nullptr ? Json() : *member;
}

void SetOrErase(Json* object, std::string_view name, const Json& value) {
  object->as_object().Erase(name);
  if (!value.is_null()) object->Set(name, value);
}

}  // namespace

Status ObjectNotFound(std::string_view plural, std::string_view name) {
  return NotFound(plural == "secrets" ? "" : "asyncops.dev", plural, name);
}

FakeCluster::Target FakeCluster::Parse(std::string_view target) {
  std::vector<std::string> parts = SplitPath(target);
  // "api/v1/namespaces/NS", "api/v1/namespaces/NS/PLURAL..." or
  // "apis/GROUP/VERSION/namespaces/NS/PLURAL...".
  const std::size_t at = parts.front() == "api" ? 3 : 4;
  Target out;
  if (parts.size() == at + 1) {
    out.plural = parts[at - 1];
    out.key.name = parts[at];
    return out;
  }
  EXPECT_GT(parts.size(), at + 1) << target;
  parts.resize(std::max(parts.size(), at + 4));
  out.key = {.namespace_name = parts[at], .name = parts[at + 2]};
  out.plural = parts[at + 1];
  out.subresource = parts[at + 3];
  return out;
}

Result<Json> FakeCluster::Call(const kube::ApiRequest& request) {
  Intercept intercept;
  {
    const MutexLock lock(mutex_);
    requests_.push_back(request);
    if (away_) return Status(Reason::kServiceUnavailable, "dial: connection refused");
    intercept = intercept_;
  }
  if (intercept) {
    if (const std::optional<Status> refused = intercept(request)) return *refused;
  }
  const Target target = Parse(request.target);
  Result<Json> answer = Json();
  {
    const MutexLock lock(mutex_);
    std::string call = request.method + " " + target.plural;
    if (!target.key.name.empty()) call += "/" + target.key.name;
    if (!target.subresource.empty()) call += "/" + target.subresource;
    calls_.push_back(std::move(call));
    answer = Answer(request, target);
  }
  if (request.method != "GET" && answer.ok()) Tell();
  return answer;
}

Result<Json> FakeCluster::Answer(const kube::ApiRequest& request, const Target& target) {
  if (request.method == "GET") {
    const auto& objects = objects_[target.plural];
    const auto found = objects.find(target.key);
    if (found == objects.end()) return ObjectNotFound(target.plural, target.key.name);
    return found->second;
  }
  Result<Json> body = ParseJson(request.body);
  if (!body.ok()) return body;
  if (request.method == "POST") return Create(target, *std::move(body));
  EXPECT_EQ(request.content_type, "application/merge-patch+json");
  return Patch(target, *body);
}

Result<Json> FakeCluster::Create(const Target& target, Json object) {
  const kube::ObjectKey key = KeyOf(object);
  EXPECT_EQ(key.namespace_name, target.key.namespace_name);
  EXPECT_TRUE(object.StringAt({"metadata", "uid"}).empty()) << "a uid is the server's to give";
  if (objects_[target.plural].contains(key)) return AlreadyExists("", target.plural, key.name);
  object.ObjectAt("metadata").Set("uid", "uid-" + std::to_string(version_));
  Store(target.plural, key, std::move(object));
  return objects_[target.plural][key];
}

Result<Json> FakeCluster::Patch(const Target& target, const Json& patch) {
  auto& objects = objects_[target.plural];
  const auto found = objects.find(target.key);
  if (found == objects.end()) return ObjectNotFound(target.plural, target.key.name);
  const Json before = found->second;
  const std::string_view wanted = patch.StringAt({"metadata", "resourceVersion"});
  EXPECT_FALSE(wanted.empty()) << "a patch that would overwrite what it has not seen";
  if (wanted != before.StringAt({"metadata", "resourceVersion"}))
    return Conflict("", target.plural, target.key.name, kObjectModified);
  Result<Json> merged = ApplyMergePatch(before, patch);
  if (!merged.ok()) return merged;
  Json after = target.subresource == "status" ? before : *merged;
  SetOrErase(&after, "status",
             MemberOf(target.subresource == "status" ? *merged : before, "status"));
  if (after == before) return before;
  const Json* finalizers = after.FindPath({"metadata", "finalizers"});
  const bool gone = after.FindPath({"metadata", "deletionTimestamp"}) != nullptr &&
                    (finalizers == nullptr || finalizers->as_array().empty());
  Store(target.plural, target.key, std::move(after));
  Json answer = objects[target.key];
  if (gone) objects.erase(target.key);
  return answer;
}

void FakeCluster::Store(const std::string& plural, const kube::ObjectKey& key, Json object) {
  object.ObjectAt("metadata").Set("resourceVersion", std::to_string(++version_));
  objects_[plural][key] = std::move(object);
}

void FakeCluster::Tell() {
  std::vector<std::function<void()>> changed;
  {
    const MutexLock lock(mutex_);
    changed = changed_;
  }
  for (const auto& one : changed) one();
}

void FakeCluster::SetAway(bool away) {
  {
    const MutexLock lock(mutex_);
    away_ = away;
  }
  if (!away) Tell();
}

bool FakeCluster::away() const {
  const MutexLock lock(mutex_);
  return away_;
}

void FakeCluster::SetIntercept(Intercept intercept) {
  const MutexLock lock(mutex_);
  intercept_ = std::move(intercept);
}

void FakeCluster::Put(std::string_view plural, Json object) {
  {
    const MutexLock lock(mutex_);
    const kube::ObjectKey key = KeyOf(object);
    Store(std::string(plural), key, std::move(object));
  }
  Tell();
}

void FakeCluster::Edit(std::string_view plural, std::string_view name,
                       const std::function<void(Json*)>& edit) {
  Json object = Find(plural, name);
  ASSERT_TRUE(object.is_object()) << "no " << plural << " " << name;
  const Json spec = MemberOf(object, "spec");
  edit(&object);
  if (!(spec == MemberOf(object, "spec")))
    object.ObjectAt("metadata").Set("generation", object.IntAt({"metadata", "generation"}, 0) + 1);
  Put(plural, std::move(object));
}

void FakeCluster::Remove(std::string_view plural, std::string_view name) {
  {
    const MutexLock lock(mutex_);
    auto& objects = objects_[std::string(plural)];
    ++version_;
    std::erase_if(objects, [name](const auto& entry) { return entry.first.name == name; });
  }
  Tell();
}

Json FakeCluster::Find(std::string_view plural, std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto objects = objects_.find(plural);
  if (objects == objects_.end()) return {};
  for (const auto& [key, object] : objects->second) {
    if (key.name == name) return object;
  }
  return {};
}

std::map<kube::ObjectKey, Json> FakeCluster::All(std::string_view plural) const {
  const MutexLock lock(mutex_);
  const auto objects = objects_.find(plural);
  return objects == objects_.end() ? std::map<kube::ObjectKey, Json>() : objects->second;
}

std::vector<std::string> FakeCluster::TakeCalls() {
  const MutexLock lock(mutex_);
  return std::exchange(calls_, {});
}

kube::ApiRequest FakeCluster::LastOf(std::string_view method) const {
  const MutexLock lock(mutex_);
  for (auto it = requests_.rbegin(); it != requests_.rend(); ++it) {
    if (it->method == method) return *it;
  }
  return {};
}

int FakeCluster::calls() const {
  const MutexLock lock(mutex_);
  return static_cast<int>(requests_.size());
}

void FakeCluster::OnChange(std::function<void()> changed) {
  const MutexLock lock(mutex_);
  changed_.push_back(std::move(changed));
}

class FakeInformer::Token final : public kube::Informer::Handler {
 public:
  Token(FakeInformer& informer, int id) : informer_(informer), id_(id) {}
  ~Token() override {
    const MutexLock lock(informer_.mutex_);
    informer_.handlers_.erase(id_);
  }

 private:
  FakeInformer& informer_;
  const int id_;
};

FakeInformer::FakeInformer(FakeCluster& cluster, std::string plural, bool live)
    : cluster_(cluster), plural_(std::move(plural)), live_(live) {
  cluster_.OnChange([this] {
    mutex_.lock();
    const bool follows = live_;
    mutex_.unlock();
    if (follows) Sync();
  });
  if (live) Sync();
}

void FakeInformer::SetLive(bool live) {
  const MutexLock lock(mutex_);
  live_ = live;
}

void FakeInformer::Sync() {
  if (cluster_.away()) return;
  const std::map<kube::ObjectKey, Json> now = cluster_.All(plural_);
  std::vector<kube::ObjectKey> changed;
  std::map<int, std::function<void(const kube::ObjectKey&)>> handlers;
  {
    const MutexLock lock(mutex_);
    synced_ = true;
    std::map<kube::ObjectKey, std::shared_ptr<const Json>> next;
    for (const auto& [key, object] : now) {
      const auto old = objects_.find(key);
      const bool same = old != objects_.end() && *old->second == object;
      next[key] = same ? old->second : std::make_shared<const Json>(object);
      if (!same) changed.push_back(key);
    }
    for (const auto& [key, object] : objects_) {
      if (!next.contains(key)) changed.push_back(key);
    }
    objects_ = std::move(next);
    handlers = handlers_;
  }
  for (const kube::ObjectKey& key : changed) {
    for (const auto& [id, handler] : handlers) handler(key);
  }
}

std::shared_ptr<const Json> FakeInformer::Get(const kube::ObjectKey& key) const {
  const MutexLock lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const Json>> FakeInformer::List() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<const Json>> all;
  for (const auto& [key, object] : objects_) all.push_back(object);
  return all;
}

kube::InformerHealth FakeInformer::health() const {
  const MutexLock lock(mutex_);
  kube::InformerHealth health;
  health.synced = synced_;
  health.objects = static_cast<std::int64_t>(objects_.size());
  return health;
}

std::unique_ptr<kube::Informer::Handler> FakeInformer::OnChange(
    std::function<void(const kube::ObjectKey&)> changed) {
  std::vector<kube::ObjectKey> known;
  int id = 0;
  {
    const MutexLock lock(mutex_);
    id = next_handler_++;
    handlers_[id] = changed;
    for (const auto& [key, object] : objects_) known.push_back(key);
  }
  for (const kube::ObjectKey& key : known) changed(key);
  return std::make_unique<Token>(*this, id);
}

}  // namespace asyncops::reconciler
