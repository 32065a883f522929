#include "tests/integration/http/http_client.h"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace asyncops::http {
namespace {

constexpr int kReadSeconds = 10;

std::size_t HeaderNumber(std::string_view head, std::string_view name) {
  const std::size_t at = head.find(name);
  if (at == std::string_view::npos) return 0;
  std::size_t number = 0;
  std::from_chars(head.data() + at + name.size(), head.data() + head.size(), number);
  return number;
}

void UseClientCertificate(const tls::KeyPair& pair, SSL_CTX* context) {
  const auto bio = [](const std::string& text) {
    return BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  };
  BIO* certificate_text = bio(pair.certificate_pem);
  BIO* key_text = bio(pair.key_pem);
  X509* certificate = PEM_read_bio_X509(certificate_text, nullptr, nullptr, nullptr);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(key_text, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  BIO_free(certificate_text);
  BIO_free(key_text);
}

}  // namespace

HttpClient::HttpClient(std::uint16_t port, const ClientOptions& options) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval deadline{kReadSeconds, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof(deadline));
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof(deadline));
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (options.receive_buffer_bytes > 0) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &options.receive_buffer_bytes, sizeof(int));
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
               (!options.tls || Handshake(options));
}

HttpClient::~HttpClient() {
  Close();
  SSL_free(ssl_);
  SSL_CTX_free(context_);
}

bool HttpClient::Handshake(const ClientOptions& options) {
  context_ = SSL_CTX_new(TLS_client_method());
  if (options.client_certificate != nullptr) {
    UseClientCertificate(*options.client_certificate, context_);
  }
  if (options.max_tls_version != 0) {
    SSL_CTX_set_max_proto_version(context_, options.max_tls_version);
    // Old versions need a level below the system's, so that the server and not our side refuses
    // them.
    SSL_CTX_set_cipher_list(context_, "ALL:@SECLEVEL=0");
  }
  ssl_ = SSL_new(context_);
  SSL_set_fd(ssl_, fd_);
  if (!options.alpn.empty()) {
    SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(options.alpn.data()),
                        static_cast<unsigned>(options.alpn.size()));
  }
  return SSL_connect(ssl_) == 1;
}

bool HttpClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ssl_ != nullptr
                             ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                             : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpClient::Receive() {
  std::array<char, 16384> bytes{};
  const ssize_t count = ssl_ != nullptr
                            ? SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                            : recv(fd_, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::string HttpClient::Take(std::size_t count) {
  std::string taken = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return taken;
}

std::string HttpClient::ReadUntil(std::string_view text) {
  std::size_t at = buffer_.find(text);
  for (; at == std::string::npos; at = buffer_.find(text)) {
    if (!Receive()) return Take(buffer_.size());
  }
  return Take(at + text.size());
}

std::string HttpClient::ReadToEnd() {
  while (Receive()) {
  }
  return Take(buffer_.size());
}

bool HttpClient::ReadChunks(std::string* body) {
  for (;;) {
    const std::string line = ReadUntil("\r\n");
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
    if (error != std::errc()) return false;
    while (buffer_.size() < size + 2) {
      if (!Receive()) return false;
    }
    body->append(Take(size));
    Take(2);
    if (size == 0) return true;
  }
}

ClientResponse HttpClient::Read(bool head_only) {
  ClientResponse response;
  response.head = ReadUntil("\r\n\r\n");
  if (!response.head.ends_with("\r\n\r\n")) return response;
  const auto status = static_cast<int>(HeaderNumber(response.head, "HTTP/1.1 "));
  if (!head_only && response.head.find("Transfer-Encoding: chunked") != std::string::npos) {
    if (!ReadChunks(&response.body)) return response;
  } else if (!head_only) {
    const std::size_t size = HeaderNumber(response.head, "Content-Length: ");
    while (buffer_.size() < size) {
      if (!Receive()) return response;
    }
    response.body = Take(size);
  }
  response.status = status;
  return response;
}

bool HttpClient::IsClosedByPeer() { return buffer_.empty() && !Receive(); }

bool HttpClient::HasInputWithin(std::chrono::milliseconds time) {
  pollfd waited{fd_, POLLIN, 0};
  return poll(&waited, 1, static_cast<int>(time.count())) == 1;
}

void HttpClient::CloseSending() { shutdown(fd_, SHUT_WR); }

void HttpClient::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

std::string HttpClient::Alpn() const {
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &protocol, &size);
  return std::string(reinterpret_cast<const char*>(protocol), size);
}

std::string HttpClient::TlsVersion() const { return SSL_get_version(ssl_); }

std::string HttpClient::PeerCommonName() const {
  std::array<char, 256> text{};
  const X509* certificate = SSL_get0_peer_certificate(ssl_);
  if (certificate == nullptr) return "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text.data(),
                            static_cast<int>(text.size()));
  return text.data();
}

int HttpClient::ClientCaNames() const { return sk_X509_NAME_num(SSL_get0_peer_CA_list(ssl_)); }

}  // namespace asyncops::http
