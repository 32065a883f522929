#include "apiserver/handlers/reshape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/handlers/json_splitter.h"
#include "base/json.h"
#include "base/yaml.h"
#include "tests/support/gunzip.h"

namespace asyncops::apiserver {
namespace {

using State = http::BodySource::State;

// Gives its text in pieces of a size.
class TextSource final : public http::BodySource {
 public:
  TextSource(std::string text, std::size_t piece, State last = State::kEnd)
      : text_(std::move(text)), piece_(piece), last_(last) {}
  State Read(std::string* out) override {
    out->append(text_.substr(at_, piece_));
    at_ += piece_;
    return at_ >= text_.size() ? last_ : State::kMore;
  }
  void SetWake(std::function<void()> /*wake*/) override {}
  void Stop() override {}

 private:
  const std::string text_;
  const std::size_t piece_;
  const State last_;
  std::size_t at_ = 0;
};

http::Response Whole(std::string text) {
  http::Response response;
  response.headers.Add("Content-Type", "application/json");
  response.body = std::move(text);
  return response;
}

http::Response Streamed(std::string text, std::size_t piece, State last = State::kEnd) {
  http::Response response = Whole("");
  response.source = std::make_unique<TextSource>(std::move(text), piece, last);
  return response;
}

// The whole body; "aborted" where the stream breaks off.
std::string BodyOf(http::Response* response) {
  if (response->source == nullptr) return response->body;
  std::string out;
  State state = State::kMore;
  while (state == State::kMore) state = response->source->Read(&out);
  return state == State::kEnd ? out : "aborted";
}

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
  http::Response list = Streamed(std::string(kLists[2]).substr(0, 20), 7, State::kAbort);
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

TEST(CompressTest, BodiesOver128KiBAlone) {
  const std::string at_limit(128u * 1024, 'x');
  const std::string over = at_limit + "x";
  for (const std::size_t piece : {std::size_t{0}, std::size_t{1000}, std::size_t{1} << 20}) {
    const auto make = [piece](const std::string& text) {
      return piece == 0 ? Whole(text) : Streamed(text, piece);
    };
    http::Response small = make(at_limit);
    Compress(&small);
    EXPECT_EQ(small.source, nullptr);
    EXPECT_EQ(small.body, at_limit);
    EXPECT_FALSE(small.headers.Has("Content-Encoding"));
    EXPECT_FALSE(small.headers.Has("Vary"));
    http::Response large = make(over);
    Compress(&large);
    EXPECT_EQ(large.headers.Get("Content-Encoding"), "gzip");
    EXPECT_EQ(large.headers.Get("Vary"), "Accept-Encoding");
    EXPECT_EQ(Gunzip(BodyOf(&large)), over) << piece;
  }
}

TEST(CompressTest, ALongStreamGoesOnWhereItWasLookedInto) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + ",";
  http::Response list = Streamed(text, 4096);
  Compress(&list);
  EXPECT_NE(list.source, nullptr);
  EXPECT_EQ(Gunzip(BodyOf(&list)), text);
}

TEST(CompressTest, ABrokenStreamStaysBroken) {
  for (const std::size_t size : {100u, 300000u}) {
    http::Response list = Streamed(std::string(size, 'x'), 4096, State::kAbort);
    Compress(&list);
    EXPECT_EQ(BodyOf(&list), "aborted") << size;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
