#include "apiserver/http/response_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "apiserver/http/status_response.h"
#include "base/limits.h"

namespace asyncops::http {
namespace {

// One TLS record: what goes out with the head in one write. Also the least that is worth a write of
// its own while the source has more at hand.
constexpr std::size_t kRecordBytes = 16u * 1024;
// Reads of a source that has more but gives little, before the connection lets others run.
constexpr int kReadsPerPiece = 32;
// Buffers above this are given back when a response is done: idle connections are many.
constexpr std::size_t kKeptBytes = 4096;
// For the size of a chunk in hexadecimal, which is known when its bytes stand behind it already.
constexpr std::size_t kSizeRoom = 16;
constexpr std::string_view kLineEnd = "\r\n";

std::string_view ReasonPhrase(int code) {
  switch (code) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 412: return "Precondition Failed";
    case 413: return "Request Entity Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Entity";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

bool MaySend(int code) {
  return code == 304 || (code >= 200 && code < 300) || (code >= 400 && code < 600);
}

bool HasBody(int code) { return code != 204 && code != 304; }

void AppendNumber(std::size_t number, int base, std::string* out) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  out->append(digits.data(), end.ptr);
}

// A line break in a value would start a header of its own.
void AppendHeaderText(std::string_view text, std::string* out) {
  const std::size_t start = out->size();
  out->append(text);
  std::replace_if(
      out->begin() + static_cast<std::ptrdiff_t>(start), out->end(),
      [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
}

void GiveBack(std::string* buffer) {
  buffer->clear();
  if (buffer->capacity() > kKeptBytes) buffer->shrink_to_fit();
}

}  // namespace

void ResponseWriter::Start(Response response, const Framing& framing, std::function<void()> wake) {
  Reset();
  if (!MaySend(response.status)) {
    response = StatusResponse(InternalError("the server made a response that it must not send"));
  }
  WriteHead(&response, framing);
  ended_ = true;
  if (framing.head_only || !HasBody(response.status)) return;
  if (response.source != nullptr) {
    source_ = std::move(response.source);
    chunked_ = !framing.http10;
    ended_ = false;
    waiting_ = false;
    source_->SetWake(std::move(wake));
    return;
  }
  const std::size_t with_head =
      std::min(response.body.size(), kRecordBytes - std::min(kRecordBytes, out_.size()));
  out_.append(response.body, 0, with_head);
  if (with_head == response.body.size()) return;
  body_ = std::move(response.body);
  body_offset_ = with_head;
}

void ResponseWriter::WriteHead(Response* response, const Framing& framing) {
  out_.reserve(512 + (response->source ? 0 : std::min(response->body.size(), kRecordBytes)));
  out_.append("HTTP/1.1 ");
  AppendNumber(static_cast<std::size_t>(response->status), 10, &out_);
  out_.append(" ").append(ReasonPhrase(response->status)).append("\r\n");
  date_line_.AppendTo(&out_);
  for (const auto& [name, value] : response->headers.all()) {
    AppendHeaderText(name, &out_);
    out_.append(": ");
    AppendHeaderText(value, &out_);
    out_.append("\r\n");
  }
  if (!HasBody(response->status)) {
    // RFC 9110 8.6: 204 has no length, and that of 304 would be the other body's.
  } else if (response->source == nullptr) {
    out_.append("Content-Length: ");
    AppendNumber(response->body.size(), 10, &out_);
    out_.append("\r\n");
  } else if (!framing.http10) {
    out_.append("Transfer-Encoding: chunked\r\n");
  }
  if (!framing.keep_alive) out_.append("Connection: close\r\n");
  out_.append("\r\n");
}

ResponseWriter::Step ResponseWriter::Fill() {
  if (!pending().empty()) return Step::kBytes;
  // While there is more to come it stays as large as it had to be.
  if (ended_ || waiting_) {
    GiveBack(&out_);
  } else {
    out_.clear();
  }
  out_offset_ = 0;
  if (ended_) return Step::kEnd;
  return waiting_ ? Step::kPending : ReadSource();
}

ResponseWriter::Step ResponseWriter::ReadSource() {
  const std::size_t room = chunked_ ? kSizeRoom : 0;
  out_.assign(room, '0');
  BodySource::State state = BodySource::State::kMore;
  for (int reads = 0; reads < kReadsPerPiece && state == BodySource::State::kMore; ++reads) {
    state = source_->Read(&out_);
    if (out_.size() >= kRecordBytes) break;
  }
  if (state == BodySource::State::kAbort) {
    out_.clear();
    return Step::kAbort;
  }
  if (out_.size() == room) {
    out_.clear();
  } else if (chunked_) {
    FrameChunk();
  }
  if (state == BodySource::State::kEnd) EndStream();
  waiting_ = state == BodySource::State::kPending;
  if (!out_.empty()) return Step::kBytes;
  if (ended_) return Step::kEnd;
  return waiting_ ? Step::kPending : Step::kBytes;
}

void ResponseWriter::FrameChunk() {
  std::string head;
  AppendNumber(out_.size() - kSizeRoom, 16, &head);
  head.append(kLineEnd);
  out_offset_ = kSizeRoom - head.size();
  out_.replace(out_offset_, head.size(), head);
  out_.append(kLineEnd);
}

void ResponseWriter::EndStream() {
  if (chunked_) out_.append("0\r\n\r\n");
  ended_ = true;
  source_.reset();
}

std::string_view ResponseWriter::pending() const {
  if (out_offset_ < out_.size()) return std::string_view(out_).substr(out_offset_);
  return std::string_view(body_).substr(body_offset_);
}

void ResponseWriter::Consume(std::size_t count) {
  if (out_offset_ < out_.size()) {
    out_offset_ += count;
  } else {
    body_offset_ += count;
  }
}

void ResponseWriter::Stop() {
  waiting_ = false;
  if (source_ != nullptr) source_->Stop();
}

void ResponseWriter::Reset() {
  GiveBack(&out_);
  GiveBack(&body_);
  out_offset_ = 0;
  body_offset_ = 0;
  source_.reset();
  ended_ = true;
}

}  // namespace asyncops::http
