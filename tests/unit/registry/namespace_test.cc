#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

struct NamespaceTest : testing::Test {
  ApiHarness api;
};

TEST_F(NamespaceTest, BeginsActive) {
  const ApiResponse made = api.Send("POST", kNamespaces, EncodeJson(NamespaceObject("team-b")));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Text({"status", "phase"}), "Active");
  EXPECT_EQ(made.Text({"metadata", "namespace"}), "");
  EXPECT_EQ(api.Get(At(kNamespaces, "team-b")).body, made.body);
}

TEST_F(NamespaceTest, IsHeldUntilItIsEmpty) {
  const ApiResponse closed = api.Send("DELETE", At(kNamespaces, "team-a"));
  EXPECT_EQ(closed.status, 200) << closed.body;
  EXPECT_EQ(closed.Text({"kind"}), "Namespace");
  EXPECT_EQ(closed.Text({"status", "phase"}), "Terminating");
  EXPECT_EQ(closed.Text({"metadata", "deletionTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(EncodeJson(*closed.json().FindPath({"spec", "finalizers"})), R"(["kubernetes"])");
  EXPECT_EQ(api.Get(At(kNamespaces, "team-a")).body, closed.body);
  // A second time changes nothing.
  EXPECT_EQ(api.Send("DELETE", At(kNamespaces, "team-a")).json(), closed.json());
}

TEST_F(NamespaceTest, ClientsDoNotChooseItsSpec) {
  const Json own = NamespaceObject("team-b");
  ASSERT_EQ(api.Send("POST", kNamespaces, With(own, R"({"spec":{"finalizers":[]}})")).status, 201);
  const ApiResponse patched =
      api.Patch(At(kNamespaces, "team-b"), R"({"spec":{"finalizers":null},)"
                                           R"("metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Text({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(EncodeJson(*patched.json().FindPath({"spec", "finalizers"})), R"(["kubernetes"])");
}

TEST_F(NamespaceTest, AChangeOfATerminatingOneDoesNotEndIt) {
  ASSERT_EQ(api.Send("DELETE", At(kNamespaces, "team-a")).status, 200);
  EXPECT_EQ(api.Patch(At(kNamespaces, "team-a"), R"({"metadata":{"labels":{"a":"b"}}})").status,
            200);
  EXPECT_EQ(api.Get(At(kNamespaces, "team-a")).Text({"metadata", "labels", "a"}), "b");
}

TEST_F(NamespaceTest, NoClientSaysThatItTerminatesOrDoesNot) {
  const std::string status = At(kNamespaces, "team-a/status");
  const ApiResponse early = api.Patch(status, R"({"status":{"phase":"Terminating"}})");
  EXPECT_EQ(early.status, 422) << early.body;
  EXPECT_EQ(
      early.Text({"message"}),
      "Namespace \"team-a\" is invalid: status.Phase: Invalid value: \"Terminating\": may only "
      "be 'Active' if `deletionTimestamp` is empty");
  ASSERT_EQ(api.Send("DELETE", At(kNamespaces, "team-a")).status, 200);
  const ApiResponse revived = api.Patch(status, R"({"status":{"phase":"Active"}})");
  EXPECT_EQ(revived.status, 422) << revived.body;
  EXPECT_EQ(revived.Text({"message"}),
            "Namespace \"team-a\" is invalid: status.Phase: Invalid value: \"Active\": may only be "
            "'Terminating' if `deletionTimestamp` is not empty");
  EXPECT_EQ(api.Patch(status, R"({"status":{"phase":null}})").status, 422);
  EXPECT_EQ(api.Patch(At(kNamespaces, "team-a"), R"({"status":{"phase":"Active"}})").status, 200);
  const ApiResponse noted =
      api.Patch(status, R"({"status":{"conditions":[{"type":"Seen","status":"True","reason":"Seen",
                  "message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  EXPECT_EQ(noted.status, 200) << noted.body;
  EXPECT_EQ(api.Get(At(kNamespaces, "team-a")).Text({"status", "phase"}), "Terminating");
}

TEST_F(NamespaceTest, NothingIsCreatedInOneThatIsNotThere) {
  const ApiResponse refused =
      api.Send("POST", "/api/v1/namespaces/nowhere/secrets", EncodeJson(SecretObject("s")));
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.Text({"message"}), "namespaces \"nowhere\" not found");
}

TEST_F(NamespaceTest, DefaultIsProtected) {
  const ApiResponse refused = api.Send("DELETE", At(kNamespaces, "default"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.Text({"message"}),
            "namespaces \"default\" is forbidden: this namespace may not be deleted");
  EXPECT_EQ(refused.headers.Get("X-Content-Type-Options"), "nosniff");
}

TEST_F(NamespaceTest, UnderDeletionTakesNothingNew) {
  const ApiResponse marked = api.Send("DELETE", At(kNamespaces, "team-a"));
  EXPECT_EQ(marked.status, 200) << marked.body;
  EXPECT_EQ(marked.Text({"status", "phase"}), "Terminating");
  for (const std::string_view query : {"", "?dryRun=All"}) {
    const ApiResponse refused =
        api.Send("POST", std::string(kSecrets) + std::string(query), EncodeJson(SecretObject("s")));
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(EncodeJson(refused.json()),
              R"({"apiVersion":"v1","code":403,"details":{"causes":[{"field":)"
              R"("metadata.namespace","message":"namespace team-a is being terminated","reason":)"
              R"("NamespaceTerminating"}],"kind":"secrets","name":"s"},"kind":"Status","message":)"
              R"("secrets \"s\" is forbidden: unable to create new content in namespace team-a )"
              R"(because it is being terminated","metadata":{},"reason":"Forbidden",)"
              R"("status":"Failure"})");
  }
}

TEST_F(NamespaceTest, PreconditionsHoldForIt) {
  const ApiResponse refused =
      api.Send("DELETE", At(kNamespaces, "team-a"), R"({"preconditions":{"uid":"other"}})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(api.Get(At(kNamespaces, "team-a")).Text({"status", "phase"}), "Active");
}

TEST_F(NamespaceTest, ADryRunLeavesIt) {
  EXPECT_EQ(api.Send("DELETE", At(kNamespaces, "team-a") + "?dryRun=All").status, 200);
  EXPECT_EQ(api.Get(At(kNamespaces, "team-a")).Text({"status", "phase"}), "Active");
}

TEST_F(NamespaceTest, OfNothingIsNotFound) {
  EXPECT_EQ(api.Send("DELETE", At(kNamespaces, "nowhere")).status, 404);
}

}  // namespace
}  // namespace asyncops::apiserver
