#include "apiserver/http/status_response.h"

#include <gtest/gtest.h>

namespace asyncops::http {
namespace {

TEST(StatusResponseTest, FailureIsAKubernetesStatus) {
  const Response response =
      StatusResponse(NotFound("operations.asyncops.dev", "asyncoperations", "x"));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(
      response.body,
      "{\"apiVersion\":\"v1\",\"code\":404,\"details\":{\"group\":\"operations.asyncops.dev\","
      "\"kind\":\"asyncoperations\",\"name\":\"x\"},\"kind\":\"Status\","
      "\"message\":\"asyncoperations.operations.asyncops.dev \\\"x\\\" not found\","
      "\"metadata\":{},\"reason\":\"NotFound\",\"status\":\"Failure\"}\n");
}

TEST(StatusResponseTest, RetryAfterIsAHeaderToo) {
  const Response response =
      StatusResponse(Status(Reason::kTooManyRequests, "busy").WithRetryAfter(1));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.headers.Get("Retry-After"), "1");
}

TEST(StatusResponseTest, CausesAreListed) {
  StatusDetails details;
  details.causes = {{"FieldValueInvalid", "bad", "spec.x"}};
  const Status status = Status(Reason::kInvalid, "no").WithDetails(std::move(details));
  EXPECT_NE(
      StatusResponse(status).body.find("\"causes\":[{\"field\":\"spec.x\",\"message\":\"bad\","
                                       "\"reason\":\"FieldValueInvalid\"}]"),
      std::string::npos);
}

TEST(StatusResponseTest, CodeWithoutAReasonHasNone) {
  EXPECT_EQ(StatusResponse(431, "too large").body,
            "{\"apiVersion\":\"v1\",\"code\":431,\"kind\":\"Status\",\"message\":\"too large\","
            "\"metadata\":{},\"status\":\"Failure\"}\n");
}

}  // namespace
}  // namespace asyncops::http
