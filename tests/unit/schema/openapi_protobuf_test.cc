#include <gtest/gtest.h>

#include "api/openapi/openapi.h"
#include "api/openapi/proto_writer.h"
#include "base/yaml.h"
#include "tests/unit/schema/proto_message_reader.h"
#include "tests/unit/schema/widget.h"

namespace asyncops {
namespace {

Message WidgetDocument() {
  return Message(EncodeOpenApiV2Protobuf(MakeOpenApiV2({WidgetResource()})));
}

// Fields of openapi.v2.Document and what is in it.
constexpr std::uint32_t kPaths = 8;
constexpr std::uint32_t kDefinitions = 9;
constexpr std::uint32_t kSchemaProperties = 25;
constexpr std::uint32_t kSchemaExtensions = 31;

Message Property(std::string_view definition, std::string_view field) {
  return WidgetDocument()
      .In(kDefinitions)
      .Named(1, definition)
      .In(kSchemaProperties)
      .Named(1, field);
}

TEST(ProtoWriterTest, WritesTheWireFormat) {
  openapi::ProtoWriter writer;
  writer.AddBytes(1, "ab");
  writer.AddInteger(16, 300);
  writer.AddInteger(2, -1);
  writer.AddDouble(3, 1.0);
  EXPECT_EQ(writer.Take(), std::string("\x0A\x02"
                                       "ab"
                                       "\x80\x01\xAC\x02"
                                       "\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
                                       "\x19\0\0\0\0\0\0\xF0\x3F",
                                       28));
}

TEST(OpenApiProtobufTest, DocumentDecodes) {
  const Message document = WidgetDocument();
  EXPECT_TRUE(document.ok());
  EXPECT_EQ(document.One(1), "2.0");
  EXPECT_EQ(document.In(2).One(1), "asyncops");
  EXPECT_EQ(document.In(kPaths).All(2).size(), 4u);
}

TEST(OpenApiProtobufTest, KindIsMarkedInYaml) {
  const Message widget = WidgetDocument().In(kDefinitions).Named(1, "com.example.v1.Widget");
  EXPECT_EQ(widget.One(4), "A widget.");
  EXPECT_EQ(widget.All(19), std::vector<std::string>{"spec"});
  EXPECT_EQ(widget.In(22).One(1), "object");
  const std::string yaml =
      widget.Named(kSchemaExtensions, "x-kubernetes-group-version-kind").One(2);
  const Result<std::vector<Json>> value = ParseYaml(yaml);
  ASSERT_TRUE(value.ok()) << yaml;
  ASSERT_EQ(value->size(), 1u);
  EXPECT_EQ(
      value->front(),
      Json(JsonArray{Json::Of({{"group", "example.com"}, {"kind", "Widget"}, {"version", "v1"}})}));
}

TEST(OpenApiProtobufTest, SchemaKeepsReferencesBoundsAndDefaults) {
  const Message spec = Property("com.example.v1.Widget", "spec");
  EXPECT_EQ(spec.One(1), "#/definitions/com.example.v1.WidgetSpec");
  EXPECT_EQ(spec.One(4), "What it is.");

  const Message color = Property("com.example.v1.WidgetSpec", "color");
  EXPECT_EQ(color.In(5).One(2), EncodeYaml("Red"));
  ASSERT_EQ(color.All(20).size(), 2u);
  EXPECT_EQ(Message(color.All(20)[1]).One(2), EncodeYaml("Blue"));

  const Message code = Property("com.example.v1.WidgetSpec", "code");
  EXPECT_EQ(code.Number(11), 4u);
  EXPECT_EQ(code.One(13), "^(?:[a-z]+)$");

  const Message parts = Property("com.example.v1.WidgetSpec", "parts");
  EXPECT_EQ(parts.In(22).One(1), "array");
  EXPECT_EQ(parts.Number(14), 2u);
  EXPECT_EQ(parts.In(23).In(1).One(1), "#/definitions/com.example.v1.Part");

  const Message secrets = Property("com.example.v1.WidgetSpec", "secrets");
  EXPECT_EQ(secrets.In(21).In(1).One(2), "byte");

  const Message sizes = Property("com.example.v1.WidgetSpec", "sizes");
  EXPECT_EQ(AsDouble(sizes.In(23).In(1).Number(7)), 9.5);
  const Message count = Property("com.example.v1.Part", "count");
  EXPECT_EQ(AsDouble(count.Number(9)), 0);
  EXPECT_EQ(Property("com.example.v1.Part", "name").Number(12), 1u);
}

TEST(OpenApiProtobufTest, PatchHasItsQueryParametersAndBody) {
  const Message patch = WidgetDocument()
                            .In(kPaths)
                            .Named(2, "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}")
                            .In(8);
  EXPECT_EQ(patch.One(5), "patchExampleComV1NamespacedWidget");
  EXPECT_EQ(patch.Named(13, "x-kubernetes-action").One(2), EncodeYaml("patch"));
  std::vector<std::string> query;
  std::vector<std::string> bodies;
  for (const std::string& item : patch.All(8)) {
    const Message parameter = Message(item).In(1);
    if (!parameter.All(1).empty()) {
      bodies.push_back(parameter.In(1).In(5).One(1));
      EXPECT_EQ(parameter.In(1).Number(4), 1u) << "the body is required";
    } else {
      query.push_back(parameter.In(2).In(3).One(4));
    }
  }
  EXPECT_EQ(query,
            (std::vector<std::string>{"dryRun", "fieldManager", "fieldValidation", "force"}));
  EXPECT_EQ(bodies,
            std::vector<std::string>{"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"});
}

TEST(OpenApiProtobufTest, PathParametersAndResponsesAreThere) {
  const Message item =
      WidgetDocument().In(kPaths).Named(2, "/apis/example.com/v1/namespaces/{namespace}/widgets");
  std::vector<std::string> names;
  for (const std::string& bytes : item.All(9)) {
    const Message parameter = Message(bytes).In(1).In(2);
    names.push_back(parameter.All(4).empty() ? parameter.In(3).One(4) : parameter.In(4).One(4));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"pretty", "namespace"}));
  const Message ok = item.In(4).In(9).Named(1, "201").In(1);
  EXPECT_EQ(ok.One(1), "Created");
  EXPECT_EQ(ok.In(2).In(1).One(1), "#/definitions/com.example.v1.Widget");
}

}  // namespace
}  // namespace asyncops
