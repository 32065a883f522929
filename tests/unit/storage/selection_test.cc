#include "storage/selection.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "storage/encoded_pairs.h"

namespace asyncops::storage {
namespace {

using Operator = LabelRequirement::Operator;

struct SelectionCase {
  const char* reason;
  std::vector<LabelRequirement> labels;
  std::vector<FieldRequirement> fields;
  bool matches;
};

TEST(SelectionTest, BothSelectorsDecide) {
  const EncodedPairs labels(Pairs{{"app", "web"}, {"tier", ""}});
  const EncodedPairs fields(Pairs{{"status.phase", "Running"}});
  const SelectionCase cases[] = {
      {"no selector matches everything", {}, {}, true},
      {"a label's value", {{"app", Operator::kIn, {"db", "web"}}}, {}, true},
      {"another value", {{"app", Operator::kIn, {"db"}}}, {}, false},
      {"a label that is empty is there", {{"tier", Operator::kExists, {}}}, {}, true},
      {"a label that is not there", {{"zone", Operator::kExists, {}}}, {}, false},
      {"a field", {}, {{"status.phase", true, "Running"}}, true},
      {"a field's other value", {}, {{"status.phase", true, "Pending"}}, false},
      {"a field that is not so", {}, {{"status.phase", false, "Pending"}}, true},
      {"a field that is not there reads as nothing", {}, {{"status.state", true, ""}}, true},
      {"the name", {}, {{"metadata.name", true, "n"}}, true},
      {"another name", {}, {{"metadata.name", true, "m"}}, false},
      {"the namespace", {}, {{"metadata.namespace", true, "ns"}}, true},
      {"another namespace", {}, {{"metadata.namespace", false, "ns"}}, false},
      {"one of two fields is wrong",
       {},
       {{"status.phase", true, "Running"}, {"metadata.name", true, "m"}},
       false},
      {"the field matches and the label does not",
       {{"app", Operator::kNotIn, {"web"}}},
       {{"status.phase", true, "Running"}},
       false},
  };
  for (const SelectionCase& item : cases) {
    EXPECT_EQ(Matches({item.labels}, {item.fields},
                      {.namespace_name = "ns",
                       .name = "n",
                       .labels = labels.text(),
                       .fields = fields.text()}),
              item.matches)
        << item.reason;
  }
}

}  // namespace
}  // namespace asyncops::storage
