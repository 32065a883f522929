#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// "TYPE name" of each event.
std::vector<std::string> Summary(const std::vector<Json>& events) {
  std::vector<std::string> out;
  for (const Json& event : events) {
    out.push_back(std::string(event.StringAt({"type"})) + " " +
                  std::string(event.StringAt({"object", "metadata", "name"})));
  }
  return out;
}

struct WatchTest : testing::Test {
  void Create(std::string_view name, std::string_view patch = "{}") {
    const ApiResponse made = api.Send("POST", kSecrets, With(SecretObject(name), patch));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  void Label(std::string_view name, std::string_view value) {
    const std::string patch = R"({"metadata":{"labels":{"tier":")" + std::string(value) + R"("}}})";
    ASSERT_EQ(api.Patch(At(kSecrets, name), patch).status, 200);
  }
  std::unique_ptr<WatchStream> Watch(std::string_view query = "",
                                     const std::vector<ApiHeader>& headers = {}) {
    return api.Watch(std::string(kSecrets) + "?watch=true" + std::string(query), headers);
  }
  ApiHarness api;
};

TEST_F(WatchTest, BeginsWithWhatIsThereAndGoesOn) {
  Create("a");
  for (const std::string_view query : {"", "&resourceVersion=0"}) {
    auto watch = Watch(query);
    EXPECT_EQ(watch->status(), 200);
    EXPECT_EQ(watch->headers().Get("Content-Type"), "application/json");
    const std::vector<Json> present = watch->Next(1);
    EXPECT_THAT(Summary(present), ElementsAre("ADDED a"));
    EXPECT_EQ(*present.front().Find("object"), api.Get(At(kSecrets, "a")).json());
  }
  auto watch = Watch();
  ASSERT_EQ(watch->Next(1).size(), 1u);
  Create("b");
  Label("b", "gold");
  ASSERT_EQ(api.Send("DELETE", At(kSecrets, "b")).status, 200);
  const std::vector<Json> changes = watch->Next(3);
  EXPECT_THAT(Summary(changes), ElementsAre("ADDED b", "MODIFIED b", "DELETED b"));
  // The last state, at the deletion's revision.
  EXPECT_EQ(changes.back().StringAt({"object", "metadata", "labels", "tier"}), "gold");
  EXPECT_EQ(changes.back().StringAt({"object", "metadata", "resourceVersion"}),
            std::to_string(api.store().revision()));
  EXPECT_THAT(watch->Available(), IsEmpty());
}

TEST_F(WatchTest, FromAVersionShowsWhatCameAfterIt) {
  Create("a");
  const std::string version = api.Get(kSecrets).Text({"metadata", "resourceVersion"});
  Create("b");
  auto watch = Watch("&resourceVersion=" + version);
  EXPECT_THAT(Summary(watch->Next(1)), ElementsAre("ADDED b"));
  EXPECT_THAT(watch->Available(), IsEmpty());
}

TEST_F(WatchTest, EnteringAndLeavingASelectorAreAdditionsAndDeletions) {
  Create("a");
  auto watch = Watch("&labelSelector=tier%3Dgold");
  EXPECT_THAT(watch->Available(), IsEmpty());
  Label("a", "tin");
  Label("a", "gold");
  Label("a", "lead");
  Label("a", "gold");
  ASSERT_EQ(api.Send("DELETE", At(kSecrets, "a")).status, 200);
  const std::vector<Json> events = watch->Next(4);
  EXPECT_THAT(Summary(events), ElementsAre("ADDED a", "DELETED a", "ADDED a", "DELETED a"));
}

TEST_F(WatchTest, EnteringAndLeavingARangeOfTimeAreAdditionsAndDeletions) {
  const auto complete = [this](std::string_view time) {
    const std::string value = time.empty() ? "null" : "\"" + std::string(time) + "\"";
    ASSERT_EQ(
        api.Patch(At(kOperations, "o/status"), R"({"status":{"completionTime":)" + value + "}}")
            .status,
        200);
  };
  ASSERT_EQ(api.Send("POST", kOperations, EncodeJson(OperationObject("o"))).status, 201);
  auto watch = api.Watch(std::string(kOperations) +
                         "?watch=true&completedAfter=2026-11-28T00:00:00Z"
                         "&completedBefore=2026-11-29T00:00:00Z");
  EXPECT_THAT(watch->Available(), IsEmpty()) << "what is not over is in no range";
  for (const std::string_view time :
       {"2026-11-27T23:59:59Z", "2026-11-28T00:00:00Z", "2026-11-28T12:00:00Z",
        "2026-11-29T00:00:00Z", "2026-11-28T23:59:59Z", ""}) {
    complete(time);
  }
  const std::vector<Json> events = watch->Next(5);
  EXPECT_THAT(Summary(events),
              ElementsAre("ADDED o", "MODIFIED o", "DELETED o", "ADDED o", "DELETED o"));
  EXPECT_EQ(events[2].StringAt({"object", "status", "completionTime"}), "2026-11-29T00:00:00Z");
}

TEST_F(WatchTest, ARangeOfCreationHoldsForAsLongAsTheObjectDoes) {
  const std::string now = "2026-01-01T00:00:00Z";
  auto in = api.Watch(std::string(kOperations) + "?watch=true&createdAfter=" + now);
  auto out = api.Watch(std::string(kOperations) + "?watch=true&createdBefore=" + now);
  EXPECT_THAT(in->Available(), IsEmpty());
  EXPECT_THAT(out->Available(), IsEmpty());
  ASSERT_EQ(api.Send("POST", kOperations, EncodeJson(OperationObject("o"))).status, 201);
  ASSERT_EQ(api.Patch(At(kOperations, "o"), R"({"metadata":{"labels":{"a":"b"}}})").status, 200);
  ASSERT_EQ(api.Send("DELETE", At(kOperations, "o")).status, 200);
  EXPECT_THAT(Summary(in->Next(3)), ElementsAre("ADDED o", "MODIFIED o", "DELETED o"));
  EXPECT_THAT(out->Available(), IsEmpty());
}

TEST_F(WatchTest, OfOneByItsName) {
  Create("a");
  auto watch = Watch("&fieldSelector=metadata.name%3Da&resourceVersion=0");
  EXPECT_THAT(Summary(watch->Next(1)), ElementsAre("ADDED a"));
  Create("b");
  Label("a", "gold");
  EXPECT_THAT(Summary(watch->Next(1)), ElementsAre("MODIFIED a"));
}

TEST_F(WatchTest, SeesItsNamespaceAlone) {
  auto team = Watch();
  auto all = api.Watch("/api/v1/secrets?watch=1");
  ASSERT_EQ(
      api.Send("POST", "/api/v1/namespaces/default/secrets", EncodeJson(SecretObject("d"))).status,
      201);
  Create("a");
  EXPECT_THAT(Summary(all->Next(2)), ElementsAre("ADDED d", "ADDED a"));
  EXPECT_THAT(Summary(team->Next(1)), ElementsAre("ADDED a"));
}

TEST_F(WatchTest, EndsCleanlyAtItsTime) {
  auto watch = Watch("&timeoutSeconds=30");
  EXPECT_THAT(watch->Available(), IsEmpty());
  EXPECT_EQ(*watch->source().WakeAt(), api.clock().SteadyNow() + seconds(30));
  api.clock().Advance(seconds(29));
  watch->Available();
  EXPECT_FALSE(watch->ended());
  api.clock().Advance(seconds(1));
  EXPECT_THAT(watch->Available(), IsEmpty());
  EXPECT_TRUE(watch->ended());
}

TEST_F(WatchTest, WithoutATimeEndsAfterHalfAnHourToAnHour) {
  api.ids().SetFraction(0.5);
  EXPECT_EQ(*Watch()->source().WakeAt(), api.clock().SteadyNow() + seconds(2700));
  EXPECT_EQ(*Watch("&timeoutSeconds=0")->source().WakeAt(),
            api.clock().SteadyNow() + seconds(2700));
  // What would overflow a clock is cut to a year.
  EXPECT_EQ(*Watch("&timeoutSeconds=9223372036854775807")->source().WakeAt(),
            api.clock().SteadyNow() + seconds(365 * 24 * 3600));
}

TEST_F(WatchTest, BookmarksComeEachMinuteAndBeforeTheEndWhereAllowed) {
  auto watch = Watch("&allowWatchBookmarks=true&timeoutSeconds=150");
  EXPECT_THAT(watch->Available(), IsEmpty());
  const SteadyTime start = api.clock().SteadyNow();
  std::vector<long> at;
  std::vector<Json> last;
  for (int i = 0; i < 149; ++i) {
    api.clock().Advance(seconds(1));
    const std::vector<Json> events = watch->Available();
    if (events.empty()) continue;
    at.push_back(static_cast<long>((api.clock().SteadyNow() - start) / seconds(1)));
    last = events;
  }
  EXPECT_THAT(at, ElementsAre(60, 120, 148));
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(EncodeJson(last.front()),
            R"({"object":{"apiVersion":"v1","kind":"Secret","metadata":{"resourceVersion":"3"}},)"
            R"("type":"BOOKMARK"})");
  auto silent = Watch("&timeoutSeconds=150");
  api.clock().Advance(seconds(149));
  EXPECT_THAT(silent->Available(), IsEmpty());
}

TEST_F(WatchTest, AVersionThatIsCompactedAwayIsAnErrorInTheStream) {
  Create("a");
  // More than the ring of recent changes holds in memory.
  api.Insert("", "secrets", ManySecrets(1100));
  std::vector<Json> events;
  for (int i = 0; i < 50 && events.empty(); ++i) {
    api.clock().Advance(std::chrono::minutes(6));
    Label("a", std::to_string(i));
    auto watch = Watch("&resourceVersion=1");
    EXPECT_EQ(watch->status(), 200);
    events = watch->Available();
    EXPECT_EQ(watch->ended(), events.front().StringAt({"type"}) == "ERROR");
    if (!watch->ended()) events.clear();
  }
  ASSERT_EQ(events.size(), 1u);
  const Json& status = *events.front().Find("object");
  EXPECT_EQ(status.StringAt({"kind"}), "Status");
  EXPECT_EQ(status.StringAt({"reason"}), "Expired");
  EXPECT_EQ(status.IntAt({"code"}, 0), 410);
  EXPECT_THAT(std::string(status.StringAt({"message"})),
              testing::MatchesRegex("too old resource version: 1 \\([0-9]+\\)"));
}

TEST_F(WatchTest, AVersionThatIsToComeIsRefused) {
  const ApiResponse refused = api.Get(std::string(kSecrets) + "?watch=1&resourceVersion=99");
  EXPECT_EQ(refused.status, 504);
  EXPECT_EQ(refused.Text({"message"}), "Timeout: Too large resource version: 99, current: 3");
}

constexpr const char* kStreamed =
    "&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";

TEST_F(WatchTest, AStreamedListEndsWithABookmarkThatSaysSo) {
  Create("a");
  Create("b");
  for (const std::string version : {"", "&resourceVersion=0", "&resourceVersion=4"}) {
    auto watch = Watch(kStreamed + version);
    std::vector<Json> events = watch->Next(3);
    const Json end = std::move(events.back());
    events.pop_back();
    EXPECT_THAT(Summary(events), ElementsAre("ADDED a", "ADDED b")) << version;
    EXPECT_EQ(EncodeJson(end),
              R"({"object":{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":)"
              R"({"k8s.io/initial-events-end":"true"},"resourceVersion":"5"}},"type":"BOOKMARK"})")
        << version;
    EXPECT_THAT(watch->Available(), IsEmpty());
  }
}

TEST_F(WatchTest, AStreamedListGoesOnWithWhatChanges) {
  auto watch = Watch(kStreamed);
  EXPECT_EQ(watch->Next(1).front().StringAt({"type"}), "BOOKMARK");
  Create("a");
  EXPECT_THAT(Summary(watch->Next(1)), ElementsAre("ADDED a"));
}

TEST_F(WatchTest, AStreamedListWithoutBookmarksHasNone) {
  Create("a");
  auto watch = Watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  EXPECT_THAT(Summary(watch->Available()), ElementsAre("ADDED a"));
}

TEST_F(WatchTest, WithoutInitialEventsOnlyChangesCome) {
  Create("a");
  for (const char* version : {"", "&resourceVersion=0"}) {
    auto watch =
        Watch(std::string("&sendInitialEvents=false&resourceVersionMatch=NotOlderThan") + version);
    EXPECT_THAT(watch->Available(), IsEmpty());
    Label("a", *version == 0 ? "gold" : "tin");
    EXPECT_THAT(Summary(watch->Next(1)), ElementsAre("MODIFIED a"));
  }
}

TEST_F(WatchTest, InitialEventsAndTheMatchBelongTogether) {
  const std::string watch = std::string(kSecrets) + "?watch=1";
  const std::string prefix = "ListOptions.meta.k8s.io \"\" is invalid: ";
  const ApiResponse alone = api.Get(watch + "&sendInitialEvents=true");
  EXPECT_EQ(alone.status, 422);
  EXPECT_EQ(alone.Text({"message"}),
            prefix +
                "resourceVersionMatch: Forbidden: sendInitialEvents requires setting "
                "resourceVersionMatch to NotOlderThan");
  const ApiResponse exact =
      api.Get(watch + "&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=3");
  EXPECT_EQ(exact.Text({"message"}), alone.Text({"message"}));
  const ApiResponse match = api.Get(watch + "&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(match.status, 422);
  EXPECT_EQ(match.Text({"message"}),
            prefix +
                "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch "
                "unless sendInitialEvents is provided");
}

TEST_F(WatchTest, AStreamedListIsNoTable) {
  const std::string path = std::string(kSecrets) + "?watch=1" + kStreamed;
  EXPECT_EQ(api.Get(path, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}).status,
            406);
}

TEST_F(WatchTest, ATableHasItsColumnsInTheFirstEventAlone) {
  Create("a");
  auto watch = Watch("", {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  std::vector<Json> events = watch->Next(1);
  Label("a", "gold");
  for (Json& event : watch->Next(1)) events.push_back(std::move(event));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].FindPath({"object", "columnDefinitions"})->as_array().size(), 4u);
  EXPECT_EQ(events[1].FindPath({"object", "columnDefinitions"})->as_array().size(), 0u);
  for (const Json& event : events) {
    EXPECT_EQ(event.StringAt({"object", "kind"}), "Table");
    const Json& row = event.FindPath({"object", "rows"})->as_array().front();
    EXPECT_EQ(EncodeJson(*row.Find("cells")), R"(["a","Opaque",1,"0s"])");
    EXPECT_EQ(event.StringAt({"object", "metadata", "resourceVersion"}),
              row.StringAt({"object", "metadata", "resourceVersion"}));
  }
}

TEST_F(WatchTest, OfMetadataAlone) {
  Create("a");
  auto watch = Watch("&allowWatchBookmarks=1",
                     {{"Accept",
                       "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;"
                       "g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;"
                       "g=meta.k8s.io;v=v1,application/json"}});
  const Json event = watch->Next(1).front();
  EXPECT_EQ(event.StringAt({"object", "kind"}), "PartialObjectMetadata");
  EXPECT_EQ(event.StringAt({"object", "metadata", "name"}), "a");
  EXPECT_EQ(event.FindPath({"object", "data"}), nullptr);
}

TEST_F(WatchTest, EndsWhenTheServerStops) {
  auto watch = Watch();
  EXPECT_THAT(watch->Available(), IsEmpty());
  watch->source().Stop();
  EXPECT_THAT(watch->Available(), IsEmpty());
  EXPECT_TRUE(watch->ended());
}

TEST_F(WatchTest, ASlowWatcherMissesNothing) {
  Create("a");
  auto watch = Watch();
  ASSERT_EQ(watch->Next(1).size(), 1u);
  for (int i = 0; i < 1200; ++i) Label("a", std::to_string(i));
  const std::vector<Json> events = watch->Next(1200);
  ASSERT_EQ(events.size(), 1200u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].StringAt({"object", "metadata", "labels", "tier"}), std::to_string(i));
  }
}

TEST_F(WatchTest, RefusesWhatItCannotMean) {
  const std::string watch = std::string(kSecrets) + "?watch=1";
  EXPECT_EQ(api.Get(watch + "&timeoutSeconds=x").status, 400);
  EXPECT_EQ(api.Get(watch + "&fieldSelector=bogus%3D1").status, 400);
  EXPECT_EQ(api.Get(watch + "&labelSelector=a%20in").status, 400);
  EXPECT_EQ(api.Get(watch, {{"Accept", "text/html"}}).status, 406);
}

}  // namespace
}  // namespace asyncops::apiserver
