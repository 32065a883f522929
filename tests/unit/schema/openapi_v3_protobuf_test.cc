#include <gtest/gtest.h>

#include "api/openapi/openapi.h"
#include "api/subresources.h"
#include "base/yaml.h"
#include "tests/unit/schema/proto_message_reader.h"
#include "tests/unit/schema/widget.h"

namespace asyncops {
namespace {

Message WidgetDocument() {
  return Message(EncodeOpenApiV3Protobuf(MakeOpenApiV3({WidgetResource()}, "example.com/v1")));
}

// Fields of openapi.v3.Document and what is in it.
constexpr std::uint32_t kPaths = 4;
constexpr std::uint32_t kComponents = 5;
constexpr std::uint32_t kSchemaProperties = 31;
constexpr std::uint32_t kSchemaExtensions = 36;

// The Schema (1) in the SchemaOrReference of that name.
Message Schema(std::string_view name) {
  return WidgetDocument().In(kComponents).In(1).Named(1, name).In(1);
}

// The SchemaOrReference of a property.
Message Property(std::string_view schema, std::string_view field) {
  return Schema(schema).In(kSchemaProperties).Named(1, field);
}

TEST(OpenApiV3ProtobufTest, DocumentDecodes) {
  const Message document = WidgetDocument();
  EXPECT_TRUE(document.ok());
  EXPECT_EQ(document.One(1), "3.0.0");
  EXPECT_EQ(document.In(2).One(1), "asyncops");
  EXPECT_EQ(document.In(2).One(6), "v1alpha1");
  EXPECT_EQ(document.In(kPaths).All(1).size(), 4u);
}

TEST(OpenApiV3ProtobufTest, KindIsMarkedInYaml) {
  const Message widget = Schema("com.example.v1.Widget");
  EXPECT_EQ(widget.One(34), "A widget.");
  EXPECT_EQ(widget.One(25), "object");
  EXPECT_EQ(widget.All(23), std::vector<std::string>{"spec"});
  EXPECT_EQ(widget.Named(kSchemaExtensions, "x-kubernetes-group-version-kind").One(2),
            EncodeYaml(JsonArray{
                Json::Of({{"group", "example.com"}, {"kind", "Widget"}, {"version", "v1"}})}));
}

TEST(OpenApiV3ProtobufTest, SchemaKeepsReferencesBoundsAndDefaults) {
  // An allOf of one Reference (2), so that the description counts.
  const Message spec = Property("com.example.v1.Widget", "spec").In(1);
  EXPECT_EQ(spec.In(26).In(2).One(1), "#/components/schemas/com.example.v1.WidgetSpec");
  EXPECT_EQ(spec.One(34), "What it is.");

  const Message color = Property("com.example.v1.WidgetSpec", "color").In(1);
  EXPECT_EQ(color.In(33).One(3), "Red");
  ASSERT_EQ(color.All(24).size(), 2u);
  EXPECT_EQ(Message(color.All(24)[1]).One(2), EncodeYaml("Blue"));

  const Message code = Property("com.example.v1.WidgetSpec", "code").In(1);
  EXPECT_EQ(code.Number(15), 4u);
  EXPECT_EQ(code.One(17), "^(?:[a-z]+)$");

  const Message parts = Property("com.example.v1.WidgetSpec", "parts").In(1);
  EXPECT_EQ(parts.One(25), "array");
  EXPECT_EQ(parts.Number(18), 2u);
  EXPECT_EQ(parts.In(30).In(1).In(1).In(26).In(2).One(1),
            "#/components/schemas/com.example.v1.Part");

  const Message secrets = Property("com.example.v1.WidgetSpec", "secrets").In(1);
  EXPECT_EQ(secrets.In(32).In(1).In(1).One(35), "byte");

  const Message sizes = Property("com.example.v1.WidgetSpec", "sizes").In(1);
  EXPECT_EQ(AsDouble(sizes.In(30).In(1).In(1).Number(11)), 9.5);
  EXPECT_EQ(AsDouble(Property("com.example.v1.Part", "count").In(1).Number(13)), 0);
  EXPECT_EQ(Property("com.example.v1.Part", "name").In(1).Number(16), 1u);
}

TEST(OpenApiV3ProtobufTest, PatchHasItsParametersBodyAndResponses) {
  const Message patch = WidgetDocument()
                            .In(kPaths)
                            .Named(1, "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}")
                            .In(10);
  EXPECT_EQ(patch.One(5), "patchExampleComV1NamespacedWidget");
  EXPECT_EQ(patch.Named(13, "x-kubernetes-action").One(2), EncodeYaml("patch"));
  std::vector<std::string> names;
  for (const std::string& item : patch.All(6)) {
    const Message parameter = Message(item).In(1);
    names.push_back(parameter.One(2) + " " + parameter.One(1) + " " +
                    parameter.In(10).In(1).One(25));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"query dryRun string", "query fieldManager string",
                                      "query fieldValidation string", "query force boolean"}));
  const Message body = patch.In(7).In(1);
  EXPECT_EQ(body.Number(3), 1u) << "required";
  EXPECT_EQ(body.In(2).Named(1, "application/merge-patch+json").In(1).In(2).One(1),
            "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Patch");
  const Message responses = patch.In(8);
  const Message ok = responses.Named(2, "200").In(1);
  EXPECT_EQ(ok.One(1), "OK");
  EXPECT_EQ(ok.In(3).Named(1, "application/json").In(1).In(2).One(1),
            "#/components/schemas/com.example.v1.Widget");
  EXPECT_EQ(responses.In(1).In(1).In(3).Named(1, "application/json").In(1).In(2).One(1),
            "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Status");
}

TEST(OpenApiV3ProtobufTest, EveryDocumentOfOursDecodes) {
  for (const char* version : {"v1", "asyncops.dev/v1alpha1", "operations.asyncops.dev/v1alpha1"}) {
    const Json json = MakeOpenApiV3(ServedResources(), version);
    const Message document(EncodeOpenApiV3Protobuf(json));
    EXPECT_TRUE(document.ok()) << version;
    EXPECT_EQ(document.In(kPaths).All(1).size(), json.Find("paths")->as_object().size());
    EXPECT_EQ(document.In(kComponents).In(1).All(1).size(),
              json.FindPath({"components", "schemas"})->as_object().size());
  }
}

}  // namespace
}  // namespace asyncops
