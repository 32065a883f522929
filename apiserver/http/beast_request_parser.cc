#include "apiserver/http/beast_request_parser.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "apiserver/http/request_target.h"

namespace asyncops::http {
namespace {

namespace beast = boost::beast;
using HttpError = beast::http::error;

// Reserved at most for a body that a head announces: the client has sent nothing of it yet.
constexpr std::uint64_t kMaxReservedBytes = 64u * 1024;
// Headers of a common request, so that their vector is made once.
constexpr std::size_t kUsualHeaders = 12;
// ": " and CRLF of a header line.
constexpr std::size_t kLineOverhead = 4;

bool ReadDigits(std::string_view text, std::uint64_t* number) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *number);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

RequestParser::RequestParser(std::size_t max_header_bytes) : max_header_bytes_(max_header_bytes) {
  header_limit(static_cast<std::uint32_t>(max_header_bytes));
  // The limit depends on the head and is ours: LimitBody.
  body_limit(boost::none);
}

RequestParser::Step RequestParser::Parse(std::string_view* input) {
  while (!is_done()) {
    if (input->empty()) return Step::kNeedMore;
    input_ = *input;
    Error error;
    const std::size_t taken = put(boost::asio::const_buffer(input->data(), input->size()), error);
    input->remove_prefix(taken);
    if (error == HttpError::need_more) {
      // Beast bounds a head, but not the extensions of a chunk or the trailers behind the last one.
      if (input->size() > max_header_bytes_) return FailWith(HttpError::header_limit);
      return Step::kNeedMore;
    }
    if (error) return FailWith(error);
    if (is_header_done() && !head_given_) {
      head_given_ = true;
      return CheckHead();
    }
  }
  return Step::kDone;
}

void RequestParser::LimitBody(std::size_t bytes) { body_limit_bytes_ = bytes; }

RequestParser::Step RequestParser::Fail(int code, std::string message) {
  error_code_ = code;
  error_message_ = std::move(message);
  return Step::kFailed;
}

RequestParser::Step RequestParser::FailWith(const Error& error) {
  if (error_code_ != 0) return Step::kFailed;
  if (error == HttpError::header_limit) {
    return Fail(431,
                "Request header fields too large: limit is " + std::to_string(max_header_bytes_));
  }
  if (error == HttpError::bad_version)
    return Fail(505, "only versions 1.0 and 1.1 of HTTP are served");
  if (error == HttpError::body_limit) {
    return Fail(413, "Request entity too large: limit is " + std::to_string(body_limit_bytes_));
  }
  return Fail(400, "malformed HTTP request: " + error.message());
}

RequestParser::Step RequestParser::CheckHead() {
  if (hosts_ > 1 || (hosts_ == 0 && !http10_)) {
    return Fail(400, "malformed HTTP request: exactly one Host header is needed");
  }
  if (request_.method == "CONNECT") return Fail(405, "CONNECT is not served");
  if (upgrade_) return Fail(400, "a change of protocol is not served");
  if (unknown_expectation_) return Fail(417, "only the expectation 100-continue is understood");
  const Status target = ReadRequestTarget(target_, &request_);
  if (!target.ok()) return Fail(400, target.message());
  return Step::kHead;
}

void RequestParser::on_request_impl(beast::http::verb /*method*/, View name, View target,
                                    int version, Error& error) {
  header_bytes_ += name.size() + target.size();
  if (header_bytes_ > max_header_bytes_) error = HttpError::header_limit;
  request_.method.assign(name.data(), name.size());
  target_.assign(target.data(), target.size());
  http10_ = version == 10;
  request_.headers.Reserve(kUsualHeaders);
}

void RequestParser::on_response_impl(int /*code*/, View /*reason*/, int /*version*/,
                                     Error& /*error*/) {}

void RequestParser::on_field_impl(beast::http::field field, View name, View value, Error& error) {
  // A trailer that were taken for a header could carry an identity past those who look at the head.
  if (head_given_) return;
  header_bytes_ += name.size() + value.size() + kLineOverhead;
  if (header_bytes_ > max_header_bytes_) {
    error = HttpError::header_limit;
    return;
  }
  // Beast joins folded lines in a buffer of its own.
  const bool folded =
      !value.empty() && (std::less<>()(value.data(), input_.data()) ||
                         !std::less<>()(value.data(), input_.data() + input_.size()));
  if (folded) {
    error = HttpError::bad_value;
    return;
  }
  using Field = beast::http::field;
  if (field == Field::transfer_encoding && (http10_ || !beast::iequals(value, "chunked"))) {
    Fail(http10_ ? 400 : 501, "the only transfer coding is chunked, in HTTP/1.1");
    error = HttpError::bad_transfer_encoding;
    return;
  }
  if (field == Field::content_length &&
      !ReadDigits({value.data(), value.size()}, &announced_bytes_)) {
    error = HttpError::bad_content_length;
    return;
  }
  if (field == Field::host) ++hosts_;
  if (field == Field::upgrade) upgrade_ = true;
  if (field == Field::expect) {
    wants_continue_ = beast::iequals(value, "100-continue");
    unknown_expectation_ = !wants_continue_;
  }
  request_.headers.Add(std::string(name.data(), name.size()),
                       std::string(value.data(), value.size()));
}

void RequestParser::on_header_impl(Error& /*error*/) {}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& /*size*/,
                                      Error& /*error*/) {
  request_.body.reserve(static_cast<std::size_t>(std::min(announced_bytes_, kMaxReservedBytes)));
}

bool RequestParser::AppendBody(View bytes, Error* error) {
  if (bytes.size() > body_limit_bytes_ - request_.body.size()) {
    *error = HttpError::body_limit;
    return false;
  }
  request_.body.append(bytes.data(), bytes.size());
  return true;
}

std::size_t RequestParser::on_body_impl(View bytes, Error& error) {
  return AppendBody(bytes, &error) ? bytes.size() : 0;
}

void RequestParser::on_chunk_header_impl(std::uint64_t size, View /*extensions*/, Error& error) {
  if (size > body_limit_bytes_ - request_.body.size()) error = HttpError::body_limit;
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t /*remain*/, View bytes, Error& error) {
  return AppendBody(bytes, &error) ? bytes.size() : 0;
}

void RequestParser::on_finish_impl(Error& /*error*/) {}

}  // namespace asyncops::http
