#include "reconciler/secret_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops::reconciler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SecretValuesTest, AnObjectIsItsJsonAndTheTextsInIt) {
  SecretValues values;
  values.Add(*ParseJson(R"({"b":[{"key":"long-enough"},"abc",12345],"a":"four"})"));
  EXPECT_THAT(values.texts, IsEmpty());
  EXPECT_THAT(values.wholes,
              ElementsAre(R"({"a":"four","b":[{"key":"long-enough"},"abc",12345]})"));
  EXPECT_THAT(values.parts, ElementsAre("four", "long-enough")) << "too short, or no text";
}

TEST(SecretValuesTest, WhatIsNoObjectIsItsText) {
  SecretValues values;
  values.Add(Json("a text"));
  values.Add(Json(54321));
  EXPECT_THAT(values.texts, ElementsAre("a text", "54321"));
  EXPECT_THAT(values.parts, IsEmpty());
}

TEST(SecretValuesTest, WhatASecretKeepsMayBeAnObject) {
  SecretValues values;
  values.AddKept(R"({"pass": "hunter2"})");
  values.AddKept("[no JSON");
  values.AddKept("plain");
  EXPECT_THAT(values.texts, ElementsAre(R"({"pass": "hunter2"})", "[no JSON", "plain"));
  EXPECT_THAT(values.parts, ElementsAre("hunter2"));
}

TEST(SeenSecretsTest, EachIsRememberedOnceAndTheLastOnesStay) {
  SeenSecrets seen;
  EXPECT_TRUE(seen.empty());
  for (int round = 0; round < 2; ++round) {
    SecretValues values;
    for (int i = 0; i < 300; ++i) values.Add(Json("value-" + std::to_string(i)));
    values.Add(*ParseJson(R"(["part", "no"])"));
    seen.Remember(values);
  }
  EXPECT_EQ(seen.texts.size(), 256U);
  EXPECT_EQ(seen.texts.back(), "value-43") << "the ones that had made room came again";
  EXPECT_THAT(seen.parts, ElementsAre("part"));
  EXPECT_FALSE(seen.empty());
}

TEST(SeenSecretsTest, LongOnesMakeRoomSoonerAndTheLastOneStays) {
  SeenSecrets seen;
  SecretValues values;
  for (const char c : {'a', 'b', 'c'}) values.Add(Json(std::string(std::size_t{100} * 1024, c)));
  seen.Remember(values);
  EXPECT_EQ(seen.texts.size(), 2U);
  SecretValues huge;
  huge.Add(Json(std::string(std::size_t{1024} * 1024, 'h')));
  seen.Remember(huge);
  ASSERT_EQ(seen.texts.size(), 1U);
  EXPECT_EQ(seen.texts[0].front(), 'h');
}

}  // namespace
}  // namespace asyncops::reconciler
