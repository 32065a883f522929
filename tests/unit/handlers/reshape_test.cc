#include "apiserver/handlers/reshape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/handlers/json_splitter.h"
#include "base/json.h"
#include "base/yaml.h"
#include "tests/unit/handlers/text_source.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kLists[] = {
    R"({"apiVersion":"v1","kind":"SecretList","items":[],"metadata":{"resourceVersion":"7"}})",
    R"({"kind":"L","items":[{"a":"x,]}\\","b":["[\"",2]}],"metadata":{"continue":"c"}})",
    R"({"items":[{"a":1},{"b":{"c":[[],{}]}},7,"x",null],"rows":[true],"n":-1.5})",
    R"({"kind":"Table","rows":[{"cells":["a\nb",3],"object":{"metadata":{}}}]})",
    "{}",
};

TEST(ReshapeTest, AStreamIsWhatTheWholeWouldBeHoweverItIsCut) {
  for (const Form form : {Form::kPretty, Form::kYaml}) {
    for (const std::string_view text : kLists) {
      http::Response whole = Whole(std::string(text));
      Reshape(form, &whole);
      for (const std::size_t piece : {1u, 2u, 7u, 1000u}) {
        http::Response streamed = Streamed(std::string(text) + "\n", piece);
        Reshape(form, &streamed);
        const std::string body = BodyOf(&streamed);
        EXPECT_EQ(ParseYaml(body)->front(), *ParseJson(text)) << body;
        // Both have the members in the order of the stream.
        const auto read = [form](const std::string& written) {
          return form == Form::kYaml ? ParseYaml(written)->front() : *ParseJson(written);
        };
        EXPECT_EQ(read(body), read(whole.body)) << body;
        EXPECT_EQ(streamed.headers.Get("Content-Type"), whole.headers.Get("Content-Type"));
      }
    }
  }
}

TEST(ReshapeTest, AStreamIsIndentedAsKubernetesDoes) {
  http::Response list = Streamed(std::string(kLists[1]), 5);
  Reshape(Form::kPretty, &list);
  EXPECT_EQ(BodyOf(&list), R"({
  "kind": "L",
  "items": [
    {
      "a": "x,]}\\",
      "b": [
        "[\"",
        2
      ]
    }
  ],
  "metadata": {
    "continue": "c"
  }
}
)");
  http::Response empty = Streamed(std::string(kLists[0]), 5);
  Reshape(Form::kPretty, &empty);
  EXPECT_THAT(BodyOf(&empty), testing::HasSubstr("\"items\": [],\n"));
}

TEST(ReshapeTest, YamlSaysSo) {
  http::Response list = Streamed(std::string(kLists[0]), 9);
  Reshape(Form::kYaml, &list);
  EXPECT_EQ(list.headers.Get("Content-Type"), "application/yaml");
  EXPECT_EQ(BodyOf(&list),
            "apiVersion: v1\nkind: SecretList\nitems: []\nmetadata:\n  resourceVersion: \"7\"\n");
}

TEST(ReshapeTest, WhatIsNoPlainJsonStaysAsItIs) {
  for (const char* type :
       {"text/plain", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}) {
    http::Response response = Whole("{\"a\":1}");
    response.headers.Set("Content-Type", type);
    Reshape(Form::kYaml, &response);
    EXPECT_EQ(response.body, "{\"a\":1}") << type;
    EXPECT_EQ(response.headers.Get("Content-Type"), type);
  }
  http::Response compact = Whole("{\"a\":1}");
  Reshape(Form::kCompact, &compact);
  EXPECT_EQ(compact.body, "{\"a\":1}");
  http::Response broken = Whole("{");
  Reshape(Form::kPretty, &broken);
  EXPECT_EQ(broken.body, "{");
}

TEST(ReshapeTest, ABrokenStreamStaysBroken) {
  http::Response list =
      Streamed(std::string(kLists[2]).substr(0, 20), 7, http::BodySource::State::kAbort);
  Reshape(Form::kYaml, &list);
  EXPECT_EQ(BodyOf(&list), "aborted");
}

TEST(ReshapeTest, HoldsOneItemAtATime) {
  std::string text = R"({"items":[)";
  for (int i = 0; i < 20000; ++i)
    text += (i == 0 ? "" : ",") + std::string(R"({"name":"item","text":")") + std::string(80, 'x') +
            "\"}";
  text += "]}";
  JsonSplitter splitter;
  std::size_t items = 0;
  for (std::size_t at = 0; at < text.size(); at += 5000) {
    splitter.Append(std::string_view(text).substr(at, 5000));
    while (const std::optional<JsonPiece> piece = splitter.Next()) {
      if (piece->kind == JsonPiece::Kind::kListItem) ++items;
    }
    EXPECT_LT(splitter.buffer()->size(), 150000u);
  }
  EXPECT_EQ(items, 20000u);
}

}  // namespace
}  // namespace asyncops::apiserver
