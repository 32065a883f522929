#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(AsyncOperationValidationTest, AcceptsAMinimalOperation) {
  const ValidationResult result = Create(ValidOperation());
  EXPECT_THAT(Texts(result), IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(AsyncOperationValidationTest, RefusesEachMistakeAtItsField) {
  struct Row {
    std::string_view reason;
    std::string_view patch;
    std::string_view error;
  };
  const Row rows[] = {
      {"an operation does one of four things", "spec: {type: Make}",
       "spec.type: Unsupported value: \"Make\": supported values: \"Create\", \"Update\", "
       "\"Delete\", \"Action\""},
      {"it starts with a call", "spec: {submit: null}", "spec.submit: Required value"},
      {"gone belongs to a delete", "spec: {gone: [404]}", "spec.gone: Forbidden"},
      {"time does not run backwards", "spec: {ttlAfterFinished: -1s}",
       "spec.ttlAfterFinished: Invalid value: \"-1s\": must not be negative"},
      {"a callback is asked for somehow", "spec: {callback: {}}",
       "spec.callback: Required value: give inject"},
      {"a callback's ID is in the event", "spec: {callback: {correlate: response.body.id}}",
       "spec.callback.correlate: Invalid value: \"response.body.id\": col "},
      {"the callback's URL goes somewhere", "spec: {callback: {inject: {in: Body}}}",
       "spec.callback.inject.pointer: Required value"},
      {"a parameter has a name", "spec: {callback: {inject: {in: Query}}}",
       "spec.callback.inject.name: Required value"},
      {"a cancel is a template of what follows", "spec: {cancel: {path: '/x/${response.status}'}}",
       "spec.cancel.path: Invalid value: \"/x/${response.status}\": col "},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(Texts(Create(Patched(ValidOperation(), row.patch))),
                ElementsAre(HasSubstr(row.error)))
        << row.reason;
  }
}

TEST(AsyncOperationUpdateTest, AcceptsTheThreeFieldsThatMayChange) {
  EXPECT_THAT(Texts(Update(Patched(ValidOperation(), R"(
spec: {suspend: true, ttlAfterFinished: 1h, activeDeadline: 1h}
)"),
                           ValidOperation())),
              IsEmpty());
}

TEST(AsyncOperationUpdateTest, RefusesEveryOtherChangeByName) {
  const ValidationResult result =
      Update(Patched(ValidOperation(), "spec: {parameters: {a: 1}, submit: {path: /other}}"),
             ValidOperation());
  EXPECT_THAT(Texts(result), ElementsAre(HasSubstr("spec.parameters: Forbidden: cannot change"),
                                         HasSubstr("spec.submit: Forbidden: cannot change")));
}

}  // namespace
}  // namespace asyncops
