// A label selector and a field selector of a client.
#include <string>
#include <vector>

#include "api/meta/field_selector.h"
#include "api/meta/label_selector.h"
#include "tests/fuzz/fuzz_target.h"

void asyncops::fuzz::Run(std::string_view input) {
  const std::vector<std::string> known = {"metadata.name", "status.phase"};
  const Result<LabelSelector> labels = ParseLabelSelector(input);
  if (labels.ok()) {
    static_cast<void>(labels->Matches({{"app", "web"}, {"n", "3"}}));
  } else {
    Hold(labels.status().reason() == Reason::kBadRequest, "a bad label selector is a bad request");
  }
  const Result<FieldSelector> fields = ParseFieldSelector(input, known);
  if (fields.ok()) {
    static_cast<void>(fields->Matches({{"metadata.name", "a"}}));
  } else {
    Hold(fields.status().reason() == Reason::kBadRequest, "a bad field selector is a bad request");
  }
}
