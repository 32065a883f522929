#include "apiserver/handlers/compress.h"

#include <memory>
#include <string>
#include <utility>

#include "apiserver/http/gzip.h"

namespace asyncops::apiserver {
namespace {

constexpr std::size_t kCompressAbove = 128u * 1024;

// A source of which a part has been read already: the part comes first.
class BegunSource final : public http::BodySource {
 public:
  BegunSource(std::unique_ptr<http::BodySource> source, std::string begun, State state)
      : source_(std::move(source)), begun_(std::move(begun)), state_(state) {}

  State Read(std::string* out) override {
    if (!begun_.empty()) {
      out->append(std::exchange(begun_, {}));
      // Nobody could be woken while that was read.
      return state_ == State::kPending ? State::kMore : state_;
    }
    return state_ == State::kAbort ? state_ : source_->Read(out);
  }
  void SetWake(std::function<void()> wake) override { source_->SetWake(std::move(wake)); }
  std::optional<SteadyTime> WakeAt() const override { return source_->WakeAt(); }
  void Stop() override { source_->Stop(); }

 private:
  const std::unique_ptr<http::BodySource> source_;
  std::string begun_;
  const State state_;
};

class GzipSource final : public http::BodySource {
 public:
  explicit GzipSource(std::unique_ptr<http::BodySource> source) : source_(std::move(source)) {}

  State Read(std::string* out) override {
    plain_.clear();
    const State state = source_->Read(&plain_);
    stream_.Append(plain_, out);
    if (state == State::kEnd) stream_.Finish(out);
    return state;
  }
  void SetWake(std::function<void()> wake) override { source_->SetWake(std::move(wake)); }
  std::optional<SteadyTime> WakeAt() const override { return source_->WakeAt(); }
  void Stop() override { source_->Stop(); }

 private:
  const std::unique_ptr<http::BodySource> source_;
  http::GzipStream stream_;
  std::string plain_;
};

void MarkCompressed(http::Response* response) {
  response->headers.Add("Content-Encoding", "gzip");
  response->headers.Add("Vary", "Accept-Encoding");
}

}  // namespace

void Compress(http::Response* response) {
  if (response->source == nullptr) {
    if (response->body.size() <= kCompressAbove) return;
    response->body = http::Gzip(response->body);
    return MarkCompressed(response);
  }
  http::BodySource::State state = http::BodySource::State::kMore;
  std::string begun;
  while (state == http::BodySource::State::kMore && begun.size() <= kCompressAbove)
    state = response->source->Read(&begun);
  const bool ended = state == http::BodySource::State::kEnd;
  if (ended && begun.size() <= kCompressAbove) {
    response->source.reset();
    response->body = std::move(begun);
    return;
  }
  const bool large = begun.size() > kCompressAbove;
  response->source =
      std::make_unique<BegunSource>(std::move(response->source), std::move(begun), state);
  if (!large) return;
  response->source = std::make_unique<GzipSource>(std::move(response->source));
  MarkCompressed(response);
}

}  // namespace asyncops::apiserver
