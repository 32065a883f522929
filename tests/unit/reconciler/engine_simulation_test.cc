// Many random lives of one resource: lost requests, lost answers, refusals, deaths of the process.
// Whatever happens, one thing is made, and in the end it is Ready, and then gone.
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

constexpr const char* kMonitor = "http://cloud.example/v1/operations/1";

// Honours keys, and fails in all the ways that a network and a service do.
class UnreliableCloud {
 public:
  explicit UnreliableCloud(unsigned seed) : random_(seed) {}

  kube::Exchange Serve(const kube::OutboundRequest& request) {
    switch (calm_ ? 99 : Draw(10)) {
      case 0: return NotSent();
      case 1: return Ambiguous("lost on its way there");
      case 2: return Answered(429, "", {{"Retry-After", "3"}});
      case 3: return Answered(503);
      case 4: Act(request); return Ambiguous("lost on its way back");
      case 5: Act(request); return Answered(500);
      default: return Act(request);
    }
  }
  void CalmDown() { calm_ = true; }
  int Draw(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }
  std::size_t made() const { return keys_.size(); }
  bool deleted() const { return deleted_; }

 private:
  kube::Exchange Act(const kube::OutboundRequest& request) {
    if (request.method == "GET")
      return Draw(2) == 0 ? Answered(202) : Answered(200, R"({"id":"v1"})");
    if (request.method == "DELETE") {
      deleted_ = true;
    } else {
      keys_.insert(HeaderOf(request, "Idempotency-Key"));
    }
    return Answered(202, "", {{"Location", kMonitor}});
  }

  std::mt19937 random_;
  std::set<std::string> keys_;
  bool calm_ = false;
  bool deleted_ = false;
};

void Live(unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  EngineWorld world;
  UnreliableCloud cloud(seed);
  world.transport.Handle(
      [&cloud](const kube::OutboundRequest& request) { return cloud.Serve(request); });
  world.Start();
  world.Create(CloudYaml(true));
  world.Create(ResourceYaml());
  const auto spend = [&world, &cloud](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      world.Pass(std::chrono::seconds(1 + cloud.Draw(40)), std::chrono::seconds(20));
      if (cloud.Draw(4) != 0) continue;
      world.Crash();
      world.Start();
    }
  };
  spend(15);
  cloud.CalmDown();
  world.Pass(std::chrono::hours(3), std::chrono::minutes(5));
  EXPECT_EQ(world.Resource("vol").phase, "Ready");
  EXPECT_EQ(cloud.made(), 1U);
  EXPECT_EQ(world.Operations().size(), 1U);
  world.Delete("asyncresources", "vol");
  spend(3);
  world.Pass(std::chrono::hours(3), std::chrono::minutes(5));
  EXPECT_FALSE(world.Exists("asyncresources", "vol"));
  EXPECT_TRUE(cloud.deleted());
  EXPECT_TRUE(world.Operations().empty());
  EXPECT_TRUE(world.store->engine().Outbox(10)->empty());
}

TEST(EngineSimulationTest, MakesOneThingWhateverHappens) {
  for (unsigned seed = 1; seed <= 4; ++seed) Live(seed);
}

}  // namespace
}  // namespace asyncops::reconciler
