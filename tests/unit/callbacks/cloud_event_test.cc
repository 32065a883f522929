#include "callbacks/cloud_event.h"

#include <gtest/gtest.h>

namespace asyncops::callbacks {
namespace {

constexpr const char* kStructured = "application/cloudevents+json; charset=utf-8";
constexpr const char* kBatch = "application/cloudevents-batch+json";

Message Typed(const char* type, std::string body) {
  return {.headers = {{"content-type", type}}, .body = std::move(body)};
}

Message Binary(std::string body) {
  return {.headers = {{"Content-Type", "application/json"},
                      {"ce-specversion", "1.0"},
                      {"CE-Id", "A234"},
                      {"ce-source", "/mycontext"},
                      {"ce-type", "com.example.done"},
                      {"ce-subject", "op%20%E2%82%AC"}},
          .body = std::move(body)};
}

Event One(const Message& message) {
  const Result<std::vector<Event>> events = ReadEvents(message);
  EXPECT_TRUE(events.ok()) << events.status().ToString();
  if (!events.ok() || events->size() != 1) {
    ADD_FAILURE() << "not one event";
    return {};
  }
  return events->front();
}

TEST(CloudEventTest, StructuredEventIsItsObject) {
  const Event event = One(Typed(kStructured, R"({"specversion":"1.0","id":"A1","source":"/s",
      "type":"t","subject":"op-1","comexampleext":5,"data":{"status":"done"}})"));
  EXPECT_EQ(event.id, "A1");
  EXPECT_EQ(event.source, "/s");
  EXPECT_EQ(event.value.StringAt({"subject"}), "op-1");
  EXPECT_EQ(event.data, Json::Of({{"status", "done"}}));
  EXPECT_TRUE(event.body_only);
}

TEST(CloudEventTest, BinaryEventIsMadeOfHeadersAndBody) {
  const Event event = One(Binary(R"({"status":"done"})"));
  EXPECT_EQ(event.id, "A234");
  EXPECT_EQ(event.source, "/mycontext");
  EXPECT_EQ(event.value.StringAt({"type"}), "com.example.done");
  EXPECT_EQ(event.value.StringAt({"subject"}), "op \xe2\x82\xac") << "decoded once";
  EXPECT_EQ(event.value.StringAt({"data", "status"}), "done");
  EXPECT_EQ(event.data.StringAt({"status"}), "done");
  EXPECT_FALSE(event.body_only);
}

TEST(CloudEventTest, BinaryAttributesAreDecodedOnceOnly) {
  Message message = Binary("{}");
  message.headers.back().second = "%2541";
  EXPECT_EQ(One(message).value.StringAt({"subject"}), "%41");
}

TEST(CloudEventTest, BatchIsAListOfEvents) {
  const Result<std::vector<Event>> events = ReadEvents(Typed(kBatch, R"([
      {"specversion":"1.0","id":"1","source":"/s","type":"t"},
      {"specversion":"1.0","id":"2","source":"/s","type":"t","data":7}])"));
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->size(), 2U);
  EXPECT_TRUE(events->at(0).data.is_null());
  EXPECT_EQ(events->at(1).data, Json(7));
  EXPECT_TRUE(ReadEvents(Typed(kBatch, "[]"))->empty());
}

TEST(CloudEventTest, BinaryDataIsDecoded) {
  const Event event = One(Typed(kStructured, R"({"specversion":"1.0","id":"1","source":"/s",
      "type":"t","data_base64":"eyJhIjoxfQ=="})"));
  EXPECT_EQ(event.data, Json::Of({{"a", 1}}));
  EXPECT_EQ(event.value.IntAt({"data", "a"}, 0), 1);
}

TEST(CloudEventTest, OtherJsonIsItsOwnEvent) {
  const Event event = One(Typed("application/json", R"({"data":{"id":"op-1"}})"));
  EXPECT_EQ(event.id, "");
  EXPECT_EQ(event.value.StringAt({"data", "id"}), "op-1");
  EXPECT_EQ(event.data, event.value);
  EXPECT_TRUE(event.body_only);
}

TEST(CloudEventTest, DataOfAStandardWebhooksPayloadIsWhatItIsAbout) {
  const Event event = One(Typed("application/json", R"({"type":"volume.done",
      "timestamp":"2026-01-01T00:00:00Z","data":{"status":"done"}})"));
  EXPECT_EQ(event.data, Json::Of({{"status", "done"}}));
  EXPECT_EQ(event.value.StringAt({"type"}), "volume.done");
}

TEST(CloudEventTest, BodyOfNoTypeIsReadAsFarAsItCanBe) {
  EXPECT_EQ(One({.headers = {}, .body = R"({"a":1})"}).value, Json::Of({{"a", 1}}));
  EXPECT_EQ(One({.headers = {}, .body = "payload=x"}).value, Json("payload=x"));
  EXPECT_TRUE(One({.headers = {}, .body = ""}).value.is_null());
  EXPECT_TRUE(One({.headers = {}, .body = "\xff\xfe"}).value.is_null());
  EXPECT_TRUE(One(Typed("application/json", "")).value.is_null());
}

struct Malformed {
  const char* reason;
  Message message;
};

TEST(CloudEventTest, WhatSaysItIsAnEventAndIsNotIsRefused) {
  std::string many = "[";
  for (std::size_t i = 0; i <= kMaxBatchEvents; ++i)
    many += R"({"specversion":"1.0","id":"1","source":"/s","type":"t"},)";
  many.back() = ']';
  Message no_id = Binary("{}");
  no_id.headers.erase(no_id.headers.begin() + 2);
  Message broken_escape = Binary("{}");
  broken_escape.headers.back().second = "%zz";
  Message twice = Binary("{}");
  twice.headers.emplace_back("ce-id", "B");
  Message odd_name = Binary("{}");
  odd_name.headers.emplace_back("ce-a_b", "B");
  Message data_header = Binary("{}");
  data_header.headers.emplace_back("ce-data", "{}");
  Message no_text = Binary("{}");
  no_text.headers.back().second = "%ff";
  const std::vector<Malformed> rows = {
      {"no JSON", Typed("application/json", "{")},
      {"no JSON in a vendor's type", Typed("application/vnd.acme+json", "{")},
      {"a structured event is JSON", Typed(kStructured, "x")},
      {"an event is an object", Typed(kStructured, "[]")},
      {"no id", Typed(kStructured, R"({"specversion":"1.0","source":"/s","type":"t"})")},
      {"an empty id",
       Typed(kStructured, R"({"specversion":"1.0","id":"","source":"/s","type":"t"})")},
      {"an id is text",
       Typed(kStructured, R"({"specversion":"1.0","id":1,"source":"/s","type":"t"})")},
      {"no source", Typed(kStructured, R"({"specversion":"1.0","id":"1","type":"t"})")},
      {"no type", Typed(kStructured, R"({"specversion":"1.0","id":"1","source":"/s"})")},
      {"another version",
       Typed(kStructured, R"({"specversion":"0.3","id":"1","source":"/s","type":"t"})")},
      {"broken base64",
       Typed(kStructured,
             R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data_base64":"*"})")},
      {"two kinds of data", Typed(kStructured,
                                  R"({"specversion":"1.0","id":"1","source":"/s",
                             "type":"t","data":1,"data_base64":"eA=="})")},
      {"a batch is a list", Typed(kBatch, "{}")},
      {"one bad event spoils a batch",
       Typed(kBatch, R"([{"specversion":"1.0","id":"1","source":"/s","type":"t"},{}])")},
      {"a batch has a bound", Typed(kBatch, many)},
      {"another format", Typed("application/cloudevents+avro", "x")},
      {"a binary event has an id", no_id},
      {"a broken escape", broken_escape},
      {"an attribute comes once", twice},
      {"an attribute's name is letters and digits", odd_name},
      {"data is the body", data_header},
      {"an attribute is text", no_text},
      {"a binary event's JSON is JSON", Binary("{")},
  };
  for (const Malformed& row : rows)
    EXPECT_EQ(ReadEvents(row.message).status().reason(), Reason::kBadRequest) << row.reason;
}

}  // namespace
}  // namespace asyncops::callbacks
