// The fake is what much of cluster mode is tested against, so that it is tested itself.
#include "tests/support/fake_api_client.h"

#include <gtest/gtest.h>

namespace asyncops::kube {
namespace {

constexpr const char* kThings = "/apis/example.dev/v1/things";
constexpr const char* kThingA = "/apis/example.dev/v1/namespaces/ns/things/a";

Json Thing(const std::string& name, const std::string& namespace_name = "ns") {
  return Json::Of({{"metadata", Json::Of({{"name", name}, {"namespace", namespace_name}})}});
}

ApiRequest With(std::string method, std::string target, std::string body = "") {
  ApiRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  return request;
}

std::string Show(const Result<Json>& result) {
  return result.ok() ? EncodeJson(*result) : result.status().ToString();
}

std::string NamesOf(const Json& list) {
  std::string names;
  for (const Json& item : list.Find("items")->as_array())
    names += std::string(item.StringAt({"metadata", "name"})) + " ";
  return names;
}

TEST(FakeApiClientTest, CreatesReadsAndDeletesAsTheApiDoes) {
  FakeApiClient client;
  const std::string collection = "/apis/example.dev/v1/namespaces/ns/things";
  const Json created =
      *client.Call(With("POST", collection, R"({"metadata":{"name":"a"},"spec":{"x":1}})"));
  EXPECT_EQ(created.StringAt({"metadata", "namespace"}), "ns");
  EXPECT_EQ(created.IntAt({"metadata", "generation"}, 0), 1);
  EXPECT_EQ(Show(client.Call(With("GET", kThingA))), EncodeJson(created));
  EXPECT_EQ(Show(client.Call(With("POST", collection, R"({"metadata":{"name":"a"}})"))),
            "AlreadyExists: things.example.dev \"a\" already exists");
  EXPECT_TRUE(client.Call(With("DELETE", kThingA)).ok());
  EXPECT_EQ(Show(client.Call(With("GET", kThingA))),
            "NotFound: things.example.dev \"a\" not found");
}

TEST(FakeApiClientTest, UpdatesCompareVersionsAndKeepStatusApart) {
  FakeApiClient client;
  const Json first = client.Put(kThings, Thing("a"));
  ApiRequest patch = With("PATCH", std::string(kThingA) + "/status",
                          R"({"metadata":{"labels":{"l":"1"}},"status":{"phase":"Ready"}})");
  patch.content_type = "application/merge-patch+json";
  const Json second = *client.Call(patch);
  EXPECT_EQ(second.StringAt({"status", "phase"}), "Ready");
  EXPECT_EQ(second.FindPath({"metadata", "labels"}), nullptr) << "status alone";
  EXPECT_EQ(client.Call(With("PUT", kThingA, EncodeJson(first))).status().reason(),
            Reason::kConflict);
  Json third = second;
  third.Set("status", Json::Of({{"phase", "Other"}}));
  third.Set("spec", Json::Of({{"x", 2}}));
  const Json stored = *client.Call(With("PUT", kThingA, EncodeJson(third)));
  EXPECT_EQ(stored.StringAt({"status", "phase"}), "Ready") << "all but status";
  EXPECT_EQ(stored.IntAt({"spec", "x"}, 0), 2);
}

TEST(FakeApiClientTest, AFinalizerHoldsWhatIsDeleted) {
  FakeApiClient client;
  Json held = Thing("a");
  held.ObjectAt("metadata").Set("finalizers", JsonArray{"x/y"});
  client.Put(kThings, held);
  EXPECT_TRUE(client.Call(With("DELETE", kThingA)).ok());
  Json marked = *client.Find(kThings, "ns", "a");
  EXPECT_NE(marked.FindPath({"metadata", "deletionTimestamp"}), nullptr);
  marked.ObjectAt("metadata").Erase("finalizers");
  EXPECT_TRUE(client.Call(With("PUT", kThingA, EncodeJson(marked))).ok());
  EXPECT_FALSE(client.Find(kThings, "ns", "a").has_value());
}

TEST(FakeApiClientTest, ListsInPagesAndBySelector) {
  FakeApiClient client;
  for (const char* name : {"a", "b", "c"}) client.Put(kThings, Thing(name));
  client.Put(kThings, Thing("d", "other"));
  const Json page = *client.Call(With("GET", std::string(kThings) + "?limit=3"));
  EXPECT_EQ(NamesOf(page), "a b c ");
  const std::string token(page.StringAt({"metadata", "continue"}));
  const ApiRequest next = With("GET", std::string(kThings) + "?limit=3&continue=" + token);
  EXPECT_EQ(NamesOf(*client.Call(next)), "d ");
  EXPECT_EQ(
      NamesOf(*client.Call(With("GET", std::string(kThings) + "?fieldSelector=metadata.name%3Db"))),
      "b ");
  client.Compact();
  EXPECT_EQ(client.Call(next).status().reason(), Reason::kExpired);
}

TEST(FakeApiClientTest, AWatchTellsWhatComesUntilItIsEnded) {
  FakeApiClient client;
  client.Put(kThings, Thing("a"));
  std::string told;
  const auto event = [&client, &told](const WatchEvent& got) {
    told += got.type + " " + std::string(got.object.StringAt({"metadata", "name"})) + "; ";
    if (got.type == "ADDED") client.Remove(kThings, "ns", "a");
    if (got.type == "DELETED") client.Bookmark(kThings);
    if (got.type == "BOOKMARK") client.EndWatches(Status(Reason::kExpired, "too old"));
    return true;
  };
  const Status end = client.Watch(With("GET", std::string(kThings) + "?resourceVersion=1"), event);
  EXPECT_EQ(told, "ADDED a; DELETED a; BOOKMARK ; ");
  EXPECT_EQ(end.reason(), Reason::kExpired);
  client.Compact();
  EXPECT_EQ(client.Watch(With("GET", std::string(kThings) + "?resourceVersion=2"), event).reason(),
            Reason::kExpired);
}

TEST(FakeApiClientTest, TheScriptComesFirstThenTheHandlerThenTheObjects) {
  FakeApiClient client;
  client.Put(kThings, Thing("a"));
  client.Script(Status(Reason::kTimeout, "scripted"));
  client.Handle([](const ApiRequest& request) -> std::optional<Result<Json>> {
    if (request.method != "POST") return std::nullopt;
    return Json::Of({{"handled", true}});
  });
  EXPECT_EQ(Show(client.Call(With("GET", kThingA))), "Timeout: scripted");
  EXPECT_EQ(Show(client.Call(With("POST", kThingA))), R"({"handled":true})");
  EXPECT_TRUE(client.Call(With("GET", kThingA)).ok());
  client.Cancel();
  EXPECT_EQ(client.Call(With("GET", kThingA)).status().reason(), Reason::kServiceUnavailable);
}

}  // namespace
}  // namespace asyncops::kube
