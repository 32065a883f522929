// Turns a Response into the bytes that go out, piece by piece as the socket takes them.
#ifndef ASYNCOPS_APISERVER_HTTP_RESPONSE_WRITER_H_
#define ASYNCOPS_APISERVER_HTTP_RESPONSE_WRITER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/http/date_line.h"
#include "apiserver/http/response.h"

namespace asyncops::http {

// How the response to one request is framed.
struct Framing {
  bool head_only = false;  // the request was HEAD
  bool http10 = false;     // no chunks: the end of the connection ends a streamed body
  bool keep_alive = true;
};

// One response at a time; used by one thread at a time. Memory is bounded by a whole body, or by
// one piece of a streamed one (about kStreamChunkBytes, and what a Read adds beyond).
class ResponseWriter {
 public:
  enum class Step {
    kBytes,    // pending() has bytes
    kPending,  // nothing until Resume(): a wake has come, or wake_at()
    kEnd,      // all is written
    kAbort,    // the body cannot be completed
  };

  explicit ResponseWriter(DateLine& date_line) : date_line_(date_line) {}
  ResponseWriter(const ResponseWriter&) = delete;
  ResponseWriter& operator=(const ResponseWriter&) = delete;

  // Starts a response; `wake` is given to its source, where it has one. A redirect, or a code that
  // no final response has, becomes a 500: this server never sends one.
  void Start(Response response, const Framing& framing, std::function<void()> wake);
  // Makes bytes where pending() is empty.
  Step Fill();
  std::string_view pending() const;
  // `count` bytes of pending() have gone out.
  void Consume(std::size_t count);
  // Whether a streamed body is under way.
  bool streaming() const { return source_ != nullptr; }
  std::optional<SteadyTime> wake_at() const { return source_->WakeAt(); }
  // The source was woken, or its time has come: the next Fill reads it again.
  void Resume() { waiting_ = false; }
  // Asks the source to end, and resumes it.
  void Stop();
  // Drops what is left of the response, its source too.
  void Reset();

 private:
  void WriteHead(Response* response, const Framing& framing);
  Step ReadSource();
  // Makes a chunk of what stands in out_ behind the room for its size.
  void FrameChunk();
  void EndStream();

  DateLine& date_line_;
  std::string out_;
  std::size_t out_offset_ = 0;
  std::string body_;  // the rest of a large body, after out_
  std::size_t body_offset_ = 0;
  std::unique_ptr<BodySource> source_;
  bool chunked_ = false;
  bool waiting_ = false;  // the source has nothing until it is resumed
  bool ended_ = true;
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_RESPONSE_WRITER_H_
