#include "apiserver/handlers/counted_source.h"

#include <string_view>
#include <utility>

namespace asyncops::apiserver {

CountedSource::CountedSource(std::unique_ptr<http::BodySource> source, StreamCounts& counts,
                             bool watch)
    : source_(std::move(source)), counts_(counts), watch_(watch) {
  if (watch_) counts_.AddOpen(1);
}

CountedSource::~CountedSource() {
  if (watch_) counts_.AddOpen(-1);
}

http::BodySource::State CountedSource::Read(std::string* out) {
  const std::size_t before = out->size();
  const State state = source_->Read(out);
  if (state == State::kAbort) counts_.AddAbort();
  if (!watch_) return state;
  std::string_view fresh = std::string_view(*out).substr(before);
  for (std::size_t end = 0; (end = fresh.find('\n')) != std::string_view::npos;) {
    counts_.AddEvent(unfinished_ + end + 1);
    unfinished_ = 0;
    fresh.remove_prefix(end + 1);
  }
  unfinished_ += fresh.size();
  return state;
}

}  // namespace asyncops::apiserver
