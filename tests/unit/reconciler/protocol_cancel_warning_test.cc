#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/operations/v1alpha1/cancel_warning.h"
#include "api/schema/schema.h"
#include "api/scheme.h"
#include "reconciler/presets.h"
#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

// Every preset that the API knows.
std::vector<std::string> Presets() {
  const Schema& system = *FindResource("asyncops.dev", "externalsystems")->schema;
  return system.Find("spec")->schema->Find("preset")->schema->enum_values;
}

TEST(ProtocolCancelWarningTest, TheTableOfPresetsWithACancelIsTheirs) {
  ASSERT_THAT(Presets(), testing::Contains("Custom"));
  for (const std::string& preset : Presets()) {
    AsyncOperation operation = VolumeOperation();
    // DescribeUntil has to be told when the thing is ready.
    operation.spec.poll.emplace();
    operation.spec.poll->acceptors = {{"response.status == 200", "Succeeded"}};
    const Result<Declaration> declaration = Declare(AcmeSystem(preset), operation);
    ASSERT_TRUE(declaration.ok()) << preset << declaration.status().ToString();
    EXPECT_EQ(PresetCancels(preset), declaration->cancel.has_value()) << preset;
  }
}

TEST(ProtocolCancelWarningTest, WhoeverCancelsIsWarnedWhereNothingCanBeCancelledOutside) {
  struct Row {
    std::string reason;
    std::string operation;
    std::string preset;
    bool warns;
  };
  const std::vector<Row> table = {
      {"nobody declares one", R"({"metadata":{"name":"o"},"spec":{}})", "JobStatus", true},
      {"Custom has none", R"({"metadata":{"name":"o"},"spec":{}})", "", true},
      {"null is none", R"({"metadata":{"name":"o"},"spec":{"cancel":null}})", "Custom", true},
      {"the operation does", R"({"metadata":{"name":"o"},"spec":{"cancel":{}}})", "", false},
      {"the preset does", R"({"metadata":{"name":"o"},"spec":{}})", "ODataAsync", false},
  };
  for (const Row& row : table) {
    const std::string warning = CancelWarning(*ParseJson(row.operation), row.preset);
    EXPECT_EQ(!warning.empty(), row.warns) << row.reason;
    if (row.warns) {
      EXPECT_THAT(warning, testing::StartsWith(R"(asyncoperations "o" declares no cancel: )"));
    }
  }
}

}  // namespace
}  // namespace asyncops::reconciler
