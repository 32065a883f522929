// What is shown from stored summaries is what the object says: lists read summaries, a get of one
// object reads its JSON, and both must agree for every kind and after every kind of write.
#include <gtest/gtest.h>

#include "api/object_summary.h"
#include "base/json_raw.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr std::string_view kMetadataOne =
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
constexpr std::string_view kMetadataList =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

// An object of one kind, and a change of it that shows in its cells or metadata.
struct KindCase {
  std::string kind;
  std::string collection;
  std::string object;
  std::string change;
  std::string status_change;  // "" where the kind has no status
};

std::string EventText() {
  return R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"o"},
      "involvedObject":{"kind":"AsyncResource","name":"v","namespace":"team-a"},
      "reason":"Submitted","message":"It \"runs\".\nTwo lines.","type":"Normal",
      "source":{"component":"asyncops"},"count":2,"eventTime":"2026-01-01T00:00:00.250000Z",
      "firstTimestamp":null,"lastTimestamp":null})";
}

std::vector<KindCase> AllKinds() {
  const std::string annotate = R"({"metadata":{"annotations":{"note":"a \"b\"\n\u0001;,"}}})";
  const std::string ready = R"({"status":{"conditions":[{"type":"Ready","status":"False",
      "reason":"Throttled","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
  return {
      {"Namespace", std::string(kNamespaces), EncodeJson(NamespaceObject("o")), annotate, ready},
      {"Secret", std::string(kSecrets), EncodeJson(SecretObject("o")),
       R"({"data":{"more":"eA=="}})", ""},
      {"Event", At(kNamespaces, "team-a/events"), EventText(), R"({"count":3,"reason":"Done"})",
       ""},
      {"ExternalSystem", std::string(kSystems), EncodeJson(SystemObject("o")), annotate, ready},
      {"AsyncResource", std::string(kResources), EncodeJson(ResourceObject("o")), annotate, ready},
      {"AsyncOperation", std::string(kOperations),
       With(OperationObject("o"), R"({"spec":{"resourceRef":{"name":"data-volume",
           "apiVersion":"asyncops.dev/v1alpha1","kind":"AsyncResource"}}})"),
       annotate, R"({"status":{"phase":"Running","state":"Backoff","operationID":"é 1",
           "retryCount":3,"nextAttemptTime":"2026-01-01T01:00:00Z"}})"},
  };
}

class StoredSummaryTest : public testing::TestWithParam<KindCase> {
 protected:
  // The item named "o" among the rows or items of a list, as its bytes stand.
  std::string ItemOf(const std::string& target, std::string_view accept, const char* member) {
    const ApiResponse list = api.Get(target, {{"Accept", std::string(accept)}});
    EXPECT_EQ(list.status, 200) << list.body;
    for (const std::string_view item : RawItems(RawMember(list.body, member))) {
      if (item.find(R"("name":"o")") != std::string_view::npos) return std::string(item);
    }
    return "";
  }
  std::string TableOfOne() {
    const ApiResponse one = api.Get(object_, {{"Accept", std::string(kTable)}});
    EXPECT_EQ(one.status, 200) << one.body;
    const auto rows = RawItems(RawMember(one.body, "rows"));
    EXPECT_EQ(rows.size(), 1u) << one.body;
    return rows.empty() ? "" : std::string(rows.front());
  }
  void ExpectSummariesAgree(const char* when) {
    const std::string whole = api.Get(object_).body;
    const std::string_view metadata = RawMember(whole, "metadata");
    EXPECT_EQ(ItemOf(collection_, kTable, "rows"), TableOfOne()) << when;
    const std::string partial =
        R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":)" +
        std::string(metadata) + "}";
    EXPECT_EQ(ItemOf(collection_, kMetadataList, "items"), partial) << when;
    EXPECT_EQ(api.Get(object_, {{"Accept", std::string(kMetadataOne)}}).body, partial + "\n")
        << when;
    // With the whole object, both come from the store.
    const std::string row = ItemOf(collection_ + "?includeObject=Object", kTable, "rows");
    EXPECT_EQ(RawMember(row, "cells"), RawMember(TableOfOne(), "cells")) << when;
    EXPECT_EQ(std::string(RawMember(row, "object")) + "\n", whole) << when;
  }
  void Change(const std::string& target, const std::string& patch) {
    const ApiResponse changed = api.Patch(target, patch);
    ASSERT_EQ(changed.status, 200) << changed.body;
  }

  ApiHarness api;
  const std::string collection_ = GetParam().collection;
  const std::string object_ = At(collection_, "o");
};
INSTANTIATE_TEST_SUITE_P(Kinds, StoredSummaryTest, testing::ValuesIn(AllKinds()),
                         [](const auto& kind) { return kind.param.kind; });

TEST_P(StoredSummaryTest, ListsShowWhatTheObjectSaysAfterEachWrite) {
  const ApiResponse made = api.Send("POST", collection_, GetParam().object);
  ASSERT_EQ(made.status, 201) << made.body;
  ExpectSummariesAgree("after the create");
  api.clock().Advance(std::chrono::minutes(7));
  ExpectSummariesAgree("when it is older");
  Change(object_, GetParam().change);
  ExpectSummariesAgree("after an update");
  Change(object_, R"({"metadata":{"finalizers":["example.dev/hold"]}})");
  if (!GetParam().status_change.empty()) Change(object_ + "/status", GetParam().status_change);
  ExpectSummariesAgree("after an update of the status");
  if (GetParam().kind == "Namespace") return;  // is closed at once, in steps of its own
  ASSERT_EQ(api.Send("DELETE", object_).status, 200);
  ExpectSummariesAgree("under deletion");
}

TEST_P(StoredSummaryTest, WatchesShowWhatTheObjectSays) {
  auto watch = api.Watch(collection_ + "?watch=true&fieldSelector=metadata.name%3Do",
                         {{"Accept", std::string(kTable)}});
  ASSERT_TRUE(watch->Available().empty());
  const auto row_of_next = [&watch](std::string_view type) {
    const std::vector<Json> events = watch->Next(1);
    if (events.empty()) return Json();
    EXPECT_EQ(events.front().StringAt({"type"}), type);
    return events.front().FindPath({"object", "rows"})->as_array().front();
  };
  ASSERT_EQ(api.Send("POST", collection_, GetParam().object).status, 201);
  EXPECT_EQ(EncodeJson(row_of_next("ADDED")), TableOfOne());
  Change(object_, GetParam().change);
  const std::string changed = TableOfOne();
  EXPECT_EQ(EncodeJson(row_of_next("MODIFIED")), changed);
  if (GetParam().kind == "Namespace") return;  // is closed before it goes
  ASSERT_EQ(api.Send("DELETE", object_).status, 200);
  const Json deleted = row_of_next("DELETED");
  ASSERT_TRUE(deleted.is_object());
  EXPECT_EQ(EncodeJson(*deleted.Find("cells")), RawMember(changed, "cells"));
  EXPECT_EQ(deleted.StringAt({"object", "metadata", "resourceVersion"}),
            std::to_string(api.store().revision()));
}

TEST_P(StoredSummaryTest, PagesOfThePastShowThePast) {
  ASSERT_EQ(api.Send("POST", collection_, GetParam().object).status, 201);
  const std::string before = TableOfOne();
  const std::string at = std::to_string(api.store().revision());
  Change(object_, GetParam().change);
  EXPECT_EQ(
      ItemOf(collection_ + "?resourceVersionMatch=Exact&resourceVersion=" + at, kTable, "rows"),
      before);
}

TEST_P(StoredSummaryTest, ColumnsOfAnotherVersionAreMadeOfTheObject) {
  ASSERT_EQ(api.Send("POST", collection_, GetParam().object).status, 201);
  storage::ListQuery query;
  const RequestInfo info = ParseRequestInfo(ApiHarness::MakeRequest("GET", collection_, "", {}));
  const ResourceInfo* resource = FindResource(info.group, info.resource);
  ASSERT_NE(resource, nullptr);
  ResourceInfo other = *resource;
  other.columns.pop_back();
  query.resource = resource->GroupResource();
  query.parts = {.json = false, .summary_prefix = SummaryPrefix(other)};
  const Result<storage::ListPage> page = api.store().List(query);
  ASSERT_TRUE(page.ok());
  for (const storage::Record& row : page->rows) {
    EXPECT_EQ(row.summary, "") << row.key.name;
    EXPECT_NE(row.json, "") << row.key.name;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
