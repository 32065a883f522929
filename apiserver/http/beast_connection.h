// One connection: its handshake, its requests one after the other, and their responses.
#ifndef ASYNCOPS_APISERVER_HTTP_BEAST_CONNECTION_H_
#define ASYNCOPS_APISERVER_HTTP_BEAST_CONNECTION_H_

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/http/beast_request_parser.h"
#include "apiserver/http/beast_transport.h"
#include "apiserver/http/exchange.h"
#include "apiserver/http/response_writer.h"
#include "apiserver/http/server.h"
#include "apiserver/http/stream_wake.h"

namespace asyncops::http {

// Of a context that one thread runs: what is posted to it runs in order.
using IoExecutor = boost::asio::io_context::executor_type;
using IoSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, IoExecutor>;
using IoTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, IoExecutor>;

class Connection;

// What a connection needs of its server, which outlives it. Safe for use from several threads.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual Handler& handler() = 0;
  virtual const ServerOptions& options() const = 0;
  virtual const Clock& clock() const = 0;
  virtual DateLine& date_line() = 0;
  // The connection does nothing any more; the server lets go of it.
  virtual void OnClosed(Connection* connection) = 0;
};

// A state machine that runs on its socket's thread: Run() advances until the step at hand waits for
// the socket, an answer or time. Shared by the server's registry and by the operations that wait;
// Start, Drain, Cut and PostNotice are for any thread.
class Connection final : public std::enable_shared_from_this<Connection>, public Notified {
 public:
  // Plain HTTP where `tls` is null.
  Connection(ConnectionHost& host, IoSocket socket, std::shared_ptr<const TlsContext> tls);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Start();
  // Closes where idle; ends a streamed body; closes after the request under way.
  void Drain();
  // Closes now.
  void Cut();
  void PostNotice() override;

 private:
  enum class State { kHandshake, kReading, kHandling, kWriting, kLingering, kClosed };

  void PostRun();
  void Run();
  // One step; false where it has to wait.
  bool Advance();
  bool Handshake();
  bool ReadRequest();
  bool FillInput();
  bool OnHead();
  void Dispatch();
  void AwaitAnswer();
  void StartResponse(Response response);
  void Refuse(int code, std::string_view message);
  bool WriteResponse();
  bool WaitForSource();
  bool OnWriteBlocked();
  bool FinishResponse();
  bool Discard();
  // While a response is awaited or written: notes what the client sends, and whether it has gone.
  void WatchPeer();
  void Close();

  void WaitFor(const IoResult& result);
  // Asks the reactor for what the last step waits for.
  void Arm();
  void ArmTimer();
  void OnReadable();
  void OnWritable();
  void OnTimer();
  void OnDeadline();
  void OnNotice();
  void OnDrain();
  void SetDeadline(std::chrono::nanoseconds from_now);

  ConnectionHost& host_;
  IoSocket socket_;
  IoTimer timer_;
  Transport transport_;
  std::string remote_address_;
  std::shared_ptr<const PeerCertificate> peer_certificate_;

  // All that follows is used on the socket's thread alone.
  State state_ = State::kHandshake;
  std::optional<RequestParser> parser_;
  std::string input_;  // read, not yet parsed
  std::size_t input_offset_ = 0;
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<StreamWake> wake_;
  ResponseWriter writer_;
  bool head_only_ = false;
  bool http10_ = false;
  bool keep_alive_ = true;
  bool linger_ = false;     // unread input may be on its way: close gently
  bool peer_done_ = false;  // the client sends no more
  bool draining_ = false;
  bool served_ = false;  // a response has been sent on this connection

  bool want_read_ = false;
  bool want_write_ = false;
  bool read_armed_ = false;
  bool write_armed_ = false;
  bool read_ready_ = true;
  bool write_blocked_ = false;
  SteadyTime deadline_ = SteadyTime::max();
  SteadyTime timer_at_ = SteadyTime::max();
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_BEAST_CONNECTION_H_
