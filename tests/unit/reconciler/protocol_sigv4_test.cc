// Signatures against those that AWS publishes: its test suite for version 4, and the examples of
// its reference.
#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "reconciler/sigv4.h"

namespace asyncops::reconciler {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

const SigV4Signer kSuite{.region = "us-east-1",
                         .service = "service",
                         .access_key_id = "AKIDEXAMPLE",
                         .secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                         .session_token = ""};

Time At(const std::string& text) { return *ParseTime(text); }

std::string ValueOf(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return "";
}

std::string Sign(const SigV4Signer& signer, const std::string& method, const std::string& url,
                 const Headers& headers, const std::string& body, Time now) {
  const std::optional<Uri> uri = ParseUri(url);
  if (!uri) return "no URL";
  return ValueOf(SignSigV4(signer, {method, *uri, headers, body}, now), "Authorization");
}

std::string SignatureOf(const std::string& authorization) {
  const std::size_t at = authorization.find("Signature=");
  return at == std::string::npos ? authorization : authorization.substr(at + 10);
}

struct Vector {
  const char* reason;  // the suite's name of it
  const char* method;
  const char* target;
  Headers headers;
  const char* body;
  const char* signature;
};

const std::vector<Vector> kVectors = {
    {"get-vanilla",
     "GET",
     "/",
     {},
     "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla-query-order-key-case",
     "GET",
     "/?Param2=value2&Param1=value1",
     {},
     "",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-vanilla-utf8-query",
     "GET",
     "/?%E1%88%B4=bar",
     {},
     "",
     "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
    {"get-unreserved",
     "GET",
     "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
     {},
     "",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-header-value-trim",
     "GET",
     "/",
     {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
     "",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"post-vanilla",
     "POST",
     "/",
     {},
     "",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"post-header-key-sort",
     "POST",
     "/",
     {{"My-Header1", "value1"}},
     "",
     "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
    {"post-x-www-form-urlencoded",
     "POST",
     "/",
     {{"Content-Type", "application/x-www-form-urlencoded"}},
     "Param1=value1",
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
    // Paths that are normalised before they are signed: as get-vanilla.
    {"get-slashes",
     "GET",
     "//",
     {},
     "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-slash-dot-slash",
     "GET",
     "/./",
     {},
     "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-relative-relative",
     "GET",
     "/example1/example2/../..",
     {},
     "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
};

TEST(SigV4Test, SignsTheRequestsOfThePublishedSuite) {
  for (const Vector& item : kVectors) {
    const Uri uri{
        .scheme = "https", .host = "example.amazonaws.com", .port = 443, .target = item.target};
    const Headers own =
        SignSigV4(kSuite, {item.method, uri, item.headers, item.body}, At("2015-08-30T12:36:00Z"));
    EXPECT_EQ(SignatureOf(ValueOf(own, "Authorization")), item.signature) << item.reason;
  }
}

TEST(SigV4Test, SignsASessionTokenAsPublished) {
  SigV4Signer signer = kSuite;
  signer.session_token =
      "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSP"
      "fIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT"
      "7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlz"
      "m8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
  EXPECT_EQ(
      Sign(signer, "POST", "https://example.amazonaws.com/", {}, "", At("2015-08-30T12:36:00Z")),
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
      "SignedHeaders=host;x-amz-date;x-amz-security-token, "
      "Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead");
}

TEST(SigV4Test, SignsTheExamplesOfTheReference) {
  SigV4Signer iam = kSuite;
  iam.service = "iam";
  EXPECT_EQ(
      SignatureOf(Sign(iam, "GET", "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
                       {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}}, "",
                       At("2015-08-30T12:36:00Z"))),
      "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
  const SigV4Signer s3{.region = "us-east-1",
                       .service = "s3",
                       .access_key_id = "AKIAIOSFODNN7EXAMPLE",
                       .secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                       .session_token = ""};
  EXPECT_EQ(SignatureOf(Sign(s3, "GET", "https://examplebucket.s3.amazonaws.com/test.txt",
                             {{"Range", "bytes=0-9"}}, "", At("2013-05-24T00:00:00Z"))),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(SigV4Test, SendsTheTimeAndTheToken) {
  SigV4Signer signer = kSuite;
  signer.session_token = "t0ken";
  const Uri uri = *ParseUri("https://a.example/");
  const Headers headers =
      SignSigV4(signer, {"GET", uri, {}, ""}, At("2026-02-03T04:05:06Z") + Duration(999999));
  EXPECT_EQ(ValueOf(headers, "X-Amz-Date"), "20260203T040506Z");
  EXPECT_EQ(ValueOf(headers, "X-Amz-Security-Token"), "t0ken");
  EXPECT_EQ(ValueOf(headers, "X-Amz-Content-Sha256"), "") << "of S3 alone";
}

TEST(SigV4Test, WhatIsSignedDecidesTheSignature) {
  const Time now = At("2026-02-03T04:05:06Z");
  const std::string base = Sign(kSuite, "POST", "https://a.example/x?b=1", {{"A", "1"}}, "{}", now);
  struct Case {
    const char* reason;
    std::string signature;
    bool same;
  };
  SigV4Signer other = kSuite;
  other.secret_access_key += "x";
  const std::vector<Case> cases = {
      {"another body", Sign(kSuite, "POST", "https://a.example/x?b=1", {{"A", "1"}}, "{ }", now),
       false},
      {"another path", Sign(kSuite, "POST", "https://a.example/y?b=1", {{"A", "1"}}, "{}", now),
       false},
      {"another query", Sign(kSuite, "POST", "https://a.example/x?b=2", {{"A", "1"}}, "{}", now),
       false},
      {"another port",
       Sign(kSuite, "POST", "https://a.example:8443/x?b=1", {{"A", "1"}}, "{}", now), false},
      {"another header", Sign(kSuite, "POST", "https://a.example/x?b=1", {{"A", "2"}}, "{}", now),
       false},
      {"another second",
       Sign(kSuite, "POST", "https://a.example/x?b=1", {{"A", "1"}}, "{}",
            now + std::chrono::seconds(1)),
       false},
      {"another key", Sign(other, "POST", "https://a.example/x?b=1", {{"A", "1"}}, "{}", now),
       false},
      {"a header that proxies change",
       Sign(kSuite, "POST", "https://a.example/x?b=1", {{"A", "1"}, {"User-Agent", "u"}}, "{}",
            now),
       true},
  };
  for (const Case& item : cases) EXPECT_EQ(item.signature == base, item.same) << item.reason;
}

TEST(SigV4Test, EscapesThatAreOnTheWireAreSignedTwiceButForS3) {
  const Time now = At("2026-02-03T04:05:06Z");
  SigV4Signer s3 = kSuite;
  s3.service = "s3";
  // S3 keeps what the others normalise.
  EXPECT_NE(Sign(s3, "GET", "https://a.example/a//b", {}, "", now),
            Sign(s3, "GET", "https://a.example/a/b", {}, "", now));
  EXPECT_EQ(Sign(kSuite, "GET", "https://a.example/a//b", {}, "", now),
            Sign(kSuite, "GET", "https://a.example/a/b", {}, "", now));
  EXPECT_NE(Sign(kSuite, "GET", "https://a.example/a%2Fb", {}, "", now),
            Sign(kSuite, "GET", "https://a.example/a/b", {}, "", now));
}

TEST(SigV4Test, RefusalsThatMayPassAreKnownByTheirCodes) {
  for (const char* code : {"RequestTimeTooSkewed", "ExpiredTokenException",
                           "com.amazonaws.cloudcontrol#InvalidSignatureException"})
    EXPECT_TRUE(IsSigV4Refusal(code)) << code;
  for (const char* code : {"", "AccessDenied", "ValidationException", "#"})
    EXPECT_FALSE(IsSigV4Refusal(code)) << code;
}

}  // namespace
}  // namespace asyncops::reconciler
