#include "api/meta/field_error.h"

#include <gtest/gtest.h>

#include "api/meta/quote.h"

namespace asyncops {
namespace {

TEST(FieldErrorTest, EachTypeReadsAsApimachineryWordsIt) {
  struct Row {
    FieldError error;
    const char* text;
    const char* reason;
  };
  const Row rows[] = {
      {RequiredField("spec.x", ""), "spec.x: Required value", "no detail, no colon"},
      {RequiredField("spec.x", "say which"), "spec.x: Required value: say which", "detail"},
      {InvalidField("spec.x", "y\"z", "must be w"), R"(spec.x: Invalid value: "y\"z": must be w)",
       "strings are quoted"},
      {InvalidField("spec.n", -3, "must be positive"),
       "spec.n: Invalid value: -3: must be positive", "numbers stand bare"},
      {InvalidField("spec.b", true, "must be false"), "spec.b: Invalid value: true: must be false",
       "booleans stand bare"},
      {InvalidField("spec.o", Json::Of({{"a", 1}}), "no"), R"(spec.o: Invalid value: {"a":1}: no)",
       "anything else is JSON"},
      {InvalidField("data[k]", nullptr, "must be base64"), "data[k]: Invalid value: must be base64",
       "null is not shown"},
      {UnsupportedValue("spec.t", "C", {"A", "B"}),
       R"(spec.t: Unsupported value: "C": supported values: "A", "B")", "what is supported"},
      {ForbiddenField("spec.x", "immutable"), "spec.x: Forbidden: immutable", "no value"},
      {DuplicateField("spec.l[1]", "a"), R"(spec.l[1]: Duplicate value: "a")", "no detail"},
      {TooLongField("spec.x", 63), "spec.x: Too long: may not be more than 63 bytes", "plural"},
      {TooLongField("spec.x", 1), "spec.x: Too long: may not be more than 1 byte", "singular"},
      {TooManyItems("spec.l", 3, 2), "spec.l: Too many: 3: must have at most 2 items", "count"},
      {{FieldErrorType::kNotFound, "spec.x", "y", ""}, R"(spec.x: Not found: "y")", "not found"},
      {{FieldErrorType::kTypeInvalid, "spec.x", "string", "must be an integer"},
       R"(spec.x: Invalid value: "string": must be an integer)",
       "type errors read as invalid"},
  };
  for (const Row& row : rows) EXPECT_EQ(row.error.ToString(), row.text) << row.reason;
}

TEST(FieldErrorTest, PathJoinsNamesKeysAndIndexes) {
  EXPECT_EQ(FieldPath("", "spec"), "spec");
  EXPECT_EQ(FieldPath("spec", "poll"), "spec.poll");
  EXPECT_EQ(FieldPath("spec.acceptors", std::size_t{1}), "spec.acceptors[1]");
  EXPECT_EQ(FieldPath("metadata.annotations", "a.b/c"), "metadata.annotations[a.b/c]");
}

TEST(FieldErrorTest, OneMistakeStandsAloneInTheStatus) {
  const Status status =
      InvalidObject("asyncops.dev", "AsyncResource", "n", {RequiredField("spec.x", "say which")});
  EXPECT_EQ(status.reason(), Reason::kInvalid);
  EXPECT_EQ(status.message(),
            "AsyncResource.asyncops.dev \"n\" is invalid: spec.x: Required value: say which");
  EXPECT_EQ(status.details().kind, "AsyncResource");
  EXPECT_EQ(status.details().group, "asyncops.dev");
  EXPECT_EQ(status.details().name, "n");
  const std::vector<StatusCause> causes = {
      {.reason = "FieldValueRequired", .message = "Required value: say which", .field = "spec.x"}};
  EXPECT_EQ(status.details().causes, causes);
}

TEST(FieldErrorTest, SeveralMistakesStandInBracketsEachOnce) {
  const Status status = InvalidObject(
      "", "Secret", "n", {RequiredField("a", ""), RequiredField("b", ""), RequiredField("a", "")});
  EXPECT_EQ(status.message(), "Secret \"n\" is invalid: [a: Required value, b: Required value]");
  EXPECT_EQ(status.details().causes.size(), 3u);
}

TEST(FieldErrorTest, OfVeryManyMistakesTheFirstHundredAreTold) {
  FieldErrors errors;
  for (int i = 0; i < 20000; ++i) errors.push_back(RequiredField("f" + std::to_string(i), ""));
  const Status status = InvalidObject("g", "K", "n", errors);
  EXPECT_EQ(status.details().causes.size(), 100u);
  EXPECT_TRUE(status.message().ends_with("f99: Required value, and 19900 more]"));
}

TEST(FieldErrorTest, TheSameMistakeTwiceNeedsNoBrackets) {
  const Status status =
      InvalidObject("", "Secret", "n", {RequiredField("a", ""), RequiredField("a", "")});
  EXPECT_EQ(status.message(), "Secret \"n\" is invalid: a: Required value");
}

TEST(QuoteTest, EscapesWhatCannotBePrinted) {
  EXPECT_EQ(Quote("a\"\\\n\x01\x7f\xff\xc3\xa9"), "\"a\\\"\\\\\\n\\x01\\x7f\\xff\xc3\xa9\"");
}

}  // namespace
}  // namespace asyncops
