#include "apiserver/handlers/body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;

// A field of bytes, as protobuf writes it; the text is shorter than 128 bytes.
std::string Field(int number, std::string_view text) {
  std::string out;
  out.push_back(static_cast<char>(number << 3 | 2));
  out.push_back(static_cast<char>(text.size()));
  return out.append(text);
}

// The envelope of an object of v1; protobuf_body_test.cc has more of it.
std::string Envelope(std::string_view kind, std::string_view object) {
  return std::string("k8s\0", 4) + Field(1, Field(1, "v1") + Field(2, kind)) + Field(2, object) +
         Field(3, "") + Field(4, "");
}

TEST(BodyTest, TakesAProtobufBodyOfACoreKind) {
  ApiHarness api;
  const std::string body = Envelope(
      "Secret", Field(1, Field(1, "acme")) + Field(2, Field(1, "password") + Field(2, "hunter2")));
  const ApiResponse made =
      api.Send("POST", kSecrets, body, {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(api.Get(At(kSecrets, "acme")).Text({"data", "password"}), "aHVudGVyMg==");
}

ApiResponse PatchAs(ApiHarness* api, const std::string& target, std::string patch) {
  return api->Send("PATCH", target, std::move(patch),
                   {{"Content-Type", "application/strategic-merge-patch+json"}});
}

TEST(BodyTest, TakesAStrategicMergePatchOfACoreKindAsAMergePatch) {
  ApiHarness api;
  api.Send("POST", kSecrets, EncodeJson(SecretObject("acme")));
  const ApiResponse patched =
      PatchAs(&api, At(kSecrets, "acme"), R"({"data":{"user":"bWU=","password":null}})");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Text({"data"}), R"({"user":"bWU="})");
}

TEST(BodyTest, RefusesDirectivesOfAStrategicMergePatch) {
  ApiHarness api;
  const ApiResponse refused = PatchAs(&api, At(kNamespaces, "team-a"),
                                      R"({"metadata":{"finalizers":[{"$patch":"replace"}]}})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.Text({"message"}), HasSubstr("$patch"));
}

TEST(BodyTest, RefusesAStrategicMergePatchOfOurKinds) {
  ApiHarness api;
  api.Send("POST", kResources, EncodeJson(ResourceObject("v")));
  const ApiResponse refused = PatchAs(&api, At(kResources, "v"), "{}");
  EXPECT_EQ(refused.status, 415);
  EXPECT_THAT(refused.Text({"message"}), HasSubstr("application/merge-patch+json"));
}

}  // namespace
}  // namespace asyncops::apiserver
