#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;
using testing::Not;

struct SecretTest : testing::Test {
  ApiHarness api;
};

TEST_F(SecretTest, StringDataGoesIntoData) {
  const std::string body =
      With(SecretObject("s"), R"({"stringData":{"password":"correct horse","user":"x"}})");
  const ApiResponse made = api.Send("POST", kSecrets, body);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"data", "password"}), "Y29ycmVjdCBob3JzZQ==");
  EXPECT_EQ(made.Text({"data", "user"}), "eA==");
  EXPECT_EQ(made.Text({"stringData"}), "");
  EXPECT_EQ(made.Text({"type"}), "Opaque");
  const ApiResponse patched = api.Patch(At(kSecrets, "s"), R"({"stringData":{"user":"y"}})");
  EXPECT_EQ(patched.Text({"data", "user"}), "eQ==") << patched.body;
  EXPECT_EQ(patched.Text({"data", "password"}), "Y29ycmVjdCBob3JzZQ==");
}

TEST_F(SecretTest, AnImmutableOneKeepsItsData) {
  ASSERT_EQ(api.Send("POST", kSecrets, With(SecretObject("s"), R"({"immutable":true})")).status,
            201);
  const ApiResponse refused = api.Patch(At(kSecrets, "s"), R"({"data":{"password":"eA=="}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.Text({"message"}),
              HasSubstr("data: Forbidden: field is immutable when `immutable` is set"));
  EXPECT_EQ(api.Patch(At(kSecrets, "s"), R"({"immutable":false})").status, 422);
  EXPECT_EQ(api.Patch(At(kSecrets, "s"), R"({"metadata":{"labels":{"a":"b"}}})").status, 200);
}

// Every way of getting a secret refused; none may tell its value.
TEST_F(SecretTest, NoRefusalTellsAValue) {
  ASSERT_EQ(api.Send("POST", kSecrets, EncodeJson(SecretObject("kept"))).status, 201);
  struct Row {
    std::string_view reason;
    std::string_view method;
    std::string_view name;
    std::string_view body;
    std::string_view type;
  };
  const std::vector<Row> table = {
      {"data that is no base64", "POST", "", R"({"apiVersion":"v1","kind":"Secret",
        "metadata":{"name":"s"},"data":{"password":"hunter2!"}})",
       "application/json"},
      {"data that is text", "POST", "", R"({"apiVersion":"v1","kind":"Secret",
        "metadata":{"name":"s"},"data":"hunter2"})",
       "application/json"},
      {"stringData of a wrong type", "POST", "", R"({"apiVersion":"v1","kind":"Secret",
        "metadata":{"name":"s"},"stringData":{"password":["hunter2"]}})",
       "application/json"},
      {"data of a wrong type", "POST", "", R"({"apiVersion":"v1","kind":"Secret",
        "metadata":{"name":"s"},"data":{"password":{"x":"hunter2"}}})",
       "application/json"},
      {"broken JSON", "POST", "", R"({"data":{"password":"hunter2"}, "x" "hunter2"})",
       "application/json"},
      {"broken YAML", "POST", "", "stringData: {password: hunter2\n  x: [hunter2",
       "application/yaml"},
      {"a bad key", "POST", "", R"({"apiVersion":"v1","kind":"Secret",
        "metadata":{"name":"s"},"stringData":{"bad key":"hunter2"}})",
       "application/json"},
      {"a test that fails", "PATCH", "kept",
       R"([{"op":"test","path":"/data/password","value":"hunter2"}])",
       "application/json-patch+json"},
      {"a test against what is there", "PATCH", "kept",
       R"([{"op":"test","path":"/data/password/x","value":"hunter2"}])",
       "application/json-patch+json"},
      {"a patch of a wrong type", "PATCH", "kept", R"({"data":{"password":["hunter2"]}})",
       "application/merge-patch+json"},
  };
  for (const Row& row : table) {
    const std::string target = row.name.empty() ? std::string(kSecrets) : At(kSecrets, row.name);
    for (const std::string_view query : {"?fieldValidation=Strict", "?fieldValidation=Warn"}) {
      const ApiResponse refused =
          api.Send(row.method, target + std::string(query), std::string(row.body),
                   {{"Content-Type", std::string(row.type)}});
      EXPECT_GE(refused.status, 400) << row.reason << refused.body;
      EXPECT_THAT(refused.body, Not(HasSubstr("hunter2"))) << row.reason;
      EXPECT_THAT(refused.body, Not(HasSubstr("aHVudGVyMg"))) << row.reason;
      for (const auto& [name, value] : refused.headers.all())
        EXPECT_THAT(value, Not(HasSubstr("hunter2"))) << row.reason << name;
    }
  }
}

}  // namespace
}  // namespace asyncops::apiserver
