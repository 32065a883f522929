#include "kube/informer.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "kube/object_cache.h"
#include "kube/watch_backoff.h"
#include "tests/support/fake_api_client.h"
#include "tests/support/fake_ids.h"

namespace asyncops::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kThings = "/apis/example.dev/v1/things";

Json Thing(const std::string& name, int x = 0) {
  return Json::Of({{"metadata", Json::Of({{"name", name}, {"namespace", "ns"}})},
                   {"spec", Json::Of({{"x", x}})}});
}

// With a version, as a watch has it.
Json Versioned(const std::string& name, const std::string& version) {
  Json thing = Thing(name);
  thing.ObjectAt("metadata").Set("resourceVersion", version);
  return thing;
}

Json Mark(const std::string& version) {
  return Json::Of({{"metadata", Json::Of({{"resourceVersion", version}})}});
}

Json ListOf(const std::string& version, JsonArray items) {
  return Json::Of({{"kind", "ThingList"},
                   {"apiVersion", "example.dev/v1"},
                   {"metadata", Json::Of({{"resourceVersion", version}})},
                   {"items", std::move(items)}});
}

// The names that a handler was told of.
class Told {
 public:
  std::function<void(const ObjectKey&)> Handler() {
    return [this](const ObjectKey& key) {
      const MutexLock lock(mutex_);
      names_.push_back(key.name);
      changed_.NotifyAll();
    };
  }
  // Whether `name` is told `times` in all before long.
  bool Waits(const std::string& name, int times = 1) {
    const MutexLock lock(mutex_);
    while (std::count(names_.begin(), names_.end(), name) < times) {
      if (!changed_.WaitFor(mutex_, seconds(20))) return false;
    }
    return true;
  }
  std::vector<std::string> Take() {
    const MutexLock lock(mutex_);
    return std::exchange(names_, {});
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> names_ ASYNCOPS_GUARDED_BY(mutex_);
};

class InformerTest : public testing::Test {
 protected:
  // Cancels the client first, or the end of an informer waits for that of its watch.
  struct Ender {
    FakeApiClient* client;
    void operator()(Informer* informer) const {
      client->Cancel();
      delete informer;
    }
  };
  std::unique_ptr<Informer, Ender> Start(InformerOptions options = {.path = kThings}) {
    options.backoff = milliseconds(1);
    options.longest_backoff = milliseconds(20);
    return {StartInformer(std::move(options), client_, clock_, ids_).release(), Ender{&client_}};
  }
  // The query of each list and watch, without what is told elsewhere.
  std::vector<std::string> Queries() const {
    std::vector<std::string> all;
    for (const ApiRequest& request : client_.requests()) {
      const bool watch = QueryOf(request, "watch") == "true";
      all.push_back((watch ? "watch " : "list ") + QueryOf(request, "resourceVersion") +
                    (QueryOf(request, "limit").empty() ? "" : " limit") +
                    (QueryOf(request, "continue").empty() ? "" : " continue"));
    }
    return all;
  }
  // The first `count` queries, once there are so many.
  std::vector<std::string> WaitForQueries(std::size_t count) const {
    const SteadyTime end = clock_.SteadyNow() + seconds(20);
    std::vector<std::string> all;
    while ((all = Queries()).size() < count && clock_.SteadyNow() < end) std::this_thread::yield();
    all.resize(std::min(all.size(), count));
    return all;
  }

  const SystemClock clock_;
  FakeIds ids_;
  FakeApiClient client_;
};

using Texts = std::vector<std::string>;

TEST_F(InformerTest, ListsThenFollowsWhatChanges) {
  client_.Put(kThings, Thing("a"));
  Told told;
  const auto informer = Start();
  const auto token = informer->OnChange(told.Handler());
  ASSERT_TRUE(informer->WaitForSync(seconds(20)));
  EXPECT_TRUE(told.Waits("a"));
  client_.Put(kThings, Thing("b"));
  EXPECT_TRUE(told.Waits("b"));
  EXPECT_EQ(informer->List().size(), 2U);
  client_.Put(kThings, Thing("b", 7));
  EXPECT_TRUE(told.Waits("b", 2));
  const auto held = informer->Get({"ns", "b"});
  EXPECT_EQ(held->IntAt({"spec", "x"}, 0), 7);
  client_.Remove(kThings, "ns", "b");
  EXPECT_TRUE(told.Waits("b", 3));
  EXPECT_EQ(informer->Get({"ns", "b"}), nullptr);
  EXPECT_EQ(held->IntAt({"spec", "x"}, 0), 7) << "what was read stays as it was";
  const InformerHealth health = informer->health();
  EXPECT_TRUE(health.synced && health.last_error.ok());
  EXPECT_EQ(health.objects, 1);
  EXPECT_GT(health.last_contact, SteadyTime());
}

TEST_F(InformerTest, AsksAsTheApiConventionsSay) {
  ids_.SetFraction(0.25);
  client_.Script(ListOf("41", {}));
  const auto informer = Start({.path = kThings, .field_selector = "metadata.name=a b"});
  ASSERT_TRUE(informer->WaitForSync(seconds(20)));
  WaitForQueries(2);
  const std::vector<ApiRequest> requests = client_.requests();
  EXPECT_EQ(requests.at(0).target, std::string(kThings) +
                                       "?limit=500&resourceVersion=0"
                                       "&fieldSelector=metadata.name%3Da%20b");
  EXPECT_EQ(requests.at(1).target,
            std::string(kThings) +
                "?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=41"
                "&fieldSelector=metadata.name%3Da%20b");
  EXPECT_EQ(requests.at(1).timeout, seconds(330)) << "the server's own end comes first";
}

TEST_F(InformerTest, ReadsAListPageByPage) {
  for (int i = 0; i < 1201; ++i) client_.Put(kThings, Thing("t" + std::to_string(i)));
  const auto informer = Start();
  ASSERT_TRUE(informer->WaitForSync(seconds(20)));
  EXPECT_EQ(informer->health().objects, 1201);
  EXPECT_EQ(WaitForQueries(4),
            (Texts{"list 0 limit", "list  limit continue", "list  limit continue", "watch 1202"}));
}

TEST_F(InformerTest, PagesThatExpireAreFollowedByTheWholeList) {
  for (int i = 0; i < 600; ++i) client_.Put(kThings, Thing("t" + std::to_string(i)));
  client_.Handle([this](const ApiRequest& request) -> std::optional<Result<Json>> {
    if (!QueryOf(request, "continue").empty()) client_.Compact();
    return std::nullopt;
  });
  const auto informer = Start();
  ASSERT_TRUE(informer->WaitForSync(seconds(20)));
  EXPECT_EQ(informer->health().objects, 600);
  EXPECT_EQ(WaitForQueries(3), (Texts{"list 0 limit", "list  limit continue", "list "}));
}

TEST_F(InformerTest, NothingIsKnownBeforeTheListIsComplete) {
  client_.SetDown(Status(Reason::kForbidden, "things is forbidden"));
  client_.Put(kThings, Thing("a"));
  const auto informer = Start();
  EXPECT_FALSE(informer->WaitForSync(milliseconds(50)));
  EXPECT_EQ(informer->Get({"ns", "a"}), nullptr);
  EXPECT_FALSE(informer->health().synced);
  EXPECT_EQ(informer->health().last_error.ToString(), "Forbidden: things is forbidden");
  client_.SetDown(Status::Ok());
  EXPECT_TRUE(informer->WaitForSync(seconds(20)));
  EXPECT_NE(informer->Get({"ns", "a"}), nullptr);
}

TEST_F(InformerTest, AServerThatIsAwayLeavesWhatWasKnown) {
  client_.Put(kThings, Thing("a"));
  const auto informer = Start();
  Told told;
  const auto token = informer->OnChange(told.Handler());
  ASSERT_TRUE(informer->WaitForSync(seconds(20)));
  client_.SetDown(Status(Reason::kNotFound, "the server could not find the requested resource"));
  WaitForQueries(6);
  EXPECT_NE(informer->Get({"ns", "a"}), nullptr);
  EXPECT_TRUE(informer->health().synced);
  EXPECT_EQ(informer->health().last_error.reason(), Reason::kNotFound);
  client_.Put(kThings, Thing("b"));
  client_.SetDown(Status::Ok());
  EXPECT_TRUE(told.Waits("b")) << "from the version that it had";
  const Texts queries = Queries();
  EXPECT_EQ(std::count(queries.begin(), queries.end(), "list 0 limit"), 1);
}

TEST_F(InformerTest, AWatchGoesOnFromTheLastVersionAndBookmarksAdvanceIt) {
  client_.Script(ListOf("10", {Versioned("a", "5")}));
  client_.ScriptWatch({{"ADDED", Versioned("b", "12")}}, Status::Ok());
  client_.ScriptWatch({{"BOOKMARK", Mark("20")}}, Status(Reason::kServiceUnavailable, "cut"));
  client_.ScriptWatch({{"DELETED", Versioned("a", "21")}}, Status::Ok());
  const auto informer = Start();
  EXPECT_EQ(WaitForQueries(5),
            (Texts{"list 0 limit", "watch 10", "watch 12", "watch 20", "watch 21"}));
  EXPECT_EQ(informer->Get({"ns", "a"}), nullptr);
  EXPECT_NE(informer->Get({"ns", "b"}), nullptr);
}

TEST_F(InformerTest, AVersionThatIsTooOldLeadsToAList) {
  for (const Reason reason : {Reason::kExpired, Reason::kGone, Reason::kInternalError}) {
    FakeApiClient client;
    client.Script(ListOf("10", {Versioned("a", "5"), Versioned("b", "6"), Versioned("c", "7")}));
    std::atomic<int> watches = 0;
    std::atomic<bool> listens = false;
    client.HandleWatch([&watches, &listens, reason](const ApiRequest&, const auto& event) {
      if (++watches > 1) event({"ADDED", Versioned("z", "31")});
      while (!listens) std::this_thread::yield();
      return std::optional(watches > 1 ? Status::Ok() : Status(reason, "too old"));
    });
    client.Script(ListOf("30", {Versioned("a", "5"), Versioned("b", "29"), Versioned("d", "28")}));
    Told told;
    auto informer =
        StartInformer({.path = kThings, .backoff = milliseconds(100)}, client, clock_, ids_);
    ASSERT_TRUE(informer->WaitForSync(seconds(20)));
    const auto token = informer->OnChange(told.Handler());
    listens = true;
    EXPECT_TRUE(told.Waits("z"));
    Texts names = told.Take();
    names.erase(std::remove(names.begin(), names.end(), "z"), names.end());
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()),
              (std::set<std::string>{"a", "b", "c", "d"}));
    EXPECT_EQ(informer->Get({"ns", "c"}), nullptr) << "it went while we were away";
    EXPECT_EQ(QueryOf(client.requests().at(2), "resourceVersion"), "") << "the latest";
    client.Cancel();
    informer.reset();
  }
}

TEST_F(InformerTest, WhatIsToldAgainChangesNothing) {
  client_.Script(ListOf("10", {Versioned("a", "5")}));
  client_.ScriptWatch({{"MODIFIED", Versioned("a", "11")},
                       {"DELETED", Versioned("a", "12")},
                       {"MODIFIED", Versioned("a", "11")},
                       {"ADDED", Versioned("b", "13")},
                       {"ADDED", Versioned("b", "13")},
                       {"ADDED", Json::Of({{"x", 1}})},
                       {"ADDED", Versioned("z", "14")}},
                      Status::Ok());
  Told told;
  const auto informer = Start();
  ASSERT_TRUE(informer->WaitForSync(seconds(20)));
  WaitForQueries(3);
  EXPECT_EQ(informer->Get({"ns", "a"}), nullptr);
  EXPECT_EQ(informer->List().size(), 2U);
}

TEST_F(InformerTest, ReduceSaysWhatIsKeptAndAListCompletesTypes) {
  client_.Script(ListOf("10", {Versioned("a", "5")}));
  const auto informer =
      Start({.path = kThings, .field_selector = "", .reduce = [](const Json& object) {
               return Json::Of(
                   {{"kind", object.StringAt({"kind"})}, {"v", object.StringAt({"apiVersion"})}});
             }});
  ASSERT_TRUE(informer->WaitForSync(seconds(20)));
  EXPECT_EQ(EncodeJson(*informer->Get({"ns", "a"})), R"({"kind":"Thing","v":"example.dev/v1"})");
}

TEST_F(InformerTest, AnEndedHandlerIsNotCalledAndMayOutliveTheInformer) {
  Told first;
  Told second;
  auto informer = Start();
  ASSERT_TRUE(informer->WaitForSync(seconds(20)));
  auto ended = informer->OnChange(first.Handler());
  const auto kept = informer->OnChange(second.Handler());
  ended.reset();
  client_.Put(kThings, Thing("a"));
  EXPECT_TRUE(second.Waits("a"));
  EXPECT_TRUE(first.Take().empty());
  informer.reset();
}

TEST_F(InformerTest, TheDestructorDoesNotWaitForABackoff) {
  client_.SetDown(Status(Reason::kTooManyRequests, "busy").WithRetryAfter(600));
  auto informer = Start();
  WaitForQueries(1);
  const SteadyTime start = clock_.SteadyNow();
  informer.reset();
  EXPECT_LT(clock_.SteadyNow() - start, seconds(10));
  EXPECT_EQ(client_.requests().size(), 1U) << "it waits as it was asked";
}

TEST(ObjectCacheTest, AReplacementNamesWhatCameChangedOrWent) {
  const auto entry = [](const char* version, const char* uid) {
    return ObjectCache::Entry{version, uid, std::make_shared<const Json>()};
  };
  ObjectCache cache;
  const ObjectCache::Entries first = {{{"n", "a"}, entry("1", "u1")},
                                      {{"n", "b"}, entry("2", "u2")},
                                      {{"n", "c"}, entry("3", "u3")},
                                      {{"n", "e"}, entry("4", "u4")}};
  EXPECT_EQ(cache.Replace(first).size(), 4U);
  const std::vector<ObjectKey> changed = cache.Replace({{{"n", "a"}, entry("1", "u1")},
                                                        {{"n", "b"}, entry("9", "u2")},
                                                        {{"n", "d"}, entry("8", "u5")},
                                                        {{"n", "e"}, entry("4", "u6")}});
  EXPECT_EQ(changed, (std::vector<ObjectKey>{{"n", "b"}, {"n", "d"}, {"n", "e"}, {"n", "c"}}));
}

TEST(WatchBackoffTest, DoublesWithJitterUntilAWatchLives) {
  WatchBackoff backoff(milliseconds(800), seconds(30));
  const Status away(Reason::kServiceUnavailable, "away");
  EXPECT_EQ(backoff.After(away, milliseconds(0), 0.5), milliseconds(800));
  EXPECT_EQ(backoff.After(away, milliseconds(999), 0), milliseconds(800));
  EXPECT_EQ(backoff.After(Status::Ok(), milliseconds(0), 0.75), milliseconds(4000));
  EXPECT_EQ(backoff.After(away, seconds(1), 0.5), milliseconds(0)) << "it lived";
  EXPECT_EQ(backoff.After(away, milliseconds(0), 0.5), milliseconds(800));
  for (int i = 0; i < 20; ++i) static_cast<void>(backoff.After(away, milliseconds(0), 0.5));
  EXPECT_EQ(backoff.After(away, milliseconds(0), 0.99), seconds(30));
  EXPECT_EQ(backoff.After(away, milliseconds(0), 0), seconds(15));
}

TEST(WatchBackoffTest, WaitsAsLongAsTheServerAsks) {
  WatchBackoff backoff(milliseconds(800), seconds(30));
  const Status busy = Status(Reason::kTooManyRequests, "busy").WithRetryAfter(5);
  EXPECT_EQ(backoff.After(busy, milliseconds(0), 0.5), seconds(5));
  EXPECT_EQ(backoff.After(busy, seconds(100), 0.5), seconds(5));
}

}  // namespace
}  // namespace asyncops::kube
