// Responses with a text for a body, whole or in pieces.
#ifndef ASYNCOPS_TESTS_UNIT_HANDLERS_TEXT_SOURCE_H_
#define ASYNCOPS_TESTS_UNIT_HANDLERS_TEXT_SOURCE_H_

#include <memory>
#include <string>
#include <utility>

#include "apiserver/http/response.h"

namespace asyncops::apiserver {

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

inline http::Response Whole(std::string text) {
  http::Response response;
  response.headers.Add("Content-Type", "application/json");
  response.body = std::move(text);
  return response;
}

inline http::Response Streamed(std::string text, std::size_t piece,
                               http::BodySource::State last = http::BodySource::State::kEnd) {
  http::Response response = Whole("");
  response.source = std::make_unique<TextSource>(std::move(text), piece, last);
  return response;
}

// The whole body; "aborted" where the stream breaks off.
inline std::string BodyOf(http::Response* response) {
  if (response->source == nullptr) return response->body;
  std::string out;
  auto state = http::BodySource::State::kMore;
  while (state == http::BodySource::State::kMore) state = response->source->Read(&out);
  return state == http::BodySource::State::kEnd ? out : "aborted";
}

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_TESTS_UNIT_HANDLERS_TEXT_SOURCE_H_
