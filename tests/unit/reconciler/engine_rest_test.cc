// What waits writes nothing: no status that wakes itself, however long it takes.
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";

kube::Exchange Accepted() { return Answered(202, "", {{"Location", kMonitor}}); }

struct Row {
  const char* name;
  bool key = true;
  const char* more = "";
  std::vector<kube::Exchange> answers = {};
  kube::Exchange then = Accepted();
  std::function<void(EngineWorld*)> change = nullptr;
  Duration settles = seconds(30);  // until nothing new comes any more
};

std::vector<Row> Rows() {
  return {
      {.name = "suspended before it was sent", .more = "  suspend: true\n"},
      {.name = "without its system",
       .change = [](EngineWorld* world) { world->Delete("externalsystems", "cloud"); }},
      {.name = "running"},
      {.name = "running, and saying something else each time that is no news",
       .answers = {Accepted()},
       .then = Answered(202, R"({"requestId":"6c3a","at":"2026-01-01T00:00:00Z"})")},
      {.name = "running and suspended",
       .change =
           [](EngineWorld* world) {
             world->Edit("asyncoperations", "op",
                         [](Json* object) { object->ObjectAt("spec").Set("suspend", true); });
           }},
      {.name = "throttled polls",
       .answers = {Accepted()},
       .then = Answered(429, "", {{"Retry-After", "20"}})},
      {.name = "parked", .key = false, .answers = {Ambiguous()}},
      {.name = "failed", .answers = {Answered(422)}},
      {.name = "succeeded", .answers = {Accepted()}, .then = Answered(200, R"({"id":"v1"})")},
      {.name = "waiting for an hour",
       .more = "  retry: {tiers: [{delay: 12h}]}\n",
       .answers = {NotSent()}},
      {.name = "under deletion and followed",
       .change = [](EngineWorld* world) { world->Delete("asyncoperations", "op"); },
       .settles = minutes(6)},
      {.name = "a cancel that cannot be done",
       .change =
           [](EngineWorld* world) {
             world->Annotate("asyncoperations", "op", "asyncops.dev/cancel-requested-at", "1");
           }},
  };
}

TEST(EngineRestTest, NothingIsWrittenWhileNothingIsNew) {
  for (const Row& row : Rows()) {
    SCOPED_TRACE(row.name);
    EngineWorld world;
    world.Start();
    world.Create(CloudYaml(row.key));
    world.Create(OperationYaml(row.more));
    for (const kube::Exchange& answer : row.answers) world.transport.Script(answer);
    world.transport.Handle(
        [then = row.then](const kube::OutboundRequest& /*request*/) { return then; });
    world.Pass(seconds(5));
    if (row.change) row.change(&world);
    world.Pass(row.settles, seconds(10));
    const storage::Revision revision = world.store->revision();
    const std::size_t history = world.History("op").size();
    world.Pass(hours(3), minutes(5));
    EXPECT_EQ(world.store->revision(), revision);
    EXPECT_EQ(world.History("op").size(), history);
  }
}

TEST(EngineRestTest, AFailingPollWritesWhenItsTierChangesAndNotEachTime) {
  EngineWorld world;
  world.Start();
  world.Create(CloudYaml(true));
  world.Create(OperationYaml());
  world.transport.Script(Accepted());
  int polls = 0;
  world.transport.Handle([&polls](const kube::OutboundRequest& /*request*/) {
    // What differs from one time to the next is no news.
    return Answered(503, "{\"requestId\":\"6c3a0f1e-9a8b-4c7d-8e6f-" +
                             std::to_string(100000000000 + ++polls) + "\"}");
  });
  world.Pass(hours(10), minutes(5));
  EXPECT_GT(polls, 12);
  EXPECT_LE(world.History("op").size(), 6U);
  EXPECT_LE(world.Events("AsyncOperation", "op").size(), 4U);
}

TEST(EngineRestTest, AResourceWhoseSystemFailsForHoursWritesWithItsOperationAlone) {
  EngineWorld world;
  world.Start();
  world.Create(CloudYaml(true));
  world.Create(ResourceYaml("  retry: {tiers: [{delay: 1h}]}\n"));
  world.transport.Handle([](const kube::OutboundRequest& /*request*/) { return NotSent(); });
  world.Pass(seconds(30), seconds(10));
  const storage::Revision revision = world.store->revision();
  world.Pass(minutes(50), minutes(2));
  EXPECT_EQ(world.store->revision(), revision);
}

}  // namespace
}  // namespace asyncops::reconciler
