#include "tests/simcloud/request_gate.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/limits.h"

namespace asyncops::simcloud {
namespace {

constexpr std::string_view kEndOfLine = "\r\n";
constexpr std::string_view kEndOfHead = "\r\n\r\n";

bool IsControl(char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f'; }

}  // namespace

RequestGate::State RequestGate::Feed(std::string_view bytes) {
  if (state_ != State::kMore) {
    overrun_ = overrun_ || !bytes.empty();
    return state_;
  }
  // An end of head may straddle what was there and what is new.
  const std::size_t from = request_.size() < kEndOfHead.size() ? 0 : request_.size() - 3;
  request_.append(bytes);
  if (size_ == 0) {
    const std::size_t end = request_.find(kEndOfHead, from);
    const std::size_t head = end == std::string::npos ? request_.size() : end;
    if (head > kMaxHeaderBytes) return Refuse(431, "the request's head is over 64 KiB");
    if (end == std::string::npos) return State::kMore;
    if (ReadHead(end) == State::kRefused) return state_;
    size_ = end + kEndOfHead.size() + body_size_;
  }
  if (request_.size() < size_) return State::kMore;
  overrun_ = request_.size() > size_;
  request_.resize(size_);
  return state_ = State::kComplete;
}

void RequestGate::Reset() { *this = RequestGate(); }

RequestGate::State RequestGate::Refuse(int status, std::string_view why) {
  request_.clear();
  refusal_status_ = status;
  refusal_ = why;
  return state_ = State::kRefused;
}

RequestGate::State RequestGate::ReadHead(std::size_t head_size) {
  const std::string head = request_.substr(0, head_size);
  std::string_view rest = head;
  bool first = true;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(kEndOfLine), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + kEndOfLine.size(), rest.size()));
    if (std::any_of(line.begin(), line.end(), IsControl)) {
      return Refuse(400, "a control character in the request's head");
    }
    if (!first && ReadHeader(line) == State::kRefused) return state_;
    first = false;
  }
  return first ? Refuse(400, "no request line") : state_;
}

RequestGate::State RequestGate::ReadHeader(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || line.front() == ' ' ||
      line.front() == '\t' || line[colon - 1] == ' ') {
    return Refuse(400, "a malformed header");
  }
  const std::string_view name = line.substr(0, colon);
  if (EqualsIgnoreCase(name, "transfer-encoding")) {
    return Refuse(501, "send the body with a Content-Length");
  }
  if (!EqualsIgnoreCase(name, "content-length")) return state_;
  const std::string_view value = TrimBlanks(line.substr(colon + 1));
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), body_size_);
  const bool digits = std::all_of(value.begin(), value.end(), IsDigit);
  if (has_content_length_ || value.empty() || !digits) return Refuse(400, "a wrong Content-Length");
  if (error != std::errc() || body_size_ > kMaxBodyBytes) {
    return Refuse(413, "the body is over 1 MiB");
  }
  has_content_length_ = true;
  return end == value.data() + value.size() ? state_ : Refuse(400, "a wrong Content-Length");
}

}  // namespace asyncops::simcloud
