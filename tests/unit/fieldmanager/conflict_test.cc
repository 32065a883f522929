#include "api/fieldmanager/conflict.h"

#include <gtest/gtest.h>

#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

ManagerEntry Owner(std::string manager, bool is_applied, std::string subresource = "",
                   std::string time = "2026-11-29T12:00:00Z") {
  return {.manager = std::move(manager),
          .is_applied = is_applied,
          .api_version = "ops/v1",
          .subresource = std::move(subresource),
          .time = std::move(time),
          .fields = {}};
}

TEST(ConflictStatusTest, NamesTheOwnerAndTheField) {
  struct Row {
    const char* reason;
    ManagerEntry owner;
    std::string described;
  };
  const Row table[] = {
      {"an updater, with version and time", Owner("kubectl-edit", false),
       R"(conflict with "kubectl-edit" using ops/v1 at 2026-11-29T12:00:00Z)"},
      {"an applier has neither", Owner("ci", true), R"(conflict with "ci")"},
      {"of a subresource", Owner("m", false, "status"),
       R"(conflict with "m" with subresource "status" using ops/v1 at 2026-11-29T12:00:00Z)"},
      {"without a time", Owner("m", false, "", ""), R"(conflict with "m" using ops/v1)"},
      {"a name with quotes", Owner("a\"b", true), R"(conflict with "a\"b")"},
  };
  for (const Row& row : table) {
    const Status status = ConflictStatus({{row.owner, {"f:spec", "f:x"}}});
    EXPECT_EQ(status.reason(), Reason::kConflict) << row.reason;
    EXPECT_EQ(status.message(), "Apply failed with 1 conflict: " + row.described + ": .spec.x")
        << row.reason;
    StatusDetails details;
    details.causes = {{"FieldManagerConflict", row.described, ".spec.x"}};
    EXPECT_EQ(status.details(), details) << row.reason;
  }
}

TEST(ConflictStatusTest, ListsSeveralByOwner) {
  const Status status = ConflictStatus({{Owner("b", true), {"f:spec", "f:x"}},
                                        {Owner("a", false), {"f:spec", "f:y"}},
                                        {Owner("b", true), {"f:spec", "f:z"}}});
  EXPECT_EQ(status.message(),
            "Apply failed with 3 conflicts: "
            "conflicts with \"a\" using ops/v1 at 2026-11-29T12:00:00Z:\n- .spec.y\n"
            "conflicts with \"b\":\n- .spec.x\n- .spec.z");
  EXPECT_EQ(status.details().causes.size(), 3u);
}

}  // namespace
}  // namespace asyncops::fieldmanager
