#include "tests/unit/kube/raw_server.h"

#include <arpa/inet.h>
#include <array>
#include <cassert>
#include <charconv>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace asyncops::kube {
namespace {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using ContextPtr = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Freer<SSL_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using X509Ptr = std::unique_ptr<X509, Freer<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;

BioPtr Reader(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

X509Ptr ReadX509(const std::string& pem) {
  return X509Ptr(PEM_read_bio_X509(Reader(pem).get(), nullptr, nullptr, nullptr));
}

KeyPtr ReadKey(const std::string& pem) {
  return KeyPtr(PEM_read_bio_PrivateKey(Reader(pem).get(), nullptr, nullptr, nullptr));
}

std::string Written(const BioPtr& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::size_t BodyLength(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  std::size_t length = 0;
  if (at != std::string_view::npos)
    std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
  return length;
}

int Listen(bool ipv6, int* port) {
  const int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  auto* address = ipv6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
  socklen_t size = ipv6 ? sizeof v6 : sizeof v4;
  const bool listens =
      bind(fd, address, size) == 0 && listen(fd, 64) == 0 && getsockname(fd, address, &size) == 0;
  assert(listens);
  *port = listens ? ntohs(ipv6 ? v6.sin6_port : v4.sin_port) : 0;
  return fd;
}

}  // namespace

class RawServer::Peer final : public RawConnection {
 public:
  Peer(RawServer& server, int socket, SSL* ssl) : server_(server), socket_(socket), ssl_(ssl) {}

  std::string ReadRequest() override {
    std::size_t head = std::string::npos;
    while ((head = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return "";
    }
    const std::size_t size = head + 4 + BodyLength(buffer_.substr(0, head));
    while (buffer_.size() < size) {
      if (!Fill()) return "";
    }
    std::string request = buffer_.substr(0, size);
    buffer_.erase(0, size);
    const MutexLock lock(server_.mutex_);
    server_.requests_.push_back(request);
    return request;
  }

  bool Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto count =
          ssl_ != nullptr
              ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
              : static_cast<int>(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  void Reset() override {
    const linger now{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    reset_ = true;
  }
  bool was_reset() const { return reset_; }

  bool PeerGone(std::chrono::milliseconds wait) override {
    pollfd fd{socket_, POLLRDHUP, 0};
    return poll(&fd, 1, static_cast<int>(wait.count())) > 0;
  }

 private:
  bool Fill() {
    std::array<char, 4096> bytes{};
    const auto count = ssl_ != nullptr
                           ? SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                           : static_cast<int>(recv(socket_, bytes.data(), bytes.size(), 0));
    if (count <= 0) return false;
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }

  RawServer& server_;
  const int socket_;
  SSL* const ssl_;
  std::string buffer_;
  bool reset_ = false;
};

RawServer::RawServer(Handler handler, std::optional<tls::KeyPair> certificate, bool ipv6)
    : handler_(std::move(handler)), certificate_(std::move(certificate)) {
  listener_ = Listen(ipv6, &port_);
  acceptor_ = std::thread([this] { Accept(); });
}

RawServer::~RawServer() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    for (const int socket : open_) shutdown(socket, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (std::thread& handler : handlers_) handler.join();
  close(listener_);
}

void RawServer::Accept() {
  while (true) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const MutexLock lock(mutex_);
    if (stopping_) {
      close(socket);
      return;
    }
    open_.push_back(socket);
    handlers_.emplace_back([this, socket, index = connections_++] { Serve(socket, index); });
  }
}

void RawServer::Serve(int socket, int index) {
  ContextPtr context;
  SslPtr ssl;
  bool ready = true;
  if (certificate_) {
    context.reset(SSL_CTX_new(TLS_server_method()));
    const X509Ptr certificate = ReadX509(certificate_->certificate_pem);
    const KeyPtr key = ReadKey(certificate_->key_pem);
    SSL_CTX_use_certificate(context.get(), certificate.get());
    SSL_CTX_use_PrivateKey(context.get(), key.get());
    ssl.reset(SSL_new(context.get()));
    SSL_set_fd(ssl.get(), socket);
    ready = SSL_accept(ssl.get()) == 1;
    const char* name = SSL_get_servername(ssl.get(), TLSEXT_NAMETYPE_host_name);
    const MutexLock lock(mutex_);
    server_names_.emplace_back(name != nullptr ? name : "");
  }
  bool reset = false;
  if (ready) {
    Peer peer(*this, socket, ssl.get());
    handler_(peer, index);
    reset = peer.was_reset();
  }
  if (ssl && ready && !reset) SSL_shutdown(ssl.get());
  const MutexLock lock(mutex_);
  open_.remove(socket);
  close(socket);
}

std::vector<std::string> RawServer::requests() const {
  const MutexLock lock(mutex_);
  return requests_;
}

std::vector<std::string> RawServer::server_names() const {
  const MutexLock lock(mutex_);
  return server_names_;
}

std::string HttpAnswer(std::string_view body, std::string_view headers) {
  std::string out = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  return out.append(headers).append("\r\n").append(body);
}

tls::KeyPair MakeCnOnlyCertificate(const tls::KeyPair& ca, const std::string& common_name) {
  const X509Ptr issuer = ReadX509(ca.certificate_pem);
  const KeyPtr issuer_key = ReadKey(ca.key_pem);
  const KeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 4711);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  X509_sign(certificate.get(), issuer_key.get(), EVP_sha256());
  const BioPtr certificate_out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_out.get(), certificate.get());
  const BioPtr key_out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {Written(certificate_out), Written(key_out)};
}

}  // namespace asyncops::kube
