// Who asked the engine for something, as the API server writes it down.
#include "apiserver/registry/requester.h"

#include <gtest/gtest.h>

namespace asyncops::apiserver {
namespace {

constexpr const char* kBy = "asyncops.dev/requested-by";

const ResourceInfo& Operations() {
  return *FindResource("operations.asyncops.dev", "asyncoperations");
}

Json Object(JsonObject annotations, bool suspend = false) {
  return Json::Of({{"metadata", Json::Of({{"annotations", std::move(annotations)}})},
                   {"spec", Json::Of({{"suspend", suspend}})}});
}

std::string By(const Json& object) {
  return std::string(object.StringAt({"metadata", "annotations", kBy}));
}

JsonObject With(std::string_view name, std::string_view value, std::string_view by = "") {
  JsonObject annotations;
  annotations.Set(name, Json(value));
  if (!by.empty()) annotations.Set(kBy, Json(by));
  return annotations;
}

TEST(RequesterTest, EachNewRequestNamesItsUser) {
  const Json old = Object(With("note", "x"));
  for (const char* name : {"asyncops.dev/retry-requested-at", "asyncops.dev/cancel-requested-at",
                           "asyncops.dev/resolve", "asyncops.dev/force-delete"}) {
    Json object = Object(With(name, "1"));
    StampRequester(Operations(), "alice", &old, &object);
    EXPECT_EQ(By(object), "alice") << name;
  }
}

TEST(RequesterTest, SoDoesAnotherSuspend) {
  const Json old = Object({}, true);
  Json object = Object({}, false);
  StampRequester(Operations(), "alice", &old, &object);
  EXPECT_EQ(By(object), "alice");
}

TEST(RequesterTest, WhatAClientSaysItIsCountsForNothing) {
  const Json old = Object(With("asyncops.dev/retry-requested-at", "1", "alice"));
  Json object = Object(With("asyncops.dev/retry-requested-at", "1", "mallory"));
  StampRequester(Operations(), "bob", &old, &object);
  EXPECT_EQ(By(object), "alice") << "nothing new is asked for";
  object = Object(With("asyncops.dev/retry-requested-at", "2", "mallory"));
  StampRequester(Operations(), "bob", &old, &object);
  EXPECT_EQ(By(object), "bob");
  object = Object(With("note", "x", "mallory"));
  StampRequester(Operations(), "bob", nullptr, &object);
  EXPECT_EQ(By(object), "");
}

TEST(RequesterTest, AnUnknownUserIsNotNamed) {
  const Json old = Object(With("asyncops.dev/retry-requested-at", "1", "alice"));
  Json object = Object(With("asyncops.dev/retry-requested-at", "2", "alice"));
  StampRequester(Operations(), "", &old, &object);
  EXPECT_EQ(By(object), "");
}

TEST(RequesterTest, OtherKindsAreLeftAlone) {
  const Json old = Object({});
  Json object = Object(With("asyncops.dev/retry-requested-at", "1", "any"));
  StampRequester(*FindResource("", "secrets"), "bob", &old, &object);
  EXPECT_EQ(By(object), "any");
}

}  // namespace
}  // namespace asyncops::apiserver
