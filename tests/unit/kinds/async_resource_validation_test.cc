#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Refusal {
  std::string_view reason;
  std::string_view patch;  // of ValidResource
  std::string_view path;   // of the one error
  std::string_view text;   // part of it
};

// Names the case in the list of tests.
void PrintTo(const Refusal& row, std::ostream* out) { *out << row.reason; }

class AsyncResourceRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(AsyncResourceRefusalTest, IsOneErrorAtTheField) {
  const Refusal& row = GetParam();
  const ValidationResult result = Create(Patched(ValidResource(), row.patch));
  ASSERT_THAT(Texts(result), ElementsAre(HasSubstr(row.text))) << row.reason;
  EXPECT_EQ(result.errors.front().path, row.path) << row.reason;
}

constexpr Refusal kSubmitRefusals[] = {
    {"a relative path has no place to be joined to", "spec: {create: {submit: {path: volumes}}}",
     "spec.create.submit.path", "must start with \"/\""},
    {"// would name another host", "spec: {create: {submit: {path: //evil.example/x}}}",
     "spec.create.submit.path", "must not start with \"//\""},
    {"a blank is no part of a URL", "spec: {create: {submit: {path: /my volumes}}}",
     "spec.create.submit.path", "write them as %20"},
    {"a password in a URL ends in logs",
     "spec: {create: {submit: {path: 'https://me:pass@api.acme.example/x'}}}",
     "spec.create.submit.path", "must not carry a user or password"},
    {"an expression is compiled at admission",
     "spec: {create: {submit: {path: '/v/${spec.parameters.}'}}}", "spec.create.submit.path",
     "Invalid value: \"/v/${spec.parameters.}\": col "},
    {"no response exists yet when the submit is rendered",
     "spec: {create: {submit: {body: {a: [{b: '${response.body.id}'}]}}}}",
     "spec.create.submit.body.a[0].b", "col "},
    {"methods are upper case", "spec: {create: {submit: {method: post}}}",
     "spec.create.submit.method", "supported values: \"POST\""},
    {"a GET has no body", "spec: {create: {submit: {method: GET}}}", "spec.create.submit.body",
     "a GET carries no body"},
    {"the HTTP client sets Host", "spec: {create: {submit: {headers: [{name: hOst, value: x}]}}}",
     "spec.create.submit.headers[0].name", "is set by the HTTP client"},
    {"credentials have a place of their own",
     "spec: {create: {submit: {headers: [{name: authorization, value: x}]}}}",
     "spec.create.submit.headers[0].name", "put them in spec.auth of the ExternalSystem"},
    {"a header name is a token", "spec: {create: {submit: {headers: [{name: 'X Y', value: x}]}}}",
     "spec.create.submit.headers[0].name", "must be a header name"},
    {"one header, one value",
     "spec: {create: {submit: {headers: [{name: X-A, value: a}, {name: x-a, value: b}]}}}",
     "spec.create.submit.headers[1].name", "Duplicate value: \"x-a\""},
    {"a header has a value", "spec: {create: {submit: {headers: [{name: X-A}]}}}",
     "spec.create.submit.headers[0].value", "give value, or valueFrom"},
    {"value and valueFrom exclude each other",
     "spec: {create: {submit: {headers: [{name: X-A, value: a, valueFrom: {secretKeyRef: {name: s, "
     "key: k}}}]}}}",
     "spec.create.submit.headers[0].valueFrom", "excludes value"},
    {"a line break would forge another header",
     "spec: {create: {submit: {headers: [{name: X-A, value: \"a\\r\\nX-B: c\"}]}}}",
     "spec.create.submit.headers[0].value", "must not contain line breaks"},
};
INSTANTIATE_TEST_SUITE_P(Submit, AsyncResourceRefusalTest, testing::ValuesIn(kSubmitRefusals));

constexpr Refusal kPollRefusals[] = {
    {"the column of the mistake is told",
     "spec: {create: {poll: {acceptors: [{when: 'response.status == 200', state: Succeeded}, "
     "{when: "
     "'response.status = 500', state: Failed}]}}}",
     "spec.create.poll.acceptors[1].when", "Invalid value: \"response.status = 500\": col 17"},
    {"a root that does not exist is misspelt", "spec: {create: {operation: {id: respnse.body.id}}}",
     "spec.create.operation.id", "col 1"},
    {"it could never succeed",
     "spec: {create: {poll: {acceptors: [{when: 'response.status == 500', state: Failed}]}}}",
     "spec.create.poll.acceptors", "could never succeed"},
    {"states are a closed set", "spec: {create: {poll: {default: Done}}}",
     "spec.create.poll.default", "supported values: \"Running\", \"Failed\""},
    {"a wait has a length", "spec: {create: {poll: {interval: {initial: 0s}}}}",
     "spec.create.poll.interval.initial", "must be longer than 0"},
    {"waits grow to max", "spec: {create: {poll: {interval: {initial: 10s, max: 5s}}}}",
     "spec.create.poll.interval.max", "must not be shorter than initial (10s)"},
    {"waits do not shrink", "spec: {create: {poll: {interval: {factor: 0.5}}}}",
     "spec.create.poll.interval.factor", "greater than or equal to 1"},
    {"from: URL needs one", "spec: {create: {poll: {result: {from: URL}}}}",
     "spec.create.poll.result.url", "with from: URL, say what to get"},
    {"a url that is not used misleads",
     "spec: {create: {poll: {result: {from: Location, url: /x}}}}", "spec.create.poll.result.url",
     "belongs to from: URL"},
};
INSTANTIATE_TEST_SUITE_P(Poll, AsyncResourceRefusalTest, testing::ValuesIn(kPollRefusals));

constexpr Refusal kOtherRefusals[] = {
    {"a lookup without a condition finds nothing",
     "spec: {create: {recovery: {lookup: {path: /volumes, id: /items/0/id}}}}",
     "spec.create.recovery.lookup.found", "Required value"},
    {"a miss that counts at once would send again all the time",
     "spec: {create: {recovery: {lookup: {path: /v, found: 'true', id: /id, settle: 1ms}}}}",
     "spec.create.recovery.lookup.settle", "must be 1s at least"},
    {"adoption needs a lookup", "spec: {create: {recovery: {adoptOn: [409]}}}",
     "spec.create.recovery.lookup", "adoptOn adopts what a lookup finds"},
    {"only a refusal can mean that it exists",
     "spec: {create: {recovery: {lookup: {path: /v, found: 'true', id: /id}, adoptOn: [200]}}}",
     "spec.create.recovery.adoptOn[0]", "greater than or equal to 400"},
    {"gone belongs to a delete", "spec: {create: {gone: [404]}}", "spec.create.gone",
     "belongs to spec.delete"},
    {"two outputs of a name hide each other",
     "spec: {outputs: [{name: id, value: /id}, {name: id, value: /x}]}", "spec.outputs[1].name",
     "Duplicate value: \"id\""},
    {"an output's name is used in expressions", "spec: {outputs: [{name: volume-id, value: /id}]}",
     "spec.outputs[0].name", "so that outputs.NAME can be written"},
    {"tiers are ordered",
     "spec: {retry: {tiers: [{upTo: 3, delay: 1s}, {upTo: 3, delay: 2s}, {delay: 3s}]}}",
     "spec.retry.tiers[1].upTo", "must be greater than that of the tier before (3)"},
    {"the last tier holds for ever", "spec: {retry: {tiers: [{upTo: 3, delay: 1s}]}}",
     "spec.retry.tiers[0].upTo", "the last tier holds for all further retries"},
    {"a tier that does not end hides the next",
     "spec: {retry: {tiers: [{delay: 1s}, {delay: 2s}]}}", "spec.retry.tiers[0].upTo",
     "each tier but the last says its last retry"},
    {"jitter is a part", "spec: {retry: {jitter: 1.5}}", "spec.retry.jitter",
     "less than or equal to 1"},
    {"a terminal error is not delayed",
     "spec: {errorRules: [{when: 'true', class: Terminal, delay: 5s}]}", "spec.errorRules[0].delay",
     "a Terminal error is not tried again"},
    {"no time to do anything", "spec: {activeDeadline: 10ms}", "spec.activeDeadline",
     "must be at least 1s"},
    {"a reference is a name", "spec: {externalSystemRef: {name: Acme_Cloud}}",
     "spec.externalSystemRef.name", "RFC 1123"},
    {"a step's callback is checked", "spec: {create: {callback: {correlate: '1 +'}}}",
     "spec.create.callback.correlate", "col "},
    {"a resource is made somehow", "spec: {create: null}", "spec.create", "Required value"},
};
INSTANTIATE_TEST_SUITE_P(Other, AsyncResourceRefusalTest, testing::ValuesIn(kOtherRefusals));

TEST(AsyncResourceValidationTest, AcceptsAMinimalResourceWithoutAWarning) {
  const ValidationResult result = Create(ValidResource());
  EXPECT_THAT(Texts(result), IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(AsyncResourceValidationTest, ReportsMistakesOfStructureAndMeaningAtOnce) {
  const ValidationResult result = Create(Patched(ValidResource(), R"(
metadata: {name: Data_Volume}
spec:
  deletionPolicy: Keep
  activeDeadline: 1ms
  create: {submit: {path: volumes}}
)"));
  std::vector<std::string> paths;
  for (const FieldError& error : result.errors) paths.push_back(error.path);
  EXPECT_THAT(paths,
              testing::UnorderedElementsAre("metadata.name", "spec.deletionPolicy",
                                            "spec.activeDeadline", "spec.create.submit.path"));
}

TEST(AsyncResourceValidationTest, NeverShowsAValueThatLooksLikeACredential) {
  const ValidationResult result = Create(Patched(ValidResource(), R"(
spec:
  create:
    submit:
      headers: [{name: X-Api-Key, value: "hunter2${"}]
      body: {login: {password: "hunter2${"}}
)"));
  ASSERT_EQ(result.errors.size(), 2u);
  for (const std::string& text : Texts(result)) EXPECT_THAT(text, Not(HasSubstr("hunter2")));
}

struct WarningRow {
  std::string_view reason;
  std::string_view patch;
  std::string_view warning;
};

TEST(AsyncResourceValidationTest, WarnsOfWhatIsLegalButUnwise) {
  const WarningRow rows[] = {
      {"the thing is left behind", "spec: {delete: null}", "spec.delete is absent"},
      {"polling too fast is throttled", "spec: {create: {poll: {interval: {initial: 200ms}}}}",
       "spec.create.poll.interval.initial is under 1s"},
      {"a deadline that no poll meets",
       "spec: {activeDeadline: 5s, create: {poll: {interval: {initial: 10s}}}}",
       "spec.activeDeadline is over before the first poll"},
      {"a credential that is stored",
       "spec: {create: {submit: {headers: [{name: X-Api-Key, value: abc}]}}}",
       "use valueFrom.secretKeyRef"},
      {"failure is never seen",
       "spec: {create: {poll: {acceptors: [{when: 'true', state: Succeeded}]}}}",
       "has no state: Failed"},
  };
  for (const WarningRow& row : rows) {
    const ValidationResult result = Create(Patched(ValidResource(), row.patch));
    EXPECT_THAT(Texts(result), IsEmpty()) << row.reason;
    ASSERT_THAT(result.warnings, ElementsAre(HasSubstr(row.warning))) << row.reason;
    EXPECT_LE(result.warnings.front().size(), 120u) << row.reason;
  }
}

TEST(AsyncResourceValidationTest, DoesNotWarnOfAThingThatIsMeantToStay) {
  EXPECT_THAT(
      Create(Patched(ValidResource(), "spec: {delete: null, deletionPolicy: Orphan}")).warnings,
      IsEmpty());
}

TEST(AsyncResourceUpdateTest, RefusesChangedParametersWithoutAnUpdateStep) {
  const Json old = Patched(ValidResource(), "status: {phase: Ready}");
  EXPECT_THAT(Texts(Update(Patched(old, "spec: {parameters: {size: 20Gi}}"), old)),
              ElementsAre(HasSubstr("spec.parameters: Forbidden: cannot change while the thing "
                                    "exists and there is no spec.update step")));
}

TEST(AsyncResourceUpdateTest, AcceptsChangedParametersBeforeAnythingWasMade) {
  for (std::string_view phase : {"", "Failed"}) {
    const Json old = Patched(ValidResource(), "status: {phase: '" + std::string(phase) + "'}");
    EXPECT_THAT(Texts(Update(Patched(old, "spec: {parameters: {size: 20Gi}}"), old)), IsEmpty())
        << phase;
  }
}

TEST(AsyncResourceUpdateTest, AcceptsChangedParametersWithAnUpdateStep) {
  const Json old = Patched(ValidResource(), "status: {phase: Ready}");
  EXPECT_THAT(Texts(Update(Patched(old, R"(
spec: {parameters: {size: 20Gi}, update: {submit: {method: PATCH, path: /volumes/1}}}
)"),
                           old)),
              IsEmpty());
}

TEST(AsyncResourceUpdateTest, RefusesAnotherSystemOnceACallMayHaveBeenMade) {
  const Json old = Patched(ValidResource(), "status: {phase: Creating}");
  const Json changed = Patched(old, "spec: {externalSystemRef: {name: other}}");
  EXPECT_THAT(Texts(Update(changed, old)),
              ElementsAre(HasSubstr("spec.externalSystemRef: Forbidden: ")));
  EXPECT_THAT(Texts(Update(Patched(changed, "status: null"), ValidResource())), IsEmpty());
}

TEST(AsyncResourceUpdateTest, LetsPassWhatWasWrongBeforeAndDidNotChange) {
  const Json old = Patched(ValidResource(), "spec: {activeDeadline: 1ms, deletionPolicy: Keep}");
  EXPECT_THAT(Texts(Update(Patched(old, "spec: {suspend: true}"), old)), IsEmpty());
  EXPECT_THAT(Texts(Update(Patched(old, "spec: {activeDeadline: 2ms}"), old)),
              ElementsAre(HasSubstr("spec.activeDeadline")));
}

TEST(AsyncResourceUpdateTest, LetsFinalizersGoFromAnObjectThatIsWrong) {
  const Json old = Patched(ValidResource(), R"(
metadata: {finalizers: [asyncops.dev/external], deletionTimestamp: "2026-11-29T16:47:53Z"}
spec: {activeDeadline: 1ms}
)");
  const ValidationResult result = Update(Patched(old, "metadata: {finalizers: []}"), old);
  EXPECT_THAT(Texts(result), IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
}

}  // namespace
}  // namespace asyncops
