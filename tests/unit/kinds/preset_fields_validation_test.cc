// The fields that presets fill in, as a user may write them; and names that a declaration lacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PresetFieldsTest, AllOfThemAreAcceptedWithoutAWarning) {
  const ValidationResult result = Create(Patched(ValidResource(), R"(
spec:
  create:
    operation: {immediate: Judged, pollURL: operation.submitURL}
    poll:
      method: POST
      path: /status
      headers: [{name: X-Target, value: "Get-${submit.response.status}"}]
      body: {token: "${operation.id}"}
      envelope: HTTP
      nextURL: response.headers.location
      retryAfter: /retryAfter
      acceptors:
        - {when: response.status == 200, state: Succeeded}
        - {when: response.status == 410, state: NotFound}
        - {when: response.status == 418, state: Unreadable}
        - {when: response.status == 500, state: Failed}
      result: {from: Expression, expression: response.body.resourceLocation}
    recovery:
      lookup:
        {method: POST, path: /find, body: {tag: "${operation.correlationID}"},
         headers: [{name: X-A, value: b}], found: "true", id: /id, pollURL: /link}
  cancel: {path: /cancel, body: {token: "${operation.id}"}, headers: [{name: X-A, value: b}]}
  errorRules: [{when: error.code == 'Slow', class: Throttled, delay: 1m}]
)"));
  EXPECT_THAT(Texts(result), IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
}

struct Row {
  std::string_view reason;
  std::string_view patch;
  std::string_view text;
};

TEST(PresetFieldsTest, MistakesInThemAreRefusedByTheirPath) {
  const Row rows[] = {
      {"a GET carries no body", "spec: {create: {poll: {body: {a: b}}}}",
       "spec.create.poll.body: Forbidden: a GET carries no body"},
      {"nor does a look-up's",
       "spec: {create: {recovery: {lookup: {path: /x, found: 'true', id: /id, pollURL: /u, "
       "body: {a: b}}}}}",
       "spec.create.recovery.lookup.body: Forbidden"},
      {"a template in a body", "spec: {cancel: {path: /c, body: {a: '${operation.nope}'}}}",
       "spec.cancel.body.a: Invalid value"},
      {"credentials go elsewhere",
       "spec: {create: {poll: {headers: [{name: Authorization, value: x}]}}}",
       "spec.create.poll.headers[0].name: Forbidden"},
      {"an expression", "spec: {create: {poll: {nextURL: 'response.nope'}}}",
       "spec.create.poll.nextURL: Invalid value"},
      {"another", "spec: {create: {poll: {retryAfter: '1 +'}}}",
       "spec.create.poll.retryAfter: Invalid value"},
      {"a result needs its expression", "spec: {create: {poll: {result: {from: Expression}}}}",
       "spec.create.poll.result.expression: Required value"},
      {"and only that one has it",
       "spec: {create: {poll: {result: {from: Location, expression: /x}}}}",
       "spec.create.poll.result.expression: Forbidden"},
      {"an envelope that is none", "spec: {create: {poll: {envelope: Zip}}}",
       "spec.create.poll.envelope: Unsupported value"},
      {"what an answer at once means", "spec: {create: {operation: {immediate: Maybe}}}",
       "spec.create.operation.immediate: Unsupported value"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(Texts(Create(Patched(ValidResource(), row.patch))),
                ElementsAre(HasSubstr(row.text)))
        << row.reason;
  }
}

TEST(PresetFieldsTest, AKeyInTheQueryHasANameAndNoPointer) {
  const auto texts = [](std::string_view idempotency) {
    return Texts(
        Create(Patched(ValidSystem(), "spec: {idempotency: " + std::string(idempotency) + "}")));
  };
  EXPECT_THAT(texts("{in: Query, name: requestId}"), IsEmpty());
  EXPECT_THAT(texts("{in: Query, name: null}"),
              ElementsAre(HasSubstr("spec.idempotency.name: Required value")));
  EXPECT_THAT(texts("{in: Query, name: 'a&b'}"),
              ElementsAre(HasSubstr("spec.idempotency.name: Invalid value")));
  EXPECT_THAT(texts("{in: Query, name: a, pointer: /a}"),
              ElementsAre(HasSubstr("spec.idempotency.pointer: Forbidden")));
}

TEST(PresetFieldsTest, EveryPresetIsKnown) {
  for (const char* preset : {"AWSCloudControl", "AcceptedLocation", "AzureARM", "Custom",
                             "DescribeUntil", "GoogleLRO", "JobStatus", "ODataAsync"}) {
    EXPECT_THAT(
        Texts(Create(Patched(ValidSystem(), std::string("spec: {preset: ") + preset + "}"))),
        IsEmpty())
        << preset;
  }
}

TEST(UndeclaredNamesTest, AreWarnedOfWhereverTheyAreRead) {
  const Row rows[] = {
      {"a parameter in a body",
       "spec: {create: {submit: {body: {a: '${spec.parameters.colour}'}}}}",
       "spec.create.submit.body.a reads spec.parameters.colour, which spec.parameters lacks"},
      {"an output in a path", "spec: {delete: {submit: {path: '/v/${outputs.volumeId}'}}}",
       "spec.delete.submit.path reads outputs.volumeId, which spec.outputs lacks"},
      {"by its key", "spec: {create: {submit: {path: \"/${spec.parameters['x y']}\"}}}",
       "reads spec.parameters.x y"},
      {"in a header",
       "spec: {create: {submit: {headers: [{name: X-A, value: '${outputs.nope}'}]}}}",
       "reads outputs.nope"},
      {"in a condition", "spec: {errorRules: [{when: outputs.nope == 1, class: Recoverable}]}",
       "spec.errorRules[0].when reads outputs.nope"},
  };
  for (const Row& row : rows) {
    const ValidationResult result = Create(Patched(ValidResource(), row.patch));
    EXPECT_THAT(Texts(result), IsEmpty()) << row.reason;
    ASSERT_THAT(result.warnings, ElementsAre(HasSubstr(row.text))) << row.reason;
    EXPECT_LE(result.warnings.front().size(), 120u) << row.reason;
  }
}

TEST(UndeclaredNamesTest, ANameThatIsAskedForFirstIsNoMistake) {
  EXPECT_THAT(Create(Patched(ValidResource(), R"(
spec: {create: {submit: {body: {a:
  "${has(spec.parameters.colour) ? spec.parameters.colour : 'red'}", b: "${outputs.volumeID}"}}}}
)"))
                  .warnings,
              IsEmpty());
}

TEST(UndeclaredNamesTest, ALongPlaceGivesWayToTheName) {
  const std::string member(100, 'm');
  const ValidationResult result = Create(Patched(
      ValidResource(), "spec: {create: {submit: {body: {" + member + ": '${outputs.nope}'}}}}"));
  EXPECT_THAT(result.warnings, ElementsAre("outputs.nope is read, and spec.outputs lacks it"));
}

TEST(UndeclaredNamesTest, AnOperationHasTheOutputsOfItsContext) {
  const std::string_view reads = "spec: {submit: {path: '/v/${outputs.volumeID}'}}";
  EXPECT_THAT(Create(Patched(ValidOperation(), reads)).warnings,
              ElementsAre(HasSubstr("spec.submit.path reads outputs.volumeID")));
  const Json with_context = Patched(Patched(ValidOperation(), reads),
                                    "spec: {context: {metadata: {}, outputs: {volumeID: v-1}}}");
  EXPECT_THAT(Create(with_context).warnings, IsEmpty());
}

TEST(LookupWarningTest, ALookupThatLeadsNowhereIsWarnedOf) {
  const std::string_view lookup =
      "spec: {create: {recovery: {lookup: {path: /x, found: 'true', id: /id}}}}";
  EXPECT_THAT(Create(Patched(ValidResource(), lookup)).warnings,
              ElementsAre(HasSubstr("spec.create.recovery.lookup: add pollURL, or poll.path")));
  EXPECT_THAT(Create(Patched(Patched(ValidResource(), lookup),
                             "spec: {create: {poll: {path: '/operations/${operation.id}'}}}"))
                  .warnings,
              IsEmpty());
  EXPECT_THAT(Create(Patched(Patched(ValidResource(), lookup),
                             "spec: {create: {recovery: {lookup: {pollURL: /link}}}}"))
                  .warnings,
              IsEmpty());
}

}  // namespace
}  // namespace asyncops
