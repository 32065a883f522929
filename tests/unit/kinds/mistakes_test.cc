// Several mistakes at once: none hides another that can be judged by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

struct Mistakes {
  std::string_view reason;
  std::string_view patch;  // of ValidResource
  std::vector<std::string> paths;
};

TEST(MistakesTest, AWrongTypeHidesNoMistakeElsewhere) {
  const std::vector<Mistakes> table = {
      {"a type and a rule of the kind",
       "spec: {create: {poll: {interval: 7}, submit: {path: volumes}}}",
       {"spec.create.poll.interval", "spec.create.submit.path"}},
      {"a type and the name",
       "{metadata: {name: Bad_Name}, spec: {create: {submit: {method: 7}}}}",
       {"metadata.name", "spec.create.submit.method"}},
      {"a type in the metadata and a label",
       "metadata: {generation: x, labels: {'-a': b}}",
       {"metadata.generation", "metadata.labels"}},
      {"a type in the metadata and a rule of the kind",
       "{metadata: {finalizers: 7}, spec: {create: {submit: {path: volumes}}}}",
       {"metadata.finalizers", "spec.create.submit.path"}},
      {"an item of a list takes the list with it, and nothing else",
       "{metadata: {finalizers: [7, 'a b']}, spec: {create: {submit: {path: volumes}}}}",
       {"metadata.finalizers[0]", "spec.create.submit.path"}},
      {"a member of an item, and the next item",
       "spec: {create: {submit: {headers: [{name: 7, value: x}, {name: 'X Y', value: x}]}}}",
       {"spec.create.submit.headers[0].name", "spec.create.submit.headers[1].name"}},
      {"a key with dots",
       "{metadata: {annotations: {a.b/c: 7}}, spec: {create: {submit: {path: volumes}}}}",
       {"metadata.annotations[a.b/c]", "spec.create.submit.path"}},
      {"a duration that is none",
       "spec: {create: {poll: {interval: soon}, submit: {path: volumes}}}",
       {"spec.create.poll.interval", "spec.create.submit.path"}},
      {"what is gone is not asked for twice", "spec: {create: text}", {"spec.create"}},
      {"a whole that is nothing", "spec: 7", {"spec"}},
  };
  for (const Mistakes& row : table) {
    const ValidationResult result = Create(Patched(ValidResource(), row.patch));
    std::vector<std::string> paths;
    for (const FieldError& error : result.errors) paths.push_back(error.path);
    EXPECT_THAT(paths, testing::UnorderedElementsAreArray(row.paths))
        << row.reason << ": " << testing::PrintToString(Texts(result));
  }
}

TEST(MistakesTest, AnUpdateIsJudgedTheSameWay) {
  const Json old = ValidResource();
  const Json changed =
      Patched(old, "spec: {create: {poll: {interval: 7}, submit: {path: volumes}}}");
  EXPECT_THAT(Texts(Update(changed, old)),
              UnorderedElementsAre(HasSubstr("spec.create.poll.interval: Invalid value"),
                                   HasSubstr("spec.create.submit.path: Invalid value")));
}

}  // namespace
}  // namespace asyncops
