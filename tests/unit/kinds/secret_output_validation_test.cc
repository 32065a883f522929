// Outputs that go into Secrets: where, and who may read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

#include "api/asyncops/v1alpha1/secret_output_rules.h"
#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A resource whose password goes into the Secret "vol", with a patch.
Json WithPassword(std::string_view patch) {
  const Json base =
      Patched(ValidResource(),
              "spec: {outputs: [{name: volumeID, value: /id}, {name: password, value: "
              "/pw, toSecret: {name: vol, key: password}}]}");
  return Patched(base, patch);
}

struct Refusal {
  std::string_view reason;
  std::string_view patch;
  std::string_view path;
  std::string_view text;
};

void PrintTo(const Refusal& row, std::ostream* out) { *out << row.reason; }

class SecretOutputRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(SecretOutputRefusalTest, IsOneErrorAtTheField) {
  const Refusal& row = GetParam();
  const ValidationResult result = Create(WithPassword(row.patch));
  ASSERT_THAT(Texts(result), ElementsAre(HasSubstr(row.text))) << row.reason;
  EXPECT_EQ(result.errors.front().path, row.path) << row.reason;
}

constexpr Refusal kRefusals[] = {
    {"a Secret's name",
     "spec: {outputs: [{name: a, value: /a, toSecret: {name: A_B, key: k}}], delete: null}",
     "spec.outputs[0].toSecret.name", "RFC 1123"},
    {"a Secret's key",
     "spec: {outputs: [{name: a, value: /a, toSecret: {name: s, key: k/}}], delete: null}",
     "spec.outputs[0].toSecret.key", "a key of a Secret consists of"},
    {"a key takes one value",
     "spec: {outputs: [{name: a, value: /a, toSecret: {name: s, key: k}}, {name: b, value: /b, "
     "toSecret: {name: s, key: k}}], delete: null}",
     "spec.outputs[1].toSecret.key", "Duplicate value"},
    {"what is stored is no source",
     "spec: {outputs: [{name: a, value: submit.response.body.pw, toSecret: {name: s, key: k}}], "
     "delete: null}",
     "spec.outputs[0].value", "must not read submit.response"},
    {"a path is stored", "spec: {delete: {submit: {path: '/volumes/${outputs.password}'}}}",
     "spec.delete.submit.path", "outputs.password goes into a Secret"},
    {"a body is stored", "spec: {update: {submit: {path: /v, body: {pw: '${outputs.password}'}}}}",
     "spec.update.submit.body.pw", "outputs.password goes into a Secret"},
    {"a part of a header cannot be put together",
     "spec: {update: {submit: {path: /v, headers: [{name: X-P, value: 'Pw "
     "${outputs.password}'}]}}}",
     "spec.update.submit.headers[0].value", "outputs.password goes into a Secret"},
    {"there is nothing to read yet",
     "spec: {create: {submit: {headers: [{name: X-P, value: '${outputs.password}'}]}}}",
     "spec.create.submit.headers[0].value", "in spec.update and spec.delete"},
    {"conditions read what is in status",
     "spec: {update: {submit: {path: /v}, poll: {acceptors: [{when: 'outputs.password == "
     "response.body.pw', state: Succeeded}, {when: response.body.bad, state: Failed}]}}}",
     "spec.update.poll.acceptors[0].when", "outputs.password goes into a Secret"},
};
INSTANTIATE_TEST_SUITE_P(Rules, SecretOutputRefusalTest, testing::ValuesIn(kRefusals));

TEST(SecretOutputValidationTest, AcceptsAWholeHeaderOfUpdateAndDelete) {
  const ValidationResult result = Create(WithPassword(
      "spec: {update: {submit: {path: /v, headers: [{name: X-P, value: '${outputs.password}'}]}}, "
      "delete: {submit: {path: '/volumes/${outputs.volumeID}', headers: [{name: X-P, value: '${ "
      "outputs.password }'}]}}}"));
  EXPECT_THAT(Texts(result), IsEmpty());
}

TEST(SecretOutputValidationTest, AnOperationHasTheSameRules) {
  const ValidationResult result = Create(Patched(
      ValidOperation(),
      "spec: {outputs: [{name: a, value: /a, toSecret: {name: s, key: k}}, {name: b, value: "
      "submit.response.body.b, toSecret: {name: s, key: k}}]}"));
  EXPECT_THAT(Texts(result), ElementsAre(HasSubstr("spec.outputs[1].toSecret.key"),
                                         HasSubstr("spec.outputs[1].value")));
}

TEST(SecretOutputValidationTest, KnowsAHeaderThatIsOneOutput) {
  EXPECT_EQ(OutputOfHeader("${outputs.password}"), "password");
  EXPECT_EQ(OutputOfHeader(" ${ outputs.a_1 } "), "a_1");
  for (const char* value : {"", "outputs.a", "${outputs.}", "${outputs.a}x", "${outputs.a.b}",
                            "${outputs.a}${outputs.b}", "${spec.a}", "${outputs['a']}"})
    EXPECT_EQ(OutputOfHeader(value), std::nullopt) << value;
}

}  // namespace
}  // namespace asyncops
