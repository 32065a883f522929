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
#include "kube/call_stream.h"
#include "kube/connection_pool.h"
#include "kube/request_form.h"
#include "kube/resolver.h"

namespace asyncops::kube {
namespace {

using Outcome = Exchange::Outcome;

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

// A call's bytes as cpp-httplib reads and writes them.
class HttplibStream final : public httplib::Stream {
 public:
  explicit HttplibStream(CallStream& stream) : stream_(stream) {}

  using httplib::Stream::write;
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override { return stream_.Read(to, size); }
  ssize_t write(const char* bytes, std::size_t size) override {
    return stream_.Write({bytes, size});
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  CallStream& stream_;
};

// cpp-httplib's client with its connection taken out and ours put in.
class CallClient final : public httplib::ClientImpl {
 public:
  CallClient(const OutboundRequest& request, HttplibStream& stream)
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

  HttplibStream& stream_;
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

Exchange Malformed(const OutboundRequest& request, std::string_view doubt) {
  return Failed(Outcome::kAmbiguous, "MalformedResponse",
                request.uri.Origin() + " sent an answer with " + std::string(doubt));
}

Exchange AnsweredBy(const httplib::Response& response, std::string body) {
  Exchange exchange;
  exchange.outcome = Outcome::kAnswered;
  exchange.response.status = response.status;
  for (const auto& [name, value] : response.headers)
    exchange.response.headers.emplace_back(name, value);
  exchange.response.body = std::move(body);
  return exchange;
}

// Takes the body of an answer: to the request's receiver, or into memory.
struct BodyTaker {
  const OutboundRequest& request;
  CallStream& stream;
  Traffic& traffic;
  std::string body = {};
  bool streaming = false;
  bool ended = false;  // by the receiver

  // False where nothing of it can be trusted.
  bool Begin(const httplib::Response& response) {
    traffic.head_done = true;
    streaming = request.receive && response.status / 100 == 2;
    if (streaming) stream.Unbind();
    return !streaming || Doubt(response).empty();
  }
  bool Take(std::string_view data) {
    if (streaming) {
      ended = !request.receive(data);
      return !ended;
    }
    traffic.too_large = traffic.too_large || data.size() > request.max_body_bytes - body.size();
    if (!traffic.too_large) body.append(data);
    return !traffic.too_large;
  }
};

CallResult Call(const OutboundRequest& request, Connection& connection, const CallBounds& bounds) {
  CallResult result;
  CallStream stream(connection, bounds, request.max_body_bytes, &result.traffic);
  BodyTaker taker{request, stream, result.traffic};
  httplib::Request call = ToHttplib(request);
  call.response_handler = [&taker](const httplib::Response& head) { return taker.Begin(head); };
  call.content_receiver = [&taker](const char* data, std::size_t size, std::uint64_t,
                                   std::uint64_t) {
    return taker.Take({data, size});
  };
  httplib::Response response;
  httplib::Error error = httplib::Error::Success;
  HttplibStream adapted(stream);
  CallClient client(request, adapted);
  const bool sent = client.send(call, response, error);
  if (!sent && !taker.ended && !(taker.streaming && !Doubt(response).empty())) {
    result.exchange = Unanswered(request, result.traffic);
    return result;
  }
  if (const std::string_view doubt = Doubt(response); !doubt.empty()) {
    result.exchange = Malformed(request, doubt);
    return result;
  }
  result.reusable = sent && MayReuse(request.method, response) && stream.IsDrained();
  result.exchange = AnsweredBy(response, std::move(taker.body));
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
  const std::string mistake = MistakeOf(request);
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
  const std::string tls_key = request.tls ? KeyOf(*request.tls) : "";
  const std::string key = request.uri.Origin() + " " + tls_key + " " + request.tls_server_name;
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
  const std::string& named = request.tls_server_name;
  const Status shaken = opened.connection->StartTls(
      *std::move(context), named.empty() ? request.uri.host : named, bounds);
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
