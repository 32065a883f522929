#include "kube/informer.h"

#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/ascii.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/mutex.h"
#include "kube/change_handlers.h"
#include "kube/object_cache.h"
#include "kube/watch_backoff.h"

namespace asyncops::kube {
namespace {

// client-go's page.
constexpr std::string_view kPageLimit = "500";
constexpr std::chrono::seconds kListTimeout{60};
// A watch ends by itself after this long, or up to twice that: servers that were restarted get
// their clients back in the course of minutes.
constexpr std::chrono::seconds kLeastWatch{240};
// What the server's own end may be late.
constexpr std::chrono::seconds kWatchGrace{30};

bool IsTooOld(const Status& status) {
  return status.reason() == Reason::kExpired || status.reason() == Reason::kGone;
}

// Whether another watch from the same version would fail in the same way.
bool SpoilsVersion(const Status& status) {
  return IsTooOld(status) || status.reason() == Reason::kInternalError ||
         status.reason() == Reason::kBadRequest || status.reason() == Reason::kInvalid;
}

// Versions of one resource are numbers that grow (KEP-5504); other text is always newer.
bool IsNewer(std::string_view version, std::string_view than) {
  const auto a = ParseInt64(version);
  const auto b = ParseInt64(than);
  return !a || !b || *a > *b;
}

// As in a list's metadata: "items" of "FooList" are of kind Foo.
void CompleteType(const Json& list, Json* item) {
  constexpr std::string_view kList = "List";
  std::string_view kind = list.StringAt({"kind"});
  if (item->Find("kind") != nullptr || !kind.ends_with(kList) || kind == kList) return;
  kind.remove_suffix(kList.size());
  item->Set("kind", kind);
  item->Set("apiVersion", list.StringAt({"apiVersion"}));
}

class ClusterInformer final : public Informer {
 public:
  ClusterInformer(InformerOptions options, ApiClient& client, const Clock& clock, IdGenerator& ids)
      : options_(std::move(options)),
        client_(client),
        clock_(clock),
        ids_(ids),
        backoff_(options_.backoff, options_.longest_backoff) {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }
  ~ClusterInformer() override {
    thread_.request_stop();
    {
      // Or the thread could miss it between its look and its wait.
      const MutexLock lock(mutex_);
      woken_.NotifyAll();
    }
    thread_.join();
  }
  ClusterInformer(const ClusterInformer&) = delete;
  ClusterInformer& operator=(const ClusterInformer&) = delete;

  std::shared_ptr<const Json> Get(const ObjectKey& key) const override { return cache_.Get(key); }
  std::vector<std::shared_ptr<const Json>> List() const override { return cache_.List(); }
  InformerHealth health() const override ASYNCOPS_EXCLUDES(mutex_);
  bool WaitForSync(Duration timeout) const override ASYNCOPS_EXCLUDES(mutex_);
  std::unique_ptr<Handler> OnChange(std::function<void(const ObjectKey&)> changed) override;

 private:
  void Run(const std::stop_token& stop) ASYNCOPS_EXCLUDES(mutex_);
  Status Relist() ASYNCOPS_EXCLUDES(mutex_);
  Result<Json> Page(const std::string& version, const std::string& token, bool limited);
  // Every object there is, and the version that they are of.
  Status ListAll(bool limited, ObjectCache::Entries* entries, std::string* version);
  Status FollowOn(const std::stop_token& stop) ASYNCOPS_EXCLUDES(mutex_);
  void Apply(WatchEvent event) ASYNCOPS_EXCLUDES(mutex_);
  std::string Target(std::string_view query) const;
  std::optional<std::pair<ObjectKey, ObjectCache::Entry>> EntryOf(const Json& object) const;
  void WentWell(bool synced) ASYNCOPS_EXCLUDES(mutex_);
  void WentWrong(const Status& status) ASYNCOPS_EXCLUDES(mutex_);
  void Wait(Duration wait, const std::stop_token& stop) ASYNCOPS_EXCLUDES(mutex_);
  void LogFailure(const Status& status);

  const InformerOptions options_;
  ApiClient& client_;
  const Clock& clock_;
  IdGenerator& ids_;
  ObjectCache cache_;
  ChangeHandlers handlers_;

  // Of the thread alone.
  WatchBackoff backoff_;
  std::string version_;             // to watch from; "" before a list
  std::string list_version_ = "0";  // what the next list asks for: at first, whatever is at hand
  std::string logged_;              // the failure that the log has

  mutable Mutex mutex_;
  mutable CondVar woken_;
  InformerHealth health_ ASYNCOPS_GUARDED_BY(mutex_);

  std::jthread thread_;  // last: it uses the others
};

// --- the loop ---

void ClusterInformer::Run(const std::stop_token& stop) {
  bool was_too_old = false;
  while (!stop.stop_requested()) {
    if (version_.empty()) {
      const Status listed = Relist();
      if (!listed.ok()) {
        const Duration wait = backoff_.After(listed, Duration(0), ids_.Fraction());
        Wait(wait, stop);
        // After the wait: a process that stops fails its calls too.
        if (!stop.stop_requested()) LogFailure(listed);
        continue;
      }
    }
    const SteadyTime start = clock_.SteadyNow();
    const Status end = FollowOn(stop);
    const auto lived = std::chrono::duration_cast<Duration>(clock_.SteadyNow() - start);
    if (SpoilsVersion(end)) {
      version_.clear();
      list_version_.clear();
    }
    // Once: a server that refuses each version that it gave is not asked without a pause.
    const bool at_once = IsTooOld(end) && !std::exchange(was_too_old, IsTooOld(end));
    if (!IsTooOld(end)) was_too_old = false;
    if (at_once || stop.stop_requested()) continue;
    Wait(backoff_.After(end, lived, ids_.Fraction()), stop);
    if (!end.ok() && lived < WatchBackoff::kLived && !stop.stop_requested()) LogFailure(end);
  }
}

void ClusterInformer::Wait(Duration wait, const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  const SteadyTime end = clock_.SteadyNow() + wait;
  while (!stop.stop_requested()) {
    const auto left = end - clock_.SteadyNow();
    if (left <= SteadyTime::duration(0) || !woken_.WaitFor(mutex_, left)) return;
  }
}

void ClusterInformer::LogFailure(const Status& status) {
  const std::string text = status.ToString();
  if (std::exchange(logged_, text) == text) return;
  Log(LogLevel::kWarning, "list and watch of kube-apiserver fails",
      {{"path", options_.path}, {"error", text}});
}

void ClusterInformer::WentWell(bool synced) {
  const MutexLock lock(mutex_);
  health_.last_error = Status::Ok();
  health_.last_contact = clock_.SteadyNow();
  health_.synced = health_.synced || synced;
  if (synced) woken_.NotifyAll();
}

void ClusterInformer::WentWrong(const Status& status) {
  const MutexLock lock(mutex_);
  health_.last_error = status;
}

// --- list ---

std::string ClusterInformer::Target(std::string_view query) const {
  std::string target = options_.path + "?" + std::string(query);
  if (!options_.field_selector.empty())
    target += "&fieldSelector=" + PercentEncode(options_.field_selector);
  return target;
}

Result<Json> ClusterInformer::Page(const std::string& version, const std::string& token,
                                   bool limited) {
  std::string query = limited ? "limit=" + std::string(kPageLimit) : "";
  // A page is of the version that its token says; naming one is a mistake.
  const std::string which = !token.empty()     ? "continue=" + PercentEncode(token)
                            : !version.empty() ? "resourceVersion=" + PercentEncode(version)
                                               : "";
  if (!which.empty()) query += (query.empty() ? "" : "&") + which;
  ApiRequest request;
  request.target = Target(query);
  request.timeout = kListTimeout;
  return client_.Call(request);
}

std::optional<std::pair<ObjectKey, ObjectCache::Entry>> ClusterInformer::EntryOf(
    const Json& object) const {
  ObjectKey key{std::string(object.StringAt({"metadata", "namespace"})),
                std::string(object.StringAt({"metadata", "name"}))};
  if (key.name.empty()) return std::nullopt;
  ObjectCache::Entry entry{std::string(object.StringAt({"metadata", "resourceVersion"})),
                           std::string(object.StringAt({"metadata", "uid"})), nullptr};
  entry.object = std::make_shared<const Json>(options_.reduce ? options_.reduce(object) : object);
  return std::pair{std::move(key), std::move(entry)};
}

Status ClusterInformer::ListAll(bool limited, ObjectCache::Entries* entries, std::string* version) {
  entries->clear();
  std::string token;
  do {
    Result<Json> page = Page(limited ? list_version_ : "", token, limited);
    if (!page.ok()) return page.status();
    *version = page->StringAt({"metadata", "resourceVersion"});
    Json* items = page->Find("items");
    const bool has_items = items != nullptr && items->is_array();
    if (version->empty() || !(has_items || items == nullptr || items->is_null()))
      return {Reason::kServiceUnavailable, "kube-apiserver sent what is no list"};
    if (has_items) {
      for (Json& item : items->as_array()) {
        CompleteType(*page, &item);
        if (auto entry = EntryOf(item)) entries->insert_or_assign(entry->first, entry->second);
      }
    }
    token = page->StringAt({"metadata", "continue"});
  } while (!token.empty());
  return Status::Ok();
}

Status ClusterInformer::Relist() {
  ObjectCache::Entries entries;
  std::string version;
  Status listed = ListAll(true, &entries, &version);
  // The list took longer than the server keeps its past: then all of it at once.
  if (IsTooOld(listed)) listed = ListAll(false, &entries, &version);
  if (!listed.ok()) {
    WentWrong(listed);
    return listed.WithContext("list");
  }
  version_ = std::move(version);
  const std::vector<ObjectKey> changed = cache_.Replace(std::move(entries));
  WentWell(true);
  handlers_.Notify(changed);
  return Status::Ok();
}

// --- watch ---

Status ClusterInformer::FollowOn(const std::stop_token& stop) {
  const auto seconds =
      kLeastWatch.count() +
      static_cast<std::int64_t>(static_cast<double>(kLeastWatch.count()) * ids_.Fraction());
  ApiRequest request;
  request.target =
      Target("watch=true&allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(seconds) +
             "&resourceVersion=" + PercentEncode(version_));
  request.timeout = std::chrono::seconds(seconds) + kWatchGrace;
  const Status end = client_.Watch(request, [this, &stop](WatchEvent event) {
    if (!stop.stop_requested()) Apply(std::move(event));
    return !stop.stop_requested();
  });
  // An end in good order says as much as an event.
  if (end.ok()) {
    WentWell(false);
    logged_.clear();
    return end;
  }
  WentWrong(end);
  return end.WithContext("watch");
}

void ClusterInformer::Apply(WatchEvent event) {
  const std::string version(event.object.StringAt({"metadata", "resourceVersion"}));
  WentWell(false);
  logged_.clear();
  const bool is_bookmark = event.type == "BOOKMARK";
  // What came before, told again: it must not take the place of what followed it.
  if (!is_bookmark && !version.empty() && !IsNewer(version, version_)) return;
  std::optional<std::pair<ObjectKey, ObjectCache::Entry>> entry;
  if (!is_bookmark) entry = EntryOf(event.object);
  if (entry) {
    const bool changed = event.type == "DELETED"
                             ? cache_.Erase(entry->first)
                             : cache_.Set(entry->first, std::move(entry->second));
    if (changed) handlers_.Notify({entry->first});
  }
  if (!version.empty()) version_ = version;
}

// --- what others see ---

InformerHealth ClusterInformer::health() const {
  const auto objects = static_cast<std::int64_t>(cache_.size());
  const MutexLock lock(mutex_);
  InformerHealth health = health_;
  health.objects = objects;
  return health;
}

bool ClusterInformer::WaitForSync(Duration timeout) const {
  const MutexLock lock(mutex_);
  const SteadyTime end = clock_.SteadyNow() + timeout;
  while (!health_.synced) {
    const auto left = end - clock_.SteadyNow();
    if (left <= SteadyTime::duration(0) || !woken_.WaitFor(mutex_, left)) break;
  }
  return health_.synced;
}

std::unique_ptr<Informer::Handler> ClusterInformer::OnChange(
    std::function<void(const ObjectKey&)> changed) {
  std::shared_ptr<ChangeHandlers::Registration> added;
  std::unique_ptr<Handler> token = handlers_.Add(std::move(changed), &added);
  // It stands among the others already, so that nothing is missed between the two.
  ChangeHandlers::NotifyOne(*added, cache_.Keys());
  return token;
}

}  // namespace

std::unique_ptr<Informer> StartInformer(InformerOptions options, ApiClient& client,
                                        const Clock& clock, IdGenerator& ids) {
  return std::make_unique<ClusterInformer>(std::move(options), client, clock, ids);
}

}  // namespace asyncops::kube
