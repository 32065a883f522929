#include "api/openapi/openapi.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "base/yaml.h"
#include "tests/unit/schema/widget.h"

namespace asyncops {
namespace {

// Run from the root of the source tree, as ctest does. A change that is meant shows in the diff of
// the file: write what the failure prints.
std::string Golden(const std::string& name) {
  std::ifstream in("tests/golden/openapi/" + name);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<ResourceInfo> Widgets() { return {WidgetResource()}; }

TEST(OpenApiTest, DefinitionsOfVersion2ReadAsTheGoldenFile) {
  const Json document = MakeOpenApiV2(Widgets());
  JsonObject ours;
  for (const auto& [name, definition] : document.Find("definitions")->as_object()) {
    if (name.starts_with("com.example")) ours.Set(name, definition);
  }
  EXPECT_EQ(EncodeYaml(ours), Golden("widget_v2_definitions.yaml"));
}

TEST(OpenApiTest, SchemasOfVersion3ReadAsTheGoldenFile) {
  const Json document = MakeOpenApiV3(Widgets(), "example.com/v1");
  JsonObject ours;
  for (const auto& [name, schema] : document.FindPath({"components", "schemas"})->as_object()) {
    if (name.starts_with("com.example")) ours.Set(name, schema);
  }
  EXPECT_EQ(EncodeYaml(ours), Golden("widget_v3_schemas.yaml"));
}

TEST(OpenApiTest, CustomResourceDefinitionReadsAsTheGoldenFile) {
  EXPECT_EQ(EncodeYaml(MakeCustomResourceDefinition(WidgetResource())), Golden("widget_crd.yaml"));
}

TEST(OpenApiTest, PathsAreThoseOfTheResource) {
  const std::vector<std::string> expected = {
      "/apis/example.com/v1/namespaces/{namespace}/widgets",
      "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}",
      "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status",
      "/apis/example.com/v1/widgets"};
  for (const Json& document :
       {MakeOpenApiV2(Widgets()), MakeOpenApiV3(Widgets(), "example.com/v1")}) {
    std::vector<std::string> paths;
    for (const JsonMember& member : document.Find("paths")->as_object())
      paths.push_back(member.name);
    EXPECT_EQ(paths, expected);
  }
}

TEST(OpenApiTest, ClusterScopedCoreResourceHasNoNamespaceInItsPath) {
  ResourceInfo resource = WidgetResource();
  resource.group = "";
  resource.namespaced = false;
  resource.has_status = false;
  const Json document = MakeOpenApiV3({resource}, "v1");
  const Json& paths = *document.Find("paths");
  EXPECT_EQ(paths.as_object().size(), 2u);
  EXPECT_EQ(paths.StringAt({"/api/v1/widgets", "post", "operationId"}), "createCoreV1Widget");
  EXPECT_NE(paths.Find("/api/v1/widgets/{name}"), nullptr);
}

// kubectl looks for these before it sends --dry-run=server or --validate=strict.
TEST(OpenApiTest, PatchSaysItsKindAndItsQueryParameters) {
  const char* path = "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}";
  for (const Json& document :
       {MakeOpenApiV2(Widgets()), MakeOpenApiV3(Widgets(), "example.com/v1")}) {
    const Json* patch = document.FindPath({"paths", path, "patch"});
    ASSERT_NE(patch, nullptr);
    EXPECT_EQ(patch->StringAt({"x-kubernetes-action"}), "patch");
    EXPECT_EQ(*patch->Find("x-kubernetes-group-version-kind"),
              Json::Of({{"group", "example.com"}, {"kind", "Widget"}, {"version", "v1"}}));
    std::set<std::string> names;
    for (const Json& parameter : patch->Find("parameters")->as_array())
      names.insert(parameter.Find("name")->as_string());
    for (const char* name : {"dryRun", "fieldManager", "fieldValidation", "force"})
      EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(OpenApiTest, PatchTakesTheTypesThatTheServerTakes) {
  const Json document = MakeOpenApiV2(Widgets());
  const Json* patch = document.FindPath(
      {"paths", "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(*patch->Find("consumes"),
            Json(JsonArray{"application/json-patch+json", "application/merge-patch+json",
                           "application/apply-patch+yaml"}));
}

TEST(OpenApiTest, Version3HoldsOneGroupVersionAlone) {
  const Json document = MakeOpenApiV3(AllResources(), "operations.asyncops.dev/v1alpha1");
  for (const JsonMember& path : document.Find("paths")->as_object())
    EXPECT_TRUE(path.name.starts_with("/apis/operations.asyncops.dev/v1alpha1/")) << path.name;
  EXPECT_EQ(document.FindPath({"components", "schemas", "io.k8s.api.core.v1.Secret"}), nullptr);
}

TEST(OpenApiTest, EveryFieldOfEveryKindIsDescribed) {
  const Json document = MakeOpenApiV2(AllResources());
  for (const auto& [name, definition] : document.Find("definitions")->as_object()) {
    EXPECT_FALSE(definition.StringAt({"description"}).empty()) << name;
    const Json* properties = definition.Find("properties");
    if (properties == nullptr) continue;
    for (const auto& [field, schema] : properties->as_object())
      EXPECT_FALSE(schema.StringAt({"description"}).empty()) << name << "." << field;
  }
}

// What apiextensions refuses of a structural schema: references, and values without a type.
void ExpectStructural(const std::string& path, const Json& schema) {
  EXPECT_EQ(schema.Find("$ref"), nullptr) << path;
  EXPECT_EQ(schema.Find("allOf"), nullptr) << path;
  const bool free_form = schema.Find("x-kubernetes-preserve-unknown-fields") != nullptr;
  EXPECT_EQ(schema.StringAt({"type"}).empty(), free_form) << path;
  if (const Json* items = schema.Find("items")) ExpectStructural(path + "[]", *items);
  if (const Json* values = schema.Find("additionalProperties"))
    ExpectStructural(path + "{}", *values);
  const Json* properties = schema.Find("properties");
  if (properties == nullptr) return;
  for (const auto& [name, property] : properties->as_object())
    ExpectStructural(path + "." + name, property);
}

TEST(OpenApiTest, SchemasOfCustomResourceDefinitionsAreStructural) {
  for (const ResourceInfo& resource : AllResources()) {
    const Json crd = MakeCustomResourceDefinition(resource);
    const JsonArray& versions = crd.FindPath({"spec", "versions"})->as_array();
    ASSERT_EQ(versions.size(), 1u);
    const Json* schema = versions[0].FindPath({"schema", "openAPIV3Schema"});
    ASSERT_NE(schema, nullptr);
    ExpectStructural(resource.kind, *schema);
    EXPECT_EQ(*schema->FindPath({"properties", "metadata"}), Json::Of({{"type", "object"}}));
  }
}

}  // namespace
}  // namespace asyncops
