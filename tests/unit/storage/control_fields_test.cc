#include "storage/control_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "api/meta/deletion.h"
#include "api/operations/v1alpha1/async_operation.h"

namespace asyncops::storage {
namespace {

const ResourceInfo& Named(std::string_view plural) { return *FindResource("", plural); }

EncodedPairs FieldsOf(std::string_view plural, std::string_view metadata) {
  const Result<Json> object = ParseJson("{\"metadata\":" + std::string(metadata) + "}");
  EXPECT_TRUE(object.ok()) << metadata;
  Fields fields;
  AddControlFields(Named(plural), *object, &fields);
  return EncodedPairs(fields);
}

// Whether an equality of the selector stands among the fields.
bool Finds(const FieldSelector& selector, const EncodedPairs& fields) {
  const FieldRequirement& wanted = selector.requirements.front();
  return wanted.equal && FindPair(fields.text(), wanted.field) == wanted.value;
}

TEST(ControlFieldsTest, OwnersAreFoundByAllThatTheirDependentsSay) {
  const EncodedPairs fields = FieldsOf("secrets", R"({"ownerReferences":[
      {"apiVersion":"v1","kind":"Secret","name":"a","uid":"u1"},
      {"apiVersion":"a.example/v1","kind":"Thing","name":"b.c","uid":"u2","controller":true}]})");
  const OwnerName first{.api_version = "v1", .kind = "Secret", .name = "a", .uid = "u1"};
  const OwnerName second{
      .api_version = "a.example/v1", .kind = "Thing", .name = "b.c", .uid = "u2"};
  EXPECT_THAT(OwnersOf(fields), testing::ElementsAre(first, second));
  EXPECT_TRUE(Finds(OwnedBy(first), fields));
  EXPECT_TRUE(Finds(OwnedBy(second), fields));
  OwnerName other = first;
  other.uid = "u3";
  EXPECT_FALSE(Finds(OwnedBy(other), fields));
  other = first;
  other.name = "b";
  EXPECT_FALSE(Finds(OwnedBy(other), fields));
}

TEST(ControlFieldsTest, FinalizersCountUnderDeletionOnly) {
  const EncodedPairs alive = FieldsOf("secrets", R"({"finalizers":["orphan"]})");
  EXPECT_FALSE(IsHeldBy(alive, kOrphanFinalizer));
  const EncodedPairs dying = FieldsOf(
      "secrets", R"({"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["orphan","x"]})");
  EXPECT_TRUE(IsHeldBy(dying, kOrphanFinalizer));
  EXPECT_FALSE(IsHeldBy(dying, kForegroundFinalizer));
}

TEST(ControlFieldsTest, EventsAreFoundByTheirMinute) {
  const std::string_view metadata = R"({"creationTimestamp":"2026-11-29T16:47:53Z"})";
  const EncodedPairs event = FieldsOf("events", metadata);
  EXPECT_EQ(MinuteOf(event), "2026-11-29T16:47");
  EXPECT_TRUE(Finds(CreatedInMinute("2026-11-29T16:47"), event));
  EXPECT_FALSE(Finds(CreatedInMinute("2026-11-29T16:48"), event));
  EXPECT_EQ(MinuteOf(FieldsOf("secrets", metadata)), "");
}

TEST(ControlFieldsTest, AnOperationIsSettledWhereItIsOverAndNothingIsAsked) {
  struct Case {
    const char* object;
    bool unsettled;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {R"({"metadata":{},"spec":{},"status":{"state":"Succeeded"}})", false, "it is over"},
      {R"({"status":{"state":"Failed"}})", false, "so is what failed"},
      {R"({"metadata":{"annotations":{"x":"y"}},"status":{"state":"Canceled"}})", false,
       "and this"},
      {R"({"metadata":{}})", true, "it is new"},
      {R"({"status":{"state":"Running"}})", true, "it runs"},
      {R"({"status":{"state":"OutcomeUnknown"}})", true, "it is parked"},
      {R"({"status":"broken"})", true, "nobody knows"},
      {R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
          "status":{"state":"Succeeded"}})",
       true, "it is to go"},
      {R"({"spec":{"ttlAfterFinished":"1h"},"status":{"state":"Succeeded"}})", true,
       "it goes some time"},
      {R"({"metadata":{"annotations":{"asyncops.dev/retry-requested-at":"1"}},
          "status":{"state":"Failed"}})",
       true, "it is to run again"},
      {R"({"metadata":{"annotations":{"asyncops.dev/cancel-requested-at":"1"}},
          "status":{"state":"Failed"}})",
       true, "the request is to be refused"},
      {R"({"metadata":{"annotations":{"asyncops.dev/resolve":"Fail"}},
          "status":{"state":"Failed"}})",
       true, "and this one"},
  };
  const ResourceInfo& operations = *FindResource(kOperationsGroup, kAsyncOperations);
  for (const Case& one : cases) {
    Fields fields;
    AddControlFields(operations, *ParseJson(one.object), &fields);
    EXPECT_EQ(Finds(Unsettled(), EncodedPairs(fields)), one.unsettled) << one.reason;
    EXPECT_EQ(IsUnsettled(*ParseJson(one.object)), one.unsettled) << one.reason;
  }
  EXPECT_FALSE(Finds(Unsettled(), FieldsOf("secrets", "{}"))) << "no operation";
}

TEST(ControlFieldsTest, MostObjectsHaveNone) {
  EXPECT_EQ(FieldsOf("secrets", R"({"name":"a","finalizers":["x"]})").text(), "");
  EXPECT_EQ(FieldsOf("events", R"({"name":"a"})").text(), "");
  EXPECT_EQ(FieldsOf("secrets", R"({"ownerReferences":"broken"})").text(), "");
  EXPECT_EQ(FieldsOf("secrets", R"({"ownerReferences":[{"name":"no uid"},3]})").text(), "");
}

TEST(ControlFieldsTest, NoResourceHasAFieldOfSuchAName) {
  for (const ResourceInfo& resource : AllResources()) {
    for (const std::string& field : resource.selectable_fields)
      EXPECT_EQ(field.find('/'), std::string::npos) << resource.plural << " " << field;
  }
}

}  // namespace
}  // namespace asyncops::storage
