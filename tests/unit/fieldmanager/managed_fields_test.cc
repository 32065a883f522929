#include "api/fieldmanager/managed_fields.h"

#include <gtest/gtest.h>

#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

ManagerEntry Entry(std::string manager, bool is_applied, std::string time) {
  return {.manager = std::move(manager),
          .is_applied = is_applied,
          .api_version = "test/v1",
          .subresource = "",
          .time = std::move(time),
          .fields = Fields("{'f:spec':{}}")};
}

TEST(ManagedFieldsTest, ComeBackAsTheyWereWritten) {
  ManagerEntry status = Entry("b", false, "2026-11-29T12:00:00Z");
  status.subresource = "status";
  const ManagerEntries entries = {Entry("a", true, "2026-11-29T12:00:00Z"), status};
  const Json list = EncodeManagedFields(entries);
  EXPECT_EQ(EncodeJson(list),
            R"([{"apiVersion":"test/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}},)"
            R"("manager":"a","operation":"Apply","time":"2026-11-29T12:00:00Z"},)"
            R"({"apiVersion":"test/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}},)"
            R"("manager":"b","operation":"Update","subresource":"status",)"
            R"("time":"2026-11-29T12:00:00Z"}])");
  EXPECT_EQ(*DecodeManagedFields(list), entries);
}

TEST(ManagedFieldsTest, NoOwnersAreNull) {
  EXPECT_EQ(EncodeManagedFields({}), Json());
  EXPECT_TRUE(DecodeManagedFields(Json())->empty());
  EXPECT_TRUE(DecodeManagedFields(Value("[]"))->empty());
}

TEST(ManagedFieldsTest, AreSortedAppliersFirstThenByTimeAndName) {
  const Json list = EncodeManagedFields(
      {Entry("d", false, "2026-11-29T12:00:01Z"), Entry("c", false, "2026-11-29T12:00:00Z"),
       Entry("b", false, "2026-11-29T12:00:01Z"), Entry("e", true, "2026-11-29T12:00:09Z"),
       Entry("a", false, "")});
  std::string order;
  for (const Json& entry : list.as_array()) order += entry.StringAt({"manager"});
  EXPECT_EQ(order, "eacbd");
}

TEST(ManagedFieldsTest, RefusesEntriesThatSayTooLittle) {
  struct Row {
    const char* reason;
    const char* list;
  };
  const Row table[] = {
      {"no list", "{}"},
      {"no entry", "[1]"},
      {"no operation", "[{'manager':'a','apiVersion':'v1','fieldsType':'FieldsV1'}]"},
      {"no version", "[{'manager':'a','operation':'Apply','fieldsType':'FieldsV1'}]"},
      {"no format", "[{'manager':'a','operation':'Apply','apiVersion':'v1'}]"},
      {"a set that is none",
       "[{'operation':'Apply','apiVersion':'v1','fieldsType':'FieldsV1','fieldsV1':[]}]"},
  };
  for (const Row& row : table)
    EXPECT_EQ(DecodeManagedFields(Value(row.list)).status().reason(), Reason::kBadRequest)
        << row.reason;
}

TEST(ManagedFieldsTest, RefusesMoreEntriesThanAnybodyHas) {
  JsonArray list;
  for (int i = 0; i < 1021; ++i) {
    list.push_back(Json::Of({{"manager", std::to_string(i)},
                             {"operation", "Apply"},
                             {"apiVersion", "v1"},
                             {"fieldsType", "FieldsV1"}}));
  }
  EXPECT_FALSE(DecodeManagedFields(Json(list)).ok());
  list.pop_back();
  EXPECT_TRUE(DecodeManagedFields(Json(list)).ok());
}

TEST(ManagedFieldsTest, OfTwoEntriesOfOneManagerTheLaterCounts) {
  const Result<ManagerEntries> entries = DecodeManagedFields(
      Value("[{'manager':'a','operation':'Apply','apiVersion':'v1','fieldsType':'FieldsV1',"
            "'fieldsV1':{'f:a':{}}},{'manager':'a','operation':'Apply','apiVersion':'v2',"
            "'fieldsType':'FieldsV1','fieldsV1':{'f:b':{}}}]"));
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(Text(entries->front().fields), "{'f:b':{}}");
}

TEST(ManagedFieldsTest, AManagerIsOnePerOperationSubresourceAndVersionOfUpdates) {
  const ManagerEntry update = Entry("a", false, "");
  ManagerEntry other = update;
  other.api_version = "test/v2";
  EXPECT_FALSE(update.IsSameManager(other));
  other = update;
  other.subresource = "status";
  EXPECT_FALSE(update.IsSameManager(other));
  other = update;
  other.time = "2026-11-29T12:00:00Z";
  EXPECT_TRUE(update.IsSameManager(other));
  EXPECT_FALSE(update.IsSameManager(Entry("a", true, "")));
  ManagerEntry applier = Entry("a", true, "");
  applier.api_version = "test/v2";
  EXPECT_TRUE(applier.IsSameManager(Entry("a", true, "")));
}

TEST(ManagedFieldsTest, CapsUpdatersButNotAppliers) {
  ManagerEntries entries;
  for (int i = 10; i < 22; ++i) {
    const std::string number = std::to_string(i);
    entries.push_back(Entry("u" + number, false, "2026-11-29T12:00:" + number + "Z"));
    entries.back().fields = Fields("{'f:" + number + "':{}}");
    entries.push_back(Entry("a" + number, true, "2026-11-29T12:00:" + number + "Z"));
  }
  CapUpdateManagers(&entries);
  std::size_t updaters = 0;
  for (const ManagerEntry& entry : entries) {
    updaters += entry.is_applied ? 0 : 1;
    if (entry.manager != kAncientChanges) continue;
    EXPECT_EQ(Text(entry.fields), "{'f:10':{},'f:11':{},'f:12':{}}");
    EXPECT_EQ(entry.time, "2026-11-29T12:00:12Z") << "of the newest within";
  }
  EXPECT_EQ(updaters, kMaxUpdateManagers);
  EXPECT_EQ(entries.size(), kMaxUpdateManagers + 12);
}

TEST(ManagedFieldsTest, DecodesOnlyOwnersThatAChangeConcerns) {
  ManagerEntry status = Entry("controller", false, "2026-11-29T12:00:01Z");
  status.fields = Fields("{'f:status':{'f:phase':{}}}");
  ManagerEntry self = Entry("self", false, "2026-11-29T12:00:02Z");
  self.fields = Fields("{'f:metadata':{'f:labels':{}}}");
  ManagerEntry old = Entry("old", false, "2026-11-29T12:00:03Z");
  old.api_version = "test/v0";
  old.fields = Fields("{'f:other':{}}");
  const Json list =
      EncodeManagedFields({Entry("owner", true, "2026-11-29T12:00:00Z"), status, self, old});
  const FieldSet changed = Fields("{'f:status':{'f:other':{}}}");
  JsonArray others;
  const Result<ManagerEntries> concerned = DecodeConcerned(list, self, {&changed}, &others);
  ASSERT_TRUE(concerned.ok());
  const ManagerEntries expected = {status, self, old};
  EXPECT_EQ(*concerned, expected) << "who owns below, the writer, and another version";
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others.front().StringAt({"manager"}), "owner");
  EXPECT_EQ(EncodeManagedFields(*concerned, others), list) << "together they are what they were";
}

TEST(ManagedFieldsTest, DecodesAllWhereTheyMayHaveToBeCapped) {
  ManagerEntries entries;
  for (int i = 0; i < static_cast<int>(kMaxUpdateManagers); ++i)
    entries.push_back(Entry("m" + std::to_string(i), false, ""));
  const FieldSet changed = Fields("{'f:status':{}}");
  JsonArray others;
  const Result<ManagerEntries> all =
      DecodeConcerned(EncodeManagedFields(entries), Entry("x", false, ""), {&changed}, &others);
  EXPECT_EQ(*all, entries);
  EXPECT_TRUE(others.empty());
}

TEST(ManagedFieldsTest, RenewsTheTimeOfAnEntryThatOwnsAllAlone) {
  ManagerEntry self = Entry("self", false, "2026-11-29T12:00:02Z");
  self.subresource = "status";
  self.fields = Fields("{'f:status':{'f:list':{'.':{},'i:0':{}},'f:phase':{}}}");
  ManagerEntry spec = Entry("spec", false, "2026-11-29T12:00:03Z");
  spec.fields = Fields("{'f:spec':{}}");
  ManagerEntry other = Entry("other", false, "2026-11-29T12:00:03Z");
  other.fields = Fields("{'f:status':{'f:more':{}}}");
  ManagerEntry old = spec;
  old.api_version = "test/v0";
  const struct {
    const char* reason;
    ManagerEntries entries;
    const char* written;
    bool renewed;
  } table[] = {
      {"one of its fields", {self, spec}, "{'f:status':{'f:phase':{}}}", true},
      {"all of them", {self, spec}, "{'f:status':{'f:list':{'.':{},'i:0':{}},'f:phase':{}}}", true},
      {"one that it does not own", {self, spec}, "{'f:status':{'f:more':{}}}", false},
      {"one that it owns something below of", {self}, "{'f:status':{'.':{},'f:phase':{}}}", false},
      {"somebody else owns there too", {self, other}, "{'f:status':{'f:phase':{}}}", false},
      {"somebody is of another version", {self, old}, "{'f:status':{'f:phase':{}}}", false},
      {"it owns nothing yet", {spec}, "{'f:status':{'f:phase':{}}}", false},
  };
  for (const auto& row : table) {
    Json list = EncodeManagedFields(row.entries);
    const Json before = list;
    const FieldSet written = Fields(row.written);
    EXPECT_EQ(RenewEntry(self, "2026-11-29T12:00:09Z", {&written}, &list), row.renewed)
        << row.reason;
    ManagerEntries expected = row.entries;
    if (row.renewed) expected.front().time = "2026-11-29T12:00:09Z";
    EXPECT_EQ(list, EncodeManagedFields(expected)) << row.reason;
  }
}

TEST(ManagedFieldsTest, AResetIsOneEmptyEntry) {
  EXPECT_TRUE(IsReset(Value("[{}]")));
  for (const char* text : {"[]", "null", "[{},{}]", "[{'manager':'a'}]", "{}", "[null]"})
    EXPECT_FALSE(IsReset(Value(text))) << text;
}

}  // namespace
}  // namespace asyncops::fieldmanager
