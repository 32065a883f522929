#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/address.hpp>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apiserver/http/beast_connection.h"
#include "apiserver/http/server.h"
#include "base/log.h"
#include "base/mutex.h"

namespace asyncops::http {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using IoAcceptor = asio::basic_socket_acceptor<asio::ip::tcp, IoExecutor>;

// After accept has failed (out of descriptors, most likely), before it is tried again.
constexpr std::chrono::milliseconds kAcceptRetry{50};

// What one thread runs: its connections stay with it, so that nothing of a request is handed from
// thread to thread, and no lock is taken for it.
struct Loop {
  asio::io_context context{1};
  asio::executor_work_guard<IoExecutor> work{context.get_executor()};
};

std::vector<std::unique_ptr<Loop>> MakeLoops(int count) {
  std::vector<std::unique_ptr<Loop>> loops;
  for (int i = 0; i < std::max(count, 1); ++i) loops.push_back(std::make_unique<Loop>());
  return loops;
}

class BeastServer final : public Server, private ConnectionHost {
 public:
  BeastServer(const ServerOptions& options, const ServingCertificate& certificate,
              std::shared_ptr<const TlsContext> tls, Handler& handler)
      : options_(options),
        handler_(handler),
        date_line_(clock_),
        loops_(MakeLoops(options.threads)),
        acceptor_(loops_.front()->context),
        accept_timer_(acceptor_.get_executor()),
        certificate_(certificate),
        client_ca_pem_(options.client_ca_pem),
        tls_(std::move(tls)) {}
  ~BeastServer() override;

  // Binds and starts the threads.
  Status Listen();

  std::uint16_t port() const override { return port_; }
  Status SetCertificate(const ServingCertificate& certificate) override;
  Status SetClientAuthorities(const std::string& client_ca_pem) override;
  void Drain(std::chrono::milliseconds timeout) override;

 private:
  Handler& handler() override { return handler_; }
  const ServerOptions& options() const override { return options_; }
  const Clock& clock() const override { return clock_; }
  DateLine& date_line() override { return date_line_; }
  void OnClosed(Connection* connection) override;

  // Serves new handshakes so, and remembers it.
  Status SetTls(const ServingCertificate& certificate, const std::string& client_ca_pem)
      ASYNCOPS_REQUIRES(tls_settings_mutex_);

  Status Bind();
  void Accept();
  void OnAccepted(const Error& error, IoSocket socket);
  void StopAccepting();
  void OnAcceptorClosed();
  // Waits until no connection is left, or until the time.
  bool AwaitQuiet(SteadyTime until);

  // Constant after construction (port_ after Listen).
  const ServerOptions options_;
  Handler& handler_;
  const SystemClock clock_;
  DateLine date_line_;
  std::uint16_t port_ = 0;

  const std::vector<std::unique_ptr<Loop>> loops_;
  // Used on the first loop alone, once threads run.
  std::size_t next_loop_ = 0;  // of the next connection
  IoAcceptor acceptor_;
  IoTimer accept_timer_;

  // Held while a context is made from both, so that none is lost; taken before mutex_.
  Mutex tls_settings_mutex_;
  ServingCertificate certificate_ ASYNCOPS_GUARDED_BY(tls_settings_mutex_);
  std::string client_ca_pem_ ASYNCOPS_GUARDED_BY(tls_settings_mutex_);

  Mutex mutex_;
  CondVar quiet_;
  std::shared_ptr<const TlsContext> tls_ ASYNCOPS_GUARDED_BY(mutex_);
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_
      ASYNCOPS_GUARDED_BY(mutex_);
  bool accepting_ ASYNCOPS_GUARDED_BY(mutex_) = true;
  bool acceptor_open_ ASYNCOPS_GUARDED_BY(mutex_) = true;

  std::vector<std::jthread> threads_;
};

BeastServer::~BeastServer() {
  Drain(std::chrono::milliseconds(0));
  AwaitQuiet(SteadyTime::max());
  for (const auto& loop : loops_) loop->work.reset();
  threads_.clear();
}

Status BeastServer::Listen() {
  if (Status status = Bind(); !status.ok()) {
    const MutexLock lock(mutex_);
    accepting_ = false;
    acceptor_open_ = false;
    return status;
  }
  Accept();
  for (const auto& loop : loops_)
    threads_.emplace_back([&context = loop->context] { context.run(); });
  return Status::Ok();
}

Status BeastServer::Bind() {
  const std::string where = "listen on " + options_.address + ":" + std::to_string(options_.port);
  Error error;
  const asio::ip::address address = asio::ip::make_address(options_.address, error);
  if (error) return Status(Reason::kServiceUnavailable, where + ": not an IP address");
  const asio::ip::tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (error) return Status(Reason::kServiceUnavailable, where + ": " + error.message());
  return Status::Ok();
}

void BeastServer::Accept() {
  const IoExecutor executor = loops_[next_loop_]->context.get_executor();
  next_loop_ = (next_loop_ + 1) % loops_.size();
  acceptor_.async_accept(executor, [this](const Error& error, IoSocket socket) {
    OnAccepted(error, std::move(socket));
  });
}

void BeastServer::OnAccepted(const Error& error, IoSocket socket) {
  if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
  if (error) {
    Log(LogLevel::kWarning, "accept failed", {{"error", error.message()}});
    accept_timer_.expires_after(kAcceptRetry);
    accept_timer_.async_wait([this](const Error& cancelled) {
      if (!cancelled) Accept();
    });
    return;
  }
  std::shared_ptr<Connection> connection;
  ConnectionHost& host = *this;
  {
    const MutexLock lock(mutex_);
    // Over the limit the socket is closed as it goes out of scope: a reply would need a handshake
    // first.
    if (accepting_ && connections_.size() < static_cast<std::size_t>(options_.max_connections)) {
      connection = std::make_shared<Connection>(host, std::move(socket), tls_);
      connections_.emplace(connection.get(), connection);
    }
  }
  if (connection != nullptr) connection->Start();
  Accept();
}

void BeastServer::OnClosed(Connection* connection) {
  const MutexLock lock(mutex_);
  connections_.erase(connection);
  quiet_.NotifyAll();
}

Status BeastServer::SetCertificate(const ServingCertificate& certificate) {
  const MutexLock lock(tls_settings_mutex_);
  return SetTls(certificate, client_ca_pem_);
}

Status BeastServer::SetClientAuthorities(const std::string& client_ca_pem) {
  const MutexLock lock(tls_settings_mutex_);
  return SetTls(certificate_, client_ca_pem);
}

Status BeastServer::SetTls(const ServingCertificate& certificate,
                           const std::string& client_ca_pem) {
  if (!options_.tls) return InternalError("this server speaks plain HTTP");
  Result<std::shared_ptr<const TlsContext>> made = TlsContext::Make(certificate, client_ca_pem);
  if (!made.ok()) return made.status();
  // Copies first: either may be what it is assigned to.
  ServingCertificate next = certificate;
  std::string next_ca = client_ca_pem;
  certificate_ = std::move(next);
  client_ca_pem_ = std::move(next_ca);
  std::shared_ptr<const TlsContext> old = *std::move(made);
  const MutexLock lock(mutex_);
  std::swap(tls_, old);
  return Status::Ok();
}

void BeastServer::StopAccepting() {
  {
    const MutexLock lock(mutex_);
    if (!std::exchange(accepting_, false)) return;
  }
  asio::post(acceptor_.get_executor(), [this] { OnAcceptorClosed(); });
}

void BeastServer::OnAcceptorClosed() {
  Error ignored;
  acceptor_.close(ignored);
  accept_timer_.cancel();
  const MutexLock lock(mutex_);
  acceptor_open_ = false;
  quiet_.NotifyAll();
}

bool BeastServer::AwaitQuiet(SteadyTime until) {
  const MutexLock lock(mutex_);
  while (!connections_.empty() || acceptor_open_) {
    const SteadyTime now = clock_.SteadyNow();
    if (now >= until) return false;
    // Bounded, since the far end of the clock overflows inside the library's wait.
    quiet_.WaitFor(mutex_, std::min<std::chrono::nanoseconds>(until - now, std::chrono::hours(1)));
  }
  return true;
}

void BeastServer::Drain(std::chrono::milliseconds timeout) {
  const SteadyTime until = clock_.SteadyNow() + timeout;
  StopAccepting();
  std::vector<std::shared_ptr<Connection>> open;
  const auto snapshot = [this, &open] {
    const MutexLock lock(mutex_);
    open.clear();
    for (const auto& [key, connection] : connections_) open.push_back(connection);
  };
  snapshot();
  for (const auto& connection : open) connection->Drain();
  if (AwaitQuiet(until)) return;
  snapshot();
  for (const auto& connection : open) connection->Cut();
  open.clear();
  AwaitQuiet(SteadyTime::max());
}

}  // namespace

Result<std::unique_ptr<Server>> StartServer(const ServerOptions& options,
                                            const ServingCertificate& certificate,
                                            Handler& handler) {
  std::shared_ptr<const TlsContext> tls;
  if (options.tls) {
    Result<std::shared_ptr<const TlsContext>> made =
        TlsContext::Make(certificate, options.client_ca_pem);
    if (!made.ok()) return made.status();
    tls = *std::move(made);
  }
  auto server = std::make_unique<BeastServer>(options, certificate, std::move(tls), handler);
  if (Status status = server->Listen(); !status.ok()) return status;
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace asyncops::http
