#include "reconciler/cluster_secrets.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/log.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kReadAgain = seconds(30);
constexpr Duration kSpread = seconds(6);  // around it: those read together come apart
constexpr Duration kLookForMissing = seconds(5);
constexpr Duration kNewlyMissing = minutes(1);
constexpr Duration kInUse = minutes(10);
constexpr Duration kReadIdle = minutes(5);
constexpr Duration kForget = minutes(65);
constexpr Duration kSpacing = std::chrono::milliseconds(100);
// Looked at anyway this often: a Secret that is new is due no sooner than this.
constexpr Duration kLongestWait = seconds(1);

std::string Named(const ObjectName& name) {
  return "secret \"" + name.namespace_name + "/" + name.name + "\"";
}

SecretData ValuesOf(const Json& secret) {
  SecretData values;
  const Json* data = secret.Find("data");
  if (data == nullptr || !data->is_object()) return values;
  for (const JsonMember& member : data->as_object()) {
    if (!member.value.is_string()) continue;
    std::optional<std::string> decoded = Base64Decode(member.value.as_string());
    if (decoded) values.emplace(member.name, *std::move(decoded));
  }
  return values;
}

std::string VersionOf(const Json& secret) {
  return std::string(secret.StringAt({"metadata", "resourceVersion"}));
}

}  // namespace

// Its list entry, for as long as it lives.
class ClusterSecrets::Watcher final : public storage::Subscription {
 public:
  Watcher(ClusterSecrets& secrets, std::function<void(const ObjectName&)> changed)
      : secrets_(secrets) {
    const MutexLock lock(secrets_.watchers_mutex_);
    at_ = secrets_.watchers_.insert(secrets_.watchers_.end(), std::move(changed));
  }
  ~Watcher() override {
    const MutexLock lock(secrets_.watchers_mutex_);
    secrets_.watchers_.erase(at_);
  }

 private:
  ClusterSecrets& secrets_;
  std::list<std::function<void(const ObjectName&)>>::iterator at_;
};

ClusterSecrets::ClusterSecrets(ClusterCalls& calls, const Clock& clock, IdGenerator& ids)
    : calls_(calls), clock_(clock), ids_(ids) {}

Result<SecretData> ClusterSecrets::Show(const ObjectName& name, const Entry& entry) {
  if (entry.found == Found::kPresent) return entry.data;
  if (entry.found == Found::kMissing) return NotFound("", "secrets", name.name);
  return Status(Reason::kForbidden, entry.refusal);
}

Result<SecretData> ClusterSecrets::Get(const ObjectName& name) {
  if (!IsObjectName(name.name)) return NotFound("", "secrets", name.name);
  {
    const MutexLock lock(mutex_);
    Entry& entry = entries_[name];
    entry.used = clock_.SteadyNow();
    // It was read seldom while nobody asked.
    entry.due = std::min(entry.due, entry.used + kReadAgain);
    if (entry.found != Found::kUnknown) return Show(name, entry);
  }
  const Status read = Read(name);
  const MutexLock lock(mutex_);
  const Entry& entry = entries_[name];
  if (entry.found != Found::kUnknown) return Show(name, entry);
  const Status why = read.ok() ? Status(Reason::kServiceUnavailable, "try again") : read;
  return why.WithContext(Named(name) + " cannot be read");
}

Result<SecretData> ClusterSecrets::GetLast(const ObjectName& name) {
  return last_.OrLast(name, Get(name));
}

Status ClusterSecrets::Read(const ObjectName& name) {
  std::int64_t told = 0;
  {
    const MutexLock lock(mutex_);
    told = entries_[name].told;
  }
  const Result<Json> answer =
      calls_.Get(ClusterPath("", "secrets", name.namespace_name, name.name));
  bool news = false;
  {
    const MutexLock lock(mutex_);
    news = Learn(name, told, answer);
  }
  if (news) Tell(name);
  return answer.status();
}

bool ClusterSecrets::Learn(const ObjectName& name, std::int64_t told, const Result<Json>& answer) {
  Entry& entry = entries_[name];
  if (entry.told != told) return false;
  const Found before = entry.found;
  const std::string version = entry.version;
  // Nobody has waited for what nobody has asked for in vain.
  const bool first = before == Found::kUnknown && !entry.away;
  const Status status = answer.status();
  entry.away = false;
  if (answer.ok()) {
    entry.found = Found::kPresent;
    entry.version = VersionOf(*answer);
    entry.data = ValuesOf(*answer);
    last_.Note(name, entry.data);
  } else if (IsObjectMissing(status, name.name)) {
    entry.found = Found::kMissing;
  } else if (status.reason() == Reason::kForbidden) {
    entry.found = Found::kForbidden;
    entry.refusal = Named(name) +
                    " cannot be read: asyncops needs the verb \"get\" on secrets in " +
                    "namespace \"" + name.namespace_name + "\" (RBAC): " + status.message();
  } else {
    entry.away = true;
  }
  if (!entry.away) ++entry.told;
  const bool present = entry.found == Found::kPresent;
  if (!present) {
    entry.data.clear();
    entry.version.clear();
    if (before == Found::kPresent || entry.without == SteadyTime())
      entry.without = clock_.SteadyNow();
  }
  Schedule(&entry);
  return !first && (entry.found != before || (present && entry.version != version));
}

void ClusterSecrets::Schedule(Entry* entry) {
  const SteadyTime now = clock_.SteadyNow();
  const bool new_gap = entry->found != Found::kPresent && now - entry->without < kNewlyMissing;
  Duration wait = now - entry->used < kInUse ? kReadAgain : kReadIdle;
  if (new_gap) {
    wait = kLookForMissing;
  } else {
    const double part = ids_.Fraction() - 0.5;
    wait += Duration(static_cast<Duration::rep>(static_cast<double>(kSpread.count()) * part));
  }
  entry->due = now + wait;
}

void ClusterSecrets::Note(const ObjectName& name, const Json& secret) {
  bool news = false;
  {
    const MutexLock lock(mutex_);
    Entry& entry = entries_[name];
    if (entry.used == SteadyTime()) entry.used = clock_.SteadyNow();
    if (entry.found == Found::kPresent && !IsLaterVersion(VersionOf(secret), entry.version)) return;
    news = Learn(name, entry.told, secret);
  }
  if (news) Tell(name);
}

void ClusterSecrets::Tell(const ObjectName& name) {
  const MutexLock lock(watchers_mutex_);
  for (const auto& changed : watchers_) changed(name);
}

const ObjectName* ClusterSecrets::Next(SteadyTime now, SteadyTime* due) {
  const ObjectName* next = nullptr;
  for (auto it = entries_.begin(); it != entries_.end();) {
    const Entry& entry = it->second;
    // While kube-apiserver is away it could not be had again.
    if (now - entry.used >= kForget && !(entry.away && entry.found == Found::kPresent)) {
      it = entries_.erase(it);
      continue;
    }
    // A first read is under way where it is not due at any time.
    if (entry.due != SteadyTime() && (next == nullptr || entry.due < *due)) {
      next = &it->first;
      *due = entry.due;
    }
    ++it;
  }
  return next;
}

Duration ClusterSecrets::ReadNext() {
  ObjectName name;
  {
    const MutexLock lock(mutex_);
    const SteadyTime now = clock_.SteadyNow();
    SteadyTime due{};
    const ObjectName* next = Next(now, &due);
    if (next == nullptr) return kLongestWait;
    if (due > now) return std::min(kLongestWait, std::chrono::ceil<Duration>(due - now));
    name = *next;
  }
  const Status read = Read(name);
  if (!read.ok() && read.reason() != Reason::kNotFound) {
    Log(LogLevel::kDebug, "reading a secret again failed",
        {{"namespace", name.namespace_name}, {"name", name.name}, {"error", read.ToString()}});
  }
  return kSpacing;
}

std::unique_ptr<storage::Subscription> ClusterSecrets::Watch(
    std::function<void(const ObjectName&)> changed) {
  std::vector<ObjectName> known;
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, entry] : entries_) {
      if (entry.found != Found::kUnknown) known.push_back(name);
    }
  }
  auto watcher = std::make_unique<Watcher>(*this, changed);
  for (const ObjectName& name : known) changed(name);
  return watcher;
}

}  // namespace asyncops::reconciler
