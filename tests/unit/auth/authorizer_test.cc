#include "apiserver/auth/authorizer.h"

#include <gtest/gtest.h>

#include "apiserver/auth/standalone_authorizer.h"

namespace asyncops::apiserver {
namespace {

UserInfo User(std::string name, std::vector<std::string> groups) {
  UserInfo user;
  user.name = std::move(name);
  user.groups = std::move(groups);
  return user;
}

TEST(ForbiddenStatusTest, SpeaksInTheWordsOfKubernetes) {
  const UserInfo ada = User("ada", {});
  const UserInfo crafty = User("<b>&\"", {});
  struct Row {
    std::string_view reason;
    Attributes attributes;
    std::string why;
    std::string_view message;
  };
  const Attributes object = {.user = &ada,
                             .verb = "get",
                             .resource_request = true,
                             .group = "operations.asyncops.dev",
                             .version = "v1alpha1",
                             .resource = "asyncoperations",
                             .namespace_name = "team-a",
                             .name = "n"};
  Attributes status = object;
  status.subresource = "status";
  Attributes everywhere = object;
  everywhere.namespace_name = "";
  everywhere.name = "";
  everywhere.verb = "list";
  Attributes core = object;
  core.group = "";
  core.resource = "secrets";
  const Attributes path = {.user = &ada, .verb = "get", .path = "/metrics"};
  Attributes spoofed = path;
  spoofed.user = &crafty;
  const std::vector<Row> table = {
      {"an object", object, "",
       R"(asyncoperations.operations.asyncops.dev "n" is forbidden: User "ada" cannot get )"
       R"(resource )"
       R"("asyncoperations" in API group "operations.asyncops.dev" in the namespace "team-a")"},
      {"with a reason", object, "no rule",
       R"(asyncoperations.operations.asyncops.dev "n" is forbidden: User "ada" cannot get )"
       R"(resource )"
       R"("asyncoperations" in API group "operations.asyncops.dev" in the namespace "team-a": no )"
       R"(rule)"},
      {"a subresource", status, "",
       R"(asyncoperations.operations.asyncops.dev "n" is forbidden: User "ada" cannot get )"
       R"(resource )"
       R"("asyncoperations/status" in API group "operations.asyncops.dev" in the namespace )"
       R"("team-a")"},
      {"all namespaces", everywhere, "",
       R"(asyncoperations.operations.asyncops.dev is forbidden: User "ada" cannot list )"
       R"(resource )"
       R"("asyncoperations" in API group "operations.asyncops.dev" at the cluster scope)"},
      {"the core group", core, "",
       R"(secrets "n" is forbidden: User "ada" cannot get resource "secrets" in API group "" in )"
       R"(the namespace "team-a")"},
      {"a path", path, "", R"(forbidden: User "ada" cannot get path "/metrics")"},
      {"names are escaped", spoofed, "",
       R"(forbidden: User "&lt;b&gt;&amp;"" cannot get path "/metrics")"},
  };
  for (const Row& row : table) {
    const Status refused = ForbiddenStatus(row.attributes, row.why);
    EXPECT_EQ(refused.reason(), Reason::kForbidden) << row.reason;
    EXPECT_EQ(refused.message(), row.message) << row.reason;
  }
  const StatusDetails details = ForbiddenStatus(object, "").details();
  EXPECT_EQ(details.group, "operations.asyncops.dev");
  EXPECT_EQ(details.kind, "asyncoperations");
  EXPECT_EQ(details.name, "n");
}

TEST(StandaloneAuthorizerTest, LetsTheOwnersFriendsDoAllAndOthersProbe) {
  const UserInfo ada = User("ada", {"system:authenticated"});
  const UserInfo nobody = User("system:anonymous", {"system:unauthenticated"});
  struct Row {
    std::string_view reason;
    Attributes attributes;
    bool allowed;
  };
  const std::vector<Row> table = {
      {"a write", {.user = &ada, .verb = "delete", .resource_request = true}, true},
      {"a probe", {.user = &nobody, .verb = "get", .path = "/livez"}, true},
      {"by HEAD", {.user = &nobody, .verb = "head", .path = "/readyz"}, true},
      {"one check", {.user = &nobody, .verb = "get", .path = "/readyz/sqlite"}, true},
      {"the old name", {.user = &nobody, .verb = "get", .path = "/healthz"}, true},
      {"a longer word", {.user = &nobody, .verb = "get", .path = "/livezz"}, false},
      {"a post", {.user = &nobody, .verb = "post", .path = "/livez"}, false},
      {"metrics", {.user = &nobody, .verb = "get", .path = "/metrics"}, false},
      {"discovery", {.user = &nobody, .verb = "get", .path = "/apis"}, false},
      {"an object of that path",
       {.user = &nobody, .verb = "get", .resource_request = true, .path = "/livez"},
       false},
  };
  for (const Row& row : table) {
    bool allowed = false;
    int calls = 0;
    StandaloneAuthorizer().Authorize(row.attributes, [&allowed, &calls](const Decision& decision) {
      allowed = decision.allowed;
      ++calls;
    });
    EXPECT_EQ(allowed, row.allowed) << row.reason;
    EXPECT_EQ(calls, 1) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
