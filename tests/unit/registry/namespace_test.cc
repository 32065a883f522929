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

TEST_F(NamespaceTest, AnEmptyOneIsDeleted) {
  const ApiResponse gone = api.Send("DELETE", At(kNamespaces, "team-a"));
  EXPECT_EQ(gone.status, 200) << gone.body;
  EXPECT_EQ(gone.Text({"status"}), "Success");
  EXPECT_EQ(gone.Text({"details", "name"}), "team-a");
  EXPECT_EQ(api.Get(At(kNamespaces, "team-a")).status, 404);
  EXPECT_EQ(api.Send("POST", kResources, EncodeJson(ResourceObject("v"))).status, 404);
}

TEST_F(NamespaceTest, EventsDoNotHoldIt) {
  const ApiResponse event = api.Send("POST", At(kNamespaces, "team-a/events"),
                                     R"({"apiVersion":"v1","kind":"Event",
      "metadata":{"name":"e"},"involvedObject":{"kind":"AsyncResource","name":"v",
      "namespace":"team-a"},"reason":"Submitted","type":"Normal"})");
  ASSERT_EQ(event.status, 201) << event.body;
  EXPECT_EQ(api.Send("DELETE", At(kNamespaces, "team-a")).status, 200);
}

TEST_F(NamespaceTest, WithObjectsIsRefusedAndNamesOne) {
  ASSERT_EQ(api.Send("POST", kSecrets, EncodeJson(SecretObject("s"))).status, 201);
  const ApiResponse before = api.Get(At(kNamespaces, "team-a"));
  for (const std::string_view query : {"", "?dryRun=All"}) {
    const ApiResponse refused = api.Send("DELETE", At(kNamespaces, "team-a") + std::string(query));
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(EncodeJson(refused.json()),
              R"({"apiVersion":"v1","code":409,"details":{"kind":"namespaces","name":"team-a"},)"
              R"("kind":"Status","message":"Operation cannot be fulfilled on namespaces )"
              R"(\"team-a\": the namespace still holds secrets, \"s\" among them; delete what is )"
              R"(in it first","metadata":{},"reason":"Conflict","status":"Failure"})");
    EXPECT_EQ(api.Get(At(kNamespaces, "team-a")).body, before.body);
  }
}

TEST_F(NamespaceTest, DefaultIsProtected) {
  const ApiResponse refused = api.Send("DELETE", At(kNamespaces, "default"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.Text({"message"}),
            "namespaces \"default\" is forbidden: this namespace may not be deleted");
  EXPECT_EQ(refused.headers.Get("X-Content-Type-Options"), "nosniff");
}

TEST_F(NamespaceTest, UnderDeletionTakesNothingNew) {
  // A finalizer keeps it in that state.
  ASSERT_EQ(
      api.Patch(At(kNamespaces, "team-a"), R"({"metadata":{"finalizers":["a.example/x"]}})").status,
      200);
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
  ASSERT_EQ(api.Patch(At(kNamespaces, "team-a"), R"({"metadata":{"finalizers":null}})").status,
            200);
  EXPECT_EQ(api.Get(At(kNamespaces, "team-a")).status, 404);
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
