#include "api/scheme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/selectable_fields.h"
#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::ElementsAre;

std::vector<std::string> ColumnNames(const ResourceInfo& resource, int priority) {
  std::vector<std::string> names;
  for (const TableColumn& column : resource.columns) {
    if (column.priority == priority) names.push_back(column.name);
  }
  return names;
}

TEST(SchemeTest, ListsTheResourcesInTheOrderOfDiscovery) {
  std::vector<std::string> names;
  for (const ResourceInfo& resource : AllResources()) names.push_back(resource.GroupResource());
  EXPECT_THAT(names,
              ElementsAre("asyncoperations.operations.asyncops.dev", "asyncresources.asyncops.dev",
                          "externalsystems.asyncops.dev", "events", "namespaces", "secrets"));
}

TEST(SchemeTest, FindsAResourceByGroupAndPlural) {
  const ResourceInfo* found = FindResource("asyncops.dev", "asyncresources");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, "AsyncResource");
  EXPECT_EQ(found->GroupVersion(), "asyncops.dev/v1alpha1");
  EXPECT_EQ(FindResource("", "asyncresources"), nullptr);
  EXPECT_EQ(FindResource("", "events")->GroupVersion(), "v1");
}

TEST(SchemeTest, OperationsShowTheDocumentedColumns) {
  const ResourceInfo& operations = AllResources()[0];
  EXPECT_THAT(ColumnNames(operations, 0), ElementsAre("Name", "Type", "Resource", "Phase", "State",
                                                      "Operation-ID", "Retries", "Age"));
  EXPECT_THAT(ColumnNames(operations, 1), ElementsAre("Next", "External-System", "Reason", "URL"));
}

TEST(SchemeTest, ResourcesShowTheDocumentedColumns) {
  const ResourceInfo& resources = AllResources()[1];
  EXPECT_THAT(ColumnNames(resources, 0),
              ElementsAre("Name", "Phase", "Ready", "Operation-ID", "Retries", "Age"));
  EXPECT_THAT(ColumnNames(resources, 1), ElementsAre("Reason", "URL"));
}

TEST(SchemeTest, EventsAndSecretsShowWhatKubectlShows) {
  EXPECT_THAT(ColumnNames(*FindResource("", "events"), 0),
              ElementsAre("Last Seen", "Type", "Reason", "Object", "Message"));
  EXPECT_THAT(ColumnNames(*FindResource("", "secrets"), 0),
              ElementsAre("Name", "Type", "Data", "Age"));
}

TEST(SchemeTest, EveryResourceNamesOneColumnAndDescribesAll) {
  for (const ResourceInfo& resource : AllResources()) {
    int names = 0;
    for (const TableColumn& column : resource.columns) {
      if (column.format == "name") ++names;
      EXPECT_NE(column.description, "") << resource.kind << " " << column.name;
      EXPECT_FALSE(column.path.empty()) << resource.kind << " " << column.name;
    }
    EXPECT_EQ(names, 1) << resource.kind;
  }
}

TEST(SelectableFieldsTest, ReadsAnOperation) {
  const Json operation = Patched(ValidOperation(), R"(
metadata: {uid: u-1}
spec: {resourceRef: {kind: AsyncResource, name: data-volume}}
status: {phase: Failed, failureDetails: [{code: QuotaExceeded}, {code: Timeout}]}
)");
  const Fields fields = SelectableFields(ResourceOf(operation), operation);
  EXPECT_EQ(fields, (Fields{{"metadata.uid", "u-1"},
                            {"spec.type", "Create"},
                            {"spec.externalSystemRef.name", "acme-cloud"},
                            {"spec.resourceRef.apiVersion", ""},
                            {"spec.resourceRef.kind", "AsyncResource"},
                            {"spec.resourceRef.name", "data-volume"},
                            {"spec.resourceRef.uid", ""},
                            {"status.phase", "Failed"},
                            {"status.state", ""},
                            {"status.operationID", ""},
                            {"status.failureCode", "QuotaExceeded"}}));
}

TEST(SelectableFieldsTest, ReadsWhoReportsAnEvent) {
  const ResourceInfo& events = *FindResource("", "events");
  const Json event = ParseObject("{source: {component: asyncops}, involvedObject: {name: x}}");
  EXPECT_EQ(SelectableFields(events, event).at("source"), "asyncops");
  EXPECT_EQ(SelectableFields(events, event).at("involvedObject.name"), "x");
  EXPECT_EQ(SelectableFields(events, ParseObject("{reportingComponent: c}")).at("source"), "c");
}

}  // namespace
}  // namespace asyncops
