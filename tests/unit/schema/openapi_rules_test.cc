// What every OpenAPI document must keep to, whatever it is of: the rules that validators check.
#include <gtest/gtest.h>
#include <set>

#include "api/openapi/openapi.h"
#include "api/subresources.h"

namespace asyncops {
namespace {

struct NamedDocument {
  std::string name;
  Json json;
};

std::vector<NamedDocument> Documents() {
  std::vector<NamedDocument> out;
  out.push_back({"v2", MakeOpenApiV2(ServedResources())});
  for (const char* version : {"v1", "asyncops.dev/v1alpha1", "operations.asyncops.dev/v1alpha1"})
    out.push_back({version, MakeOpenApiV3(ServedResources(), version)});
  return out;
}

struct Call {
  std::string where;  // "v2 get /apis/..."
  std::string path;
  const Json* item;       // of the path
  const Json* operation;  // of the method
};

// Every operation of a document.
std::vector<Call> Calls(const NamedDocument& document) {
  std::vector<Call> out;
  for (const JsonMember& path : document.json.Find("paths")->as_object()) {
    for (const JsonMember& member : path.value.as_object()) {
      if (member.name == "parameters") continue;
      out.push_back({document.name + " " + member.name + " " + path.name, path.name, &path.value,
                     &member.value});
    }
  }
  return out;
}

// Both those of the path and the operation's own.
std::vector<const Json*> Parameters(const Call& call) {
  std::vector<const Json*> out;
  for (const Json* holder : {call.item, call.operation}) {
    const Json* parameters = holder->Find("parameters");
    if (parameters == nullptr) continue;
    for (const Json& parameter : parameters->as_array()) out.push_back(&parameter);
  }
  return out;
}

// The names in braces.
std::set<std::string> TemplateNames(const std::string& path) {
  std::set<std::string> out;
  for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1))
    out.insert(path.substr(at + 1, path.find('}', at) - at - 1));
  return out;
}

void CollectReferences(const Json& json, std::set<std::string>* references) {
  if (json.is_array()) {
    for (const Json& item : json.as_array()) CollectReferences(item, references);
  } else if (json.is_object()) {
    for (const auto& [name, value] : json.as_object()) {
      if (name == "$ref") references->insert(value.as_string());
      CollectReferences(value, references);
    }
  }
}

TEST(OpenApiRulesTest, EveryParameterOfAPathIsDeclaredOnceAndRequired) {
  for (const NamedDocument& document : Documents()) {
    for (const Call& call : Calls(document)) {
      std::set<std::string> in_path;
      std::set<std::string> all;
      for (const Json* parameter : Parameters(call)) {
        const std::string in(parameter->StringAt({"in"}));
        const std::string name(parameter->StringAt({"name"}));
        EXPECT_TRUE(all.insert(in + " " + name).second) << call.where << ": twice " << name;
        if (in != "path") continue;
        in_path.insert(name);
        EXPECT_EQ(*parameter->Find("required"), Json(true)) << call.where;
      }
      EXPECT_EQ(in_path, TemplateNames(call.path)) << call.where;
    }
  }
}

TEST(OpenApiRulesTest, EveryOperationHasItsOwnName) {
  for (const NamedDocument& document : Documents()) {
    std::set<std::string> names;
    for (const Call& call : Calls(document)) {
      const std::string name(call.operation->StringAt({"operationId"}));
      EXPECT_FALSE(name.empty()) << call.where;
      EXPECT_TRUE(names.insert(name).second) << call.where << ": " << name;
    }
    EXPECT_GT(names.size(), 15u);
  }
}

TEST(OpenApiRulesTest, EveryOperationSaysItsActionItsKindAndItsResponses) {
  const std::set<std::string> actions = {
      "get", "list", "post", "put", "patch", "delete", "deletecollection"};
  for (const NamedDocument& document : Documents()) {
    for (const Call& call : Calls(document)) {
      EXPECT_TRUE(actions.contains(std::string(call.operation->StringAt({"x-kubernetes-action"}))))
          << call.where;
      for (const char* part : {"group", "version", "kind"})
        EXPECT_NE(call.operation->FindPath({"x-kubernetes-group-version-kind", part}), nullptr)
            << call.where;
      const Json* responses = call.operation->Find("responses");
      ASSERT_NE(responses, nullptr) << call.where;
      EXPECT_TRUE(responses->as_object().Has("200")) << call.where;
      EXPECT_TRUE(responses->as_object().Has("default")) << call.where;
      for (const JsonMember& response : responses->as_object())
        EXPECT_FALSE(response.value.StringAt({"description"}).empty()) << call.where;
    }
  }
}

TEST(OpenApiRulesTest, EveryReferenceHasItsDefinitionAndEveryDefinitionItsUse) {
  for (const NamedDocument& document : Documents()) {
    const bool v2 = document.name == "v2";
    const std::string base = v2 ? "#/definitions/" : "#/components/schemas/";
    const Json* definitions =
        v2 ? document.json.Find("definitions") : document.json.FindPath({"components", "schemas"});
    std::set<std::string> references;
    CollectReferences(document.json, &references);
    for (const std::string& reference : references) {
      ASSERT_TRUE(reference.starts_with(base)) << document.name << " " << reference;
      EXPECT_TRUE(definitions->as_object().Has(reference.substr(base.size())))
          << document.name << " " << reference;
    }
    for (const JsonMember& definition : definitions->as_object())
      EXPECT_TRUE(references.contains(base + definition.name))
          << document.name << " " << definition.name;
  }
}

// Of every allOf whose default is {}: nothing is required of what it refers to.
void ExpectEmptyDefaultsFit(const std::string& where, const Json& json, const Json& schemas) {
  if (json.is_array()) {
    for (const Json& item : json.as_array()) ExpectEmptyDefaultsFit(where, item, schemas);
  }
  if (!json.is_object()) return;
  for (const JsonMember& member : json.as_object())
    ExpectEmptyDefaultsFit(where + "." + member.name, member.value, schemas);
  const Json* value = json.Find("default");
  const Json* all_of = json.Find("allOf");
  if (value == nullptr || all_of == nullptr || !(*value == Json(JsonObject()))) return;
  const std::string reference(all_of->as_array().front().StringAt({"$ref"}));
  const Json* schema = schemas.Find(reference.substr(reference.rfind('/') + 1));
  ASSERT_NE(schema, nullptr) << where;
  EXPECT_EQ(schema->Find("required"), nullptr) << where << " " << reference;
}

TEST(OpenApiRulesTest, AnEmptyDefaultIsAValueOfItsSchema) {
  for (const NamedDocument& document : Documents()) {
    const Json* schemas = document.json.FindPath({"components", "schemas"});
    if (schemas != nullptr) ExpectEmptyDefaultsFit(document.name, *schemas, *schemas);
  }
}

// kubectl looks for dryRun and fieldValidation; the others are for people and generators.
TEST(OpenApiRulesTest, WritesTakeTheOptionsOfWrites) {
  for (const NamedDocument& document : Documents()) {
    for (const Call& call : Calls(document)) {
      const std::string_view action = call.operation->StringAt({"x-kubernetes-action"});
      std::set<std::string> names;
      for (const Json* parameter : Parameters(call))
        names.insert(std::string(parameter->StringAt({"name"})));
      const bool writes = action == "post" || action == "put" || action == "patch";
      for (const char* name : {"dryRun", "fieldManager", "fieldValidation"})
        EXPECT_TRUE(!writes || names.contains(name)) << call.where << " " << name;
      EXPECT_EQ(names.contains("force"), action == "patch") << call.where;
      EXPECT_EQ(names.contains("propagationPolicy"), action.starts_with("delete")) << call.where;
      if (action != "list") continue;
      for (const char* name : {"labelSelector", "fieldSelector", "limit", "continue",
                               "resourceVersion", "resourceVersionMatch", "timeoutSeconds",
                               "allowWatchBookmarks", "sendInitialEvents", "watch"})
        EXPECT_TRUE(names.contains(name)) << call.where << " " << name;
    }
  }
}

TEST(OpenApiRulesTest, EverySubresourceHasAPathForEachOfItsVerbs) {
  const Json document = MakeOpenApiV2(ServedResources());
  int found = 0;
  for (const ResourceInfo& resource : ServedResources()) {
    for (const SubresourceInfo& subresource : SubresourcesOf(resource)) {
      for (const JsonMember& path : document.Find("paths")->as_object()) {
        if (!path.name.ends_with("/" + resource.plural + "/{name}/" + subresource.name)) continue;
        if (path.name.find("/" + resource.group) == std::string::npos) continue;
        const auto verbs = static_cast<std::size_t>(path.value.as_object().size() - 1);
        EXPECT_EQ(verbs, subresource.verbs.size()) << path.name;
        ++found;
      }
    }
  }
  EXPECT_EQ(found, 9);
}

}  // namespace
}  // namespace asyncops
