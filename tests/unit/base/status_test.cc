#include "base/status.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

struct ReasonCase {
  Reason reason;
  std::string_view name;
  int code;
  const char* why;
};

// apimachinery pkg/apis/meta/v1/types.go says the code of each reason.
constexpr ReasonCase kReasonCases[] = {
    {Reason::kOk, "", 200, "success has no reason"},
    {Reason::kBadRequest, "BadRequest", 400, "the request is malformed"},
    {Reason::kUnauthorized, "Unauthorized", 401, "nobody is known"},
    {Reason::kForbidden, "Forbidden", 403, "somebody is known but not allowed"},
    {Reason::kNotFound, "NotFound", 404, "no such object"},
    {Reason::kMethodNotAllowed, "MethodNotAllowed", 405, "the resource has no such verb"},
    {Reason::kNotAcceptable, "NotAcceptable", 406, "no media type fits"},
    {Reason::kAlreadyExists, "AlreadyExists", 409, "a create meets an object"},
    {Reason::kConflict, "Conflict", 409, "a stale resourceVersion"},
    {Reason::kGone, "Gone", 410, "the thing will not come back"},
    {Reason::kExpired, "Expired", 410, "a watch or token is too old"},
    {Reason::kRequestEntityTooLarge, "RequestEntityTooLarge", 413, "the body is too big"},
    {Reason::kUnsupportedMediaType, "UnsupportedMediaType", 415, "the body's type is not known"},
    {Reason::kInvalid, "Invalid", 422, "the object breaks a rule"},
    {Reason::kTooManyRequests, "TooManyRequests", 429, "the server sheds load"},
    {Reason::kInternalError, "InternalError", 500, "a bug"},
    {Reason::kServerTimeout, "ServerTimeout", 500, "retry: the server could not finish in time"},
    {Reason::kServiceUnavailable, "ServiceUnavailable", 503, "the server cannot serve now"},
    {Reason::kTimeout, "Timeout", 504, "the client's time is over"},
};

TEST(StatusTest, EachReasonHasTheNameAndCodeOfKubernetes) {
  EXPECT_EQ(std::size(kReasonCases), static_cast<std::size_t>(Reason::kTimeout) + 1);
  for (const ReasonCase& c : kReasonCases) {
    EXPECT_EQ(ReasonName(c.reason), c.name) << c.why;
    EXPECT_EQ(HttpCode(c.reason), c.code) << c.why;
  }
}

TEST(StatusTest, DefaultIsOkWithEmptyDetails) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.details(), StatusDetails());
  EXPECT_EQ(status.ToString(), "OK");
  EXPECT_EQ(status, Status::Ok());
}

TEST(StatusTest, NotFoundNamesTheQualifiedResource) {
  const Status status = NotFound("operations.asyncops.dev", "asyncoperations", "x");
  EXPECT_EQ(status.message(), "asyncoperations.operations.asyncops.dev \"x\" not found");
  EXPECT_EQ(status.details().name, "x");
  EXPECT_EQ(status.details().group, "operations.asyncops.dev");
  EXPECT_EQ(status.details().kind, "asyncoperations");
  EXPECT_EQ(status.ToString(), "NotFound: " + status.message());
}

TEST(StatusTest, NotFoundInTheCoreGroupHasNoGroupSuffix) {
  EXPECT_EQ(NotFound("", "events", "e").message(), "events \"e\" not found");
}

TEST(StatusTest, AlreadyExistsSaysSo) {
  const Status status = AlreadyExists("g", "things", "x");
  EXPECT_EQ(status.reason(), Reason::kAlreadyExists);
  EXPECT_EQ(status.message(), "things.g \"x\" already exists");
}

TEST(StatusTest, ConflictQuotesTheSentenceOfKubernetes) {
  EXPECT_EQ(Conflict("g", "things", "x", kObjectModified).message(),
            "Operation cannot be fulfilled on things.g \"x\": the object has been modified; please "
            "apply your changes to the latest version and try again");
}

TEST(StatusTest, InternalErrorKeepsTheCause) {
  const Status status = InternalError("disk is full");
  EXPECT_EQ(status.message(), "Internal error occurred: disk is full");
  ASSERT_EQ(status.details().causes.size(), 1U);
  EXPECT_EQ(status.details().causes[0].message, "disk is full");
}

TEST(StatusTest, WithContextPrefixesAFailureAndLeavesOkAlone) {
  const Status failure = NotFound("", "events", "e").WithContext("read event");
  EXPECT_EQ(failure.message(), "read event: events \"e\" not found");
  EXPECT_EQ(failure.details().name, "e");
  EXPECT_EQ(Status::Ok().WithContext("read event"), Status::Ok());
}

TEST(StatusTest, WithRetryAfterKeepsTheOtherDetails) {
  const Status before = NotFound("", "events", "e");
  const Status after = before.WithRetryAfter(7);
  EXPECT_EQ(after.details().retry_after_seconds, 7);
  EXPECT_EQ(after.details().name, "e");
  EXPECT_EQ(before.details().retry_after_seconds, 0) << "a status is a value";
  EXPECT_NE(before, after);
}

TEST(ResultTest, HoldsAValueOrAFailure) {
  const Result<int> value = 3;
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(*value, 3);
  EXPECT_EQ(value.status(), Status::Ok());

  const Result<int> failure = BadRequest("no");
  EXPECT_FALSE(failure);
  EXPECT_EQ(failure.status(), BadRequest("no"));
}

TEST(ResultTest, MovesItsValueOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(4);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 4);
}

Status FailOn(const Result<int>& first, const Status& second) {
  ASYNCOPS_RETURN_IF_ERROR(first);
  ASYNCOPS_RETURN_IF_ERROR(second);
  return Status::Ok();
}

TEST(ResultTest, ReturnIfErrorLeavesWithTheFirstFailure) {
  EXPECT_EQ(FailOn(BadRequest("first"), BadRequest("second")), BadRequest("first"));
  EXPECT_EQ(FailOn(1, BadRequest("second")), BadRequest("second"));
  EXPECT_EQ(FailOn(1, Status::Ok()), Status::Ok());
}

}  // namespace
}  // namespace asyncops
