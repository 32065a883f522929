// In which form answers go out, whatever they hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct RepresentationTest : testing::Test {
  RepresentationTest() : secret(api.Send("POST", kSecrets, EncodeJson(SecretObject("s"))).json()) {}
  ApiResponse Yaml(std::string_view target, std::string_view accept = "application/yaml") {
    return api.Get(target, {{"Accept", std::string(accept)}});
  }
  // The one document of a YAML answer.
  static Json Document(const ApiResponse& answer) {
    EXPECT_EQ(answer.headers.Get("Content-Type"), "application/yaml") << answer.body;
    const Result<std::vector<Json>> documents = ParseYaml(answer.body);
    if (!documents.ok() || documents->size() != 1) return Json(answer.body);
    return documents->front();
  }
  ApiHarness api;
  const Json secret;
};

TEST_F(RepresentationTest, AnObjectInYaml) {
  const ApiResponse got = Yaml(At(kSecrets, "s"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(Document(got), secret);
  EXPECT_THAT(got.body, StartsWith("apiVersion: v1\n"));
}

TEST_F(RepresentationTest, AListInYaml) {
  api.Insert("", "secrets", ManySecrets(1200));
  const ApiResponse got = Yaml(kSecrets);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(Document(got), api.Get(kSecrets).json());
  EXPECT_THAT(got.body, HasSubstr("\nitems:\n- apiVersion: v1\n  data:\n    password: "));
}

TEST_F(RepresentationTest, AnEmptyListInYaml) {
  EXPECT_EQ(Document(Yaml(kOperations)), api.Get(kOperations).json());
}

TEST_F(RepresentationTest, ATableInYaml) {
  constexpr std::string_view kTable = "application/yaml;as=Table;v=v1;g=meta.k8s.io";
  const Json table = Document(Yaml(kSecrets, kTable));
  EXPECT_EQ(table.StringAt({"kind"}), "Table");
  EXPECT_EQ(table.Find("rows")->as_array().size(), 1u);
  EXPECT_EQ(Document(Yaml(At(kSecrets, "s"), kTable)).StringAt({"kind"}), "Table");
}

TEST_F(RepresentationTest, MetadataAloneInYaml) {
  const Json list =
      Document(Yaml(kSecrets, "application/yaml;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"));
  EXPECT_EQ(list.StringAt({"kind"}), "PartialObjectMetadataList");
  EXPECT_EQ(*list.Find("items")->as_array()[0].Find("metadata"), *secret.Find("metadata"));
}

TEST_F(RepresentationTest, AWriteAnswersInYaml) {
  const ApiResponse made =
      api.Send("POST", kSecrets, EncodeJson(SecretObject("t")), {{"Accept", "application/yaml"}});
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(Document(made).StringAt({"metadata", "name"}), "t");
  const ApiResponse gone =
      api.Send("DELETE", At(kSecrets, "t"), "", {{"Accept", "application/yaml"}});
  EXPECT_EQ(Document(gone).StringAt({"status"}), "Success");
}

TEST_F(RepresentationTest, ARefusalInYaml) {
  const ApiResponse refused = Yaml(At(kSecrets, "nothing"));
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(Document(refused).StringAt({"reason"}), "NotFound");
  const ApiResponse unknown =
      api.Get(kSecrets, {{"Accept", "application/yaml"}, {"Authorization", "none"}});
  EXPECT_EQ(Document(unknown).StringAt({"reason"}), "Unauthorized");
}

TEST_F(RepresentationTest, ARefusalOfTheFormIsJson) {
  const ApiResponse refused = api.Get(kSecrets, {{"Accept", "text/html"}});
  EXPECT_EQ(refused.status, 406);
  EXPECT_EQ(refused.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(EncodeJson(refused.json()),
            R"({"apiVersion":"v1","code":406,"kind":"Status","message":"only the following media )"
            R"(types are accepted: application/json, application/yaml","metadata":{},)"
            R"("reason":"NotAcceptable","status":"Failure"})");
  const ApiResponse watch =
      api.Get(std::string(kSecrets) + "?watch=1", {{"Accept", "application/yaml"}});
  EXPECT_EQ(watch.status, 406);
  EXPECT_EQ(watch.Text({"message"}),
            "only the following media types are accepted: application/json;stream=watch");
}

TEST_F(RepresentationTest, YamlRoundTrips) {
  std::string text = Yaml(At(kSecrets, "s")).body;
  const ApiResponse put =
      api.Send("PUT", At(kSecrets, "s"), text, {{"Content-Type", "application/yaml"}});
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.json(), secret) << "and a write that changes nothing writes nothing";
}

TEST_F(RepresentationTest, PeopleSeeListsIndented) {
  const ApiResponse got = api.Get(kSecrets, {{"User-Agent", "curl/8.0"}});
  EXPECT_THAT(got.body, StartsWith("{\n  \"apiVersion\": \"v1\",\n"));
  EXPECT_THAT(got.body, HasSubstr("\n  \"items\": [\n    {\n      \"apiVersion\": \"v1\","));
  EXPECT_EQ(got.json(), api.Get(kSecrets).json());
  EXPECT_THAT(api.Get(std::string(kSecrets) + "?pretty=true").body, StartsWith("{\n"));
  EXPECT_THAT(api.Get(std::string(kSecrets) + "?pretty=0", {{"User-Agent", "curl/8.0"}}).body,
              StartsWith("{\"apiVersion\""));
}

TEST_F(RepresentationTest, PeopleSeeRefusalsIndented) {
  const ApiResponse refused = api.Get(At(kSecrets, "x"), {{"User-Agent", "Mozilla/5.0 (X11)"}});
  EXPECT_THAT(refused.body, StartsWith("{\n  \"apiVersion\": \"v1\",\n  \"code\": 404"));
}

TEST_F(RepresentationTest, AWatchIsNeverIndented) {
  const auto watch =
      api.Watch(std::string(kSecrets) + "?watch=1&pretty=true", {{"User-Agent", "curl/8.0"}});
  EXPECT_EQ(watch->Next(1).size(), 1u) << "one line is one event";
}

TEST_F(RepresentationTest, LongListsAreCompressedForWhoTakesIt) {
  api.Insert("", "secrets", ManySecrets(1200));
  const ApiResponse plain = api.Get(kSecrets);
  ASSERT_GT(plain.body.size(), 128u * 1024);
  EXPECT_FALSE(plain.headers.Has("Content-Encoding"));
  const ApiResponse small = api.Get(kSecrets, {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(small.headers.Get("Content-Encoding"), "gzip");
  EXPECT_EQ(small.headers.Get("Vary"), "Accept-Encoding");
  EXPECT_LT(small.body.size(), plain.body.size() / 4);
  const ApiResponse few =
      api.Get(std::string(kSecrets) + "?limit=3", {{"Accept-Encoding", "gzip"}});
  EXPECT_FALSE(few.headers.Has("Content-Encoding"));
  EXPECT_EQ(few.json().Find("items")->as_array().size(), 3u);
}

TEST_F(RepresentationTest, AWatchIsNeverCompressed) {
  api.Insert("", "secrets", ManySecrets(1200));
  const auto watch = api.Watch(std::string(kSecrets) + "?watch=1", {{"Accept-Encoding", "gzip"}});
  EXPECT_FALSE(watch->headers().Has("Content-Encoding"));
  EXPECT_EQ(watch->Next(1201).size(), 1201u);
}

TEST_F(RepresentationTest, EveryAnswerSaysHowItMayBeKept) {
  for (const std::string_view target : {std::string_view("/livez"), std::string_view("/metrics"),
                                        std::string_view("/nothing"), kSecrets}) {
    const ApiResponse answer = api.Get(target);
    EXPECT_EQ(answer.headers.Get("Cache-Control"), "no-cache, private") << target;
    EXPECT_NE(answer.headers.Get("Audit-Id"), "") << target;
    EXPECT_FALSE(answer.headers.Has("Strict-Transport-Security")) << target;
  }
}

TEST_F(RepresentationTest, BodiesOfYamlAreBounded) {
  struct Row {
    std::string_view reason;
    std::string body;
    int code;
    std::string_view message;
  };
  const std::vector<Row> table = {
      {"an alias", "a: &x [1]\nb: *x\n", 400, "anchors are not allowed"},
      {"a bomb", "a: &a [x,x]\nb: &b [*a,*a]\n", 400, "anchors are not allowed"},
      {"too deep", std::string(65, '[') + std::string(65, ']'), 400, "nesting is deeper than 64"},
      {"a key twice", "kind: Secret\nkind: Secret\n", 400, "key \"kind\" is already set in map"},
      {"two documents", "a: 1\n---\na: 1\n", 400, "exactly one YAML document"},
      {"none", "", 400, "exactly one YAML document"},
      {"a tag", "a: !!python/object 1\n", 400, ""},
  };
  for (const Row& row : table) {
    const ApiResponse refused =
        api.Send("POST", kSecrets, row.body, {{"Content-Type", "application/yaml"}});
    EXPECT_EQ(refused.status, row.code) << row.reason << refused.body;
    EXPECT_EQ(refused.Text({"reason"}), "BadRequest") << row.reason;
    EXPECT_THAT(refused.Text({"message"}), HasSubstr(std::string(row.message))) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
