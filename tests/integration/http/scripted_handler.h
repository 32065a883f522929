// A handler whose answers the test controls, and a body source whose pieces the test pushes.
#ifndef ASYNCOPS_TESTS_INTEGRATION_HTTP_SCRIPTED_HANDLER_H_
#define ASYNCOPS_TESTS_INTEGRATION_HTTP_SCRIPTED_HANDLER_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apiserver/http/response.h"

namespace asyncops::http {

// Shared by the test and the source; safe for use from several threads. Waits end after ten seconds
// with false.
class StreamControl {
 public:
  // Gives the source a piece and wakes it.
  void Push(std::string piece);
  // The next Read ends, or aborts, the body.
  void End();
  void Abort();
  // As Push, without the wake: the source must ask for time.
  void PushAsleep(std::string piece, SteadyTime wake_at);
  // Each Read gives a whole chunk, without end.
  void Flood();
  bool AwaitStarted();
  bool AwaitGone();
  bool AwaitStopped();
  std::size_t reads() const;
  // The server's wake function, to be called at will.
  std::function<void()> wake() const;

 private:
  friend class ControlledSource;
  bool Await(const std::function<bool()>& holds);
  void Wake();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> pieces_;
  std::function<void()> wake_;
  std::optional<SteadyTime> wake_at_;
  std::size_t reads_ = 0;
  bool ended_ = false;
  bool aborted_ = false;
  bool flood_ = false;
  bool gone_ = false;
  bool stopped_ = false;
};

// By path: /echo answers "METHOD PATH BODY"; /dropped drops the responder; /throws throws; /later
// keeps the responder for the test; /stream streams what `stream` says; /moved answers 302; /user
// says the X-Remote-User header; /thread says which thread asks; /peer tells of the client
// certificate. Bodies may have 1000 bytes; 10 below /small.
class ScriptedHandler final : public Handler {
 public:
  void Handle(Request request, Responder respond) override;
  std::size_t MaxBodyBytes(const Request& head) const override;

  // The next /stream is this control's; call before the request.
  std::shared_ptr<StreamControl> NextStream();
  // The responder of a /later, waited for; null after ten seconds.
  Responder TakeLater();
  // "GET /echo", ... as they came.
  std::vector<std::string> seen() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> seen_;
  std::deque<Responder> later_;
  std::deque<std::shared_ptr<StreamControl>> streams_;
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_TESTS_INTEGRATION_HTTP_SCRIPTED_HANDLER_H_
