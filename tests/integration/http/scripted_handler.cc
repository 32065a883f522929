#include "tests/integration/http/scripted_handler.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/encoding.h"
#include "base/limits.h"

namespace asyncops::http {
namespace {

constexpr std::chrono::seconds kWait{10};

}  // namespace

class ControlledSource final : public BodySource {
 public:
  explicit ControlledSource(std::shared_ptr<StreamControl> control)
      : control_(std::move(control)) {}
  ~ControlledSource() override {
    const std::lock_guard lock(control_->mutex_);
    control_->gone_ = true;
    control_->changed_.notify_all();
  }

  State Read(std::string* out) override {
    const std::lock_guard lock(control_->mutex_);
    ++control_->reads_;
    control_->wake_at_.reset();
    control_->changed_.notify_all();
    if (control_->flood_) {
      out->append(kStreamChunkBytes, 'x');
      return State::kMore;
    }
    while (!control_->pieces_.empty()) {
      out->append(control_->pieces_.front());
      control_->pieces_.pop_front();
    }
    if (control_->aborted_) return State::kAbort;
    return control_->ended_ || control_->stopped_ ? State::kEnd : State::kPending;
  }

  void SetWake(std::function<void()> wake) override {
    const std::lock_guard lock(control_->mutex_);
    control_->wake_ = std::move(wake);
  }

  std::optional<SteadyTime> WakeAt() const override {
    const std::lock_guard lock(control_->mutex_);
    return control_->wake_at_;
  }

  void Stop() override {
    const std::lock_guard lock(control_->mutex_);
    control_->stopped_ = true;
    control_->changed_.notify_all();
  }

 private:
  std::shared_ptr<StreamControl> control_;
};

void StreamControl::Wake() {
  const std::function<void()> wake_function = wake();
  if (wake_function) wake_function();
}

void StreamControl::Push(std::string piece) {
  {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(std::move(piece));
  }
  Wake();
}

void StreamControl::PushAsleep(std::string piece, SteadyTime wake_at) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(std::move(piece));
  wake_at_ = wake_at;
}

void StreamControl::End() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  Wake();
}

void StreamControl::Abort() {
  {
    const std::lock_guard lock(mutex_);
    aborted_ = true;
  }
  Wake();
}

void StreamControl::Flood() {
  {
    const std::lock_guard lock(mutex_);
    flood_ = true;
  }
  Wake();
}

bool StreamControl::Await(const std::function<bool()>& holds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kWait, holds);
}

bool StreamControl::AwaitStarted() {
  return Await([this] { return reads_ > 0; });
}

bool StreamControl::AwaitGone() {
  return Await([this] { return gone_; });
}

bool StreamControl::AwaitStopped() {
  return Await([this] { return stopped_; });
}

std::size_t StreamControl::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_;
}

std::function<void()> StreamControl::wake() const {
  const std::lock_guard lock(mutex_);
  return wake_;
}

void ScriptedHandler::Handle(Request request, Responder respond) {
  std::unique_lock lock(mutex_);
  seen_.push_back(request.method + " " + request.path);
  changed_.notify_all();
  if (request.path == "/dropped") return;
  if (request.path == "/throws") throw std::runtime_error("a handler that throws");
  if (request.path == "/later") {
    later_.push_back(std::move(respond));
    return;
  }
  Response response;
  response.headers.Add("Content-Type", "text/plain");
  if (request.path == "/stream" && !streams_.empty()) {
    response.source = std::make_unique<ControlledSource>(std::move(streams_.front()));
    streams_.pop_front();
  } else if (request.path == "/moved") {
    response.status = 302;
    response.headers.Add("Location", "/echo");
  } else if (request.path == "/user") {
    response.body = "user=" + std::string(request.headers.Get("X-Remote-User"));
  } else if (request.path == "/large") {
    response.body = std::string(8u * 1024 * 1024, 'x');
  } else if (request.path == "/thread") {
    response.body = std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id()));
  } else if (request.path == "/peer") {
    const PeerCertificate* peer = request.peer_certificate.get();
    response.body = peer == nullptr ? "none"
                                    : std::to_string(peer->leaf_der.size()) + " " +
                                          HexEncode(peer->fingerprint);
  } else {
    response.body = request.method + " " + request.path + " " + request.body;
  }
  lock.unlock();
  respond(std::move(response));
}

std::size_t ScriptedHandler::MaxBodyBytes(const Request& head) const {
  return head.path.starts_with("/small") ? 10 : 1000;
}

std::shared_ptr<StreamControl> ScriptedHandler::NextStream() {
  auto control = std::make_shared<StreamControl>();
  const std::lock_guard lock(mutex_);
  streams_.push_back(control);
  return control;
}

Responder ScriptedHandler::TakeLater() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kWait, [this] { return !later_.empty(); })) return nullptr;
  Responder responder = std::move(later_.front());
  later_.pop_front();
  return responder;
}

std::vector<std::string> ScriptedHandler::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

}  // namespace asyncops::http
