#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "api/scheme.h"

namespace asyncops {
namespace {

// Calls visit(path, field) for every field below the schema.
template <class Visit>
void ForEachField(const Schema& schema, const std::string& path, const Visit& visit) {
  for (const SchemaField& field : schema.fields) {
    const std::string at = path + "." + field.name;
    visit(at, field);
    ForEachField(*field.schema, at, visit);
  }
  if (schema.items != nullptr) ForEachField(*schema.items, path + "[]", visit);
}

TEST(KindSchemasTest, EveryFieldHasADescriptionThatIsASentence) {
  for (const ResourceInfo& resource : AllResources()) {
    ForEachField(*resource.schema, resource.kind,
                 [](const std::string& path, const SchemaField& field) {
                   EXPECT_GE(field.description.size(), 15u) << path;
                   EXPECT_EQ(field.description.back(), '.') << path;
                 });
  }
}

TEST(KindSchemasTest, EveryObjectHasANameAndADescription) {
  for (const ResourceInfo& resource : AllResources()) {
    ForEachField(*resource.schema, resource.kind,
                 [](const std::string& path, const SchemaField& field) {
                   const Schema& schema =
                       field.schema->items != nullptr ? *field.schema->items : *field.schema;
                   if (schema.type != SchemaType::kObject) return;
                   EXPECT_NE(schema.name, "") << path;
                   EXPECT_GE(schema.description.size(), 15u) << path;
                 });
  }
}

TEST(KindSchemasTest, ADefinitionNameStandsForOneSetOfFields) {
  std::map<std::string, std::set<std::string>> seen;
  for (const ResourceInfo& resource : AllResources()) {
    ForEachField(*resource.schema, resource.kind,
                 [&seen](const std::string& path, const SchemaField& field) {
                   if (field.schema->type != SchemaType::kObject) return;
                   std::set<std::string> names;
                   for (const SchemaField& inner : field.schema->fields) names.insert(inner.name);
                   const auto [it, is_new] = seen.emplace(field.schema->name, names);
                   EXPECT_EQ(it->second, names) << path << (is_new ? " new" : " again");
                 });
  }
}

TEST(KindSchemasTest, EveryKindStartsWithItsTypeAndMetadata) {
  for (const ResourceInfo& resource : AllResources()) {
    ASSERT_GE(resource.schema->fields.size(), 3u) << resource.kind;
    EXPECT_EQ(resource.schema->fields[0].name, "apiVersion") << resource.kind;
    EXPECT_EQ(resource.schema->fields[1].name, "kind") << resource.kind;
    EXPECT_EQ(resource.schema->fields[2].name, "metadata") << resource.kind;
  }
}

TEST(KindSchemasTest, ConditionsAreAMapByType) {
  int conditions = 0;
  for (const ResourceInfo& resource : AllResources()) {
    ForEachField(*resource.schema, resource.kind,
                 [&conditions](const std::string& path, const SchemaField& field) {
                   if (field.name != "conditions") return;
                   ++conditions;
                   EXPECT_THAT(field.schema->list_map_keys, testing::ElementsAre("type")) << path;
                 });
  }
  EXPECT_EQ(conditions, 4);
}

}  // namespace
}  // namespace asyncops
