#include "apiserver/http/beast_connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "apiserver/http/status_response.h"
#include "base/limits.h"
#include "base/log.h"

namespace asyncops::http {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;

// A full TLS record in one read.
constexpr std::size_t kReadBytes = 16u * 1024;
// Steps in one go before other connections get their turn.
constexpr int kStepsPerTurn = 64;
// How long a client may go on sending what we refused before the connection is reset under it: long
// enough for it to notice the answer.
constexpr std::chrono::seconds kLingerTime{2};
constexpr std::size_t kKeptInputBytes = 4096;

}  // namespace

Connection::Connection(ConnectionHost& host, IoSocket socket, std::shared_ptr<const TlsContext> tls)
    : host_(host),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      transport_(socket_.native_handle(), std::move(tls)),
      writer_(host.date_line()) {
  Error ignored;
  socket_.native_non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto peer = socket_.remote_endpoint(ignored);
  const std::string address = peer.address().to_string();
  remote_address_ =
      (peer.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(peer.port());
}

void Connection::Start() {
  SetDeadline(host_.options().header_timeout);
  PostRun();
}

void Connection::Drain() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->OnDrain(); });
}

void Connection::Cut() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->Close(); });
}

void Connection::PostNotice() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->OnNotice(); });
}

void Connection::PostRun() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->Run(); });
}

void Connection::Run() {
  for (int step = 0; step < kStepsPerTurn; ++step) {
    if (state_ == State::kClosed) return;
    want_read_ = false;
    want_write_ = false;
    if (Advance()) continue;
    Arm();
    return;
  }
  PostRun();
}

bool Connection::Advance() {
  switch (state_) {
    case State::kHandshake: return Handshake();
    case State::kReading: return ReadRequest();
    case State::kHandling: WatchPeer(); return false;
    case State::kWriting: return WriteResponse();
    case State::kLingering: return Discard();
    case State::kClosed: break;
  }
  return false;
}

bool Connection::Handshake() {
  const IoResult result = transport_.Handshake();
  if (result.kind != IoResult::Kind::kOk) {
    WaitFor(result);
    return false;
  }
  peer_certificate_ = transport_.PeerCertificateShown();
  parser_.emplace(host_.options().max_header_bytes);
  state_ = State::kReading;
  SetDeadline(host_.options().header_timeout);
  return true;
}

bool Connection::ReadRequest() {
  const bool started = parser_->started();
  std::string_view rest = std::string_view(input_).substr(input_offset_);
  const RequestParser::Step step = parser_->Parse(&rest);
  input_offset_ = input_.size() - rest.size();
  if (rest.empty()) {
    input_.clear();
    input_offset_ = 0;
  }
  switch (step) {
    case RequestParser::Step::kNeedMore: {
      if (!started && served_ && (parser_->started() || !rest.empty())) {
        SetDeadline(host_.options().header_timeout);
      }
      return FillInput();
    }
    case RequestParser::Step::kHead: return OnHead();
    case RequestParser::Step::kDone: Dispatch(); return true;
    case RequestParser::Step::kFailed: break;
  }
  head_only_ = parser_->request().method == "HEAD";
  Refuse(parser_->error_code(), parser_->error_message());
  return true;
}

bool Connection::FillInput() {
  if (!read_ready_ && !transport_.has_pending()) {
    want_read_ = true;
    return false;
  }
  std::array<char, kReadBytes>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): written by Read
  const IoResult result = transport_.Read(buffer.data(), buffer.size());
  read_ready_ = result.kind == IoResult::Kind::kOk && result.bytes == buffer.size();
  if (result.kind != IoResult::Kind::kOk) {
    WaitFor(result);
    return false;
  }
  if (input_offset_ > 0) input_.erase(0, std::exchange(input_offset_, 0));
  input_.append(buffer.data(), result.bytes);
  return true;
}

bool Connection::OnHead() {
  Request& request = parser_->request();
  head_only_ = request.method == "HEAD";
  http10_ = parser_->http10();
  keep_alive_ = parser_->wants_keep_alive() && !http10_;
  request.remote_address = remote_address_;
  request.peer_certificate = peer_certificate_;
  const std::size_t limit = host_.handler().MaxBodyBytes(request);
  parser_->LimitBody(limit);
  SetDeadline(host_.options().request_timeout);
  if (parser_->announced_bytes() > limit) {
    Refuse(413, "Request entity too large: limit is " + std::to_string(limit));
    return true;
  }
  // A client that has begun to send the body does not wait for leave.
  if (parser_->wants_continue() && !http10_ && input_.empty() && parser_->expects_body()) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const IoResult result = transport_.Write(kContinue);
    // The socket's buffer is empty here: every earlier response went out whole.
    if (result.kind != IoResult::Kind::kOk || result.bytes != kContinue.size()) Close();
  }
  return true;
}

void Connection::Dispatch() {
  state_ = State::kHandling;
  exchange_ = std::make_shared<Exchange>(*this);
  try {
    host_.handler().Handle(std::move(parser_->request()), Exchange::MakeResponder(exchange_));
  } catch (const std::exception& e) {
    // The responder went with the stack, which has answered 500.
    Log(LogLevel::kError, "request handler threw", {{"error", e.what()}});
  }
  AwaitAnswer();
}

void Connection::AwaitAnswer() {
  Response response;
  if (!exchange_->TakeOrAwait(&response)) return;
  exchange_.reset();
  StartResponse(std::move(response));
}

void Connection::StartResponse(Response response) {
  keep_alive_ = keep_alive_ && !draining_ && !peer_done_;
  const Framing framing{.head_only = head_only_, .http10 = http10_, .keep_alive = keep_alive_};
  std::function<void()> wake;
  if (response.source != nullptr) {
    if (peer_done_) {
      Close();
      return;
    }
    wake_ = std::make_shared<StreamWake>(*this);
    wake = StreamWake::MakeFunction(wake_);
  }
  writer_.Start(std::move(response), framing, std::move(wake));
  if (draining_) writer_.Stop();
  state_ = State::kWriting;
  write_blocked_ = false;
}

void Connection::Refuse(int code, std::string_view message) {
  keep_alive_ = false;
  linger_ = true;
  switch (code) {
    case 400: StartResponse(StatusResponse(BadRequest(std::string(message)))); return;
    case 413:
      StartResponse(StatusResponse(Status(Reason::kRequestEntityTooLarge, std::string(message))));
      return;
    case 405:
      StartResponse(StatusResponse(Status(Reason::kMethodNotAllowed, std::string(message))));
      return;
    case 504: StartResponse(StatusResponse(Status(Reason::kTimeout, std::string(message)))); return;
    default: StartResponse(StatusResponse(code, message));
  }
}

bool Connection::WriteResponse() {
  if (wake_ != nullptr && wake_->TakePending()) writer_.Resume();
  switch (writer_.Fill()) {
    case ResponseWriter::Step::kBytes: break;
    case ResponseWriter::Step::kPending: return WaitForSource();
    case ResponseWriter::Step::kEnd: return FinishResponse();
    case ResponseWriter::Step::kAbort: Close(); return false;
  }
  const std::string_view pending = writer_.pending();
  // The source had more, but no bytes: others get their turn.
  if (pending.empty()) return true;
  const IoResult result = transport_.Write(pending);
  if (result.kind == IoResult::Kind::kOk) {
    writer_.Consume(result.bytes);
    write_blocked_ = false;
    return true;
  }
  WaitFor(result);
  return state_ != State::kClosed && OnWriteBlocked();
}

bool Connection::WaitForSource() {
  deadline_ = writer_.wake_at().value_or(SteadyTime::max());
  WatchPeer();
  return false;
}

bool Connection::OnWriteBlocked() {
  if (!write_blocked_) SetDeadline(host_.options().request_timeout);
  write_blocked_ = true;
  WatchPeer();
  return false;
}

bool Connection::FinishResponse() {
  if (wake_ != nullptr) wake_->Detach();
  wake_.reset();
  writer_.Reset();
  served_ = true;
  if (!keep_alive_ || draining_ || peer_done_) {
    transport_.SendCloseNotify();
    if (!linger_ || peer_done_) {
      Close();
      return false;
    }
    Error ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
    state_ = State::kLingering;
    SetDeadline(kLingerTime);
    return true;
  }
  parser_.emplace(host_.options().max_header_bytes);
  if (input_.empty() && input_.capacity() > kKeptInputBytes) input_.shrink_to_fit();
  state_ = State::kReading;
  SetDeadline(host_.options().idle_timeout);
  return true;
}

bool Connection::Discard() {
  const IoResult result = transport_.Discard();
  if (result.kind == IoResult::Kind::kOk) return true;
  WaitFor(result);
  return false;
}

void Connection::WatchPeer() {
  while (!peer_done_ && state_ != State::kClosed) {
    if (input_.size() - input_offset_ > host_.options().max_header_bytes) {
      // A client that pipelines behind a stream without end would hide its own going.
      if (writer_.streaming()) Close();
      return;
    }
    if (!read_ready_ && !transport_.has_pending()) {
      want_read_ = true;
      return;
    }
    if (!FillInput()) return;
  }
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  const bool in_handshake = state_ == State::kHandshake && !draining_;
  state_ = State::kClosed;
  if (in_handshake && host_.options().on_handshake_error) host_.options().on_handshake_error();
  if (exchange_ != nullptr) exchange_->Detach();
  if (wake_ != nullptr) wake_->Detach();
  exchange_.reset();
  wake_.reset();
  writer_.Reset();
  timer_.cancel();
  Error ignored;
  socket_.close(ignored);
  host_.OnClosed(this);
}

void Connection::WaitFor(const IoResult& result) {
  switch (result.kind) {
    case IoResult::Kind::kOk: return;
    case IoResult::Kind::kWantRead: want_read_ = true; return;
    case IoResult::Kind::kWantWrite: want_write_ = true; return;
    case IoResult::Kind::kEof: {
      // A client may close its sending side and still read the answer to what it asked; a watch has
      // no such end.
      const bool answering = state_ == State::kHandling || state_ == State::kWriting;
      peer_done_ = true;
      if (!answering || writer_.streaming()) Close();
      return;
    }
    case IoResult::Kind::kFailed: Close(); return;
  }
}

void Connection::Arm() {
  if (state_ == State::kClosed) return;
  if (want_read_ && !read_armed_) {
    read_armed_ = true;
    socket_.async_wait(asio::socket_base::wait_read,
                       [self = shared_from_this()](const Error&) { self->OnReadable(); });
  }
  if (want_write_ && !write_armed_) {
    write_armed_ = true;
    socket_.async_wait(asio::socket_base::wait_write,
                       [self = shared_from_this()](const Error&) { self->OnWritable(); });
  }
  ArmTimer();
}

void Connection::ArmTimer() {
  // A timer that stands earlier looks at the deadline when it fires: most requests end before it
  // does.
  if (deadline_ >= timer_at_) return;
  timer_at_ = deadline_;
  timer_.expires_at(std::chrono::steady_clock::time_point(deadline_));
  timer_.async_wait([self = shared_from_this()](const Error& error) {
    if (!error) self->OnTimer();
  });
}

void Connection::OnReadable() {
  read_armed_ = false;
  read_ready_ = true;
  Run();
}

void Connection::OnWritable() {
  write_armed_ = false;
  Run();
}

void Connection::OnTimer() {
  timer_at_ = SteadyTime::max();
  if (state_ == State::kClosed) return;
  if (host_.clock().SteadyNow() < deadline_) {
    ArmTimer();
    return;
  }
  OnDeadline();
  Run();
}

void Connection::OnDeadline() {
  deadline_ = SteadyTime::max();
  switch (state_) {
    case State::kReading:
      if (!parser_->started() && input_.empty()) {
        Close();
      } else {
        Refuse(408, "the request did not arrive in time");
      }
      return;
    case State::kHandling:
      exchange_->Detach();
      exchange_.reset();
      Refuse(504, "Timeout: request did not complete within the allotted timeout");
      return;
    case State::kWriting:
      if (write_blocked_) Close();
      writer_.Resume();
      return;
    case State::kHandshake:
    case State::kLingering:
    case State::kClosed: Close(); return;
  }
}

void Connection::OnNotice() {
  // A notice may be of an exchange or a stream that has ended meanwhile: what stands now decides.
  if (state_ == State::kHandling) {
    AwaitAnswer();
  } else if (state_ != State::kWriting || write_blocked_) {
    return;
  }
  Run();
}

void Connection::OnDrain() {
  draining_ = true;
  const bool idle = state_ == State::kReading && !parser_->started() && input_.empty();
  if (state_ == State::kHandshake || state_ == State::kLingering || idle) {
    transport_.SendCloseNotify();
    Close();
    return;
  }
  if (state_ == State::kWriting) writer_.Stop();
  Run();
}

void Connection::SetDeadline(std::chrono::nanoseconds from_now) {
  deadline_ = host_.clock().SteadyNow() + from_now;
}

}  // namespace asyncops::http
