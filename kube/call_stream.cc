#include "kube/call_stream.h"

#include <algorithm>

namespace asyncops::kube {
namespace {

// Of an answer: its status line, header lines, and all of them. cpp-httplib bounds none of the
// first and matches it with a recursive expression, which a long one drives out of stack.
constexpr std::size_t kMaxStatusLine = 1024;
constexpr std::size_t kMaxHeaderLine = 8192;
constexpr std::size_t kMaxHead = 64u * 1024;
// A chunk of one byte takes six on the wire.
constexpr std::size_t kMaxChunkOverhead = 8;

}  // namespace

CallStream::CallStream(Connection& connection, const CallBounds& bounds, std::size_t max_body,
                       Traffic* traffic)
    : connection_(connection),
      bounds_(bounds),
      max_bytes_(kMaxHead + kMaxChunkOverhead * max_body),
      traffic_(traffic) {}

bool CallStream::CountHead(char byte) {
  constexpr std::string_view kStatusLine = "HTTP/";
  ++head_;
  ++line_;
  if (line_start_.size() < kStatusLine.size()) line_start_ += byte;
  const std::size_t most = line_start_ == kStatusLine ? kMaxStatusLine : kMaxHeaderLine;
  const bool fits = head_ <= kMaxHead && line_ <= most;
  if (byte == '\n') {
    line_ = 0;
    line_start_.clear();
  }
  return fits;
}

ssize_t CallStream::Read(char* to, std::size_t size) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    traffic_->last = connection_.Read(buffer_.data(), buffer_.size(), &end_, bounds_);
    if (traffic_->last != IoOutcome::kOk) end_ = 0;
    if (traffic_->last == IoOutcome::kEnd) return 0;
    if (traffic_->last != IoOutcome::kOk) return -1;
    traffic_->received = true;
    if (bounded_) total_ += end_;
  }
  const std::size_t count = std::min(size, end_ - begin_);
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), count, to);
  begin_ += count;
  bool fits = !bounded_ || total_ <= max_bytes_;
  for (std::size_t i = 0; i < count && !traffic_->head_done; ++i) fits = CountHead(to[i]) && fits;
  if (fits) return static_cast<ssize_t>(count);
  traffic_->too_large = true;
  return -1;
}

ssize_t CallStream::Write(std::string_view bytes) {
  traffic_->last = connection_.Write(bytes, &traffic_->sent, bounds_);
  return traffic_->last == IoOutcome::kOk ? static_cast<ssize_t>(bytes.size()) : -1;
}

}  // namespace asyncops::kube
