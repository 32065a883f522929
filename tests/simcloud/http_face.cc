#include "tests/simcloud/http_face.h"

#include <cctype>
#include <cerrno>
#include <chrono>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <pistache/endpoint.h>
#include <pistache/http.h>
#include <pistache/http_headers.h>
#include <pistache/peer.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/ascii.h"
#include "base/encoding.h"
#include "tests/simcloud/request_gate.h"
#include "tests/simcloud/wire.h"

namespace asyncops::simcloud {
namespace {

using Peer = std::shared_ptr<Pistache::Tcp::Peer>;

// Handlers never block (delays wait elsewhere), so a few are plenty.
constexpr int kThreads = 4;
// Pistache closes a connection that it takes for idle with a 408, also one whose reply is late:
// longer than any delay.
constexpr std::chrono::minutes kConnectionTimeout{10};
// A reader so slow that its buffer stays full this long is given up.
constexpr int kSendTimeoutMs = 5000;
constexpr const char* kConnectionData = "simcloud";

// Pistache writes headers of its own types only; this is any other one.
class PlainHeader final : public Pistache::Http::Header::Header {
 public:
  PlainHeader(std::string name, std::string value)
      : name_(std::move(name)), value_(std::move(value)) {}
  const char* name() const override { return name_.c_str(); }
  std::uint64_t hash() const override { return std::hash<std::string>()(name_); }
  void parse(const std::string& data) override { value_ = data; }
  void write(std::ostream& stream) const override { stream << value_; }

 private:
  std::string name_;
  std::string value_;
};

// What is known of one connection. Its worker thread alone uses it.
struct Connection {
  RequestGate gate;
  // No further request is served: what still comes in is read and dropped, so that the peer gets
  // the last reply and not a reset.
  bool last = false;
};

// A second descriptor of a connection. Pistache closes its own when the peer goes, and the number
// may then stand for another connection: a late reply must never go by the number.
class SocketHandle {
 public:
  explicit SocketHandle(int fd) : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 0)) {}
  ~SocketHandle() {
    if (fd_ >= 0) close(fd_);
  }
  SocketHandle(const SocketHandle&) = delete;
  SocketHandle& operator=(const SocketHandle&) = delete;

  bool valid() const { return fd_ >= 0; }
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Sends all bytes, or as many as the peer takes.
void SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return;
    pollfd writable = {fd, POLLOUT, 0};
    if (poll(&writable, 1, kSendTimeoutMs) == 0) return;
  }
}

// Sends the reply past Pistache, as far as it is to be sent, and ends the connection.
void DeliverRaw(int fd, const Reply& reply) {
  if (reply.delivery != Delivery::kDrop) SendAll(fd, EncodeReply(reply));
  shutdown(fd, SHUT_RDWR);
}

bool IsLengthy(const Reply& reply) {
  return reply.delivery == Delivery::kSlow || reply.delivery == Delivery::kEndless;
}

using Socket = std::shared_ptr<SocketHandle>;

// Sends one byte and then, after a pause, the rest.
void Trickle(const Socket& socket, const std::string& body, std::size_t at, Duration pause,
             DelayQueue& delays) {
  const bool sent = at < body.size() && send(socket->fd(), body.data() + at, 1, MSG_NOSIGNAL) == 1;
  const bool more =
      sent && at + 1 < body.size() && delays.Post(pause, [socket, body, at, pause, &delays] {
        Trickle(socket, body, at + 1, pause, delays);
      });
  if (!more) shutdown(socket->fd(), SHUT_RDWR);
}

// Sends what the peer takes, again and again, until it goes or has had enough.
void Flood(const Socket& socket, std::size_t sent, DelayQueue& delays) {
  constexpr std::size_t kEnough = std::size_t{1} << 30;
  constexpr std::chrono::milliseconds kPause{1};
  static const std::string kChunk(std::size_t{64} * 1024, ' ');
  const ssize_t count =
      send(socket->fd(), kChunk.data(), kChunk.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  const bool gone = count < 0 && errno != EAGAIN && errno != EINTR;
  const std::size_t total = sent + (count > 0 ? static_cast<std::size_t>(count) : 0);
  const bool more = !gone && total < kEnough &&
                    delays.Post(kPause, [socket, total, &delays] { Flood(socket, total, delays); });
  if (!more) shutdown(socket->fd(), SHUT_RDWR);
}

// A reply that was due later; on the queue's thread, which it does not hold up.
void DeliverLate(const Socket& socket, const Reply& reply, DelayQueue& delays) {
  if (!IsLengthy(reply)) return DeliverRaw(socket->fd(), reply);
  SendAll(socket->fd(), EncodeReply(reply));
  if (reply.delivery == Delivery::kEndless) return Flood(socket, 0, delays);
  Trickle(socket, reply.body, 0, reply.pause, delays);
}

// A request as the service knows it; nothing where an escape in its target is broken.
std::optional<Request> FromPistache(const Pistache::Http::Request& from) {
  Request request;
  request.method = Pistache::Http::methodString(from.method());
  const std::optional<std::string> path = PercentDecode(from.resource(), false);
  if (!path) return std::nullopt;
  request.path = *path;
  for (auto it = from.query().parameters_begin(); it != from.query().parameters_end(); ++it) {
    const std::optional<std::string> name = PercentDecode(it->first, true);
    const std::optional<std::string> value = PercentDecode(it->second, true);
    if (!name || !value) return std::nullopt;
    request.query.emplace(*name, *value);
  }
  for (const auto& [name, raw] : from.headers().rawList()) {
    request.headers.emplace(LowerCase(name), raw.value());
  }
  request.body = from.body();
  return request;
}

bool WantsClose(const Pistache::Http::Request& request) {
  const auto connection = request.headers().tryGetRaw("Connection");
  const std::string value = connection ? LowerCase(connection->value()) : std::string();
  if (request.version() == Pistache::Http::Version::Http10) return value != "keep-alive";
  return value.find("close") != std::string::npos;
}

class Handler final : public Pistache::Http::Handler {
 public:
  HTTP_PROTOTYPE(Handler)

  Handler(Service& service, DelayQueue& delays) : service_(service), delays_(delays) {}

  // Called from Parse, with a whole request.
  void onRequest(const Pistache::Http::Request& from,
                 Pistache::Http::ResponseWriter writer) override {
    const Peer peer = writer.peer();
    Connection& connection = ConnectionOf(peer);
    connection.last =
        connection.last || WantsClose(from) || from.method() == Pistache::Http::Method::Head;
    const std::optional<Request> request = FromPistache(from);
    if (!request) {
      Deliver(peer, ErrorReply(400, "InvalidRequest", "a broken escape in the request's target"));
      return;
    }
    Reply reply = service_.Handle(*request);
    if (from.method() == Pistache::Http::Method::Head) reply.body.clear();
    if (reply.deferred) {
      Defer(peer, *request, reply.delay);
    } else if (reply.delay > Duration{0}) {
      Delay(peer, reply);
    } else {
      Deliver(peer, reply);
    }
  }

 private:
  // The data that Pistache's own handler keeps with a connection is looked for by its idle check.
  void onConnection(const Peer& peer) override {
    peer->putData(ParserData, std::make_shared<Pistache::Http::RequestParser>(getMaxRequestSize()));
    peer->putData(kConnectionData, std::make_shared<Connection>());
  }

  void onInput(const char* buffer, std::size_t length, const Peer& peer) override {
    Connection& connection = ConnectionOf(peer);
    if (connection.last) return;
    switch (connection.gate.Feed({buffer, length})) {
      case RequestGate::State::kMore: return;
      case RequestGate::State::kRefused: {
        connection.last = true;
        const int status = connection.gate.refusal_status();
        Deliver(peer, ErrorReply(status, "InvalidRequest", connection.gate.refusal()));
        return;
      }
      case RequestGate::State::kComplete: break;
    }
    connection.last = connection.gate.overrun();
    Parse(peer, connection.gate.request());
    connection.gate.Reset();
  }

  // Pistache's parser gets a whole request and throws where it does not like it.
  void Parse(const Peer& peer, const std::string& bytes) {
    const auto parser = getParser(peer);
    std::string mistake = "the request could not be read";
    try {
      parser->reset();
      if (parser->feed(bytes.data(), bytes.size()) &&
          parser->parse() == Pistache::Http::Private::State::Done) {
        peer->setIdle(false);
        onRequest(parser->request, WriterFor(peer));
        parser->reset();
        return;
      }
    } catch (const std::exception& error) {
      mistake = error.what();
    }
    parser->reset();
    ConnectionOf(peer).last = true;
    Deliver(peer, ErrorReply(400, "InvalidRequest", mistake));
  }

  Pistache::Http::ResponseWriter WriterFor(const Peer& peer) {
    return {Pistache::Http::Version::Http11, transport(), this, peer};
  }

  void Deliver(const Peer& peer, const Reply& reply) {
    const bool last = ConnectionOf(peer).last;
    if (IsLengthy(reply)) return Delay(peer, reply);
    if (reply.delivery != Delivery::kSend) return DeliverRaw(peer->fd(), reply);
    Pistache::Http::ResponseWriter writer = WriterFor(peer);
    for (const auto& [name, value] : reply.headers) {
      writer.headers().add(std::make_shared<PlainHeader>(name, value));
    }
    using Pistache::Http::ConnectionControl;
    const auto control = last ? ConnectionControl::Close : ConnectionControl::KeepAlive;
    writer.headers().add<Pistache::Http::Header::Connection>(control);
    if (!reply.body.empty())
      writer.headers().add(std::make_shared<PlainHeader>("Content-Type", reply.content_type));
    auto sent = writer.send(static_cast<Pistache::Http::Code>(reply.status), reply.body);
    if (!last) return;
    // Half of the connection stays open for what the peer may still be sending.
    const std::weak_ptr<Pistache::Tcp::Peer> weak = peer;
    sent.then([weak](ssize_t) { EndOfReplies(weak); }, Pistache::Async::IgnoreException);
  }

  static void EndOfReplies(const std::weak_ptr<Pistache::Tcp::Peer>& weak) {
    const Peer peer = weak.lock();
    if (peer != nullptr) shutdown(peer->fd(), SHUT_WR);
  }

  // A late reply is the last of its connection, so that no other one can overtake it.
  void Delay(const Peer& peer, const Reply& reply) {
    const auto socket = std::make_shared<SocketHandle>(peer->fd());
    DelayQueue& delays = delays_;
    Post(peer, socket, reply.delay,
         [socket, reply, &delays] { DeliverLate(socket, reply, delays); });
  }

  void Defer(const Peer& peer, const Request& request, Duration delay) {
    const auto socket = std::make_shared<SocketHandle>(peer->fd());
    Service& service = service_;
    DelayQueue& delays = delays_;
    Post(peer, socket, delay, [socket, request, &service, &delays] {
      DeliverLate(socket, service.Perform(request), delays);
    });
  }

  void Post(const Peer& peer, const std::shared_ptr<SocketHandle>& socket, Duration delay,
            DelayQueue::Task task) {
    ConnectionOf(peer).last = true;
    if (socket->valid() && delays_.Post(delay, std::move(task))) return;
    Deliver(peer, ErrorReply(503, "Full", "too many replies wait already"));
  }

  static Connection& ConnectionOf(const Peer& peer) {
    return *std::static_pointer_cast<Connection>(peer->getData(kConnectionData));
  }

  Service& service_;
  DelayQueue& delays_;
};

std::string WithBrackets(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

}  // namespace

struct HttpFace::Impl {
  explicit Impl(const Pistache::Address& address) : endpoint(address) {}

  Pistache::Http::Endpoint endpoint;
  std::string url;
};

HttpFace::HttpFace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpFace::~HttpFace() { impl_->endpoint.shutdown(); }

const std::string& HttpFace::url() const { return impl_->url; }

Result<std::unique_ptr<HttpFace>> HttpFace::Start(const std::string& address, std::uint16_t port,
                                                  Service& service, DelayQueue& delays) {
  const std::string host = WithBrackets(address);
  const std::string where = host + ":" + std::to_string(port);
  try {
    auto impl = std::make_unique<Impl>(Pistache::Address(where));
    impl->endpoint.init(Pistache::Http::Endpoint::options()
                            .threads(kThreads)
                            .flags(Pistache::Tcp::Options::ReuseAddr)
                            .headerTimeout(kConnectionTimeout)
                            .bodyTimeout(kConnectionTimeout)
                            .keepaliveTimeout(kConnectionTimeout));
    impl->endpoint.setHandler(Pistache::Http::make_handler<Handler>(service, delays));
    impl->endpoint.serveThreaded();
    const auto bound = static_cast<std::uint16_t>(impl->endpoint.getPort());
    impl->url = "http://" + host + ":" + std::to_string(bound);
    return std::unique_ptr<HttpFace>(new HttpFace(std::move(impl)));
  } catch (const std::exception& error) {
    return InternalError("listen on " + where + ": " + error.what());
  }
}

}  // namespace asyncops::simcloud
