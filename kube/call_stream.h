// The bytes of one call on a connection, counted and bounded.
#ifndef ASYNCOPS_KUBE_CALL_STREAM_H_
#define ASYNCOPS_KUBE_CALL_STREAM_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "kube/connection.h"

namespace asyncops::kube {

// What happened on the wire.
struct Traffic {
  bool sent = false;       // a byte of the request may have left
  bool received = false;   // a byte of an answer came
  bool head_done = false;  // its header is complete: set by who reads it
  bool too_large = false;
  IoOutcome last = IoOutcome::kOk;
};

// Used by one call. All references outlive it.
class CallStream {
 public:
  // Of an answer whose body is at most `max_body` bytes.
  CallStream(Connection& connection, const CallBounds& bounds, std::size_t max_body,
             Traffic* traffic);

  // At least one byte; 0 at the server's end; -1 where reading fails or the answer is too large,
  // as `traffic` says.
  ssize_t Read(char* to, std::size_t size);
  // All of it, or -1.
  ssize_t Write(std::string_view bytes);

  // From now on the body may be of any length.
  void Unbind() { bounded_ = false; }
  // Nothing has come that belongs to no answer.
  bool IsDrained() const { return begin_ == end_; }

 private:
  // Whether the byte keeps the head of the answer within its bounds.
  bool CountHead(char byte);

  Connection& connection_;
  const CallBounds& bounds_;
  const std::size_t max_bytes_;
  Traffic* const traffic_;

  bool bounded_ = true;
  std::array<char, 16384> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t total_ = 0;
  std::size_t head_ = 0;
  std::string line_start_;
  std::size_t line_ = 0;
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_CALL_STREAM_H_
