// An informer below objects that come and go and a connection that fails in every way it can: what
// it holds in the end is what the server holds.
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>

#include "base/mutex.h"
#include "kube/informer.h"
#include "tests/support/fake_api_client.h"
#include "tests/support/fake_ids.h"

namespace asyncops::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kFaults = 40;
constexpr const char* kThings = "/apis/example.dev/v1/things";

// Loses events and then the connection, tells events twice, cuts watches, and refuses lists.
class FaultyClient final : public ApiClient {
 public:
  FaultyClient(FakeApiClient& server, unsigned seed) : server_(server), random_(seed) {}

  Result<Json> Call(const ApiRequest& request) override {
    if (Happens(8)) return Status(Reason::kTimeout, "a fault");
    if (Happens(20)) return Status(Reason::kExpired, "a fault");
    return server_.Call(request);
  }
  Status Watch(const ApiRequest& request, const std::function<bool(WatchEvent)>& event) override {
    Status fault;
    const Status end = server_.Watch(request, [this, &event, &fault](const WatchEvent& got) {
      fault = Fault();
      if (!fault.ok()) return false;
      return event(got) && (!Happens(4) || event(got));
    });
    return fault.ok() ? end : fault;
  }
  void Cancel() override { server_.Cancel(); }

  void Heal() ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    healed_ = true;
  }
  int faults() const ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return faults_;
  }

 private:
  // Once in so many times.
  bool Happens(unsigned in) ASYNCOPS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (healed_ || random_() % in != 0) return false;
    ++faults_;
    return true;
  }
  Status Fault() {
    if (Happens(6)) return {Reason::kServiceUnavailable, "cut, and the event is lost"};
    if (Happens(40)) return {Reason::kExpired, "too old"};
    return Status::Ok();
  }

  FakeApiClient& server_;
  mutable Mutex mutex_;
  std::mt19937 random_ ASYNCOPS_GUARDED_BY(mutex_);
  bool healed_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  int faults_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
};

// What somebody knows who only looks at what he was told of.
class Mirror {
 public:
  void Look(const Informer& informer, const ObjectKey& key) {
    const auto object = informer.Get(key);
    const MutexLock lock(mutex_);
    if (object == nullptr) {
      versions_.erase(key.name);
    } else {
      versions_[key.name] = object->StringAt({"metadata", "resourceVersion"});
    }
  }
  std::map<std::string, std::string> versions() const {
    const MutexLock lock(mutex_);
    return versions_;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string> versions_ ASYNCOPS_GUARDED_BY(mutex_);
};

std::map<std::string, std::string> VersionsOf(const std::vector<Json>& objects) {
  std::map<std::string, std::string> versions;
  for (const Json& object : objects) {
    versions[std::string(object.StringAt({"metadata", "name"}))] =
        object.StringAt({"metadata", "resourceVersion"});
  }
  return versions;
}

void Churn(FakeApiClient& server, std::mt19937& random) {
  const std::string name = "t" + std::to_string(random() % 40);
  switch (random() % 12) {
    case 0:
    case 1:
    case 2: server.Remove(kThings, "", name); return;
    case 3: server.Bookmark(kThings); return;
    case 4:
      if (random() % 8 == 0) server.Compact();
      return;
    case 5:
      if (random() % 4 == 0) server.EndWatches();
      return;
    default: server.Put(kThings, Json::Of({{"metadata", Json::Of({{"name", name}})}}));
  }
}

class InformerSoakTest : public testing::TestWithParam<unsigned> {};

TEST_P(InformerSoakTest, EndsAtTheTruthOfTheServer) {
  const SystemClock clock;
  FakeIds ids;
  FakeApiClient server;
  FaultyClient client(server, GetParam());
  std::mt19937 random(GetParam() + 1000);
  Mirror mirror;
  InformerOptions options{.path = kThings};
  options.backoff = options.longest_backoff = milliseconds(1);
  auto informer = StartInformer(std::move(options), client, clock, ids);
  auto token = informer->OnChange(
      [&mirror, &informer](const ObjectKey& key) { mirror.Look(*informer, key); });
  // However fast the machine is, the informer has to get through so many faults.
  for (int step = 0; step < 4000 || client.faults() < kFaults; ++step) {
    Churn(server, random);
    if (step % 4 == 0) std::this_thread::yield();
  }
  client.Heal();
  server.Put(kThings, Json::Of({{"metadata", Json::Of({{"name", "last"}})}}));
  const auto truth = VersionsOf(server.Objects(kThings));
  const SteadyTime end = clock.SteadyNow() + seconds(20);
  while (mirror.versions() != truth && clock.SteadyNow() < end) std::this_thread::yield();
  EXPECT_EQ(mirror.versions(), truth);
  std::vector<Json> held;
  for (const auto& object : informer->List()) held.push_back(*object);
  EXPECT_EQ(VersionsOf(held), truth);
  client.Cancel();
  token.reset();
  informer.reset();
}

INSTANTIATE_TEST_SUITE_P(Seeds, InformerSoakTest, testing::Range(1u, 9u));

}  // namespace
}  // namespace asyncops::kube
