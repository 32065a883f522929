// The adapter of cpp-httplib: it frames requests and reads answers. Connections are ours
// (kube/connection.h), because its own cannot bound a whole exchange, cannot be cancelled while
// they connect, and accept a certificate by its CN.
#include "kube/httplib_transport.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <httplib.h>
#include <utility>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/duration.h"
#include "base/encoding.h"
#include "kube/connection_pool.h"
#include "kube/resolver.h"

namespace asyncops::kube {
namespace {

using Outcome = Exchange::Outcome;

// Of an answer: its status line, header lines, and all of them. cpp-httplib bounds none of the
// first and matches it with a recursive expression, which a long one drives out of stack.
constexpr std::size_t kMaxStatusLine = 1024;
constexpr std::size_t kMaxHeaderLine = 8192;
constexpr std::size_t kMaxHead = 64u * 1024;
// A chunk of one byte takes six on the wire.
constexpr std::size_t kMaxChunkOverhead = 8;
// A request that must not be sent twice takes a connection only where it was in use just now: the
// server may close an idle one in the moment in which we send.
constexpr std::chrono::seconds kMaxIdleOfUnsafe{2};
constexpr std::chrono::seconds kMaxIdleOfSafe{30};

bool IsSafe(std::string_view method) { return method == "GET" || method == "HEAD"; }

Exchange Failed(Outcome outcome, std::string_view code, std::string error) {
  Exchange exchange;
  exchange.outcome = outcome;
  exchange.code = code;
  exchange.error = std::move(error);
  return exchange;
}

Exchange NotSent(std::string_view code, std::string error) {
  return Failed(Outcome::kNotSent, code, std::move(error));
}

// --- what may be sent ---

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter);
}

bool IsFieldValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
  });
}

bool IsTarget(std::string_view text) {
  return text.starts_with('/') && std::all_of(text.begin(), text.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte > 0x20 && byte < 0x7f;
         });
}

// Why the request cannot be sent; "" where it can.
std::string Mistake(const OutboundRequest& request) {
  constexpr std::array<std::string_view, 6> kFraming = {
      "Host", "Content-Length", "Connection", "Upgrade", "Expect", "Transfer-Encoding"};
  if (!IsToken(request.method)) return "the method is no HTTP method";
  if (!IsTarget(request.uri.target)) return "the path holds a character that no URL has";
  for (const auto& [name, value] : request.headers) {
    if (!IsToken(name)) return "a header's name holds a character that no name has";
    // The value may be a secret, so it is not shown.
    if (!IsFieldValue(value)) return "the value of header " + name + " holds a control character";
    for (const std::string_view framing : kFraming) {
      if (EqualsIgnoreCase(name, framing)) return "header " + name + " is set by the transport";
    }
  }
  return "";
}

std::string HostHeader(const Uri& uri) {
  const bool literal6 = uri.host.find(':') != std::string::npos;
  std::string host = literal6 ? "[" + uri.host + "]" : uri.host;
  const int standard = uri.scheme == "https" ? 443 : 80;
  if (uri.port != standard) host += ":" + std::to_string(uri.port);
  return host;
}

httplib::Request ToHttplib(const OutboundRequest& request) {
  httplib::Request out;
  out.method = request.method;
  out.path = request.uri.target;
  out.body = request.body;
  out.headers.emplace("Host", HostHeader(request.uri));
  bool has_agent = false;
  bool has_encoding = false;
  for (const auto& [name, value] : request.headers) {
    has_agent = has_agent || EqualsIgnoreCase(name, "User-Agent");
    has_encoding = has_encoding || EqualsIgnoreCase(name, "Accept-Encoding");
    out.headers.emplace(name, value);
  }
  if (!has_agent) out.headers.emplace("User-Agent", "asyncops");
  if (!has_encoding) out.headers.emplace("Accept-Encoding", "identity");
  return out;
}

// --- one request on one connection ---

// What happened on the wire.
struct Traffic {
  bool sent = false;       // a byte of the request may have left
  bool received = false;   // a byte of an answer came
  bool head_done = false;  // its header is complete
  bool too_large = false;
  IoOutcome last = IoOutcome::kOk;
};

// The bytes between cpp-httplib and a connection, counted and bounded.
class CallStream final : public httplib::Stream {
 public:
  CallStream(Connection& connection, const CallBounds& bounds, std::size_t max_body,
             Traffic* traffic)
      : connection_(connection),
        bounds_(bounds),
        max_bytes_(kMaxHead + kMaxChunkOverhead * max_body),
        traffic_(traffic) {}

  using httplib::Stream::write;
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

  // Nothing has come that belongs to no answer.
  bool IsDrained() const { return begin_ == end_; }

 private:
  // Whether the byte keeps the head of the answer within its bounds.
  bool CountHead(char byte);

  Connection& connection_;
  const CallBounds& bounds_;
  const std::size_t max_bytes_;
  Traffic* const traffic_;

  std::array<char, 16384> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t total_ = 0;
  std::size_t head_ = 0;
  std::string line_start_;
  std::size_t line_ = 0;
};

bool CallStream::CountHead(char byte) {
  constexpr std::string_view kStatusLine = "HTTP/";
  ++head_;
  ++line_;
  if (line_start_.size() < kStatusLine.size()) line_start_ += byte;
  const std::size_t most = line_start_ == kStatusLine ? kMaxStatusLine : kMaxHeaderLine;
  const bool fits = head_ <= kMaxHead && line_ <= most;
  if (byte == '\n') {
    line_ = 0;
    line_start_.clear();
  }
  return fits;
}

ssize_t CallStream::read(char* to, std::size_t size) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    traffic_->last = connection_.Read(buffer_.data(), buffer_.size(), &end_, bounds_);
    if (traffic_->last != IoOutcome::kOk) end_ = 0;
    if (traffic_->last == IoOutcome::kEnd) return 0;
    if (traffic_->last != IoOutcome::kOk) return -1;
    traffic_->received = true;
    total_ += end_;
  }
  const std::size_t count = std::min(size, end_ - begin_);
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), count, to);
  begin_ += count;
  bool fits = total_ <= max_bytes_;
  for (std::size_t i = 0; i < count && !traffic_->head_done; ++i) fits = CountHead(to[i]) && fits;
  if (fits) return static_cast<ssize_t>(count);
  traffic_->too_large = true;
  return -1;
}

ssize_t CallStream::write(const char* bytes, std::size_t size) {
  traffic_->last = connection_.Write({bytes, size}, &traffic_->sent, bounds_);
  return traffic_->last == IoOutcome::kOk ? static_cast<ssize_t>(size) : -1;
}

// cpp-httplib's client with its connection taken out and ours put in.
class CallClient final : public httplib::ClientImpl {
 public:
  CallClient(const OutboundRequest& request, CallStream& stream)
      : ClientImpl(request.uri.host, request.uri.port), stream_(stream) {
    set_keep_alive(true);
    set_follow_location(false);
    set_url_encode(false);
  }

 private:
  bool create_and_connect_socket(Socket& /*socket*/, httplib::Error& error) override {
    error = httplib::Error::Success;
    return true;
  }
  void shutdown_ssl(Socket& /*socket*/, bool /*gracefully*/) override {}
  bool process_socket(const Socket& /*socket*/,
                      std::function<bool(httplib::Stream&)> callback) override {
    return callback(stream_);
  }
  bool is_ssl() const override { return false; }

  CallStream& stream_;
};

// --- the answer ---

// Whether the end of the answer is told without doubt: one length, or chunks, and not both.
bool IsFramed(const httplib::Response& response) {
  const std::size_t lengths = response.get_header_value_count("Content-Length");
  const std::size_t encodings = response.get_header_value_count("Transfer-Encoding");
  return lengths <= 1 && encodings <= 1 && lengths + encodings <= 1;
}

bool IsLength(const std::string& text) {
  constexpr std::size_t kMaxDigits = 18;
  return !text.empty() && text.size() <= kMaxDigits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

// Why the answer cannot be trusted; "" where it can.
std::string_view Doubt(const httplib::Response& response) {
  if (response.status < 200 || response.status > 599) return "a status that is none";
  if (!IsFramed(response)) return "a length that is told twice";
  if (response.has_header("Content-Length") &&
      !IsLength(response.get_header_value("Content-Length")))
    return "a length that is no number";
  return "";
}

bool MayReuse(const std::string& method, const httplib::Response& response) {
  const bool ends = response.status == 204 || method == "HEAD" ||
                    response.has_header("Content-Length") ||
                    response.has_header("Transfer-Encoding");
  return ends && response.version == "HTTP/1.1" &&
         !EqualsIgnoreCase(response.get_header_value("Connection"), "close");
}

Exchange Unanswered(const OutboundRequest& request, const Traffic& traffic) {
  const Outcome outcome = traffic.sent ? Outcome::kAmbiguous : Outcome::kNotSent;
  const std::string origin = request.uri.Origin();
  if (traffic.too_large)
    return Failed(outcome, "ResponseTooLarge", origin + " sent an answer beyond the bounds");
  switch (traffic.last) {
    case IoOutcome::kTimeout:
      return Failed(outcome, "Timeout",
                    origin + " gave no complete answer within " + FormatDuration(request.timeout));
    case IoOutcome::kCanceled:
      return Failed(outcome, "Canceled", "the call to " + origin + " was cut: this process stops");
    case IoOutcome::kEnd:
    case IoOutcome::kFailed:
      return Failed(outcome, "ConnectionReset",
                    origin + " closed the connection before its answer was complete");
    case IoOutcome::kOk: break;
  }
  return Failed(outcome, "MalformedResponse", origin + " sent an answer that is no HTTP");
}

struct CallResult {
  Exchange exchange;
  Traffic traffic;
  bool reusable = false;
};

CallResult Call(const OutboundRequest& request, Connection& connection, const CallBounds& bounds) {
  CallResult result;
  Traffic& traffic = result.traffic;
  CallStream stream(connection, bounds, request.max_body_bytes, &traffic);
  httplib::Request call = ToHttplib(request);
  std::string body;
  call.response_handler = [&traffic](const httplib::Response& /*response*/) {
    traffic.head_done = true;
    return true;
  };
  call.content_receiver = [&traffic, &body, max = request.max_body_bytes](
                              const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    traffic.too_large = traffic.too_large || size > max - body.size();
    if (!traffic.too_large) body.append(data, size);
    return !traffic.too_large;
  };
  httplib::Response response;
  httplib::Error error = httplib::Error::Success;
  CallClient client(request, stream);
  if (!client.send(call, response, error)) {
    result.exchange = Unanswered(request, traffic);
    return result;
  }
  if (const std::string_view doubt = Doubt(response); !doubt.empty()) {
    result.exchange = Failed(Outcome::kAmbiguous, "MalformedResponse",
                             request.uri.Origin() + " sent an answer with " + std::string(doubt));
    return result;
  }
  result.reusable = MayReuse(request.method, response) && stream.IsDrained();
  result.exchange.outcome = Outcome::kAnswered;
  result.exchange.response.status = response.status;
  for (const auto& [name, value] : response.headers)
    result.exchange.response.headers.emplace_back(name, value);
  result.exchange.response.body = std::move(body);
  return result;
}

// --- the transport ---

class HttplibTransport final : public HttpTransport {
 public:
  explicit HttplibTransport(OutboundPolicy policy)
      : policy_(std::move(policy)), resolver_(clock_), pool_(clock_) {}

  Exchange Send(const OutboundRequest& request) override;
  void Cancel() override { cancel_.Set(); }

 private:
  struct Opened {
    std::unique_ptr<Connection> connection;
    Exchange failure;  // where there is none
  };

  Exchange SendOn(const OutboundRequest& request, const CallBounds& bounds);
  Opened Open(const OutboundRequest& request, const std::string& tls_key, const CallBounds& bounds);
  Opened Connect(const OutboundRequest& request, const CallBounds& bounds);

  const SystemClock clock_;
  const OutboundPolicy policy_;
  Resolver resolver_;
  CancelSignal cancel_;
  ConnectionPool pool_;
};

std::string KeyOf(const TlsSettings& tls) {
  std::string all;
  for (const std::string* part : {&tls.ca_pem, &tls.client_certificate_pem, &tls.client_key_pem})
    all += std::to_string(part->size()) + ":" + *part;
  return HexEncode(Sha256(all));
}

Exchange HttplibTransport::Send(const OutboundRequest& request) {
  const std::string mistake = Mistake(request);
  if (!mistake.empty()) return NotSent("RequestRefused", mistake);
  if (cancel_.is_set()) return NotSent("Canceled", "no call is made: this process stops");
  const CallBounds bounds{clock_, clock_.SteadyNow() + request.timeout, cancel_};
  try {
    return SendOn(request, bounds);
  } catch (const std::exception& error) {
    // Nobody knows how far it came.
    return Failed(Outcome::kAmbiguous, "TransportFailed", error.what());
  }
}

Exchange HttplibTransport::SendOn(const OutboundRequest& request, const CallBounds& bounds) {
  const TlsSettings defaults;
  const std::string tls_key = KeyOf(request.tls ? *request.tls : defaults);
  const std::string key = request.uri.Origin() + " " + tls_key;
  const bool safe = IsSafe(request.method);
  std::unique_ptr<Connection> kept = pool_.Take(key, safe ? kMaxIdleOfSafe : kMaxIdleOfUnsafe);
  while (true) {
    const bool reused = kept != nullptr;
    if (!reused) {
      Opened opened = Open(request, tls_key, bounds);
      if (opened.connection == nullptr) return std::move(opened.failure);
      kept = std::move(opened.connection);
    }
    CallResult result = Call(request, *kept, bounds);
    if (result.reusable) pool_.Put(key, std::move(kept));
    kept.reset();
    const Traffic& traffic = result.traffic;
    const bool closed = traffic.last == IoOutcome::kEnd || traffic.last == IoOutcome::kFailed;
    const bool again = reused && result.exchange.outcome != Outcome::kAnswered && closed &&
                       !traffic.received && (safe || !traffic.sent);
    if (!again) return std::move(result.exchange);
  }
}

HttplibTransport::Opened HttplibTransport::Open(const OutboundRequest& request,
                                                const std::string& tls_key,
                                                const CallBounds& bounds) {
  Opened opened = Connect(request, bounds);
  if (opened.connection == nullptr || request.uri.scheme != "https") return opened;
  const TlsSettings defaults;
  Result<std::shared_ptr<const TlsContext>> context =
      pool_.ContextOf(tls_key, request.tls ? *request.tls : defaults);
  if (!context.ok()) return {nullptr, NotSent("TLSFailed", context.status().message())};
  const Status shaken = opened.connection->StartTls(*std::move(context), request.uri.host, bounds);
  if (shaken.ok()) return opened;
  const bool timeout = shaken.reason() == Reason::kTimeout;
  return {nullptr, NotSent(timeout ? "Timeout" : "TLSFailed", shaken.message())};
}

HttplibTransport::Opened HttplibTransport::Connect(const OutboundRequest& request,
                                                   const CallBounds& bounds) {
  const Result<std::vector<std::string>> addresses =
      resolver_.Resolve(request.uri.host, bounds.deadline, cancel_);
  if (!addresses.ok()) {
    const bool timeout = addresses.status().reason() == Reason::kTimeout;
    return {nullptr,
            NotSent(timeout ? "Timeout" : "NameNotResolved", addresses.status().message())};
  }
  Exchange failure;
  std::size_t left = addresses->size();
  for (const std::string& address : *addresses) {
    const auto share = (bounds.deadline - clock_.SteadyNow()) / left--;
    if (const Status allowed = policy_.Check(address); !allowed.ok()) {
      // That it cannot be reached says more than that another address of it is not allowed.
      if (failure.code.empty())
        failure = NotSent("AddressRefused", request.uri.host + ": " + allowed.message());
      continue;
    }
    const CallBounds own{clock_, clock_.SteadyNow() + share, cancel_};
    Result<std::unique_ptr<Connection>> connection =
        Connection::Open(address, request.uri.port, own);
    if (connection.ok()) return {*std::move(connection), {}};
    const bool timeout = connection.status().reason() == Reason::kTimeout;
    failure = NotSent(timeout ? "Timeout" : "ConnectionRefused", connection.status().message());
  }
  return {nullptr, std::move(failure)};
}

}  // namespace

std::unique_ptr<HttpTransport> MakeHttplibTransport(OutboundPolicy policy) {
  // OpenSSL writes to sockets without MSG_NOSIGNAL; a peer that has gone must be an error, not the
  // end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_unique<HttplibTransport>(std::move(policy));
}

}  // namespace asyncops::kube
