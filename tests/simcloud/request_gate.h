// Finds where one HTTP/1 request ends, before the HTTP library sees a byte of it. Pistache 0.0.5
// waits for ever on chunked bodies that arrive in pieces, and takes the rest of an oversized body
// for new requests; what passes here is one whole request with a Content-Length.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_REQUEST_GATE_H_
#define ASYNCOPS_TESTS_SIMCLOUD_REQUEST_GATE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace asyncops::simcloud {

// One per connection; used by one thread at a time.
class RequestGate {
 public:
  enum class State { kMore, kComplete, kRefused };

  // Takes bytes as they arrive. Once complete or refused, further bytes are dropped.
  State Feed(std::string_view bytes);

  // kComplete: the request, head and body, exactly.
  const std::string& request() const { return request_; }
  // kComplete: bytes came after the request's end. Requests are not pipelined: the connection has
  // to be closed after the reply.
  bool overrun() const { return overrun_; }
  // kRefused: the HTTP status and why.
  int refusal_status() const { return refusal_status_; }
  const std::string& refusal() const { return refusal_; }

  // Gets ready for the next request of the connection.
  void Reset();

  static constexpr std::size_t kMaxBodyBytes = 1024u * 1024;

 private:
  State Refuse(int status, std::string_view why);
  State ReadHead(std::size_t head_size);
  State ReadHeader(std::string_view line);

  State state_ = State::kMore;
  std::string request_;
  std::size_t size_ = 0;  // of the whole request; 0 until the head is read
  std::size_t body_size_ = 0;
  bool has_content_length_ = false;
  bool overrun_ = false;
  int refusal_status_ = 0;
  std::string refusal_;
};

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_REQUEST_GATE_H_
