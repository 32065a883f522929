#include "tests/support/fake_api_client.h"

#include <algorithm>
#include <charconv>

#include "api/meta/patch.h"
#include "base/encoding.h"

namespace asyncops {
namespace {

using kube::ApiRequest;
using kube::WatchEvent;

std::vector<std::string> Split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::int64_t NumberOf(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::pair<std::string, std::string> KeyOf(const Json& object) {
  return {std::string(object.StringAt({"metadata", "namespace"})),
          std::string(object.StringAt({"metadata", "name"}))};
}

bool HasFinalizers(const Json& object) {
  const Json* finalizers = object.FindPath({"metadata", "finalizers"});
  return finalizers != nullptr && finalizers->is_array() && !finalizers->as_array().empty();
}

// "x" of "metadata.name=x".
std::string SelectedBy(const ApiRequest& request, std::string_view field) {
  for (const std::string& term : Split(QueryOf(request, "fieldSelector"), ',')) {
    if (term.starts_with(std::string(field) + "=")) return term.substr(field.size() + 1);
  }
  return "";
}

Status Away() { return {Reason::kServiceUnavailable, "the client was cancelled"}; }

}  // namespace

struct FakeApiClient::Place {
  std::string collection;
  std::string group;
  std::string resource;
  std::string namespace_name;
  std::string name;
  std::string subresource;
  std::string only_name;
  std::string limit;
  std::string token;

  Key key() const { return {namespace_name, name}; }
  bool Selects(const Json& object) const {
    const Key key = KeyOf(object);
    return (namespace_name.empty() || key.first == namespace_name) &&
           (only_name.empty() || key.second == only_name);
  }
};

std::string PathOf(const ApiRequest& request) {
  return request.target.substr(0, request.target.find('?'));
}

std::string QueryOf(const ApiRequest& request, std::string_view name) {
  const std::size_t query = request.target.find('?');
  if (query == std::string::npos) return "";
  for (const std::string& part : Split(request.target.substr(query + 1), '&')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    if (part.substr(0, equals) != name || equals == part.size()) continue;
    return PercentDecode(part.substr(equals + 1), true).value_or("");
  }
  return "";
}

FakeApiClient::Place FakeApiClient::PlaceOf(const ApiRequest& request) {
  Place place;
  std::vector<std::string> parts = Split(PathOf(request), '/');
  const std::size_t version = !parts.empty() && parts[0] == "api" ? 2 : 3;
  if (parts.size() <= version) return place;
  if (version == 3) place.group = parts[1];
  std::size_t at = version;
  const bool own_subresource =
      parts.size() == at + 3 && (parts[at + 2] == "status" || parts[at + 2] == "finalize");
  if (parts[at] == "namespaces" && parts.size() > at + 2 && !own_subresource) {
    place.namespace_name = parts[at + 1];
    at += 2;
  }
  place.resource = parts[at];
  for (std::size_t i = 0; i < version; ++i) place.collection += "/" + parts[i];
  place.collection += "/" + place.resource;
  if (parts.size() > at + 1) place.name = parts[at + 1];
  if (parts.size() > at + 2) place.subresource = parts[at + 2];
  place.only_name = SelectedBy(request, "metadata.name");
  if (place.namespace_name.empty() && place.name.empty())
    place.namespace_name = SelectedBy(request, "metadata.namespace");
  place.limit = QueryOf(request, "limit");
  place.token = QueryOf(request, "continue");
  return place;
}

Result<Json> FakeApiClient::Call(const ApiRequest& request) {
  Handler handler;
  {
    const MutexLock lock(mutex_);
    requests_.push_back(request);
    if (cancelled_) return Away();
    if (!script_.empty()) {
      Result<Json> answer = std::move(script_.front());
      script_.pop_front();
      return answer;
    }
    if (!down_.ok()) return down_;
    handler = handler_;
  }
  if (handler) {
    if (std::optional<Result<Json>> answer = handler(request)) return *std::move(answer);
  }
  const MutexLock lock(mutex_);
  return Answer(PlaceOf(request), request);
}

Result<Json> FakeApiClient::Answer(const Place& place, const ApiRequest& request) {
  if (place.collection.empty())
    return Status(Reason::kNotFound, "the server could not find the requested resource");
  Json body;
  if (!request.body.empty()) {
    Result<Json> parsed = ParseJson(request.body);
    if (!parsed.ok()) return parsed;
    body = *std::move(parsed);
  }
  if (place.name.empty()) {
    if (request.method == "GET") return List(place);
    if (request.method == "POST") return Create(place, std::move(body));
    return Status(Reason::kMethodNotAllowed, "the server does not allow this method");
  }
  const auto& objects = objects_[place.collection];
  const auto found = objects.find(place.key());
  if (found == objects.end()) return NotFound(place.group, place.resource, place.name);
  if (request.method == "GET") return found->second;
  if (request.method == "PUT") return Replace(place, std::move(body));
  if (request.method == "PATCH") return Patch(place, request, body);
  if (request.method == "DELETE") return Delete(place, body);
  return Status(Reason::kMethodNotAllowed, "the server does not allow this method");
}

Result<Json> FakeApiClient::List(const Place& place) {
  std::vector<Json> items;
  if (place.token.empty()) {
    for (const auto& [key, object] : objects_[place.collection]) {
      if (place.Selects(object)) items.push_back(object);
    }
  } else {
    const auto rest = rests_.find(place.token);
    if (rest == rests_.end())
      return Status(Reason::kExpired, "The provided continue parameter is too old");
    items = rest->second;
  }
  Json metadata = Json::Of({{"resourceVersion", std::to_string(version_)}});
  if (!place.token.empty())
    metadata.Set("resourceVersion", place.token.substr(0, place.token.find('-')));
  const auto limit = static_cast<std::size_t>(NumberOf(place.limit));
  if (limit > 0 && items.size() > limit) {
    const std::string token =
        std::string(metadata.StringAt({"resourceVersion"})) + "-" + std::to_string(rests_.size());
    const auto middle = items.begin() + static_cast<std::ptrdiff_t>(limit);
    rests_[token].assign(middle, items.end());
    items.erase(middle, items.end());
    metadata.Set("continue", token);
  }
  return Json::Of({{"kind", "List"}, {"metadata", metadata}, {"items", JsonArray(items)}});
}

Result<Json> FakeApiClient::Create(const Place& place, Json object) {
  JsonObject& metadata = object.ObjectAt("metadata");
  if (!place.namespace_name.empty()) metadata.Set("namespace", place.namespace_name);
  if (object.StringAt({"metadata", "name"}).empty()) {
    const std::string prefix(object.StringAt({"metadata", "generateName"}));
    if (prefix.empty()) return Status(Reason::kInvalid, "name or generateName is required");
    metadata.Set("name", prefix + std::to_string(++names_));
  }
  const Key key = KeyOf(object);
  if (objects_[place.collection].contains(key))
    return AlreadyExists(place.group, place.resource, key.second);
  metadata.Set("creationTimestamp", "2026-01-01T00:00:00Z");
  metadata.Set("generation", 1);
  return Store(place.collection, std::move(object));
}

Result<Json> FakeApiClient::Replace(const Place& place, Json object) {
  const Json old = objects_[place.collection].at(place.key());
  const std::string_view expected = object.StringAt({"metadata", "resourceVersion"});
  if (!expected.empty() && expected != old.StringAt({"metadata", "resourceVersion"}))
    return Conflict(place.group, place.resource, place.name, kObjectModified);
  Json now = old;
  const Json* status = object.Find("status");
  if (place.subresource == "status") {
    if (status != nullptr) now.Set("status", *status);
    return Store(place.collection, std::move(now));
  }
  now = std::move(object);
  if (!place.namespace_name.empty())
    now.ObjectAt("metadata").Set("namespace", place.namespace_name);
  now.ObjectAt("metadata").Set("name", place.name);
  if (const Json* kept = old.Find("status"); kept != nullptr) now.Set("status", *kept);
  for (const char* name : {"uid", "creationTimestamp", "generation", "deletionTimestamp"}) {
    const Json* value = old.FindPath({"metadata", name});
    if (value != nullptr) now.ObjectAt("metadata").Set(name, *value);
  }
  const Json* before = old.Find("spec");
  const Json* after = now.Find("spec");
  if (before != nullptr && after != nullptr && !(*before == *after))
    now.ObjectAt("metadata").Set("generation", old.IntAt({"metadata", "generation"}, 1) + 1);
  if (now.FindPath({"metadata", "deletionTimestamp"}) != nullptr && !HasFinalizers(now)) {
    Erase(place.collection, place.key());
    return now;
  }
  return Store(place.collection, std::move(now));
}

Result<Json> FakeApiClient::Patch(const Place& place, const ApiRequest& request,
                                  const Json& patch) {
  if (request.content_type != "application/merge-patch+json")
    return Status(Reason::kUnsupportedMediaType, "the fake takes merge patches only");
  Json base = objects_[place.collection].at(place.key());
  base.ObjectAt("metadata").Erase("resourceVersion");
  Result<Json> patched = ApplyMergePatch(base, patch);
  if (!patched.ok()) return patched;
  return Replace(place, *std::move(patched));
}

Result<Json> FakeApiClient::Delete(const Place& place, const Json& options) {
  Json now = objects_[place.collection].at(place.key());
  for (const char* name : {"uid", "resourceVersion"}) {
    const std::string_view expected = options.StringAt({"preconditions", name});
    if (!expected.empty() && expected != now.StringAt({"metadata", name}))
      return Conflict(place.group, place.resource, place.name, "the precondition does not hold");
  }
  if (!HasFinalizers(now)) {
    Erase(place.collection, place.key());
    return now;
  }
  if (now.FindPath({"metadata", "deletionTimestamp"}) != nullptr) return now;
  now.ObjectAt("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  return Store(place.collection, std::move(now));
}

Json FakeApiClient::Store(const std::string& collection, Json object) {
  ++version_;
  JsonObject& metadata = object.ObjectAt("metadata");
  metadata.Set("resourceVersion", std::to_string(version_));
  if (!metadata.Has("uid")) metadata.Set("uid", "uid-" + std::to_string(version_));
  const auto [at, is_new] = objects_[collection].insert_or_assign(KeyOf(object), object);
  log_.push_back({version_, collection, is_new ? "ADDED" : "MODIFIED", std::move(object)});
  changed_.NotifyAll();
  return at->second;
}

void FakeApiClient::Erase(const std::string& collection, const Key& key) {
  auto& objects = objects_[collection];
  const auto found = objects.find(key);
  if (found == objects.end()) return;
  Json object = std::move(found->second);
  objects.erase(found);
  object.ObjectAt("metadata").Set("resourceVersion", std::to_string(++version_));
  log_.push_back({version_, collection, "DELETED", std::move(object)});
  changed_.NotifyAll();
}

Status FakeApiClient::Watch(const ApiRequest& request, const WatchEvents& event) {
  WatchHandler handler;
  std::optional<WatchScript> script;
  {
    const MutexLock lock(mutex_);
    requests_.push_back(request);
    if (cancelled_) return Away();
    if (!watch_script_.empty()) {
      script = std::move(watch_script_.front());
      watch_script_.pop_front();
    } else if (!down_.ok()) {
      return down_;
    }
    handler = watch_handler_;
  }
  if (script) {
    for (WatchEvent& each : script->events) {
      if (!event(std::move(each))) return Status::Ok();
    }
    return script->end;
  }
  if (handler) {
    if (std::optional<Status> end = handler(request, event)) return *end;
  }
  {
    const MutexLock lock(mutex_);
    ++watches_;
  }
  Status end = Follow(PlaceOf(request), request, event);
  const MutexLock lock(mutex_);
  --watches_;
  return end;
}

Status FakeApiClient::Follow(const Place& place, const ApiRequest& request,
                             const WatchEvents& event) {
  const SteadyTime start = clock_.SteadyNow();
  const std::int64_t seconds = NumberOf(QueryOf(request, "timeoutSeconds"));
  const SteadyTime server_end = start + std::chrono::seconds(seconds > 0 ? seconds : 3600);
  std::int64_t seen = NumberOf(QueryOf(request, "resourceVersion"));
  std::size_t at = 0;
  std::deque<WatchEvent> due;
  int epoch = 0;
  {
    const MutexLock lock(mutex_);
    epoch = epoch_;
    if (seen == 0) {
      for (const auto& [key, object] : objects_[place.collection]) {
        if (place.Selects(object)) due.push_back({"ADDED", object});
      }
      seen = version_;
    }
    if (seen < compacted_) return {Reason::kExpired, "too old resource version"};
    at = log_.size();
    while (at > 0 && log_[at - 1].version > seen) --at;
  }
  while (true) {
    while (!due.empty()) {
      if (!event(std::move(due.front()))) return Status::Ok();
      due.pop_front();
    }
    const MutexLock lock(mutex_);
    if (cancelled_) return Away();
    if (epoch != epoch_) return epoch_end_;
    for (; at < log_.size(); ++at) {
      const Change& change = log_[at];
      if (change.collection == place.collection &&
          (change.type == "BOOKMARK" || place.Selects(change.object)))
        due.push_back({change.type, change.object});
    }
    if (!due.empty()) continue;
    const SteadyTime now = clock_.SteadyNow();
    if (now >= server_end) return Status::Ok();
    if (now - start >= request.timeout) return {Reason::kTimeout, "the watch took too long"};
    const SteadyTime end = std::min(server_end, start + request.timeout);
    static_cast<void>(changed_.WaitFor(mutex_, end - now));
  }
}

void FakeApiClient::Cancel() {
  const MutexLock lock(mutex_);
  cancelled_ = true;
  changed_.NotifyAll();
}

void FakeApiClient::Script(Result<Json> answer) {
  const MutexLock lock(mutex_);
  script_.push_back(std::move(answer));
}

void FakeApiClient::ScriptWatch(std::vector<WatchEvent> events, Status end) {
  const MutexLock lock(mutex_);
  watch_script_.push_back({std::move(events), std::move(end)});
}

void FakeApiClient::Handle(Handler handler) {
  const MutexLock lock(mutex_);
  handler_ = std::move(handler);
}

void FakeApiClient::HandleWatch(WatchHandler handler) {
  const MutexLock lock(mutex_);
  watch_handler_ = std::move(handler);
}

Json FakeApiClient::Put(const std::string& collection, Json object) {
  const MutexLock lock(mutex_);
  return Store(collection, std::move(object));
}

void FakeApiClient::Remove(const std::string& collection, const std::string& namespace_name,
                           const std::string& name) {
  const MutexLock lock(mutex_);
  Erase(collection, {namespace_name, name});
}

std::optional<Json> FakeApiClient::Find(const std::string& collection,
                                        const std::string& namespace_name,
                                        const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto objects = objects_.find(collection);
  if (objects == objects_.end()) return std::nullopt;
  const auto found = objects->second.find({namespace_name, name});
  if (found == objects->second.end()) return std::nullopt;
  return found->second;
}

std::vector<Json> FakeApiClient::Objects(const std::string& collection) const {
  const MutexLock lock(mutex_);
  std::vector<Json> all;
  const auto objects = objects_.find(collection);
  if (objects == objects_.end()) return all;
  for (const auto& [key, object] : objects->second) all.push_back(object);
  return all;
}

void FakeApiClient::EndWatches(const Status& how) {
  const MutexLock lock(mutex_);
  ++epoch_;
  epoch_end_ = how;
  changed_.NotifyAll();
}

void FakeApiClient::Compact() {
  const MutexLock lock(mutex_);
  compacted_ = version_;
  rests_.clear();
}

void FakeApiClient::Bookmark(const std::string& collection) {
  const MutexLock lock(mutex_);
  ++version_;
  const Json object =
      Json::Of({{"metadata", Json::Of({{"resourceVersion", std::to_string(version_)}})}});
  log_.push_back({version_, collection, "BOOKMARK", object});
  changed_.NotifyAll();
}

void FakeApiClient::SetDown(const Status& how) {
  const MutexLock lock(mutex_);
  down_ = how;
  if (how.ok()) return;
  ++epoch_;
  epoch_end_ = how;
  changed_.NotifyAll();
}

std::vector<ApiRequest> FakeApiClient::requests() const {
  const MutexLock lock(mutex_);
  return requests_;
}

bool FakeApiClient::cancelled() const {
  const MutexLock lock(mutex_);
  return cancelled_;
}

int FakeApiClient::watches() const {
  const MutexLock lock(mutex_);
  return watches_;
}

}  // namespace asyncops
