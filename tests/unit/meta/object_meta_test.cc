#include "api/meta/object_meta.h"

#include <gtest/gtest.h>

#include "api/schema/binding.h"
#include "api/schema/walk.h"
#include "base/limits.h"

namespace asyncops {
namespace {

ObjectMeta Named() {
  ObjectMeta meta;
  meta.name = "volume";
  meta.namespace_name = "team-a";
  return meta;
}

OwnerReference Owner() {
  OwnerReference owner;
  owner.api_version = "asyncops.dev/v1alpha1";
  owner.kind = "AsyncResource";
  owner.name = "volume";
  owner.uid = "u-1";
  return owner;
}

// The first error's text; "" where there is none.
std::string First(const FieldErrors& errors) {
  return errors.empty() ? "" : errors.front().ToString();
}

TEST(NamesTest, DnsSubdomain) {
  struct Row {
    std::string text;
    bool valid;
    const char* reason;
  };
  const Row rows[] = {
      {"a", true, "one letter"},
      {"0a-b.c1", true, "labels with dots"},
      {std::string(253, 'a'), true, "the longest"},
      {std::string(254, 'a'), false, "too long"},
      {"", false, "empty"},
      {"A", false, "capital"},
      {"-a", false, "starts with a dash"},
      {"a-", false, "ends with a dash"},
      {"a..b", false, "empty label"},
      {"a.-b", false, "label starts with a dash"},
      {"a_b", false, "underscore"},
      {"a/b", false, "slash"},
      {std::string("a\0b", 3), false, "NUL"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(!CheckDnsSubdomain(row.text).has_value(), row.valid) << row.reason;
}

TEST(NamesTest, DnsLabelSaysThatDotsAreTheMistake) {
  EXPECT_EQ(CheckDnsLabel("a-1"), std::nullopt);
  EXPECT_EQ(CheckDnsLabel("a.b"), "must not contain dots");
  EXPECT_EQ(CheckDnsLabel(std::string(64, 'a')), "must be no more than 63 bytes");
  EXPECT_TRUE(CheckDnsLabel("A")->starts_with("a lowercase RFC 1123 label must consist of"));
}

TEST(NamesTest, QualifiedName) {
  struct Row {
    std::string text;
    const char* rule;  // how it starts; "" where the name is fine
  };
  const Row rows[] = {
      {"simple", ""},
      {"My.name_1-x", ""},
      {"a.b/c", ""},
      {"", "name part must be non-empty; name part must consist of"},
      {"/a", "prefix part must be non-empty"},
      {"a/", "name part must be non-empty"},
      {"A.b/c", "prefix part a lowercase RFC 1123 subdomain must consist of"},
      {"a/b/c", "a qualified name must consist of"},
      {"_a", "name part must consist of"},
      {std::string(64, 'a'), "name part must be no more than 63 bytes"},
  };
  for (const Row& row : rows) {
    const std::string rule = CheckQualifiedName(row.text).value_or("");
    EXPECT_TRUE(row.rule[0] == '\0' ? rule.empty() : rule.starts_with(row.rule))
        << row.text << ": " << rule;
  }
}

TEST(NamesTest, LabelValueMayBeEmpty) {
  EXPECT_EQ(CheckLabelValue(""), std::nullopt);
  EXPECT_EQ(CheckLabelValue("a_B.9"), std::nullopt);
  EXPECT_TRUE(CheckLabelValue("a b")->starts_with("a valid label must be an empty string"));
  EXPECT_EQ(CheckLabelValue(std::string(64, 'a')), "must be no more than 63 bytes");
}

TEST(ValidateObjectMetaTest, AcceptsWhatIsWellFormed) {
  ObjectMeta meta = Named();
  meta.labels = {{"app", "web"}, {"a.b/c", ""}};
  meta.annotations = {{"Example.com/Note", "anything\n"}};
  meta.owner_references = {Owner()};
  meta.finalizers = {"asyncops.dev/external", "orphan"};
  EXPECT_EQ(ValidateObjectMeta(meta, true), FieldErrors{});
}

TEST(ValidateObjectMetaTest, NameOrItsPrefixIsRequired) {
  ObjectMeta meta = Named();
  meta.name = "";
  EXPECT_EQ(First(ValidateObjectMeta(meta, true)),
            "metadata.name: Required value: name or generateName is required");
  meta.generate_name = "volume-";
  EXPECT_EQ(First(ValidateObjectMeta(meta, true)), "") << "a prefix may end with a dash";
  meta.generate_name = "Volume-";
  EXPECT_TRUE(First(ValidateObjectMeta(meta, true))
                  .starts_with("metadata.generateName: Invalid value: \"Volume-\": a lowercase"));
}

TEST(ValidateObjectMetaTest, NamespaceIsRequiredOrForbiddenByScope) {
  ObjectMeta meta = Named();
  EXPECT_EQ(First(ValidateObjectMeta(meta, false)),
            "metadata.namespace: Forbidden: not allowed on this type");
  meta.namespace_name = "";
  EXPECT_EQ(First(ValidateObjectMeta(meta, true)), "metadata.namespace: Required value");
  meta.namespace_name = "a.b";
  EXPECT_EQ(First(ValidateObjectMeta(meta, true)),
            "metadata.namespace: Invalid value: \"a.b\": must not contain dots");
}

TEST(ValidateObjectMetaTest, ReportsAllMistakesOfLabelsAtOnce) {
  ObjectMeta meta = Named();
  meta.labels = {{"-a", "x"}, {"b", "y z"}};
  const FieldErrors errors = ValidateObjectMeta(meta, true);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].path, "metadata.labels");
  EXPECT_EQ(errors[0].bad_value, Json("-a"));
  EXPECT_EQ(errors[1].bad_value, Json("y z"));
}

TEST(ValidateObjectMetaTest, AnnotationsAreBoundedInTotal) {
  ObjectMeta meta = Named();
  meta.annotations = {{"a", std::string(kMaxAnnotationsBytes - 1, 'x')}};
  EXPECT_EQ(First(ValidateObjectMeta(meta, true)), "");
  meta.annotations["b"] = "";
  EXPECT_EQ(First(ValidateObjectMeta(meta, true)),
            "metadata.annotations: Too long: may not be more than 262144 bytes");
}

TEST(ValidateObjectMetaTest, OwnersAreCompleteAndOneControls) {
  ObjectMeta meta = Named();
  meta.owner_references = {OwnerReference{}};
  std::vector<std::string> texts;
  for (const FieldError& error : ValidateObjectMeta(meta, true)) texts.push_back(error.ToString());
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "metadata.ownerReferences[0].apiVersion: Required value: must not be empty",
                       "metadata.ownerReferences[0].kind: Required value: must not be empty",
                       "metadata.ownerReferences[0].name: Required value: must not be empty",
                       "metadata.ownerReferences[0].uid: Required value: must not be empty"}));

  OwnerReference first = Owner();
  first.controller = true;
  OwnerReference second = first;
  second.name = "other";
  meta.owner_references = {first, second};
  const FieldErrors errors = ValidateObjectMeta(meta, true);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].detail,
            "Only one reference can have Controller set to true. Found \"true\" in references for "
            "AsyncResource/volume and AsyncResource/other");
}

TEST(ValidateObjectMetaTest, OwnerThatCannotOwnIsRefused) {
  ObjectMeta meta = Named();
  OwnerReference owner = Owner();
  owner.api_version = "a/b/c";
  meta.owner_references = {owner};
  EXPECT_EQ(First(ValidateObjectMeta(meta, true)),
            "metadata.ownerReferences[0].apiVersion: Invalid value: \"a/b/c\": must be "
            "<group>/<version> or <version>");
  owner.api_version = "v1";
  owner.kind = "Event";
  meta.owner_references = {owner};
  EXPECT_EQ(ValidateObjectMeta(meta, true).size(), 1u);
}

TEST(ValidateObjectMetaTest, FinalizersAreQualifiedAndDoNotContradict) {
  ObjectMeta meta = Named();
  meta.finalizers = {"a b"};
  EXPECT_TRUE(First(ValidateObjectMeta(meta, true))
                  .starts_with("metadata.finalizers: Invalid value: \"a b\": name part"));
  meta.finalizers = {"orphan", "foregroundDeletion"};
  EXPECT_EQ(First(ValidateObjectMeta(meta, true)),
            "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer "
            "orphan and foregroundDeletion cannot be both set");
}

TEST(ValidateObjectMetaUpdateTest, IdentityDoesNotChange) {
  ObjectMeta old = Named();
  old.uid = "u-1";
  old.creation_timestamp = Time(std::chrono::seconds(1));
  EXPECT_EQ(ValidateObjectMetaUpdate(old, old), FieldErrors{});
  ObjectMeta changed = old;
  changed.name = "other";
  changed.namespace_name = "other";
  changed.uid = "u-2";
  changed.creation_timestamp.reset();
  std::vector<std::string> paths;
  for (const FieldError& error : ValidateObjectMetaUpdate(changed, old)) {
    EXPECT_EQ(error.detail, "field is immutable");
    paths.push_back(error.path);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"metadata.name", "metadata.namespace", "metadata.uid",
                                             "metadata.creationTimestamp"}));
}

TEST(ValidateObjectMetaUpdateTest, NoFinalizerIsAddedOnceDeletionBegan) {
  ObjectMeta old = Named();
  old.finalizers = {"a.b/old"};
  ObjectMeta meta = old;
  meta.finalizers = {"a.b/z", "a.b/old", "a.b/y"};
  EXPECT_EQ(ValidateObjectMetaUpdate(meta, old), FieldErrors{}) << "before deletion";
  old.deletion_timestamp = Time(std::chrono::seconds(1));
  EXPECT_EQ(First(ValidateObjectMetaUpdate(meta, old)),
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
            "deleted, found new finalizers []string{\"a.b/y\", \"a.b/z\"}");
  meta.finalizers.clear();
  EXPECT_EQ(ValidateObjectMetaUpdate(meta, old), FieldErrors{}) << "removal is what it waits for";
}

TEST(ObjectMetaBindingTest, RoundTripKeepsEveryField) {
  const char* text =
      R"({"annotations":{"a":"b"},"creationTimestamp":"2026-01-02T03:04:05Z",)"
      R"("deletionGracePeriodSeconds":0,"deletionTimestamp":"2026-01-02T03:04:06Z",)"
      R"("finalizers":["a.b/c"],"generateName":"v-","generation":3,"labels":{"x":""},)"
      R"("managedFields":[{"manager":"m"}],"name":"v","namespace":"n","ownerReferences":)"
      R"([{"apiVersion":"v1","blockOwnerDeletion":false,"controller":true,"kind":"K",)"
      R"("name":"o","uid":"u"}],"resourceVersion":"7","uid":"u-1"})";
  const Result<Json> json = ParseJson(text);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(ValidateStructure(*ObjectMeta::Binding().schema(), *json), FieldErrors{});
  const Result<ObjectMeta> meta = DecodeAs<ObjectMeta>(*json);
  ASSERT_TRUE(meta.ok()) << meta.status().ToString();
  EXPECT_EQ(meta->labels, (Labels{{"x", ""}}));
  EXPECT_EQ(EncodeJson(ObjectMeta::Binding().Encode(*meta)), text);
}

TEST(ObjectMetaBindingTest, NullTimeAndSelfLinkOfOldClientsAreNoMistakes) {
  Json json = Json::Of({{"name", "v"}, {"creationTimestamp", nullptr}, {"selfLink", ""}});
  EXPECT_TRUE(PruneUnknownFields(*ObjectMeta::Binding().schema(), &json).empty());
  ApplyDefaults(*ObjectMeta::Binding().schema(), &json);
  EXPECT_EQ(ValidateStructure(*ObjectMeta::Binding().schema(), json), FieldErrors{});
  EXPECT_FALSE(json.as_object().Has("creationTimestamp"));
}

}  // namespace
}  // namespace asyncops
