// Names that can never exist are refused when the expression is compiled.
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

TEST(EnvironmentTest, ResponseExpressionsSeeTheFixedFieldsOfEachRoot) {
  static constexpr std::string_view kAccepted[] = {
      "spec.parameters.any.thing",
      "spec['parameters']['any']",
      "metadata.name + metadata.namespace",
      "metadata.labels['app'] + metadata.annotations.note + metadata.uid",
      "outputs.volumeID",
      "operation.id",
      "operation.pollURL",
      "operation.resourceID",
      "operation.correlationID",
      "operation.idempotencyKey",
      "operation.submission",
      "operation.attempt",
      "operation.startTime",
      "submit.response.body.x",
      "submit.response.headers['etag']",
      "response.status",
      "response.headers.location",
      "response.body",
      "response['body'].x",
      "error.code",
      "error.message",
      "error.httpStatus",
      "operation.id.startsWith('a')",
      "has(error.code)",
      "response.headers.exists(h, h == 'etag')",
      "/a/b",
      ""};
  for (const std::string_view source : kAccepted) {
    const auto expression = Expression::Compile(source, ResponseEnvironment());
    EXPECT_TRUE(expression.ok()) << source << ": " << expression.status().ToString();
  }
}

TEST(EnvironmentTest, NamesThatCannotExistAreRefused) {
  static constexpr ExpressionCase kCases[] = {
      {"operation.idd",
       "refused: col 11: operation has no field \"idd\": use id, pollURL, submitURL, resourceID, "
       "correlationID, idempotencyKey, submission, attempt or startTime",
       "a misspelt field"},
      {"spec.params.x", "refused: col 6: spec has no field \"params\": use parameters", "spec"},
      {"spec['params']", "refused: col 6: spec has no field \"params\": use parameters", "by key"},
      {"spec", "refused: col 1: name a field of spec: parameters", "a root as a value"},
      {"spec[metadata.name]", "refused: col 1: name a field of spec: parameters", "a computed key"},
      {"size(response) > 0", "refused: col 6: name a field of response: status, headers or body",
       "a root as an argument"},
      {"submit.response",
       "refused: col 1: name a field of submit.response: status, headers or body",
       "a part as a value"},
      {"submit.body", "refused: col 8: submit has no field \"body\": use response",
       "one step short"},
      {"response.body.id == foo",
       "refused: col 21: unknown name \"foo\": use spec, metadata, outputs, operation, submit, "
       "response or error",
       "a bare word"},
      {"response.statusCode == 200", "refused: col 10: response has no field \"statusCode\"",
       "near"},
      {"response.status.code", "refused: col 16: response.status has no fields",
       "a number's field"},
      {"operation.id[0]", "refused: col 13: operation.id has no fields", "a text's index"},
      {"has(operation.idd)", "refused: col 15: operation has no field \"idd\"", "within has()"},
      {"response.headers['Location']",
       "refused: col 18: names in response.headers are in lower case: write ['location']",
       "a header as HTTP spells it"},
      {"submit.response.headers.ETag",
       "refused: col 25: names in submit.response.headers are in lower case: write ['etag']",
       "a header as a field"},
      {"event.data", "refused: col 1: unknown name \"event\"", "no message here"},
      {"true || operation.idd == ''", "refused: col 19: operation has no field \"idd\"",
       "even where it would not be evaluated"},
  };
  ExpectCases(kCases, {}, ResponseEnvironment());
}

TEST(EnvironmentTest, EachPlaceSeesWhatIsKnownThere) {
  struct Row {
    Environment environment;
    std::string_view source;
    std::string_view want;
    std::string_view reason;
  };
  const Row rows[] = {
      {SubmitEnvironment(), "operation.correlationID", "missing:", "known before submitting"},
      {SubmitEnvironment(), "response.status", "refused: col 1: unknown name \"response\"",
       "nothing was answered yet"},
      {SubmitEnvironment(), "submit.response.status", "refused: col 1: unknown name \"submit\"",
       "nothing was submitted yet"},
      {SubmitEnvironment(), "/id", "refused: col 1: a JSON Pointer reads a response", "no body"},
      {SubmitEnvironment(), "", "refused: col 1: expected an expression", "nothing at all"},
      {FollowUpEnvironment(), "submit.response.headers.location", "missing:", "submit is known"},
      {FollowUpEnvironment(), "response.body", "refused: col 1: unknown name", "the poll is not"},
      {FollowUpEnvironment(), "error.code", "refused: col 1: unknown name", "nor its error"},
      {ResponseEnvironment(), "error.code", "missing:", "everything but events"},
      {EventEnvironment(), "event.data.operationId", "missing:", "the message"},
      {EventEnvironment(), "/data/id", "missing:", "a pointer into the message"},
      {EventEnvironment(), "operation.id", "refused: col 1: unknown name \"operation\": use event",
       "it is what is looked for"},
  };
  for (const Row& row : rows) {
    const std::string got = Describe(row.source, {}, row.environment);
    EXPECT_EQ(got.substr(0, row.want.size()), row.want)
        << row.source << ": " << row.reason << ", got " << got;
  }
}

TEST(EnvironmentTest, PointersReadTheMessageOfAnEvent) {
  const Json event = Json::Of({{"data", Json::Of({{"id", "op-1"}})}});
  Bindings bindings;
  bindings.Set("event", &event);
  EXPECT_EQ(Describe("/data/id", bindings, EventEnvironment()), "value: \"op-1\"");
}

}  // namespace
}  // namespace asyncops::expr
