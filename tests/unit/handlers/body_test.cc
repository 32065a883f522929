#include "apiserver/handlers/body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/scheme.h"
#include "apiserver/handlers/protobuf_body.h"
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

// The envelope of an object of v1.
std::string Envelope(std::string_view kind, std::string_view object) {
  return std::string("k8s\0", 4) + Field(1, Field(1, "v1") + Field(2, kind)) + Field(2, object) +
         Field(3, "") + Field(4, "");
}

std::string Decoded(const std::string& bytes) {
  const Result<Json> json = DecodeProtobuf(bytes);
  return json.ok() ? EncodeJson(*json) : std::string(json.status().message());
}

TEST(ProtobufBodyTest, ReadsASecret) {
  // kubectl writes a creationTimestamp without fields for none.
  const std::string meta = Field(1, "acme") + Field(3, "team-a") + Field(8, "") +
                           Field(11, Field(1, "tier") + Field(2, "gold")) + Field(14, "a/b") +
                           Field(14, "c/d");
  const std::string secret = Field(1, meta) + Field(2, Field(1, "token") + Field(2, "\xff\x01")) +
                             Field(2, Field(1, "none")) + Field(3, "Opaque") + "\x28\x01";
  EXPECT_EQ(Decoded(Envelope("Secret", secret)),
            R"({"apiVersion":"v1","data":{"none":"","token":"/wE="},"immutable":true,)"
            R"("kind":"Secret","metadata":{"finalizers":["a/b","c/d"],"labels":{"tier":"gold"},)"
            R"("name":"acme","namespace":"team-a"},"type":"Opaque"})");
}

TEST(ProtobufBodyTest, ReadsANamespaceAndSkipsWhatItDoesNotKnow) {
  const std::string meta = Field(1, "team-b") + Field(8, "\x08\xf0\xb5\x8b\xd0\x06");
  const std::string object =
      Field(1, meta + Field(13, "an owner")) + Field(2, "") + Field(3, "") + Field(9, "later");
  EXPECT_EQ(Decoded(Envelope("Namespace", object)),
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"creationTimestamp":)"
            R"("2026-05-12T07:46:56Z","name":"team-b"},"spec":{},"status":{}})");
}

TEST(ProtobufBodyTest, RefusesOtherKinds) {
  EXPECT_THAT(Decoded(Envelope("Pod", "")), HasSubstr("application/json"));
  EXPECT_EQ(DecodeProtobuf(Envelope("Pod", "")).status().reason(), Reason::kUnsupportedMediaType);
}

TEST(ProtobufBodyTest, RefusesWhatIsCutShortAnywhere) {
  const std::string object = Field(1, Field(1, "acme")) + Field(2, Field(1, "k") + Field(2, "v"));
  const std::string whole = Envelope("Secret", object);
  ASSERT_TRUE(DecodeProtobuf(whole).ok());
  const std::size_t last_fields = Field(3, "").size() + Field(4, "").size();
  for (std::size_t size = 0; size < whole.size() - last_fields; ++size) {
    EXPECT_FALSE(DecodeProtobuf(whole.substr(0, size)).ok()) << size;
  }
}

TEST(ProtobufBodyTest, RefusesMalformedFields) {
  struct Case {
    std::string secret;
    std::string reason;
  };
  const std::vector<Case> cases = {
      {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a length beyond the end"},
      {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a number of more than 64 bits"},
      {"\x0b", "a group, which proto3 does not have"},
      {std::string("\0\0", 2), "field number 0"},
      {"\x08\x01", "metadata as a number"},
      {Field(1, Field(1, "\xff")), "a name that is not UTF-8"},
      {Field(5, "x"), "a flag as bytes"},
  };
  for (const Case& c : cases) {
    const Result<Json> json = DecodeProtobuf(Envelope("Secret", c.secret));
    EXPECT_EQ(json.status().reason(), Reason::kBadRequest) << c.reason;
  }
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
