// An HTTP request as handlers see it: no notion of a connection, so that another protocol can stand
// in front.
#ifndef ASYNCOPS_APISERVER_HTTP_REQUEST_H_
#define ASYNCOPS_APISERVER_HTTP_REQUEST_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asyncops::http {

// Name-value pairs in the order they came; names compare without regard to case.
class Headers {
 public:
  // The first value, or "" where there is none.
  std::string_view Get(std::string_view name) const;
  std::vector<std::string_view> GetAll(std::string_view name) const;
  bool Has(std::string_view name) const;
  void Add(std::string name, std::string value);
  // Replaces all of that name.
  void Set(std::string_view name, std::string value);
  void Erase(std::string_view name);
  // Room for `count` headers, made once.
  void Reserve(std::size_t count) { all_.reserve(count); }
  const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

// Query parameters in the order they came, decoded; names compare exactly. A key without '=' has
// the value "".
class Query {
 public:
  // Nothing where an escape is broken.
  static std::optional<Query> Parse(std::string_view text);
  // The first value, or "".
  std::string_view Get(std::string_view name) const;
  std::vector<std::string_view> GetAll(std::string_view name) const;
  bool Has(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

// What the client showed in the TLS handshake: not yet trusted, verified by an authenticator
// against its own CA. Immutable, shared by the requests of a connection.
struct PeerCertificate {
  std::string leaf_der;
  std::vector<std::string> chain_der;  // what came with it, leaf excluded
  std::string fingerprint;             // SHA-256 of leaf_der, raw bytes
};

struct Request {
  std::string method;  // upper case
  std::string path;    // decoded once; "/" at least; segments are not normalised
  Query query;
  Headers headers;
  std::string body;
  std::string remote_address;                               // "127.0.0.1:51234"
  std::shared_ptr<const PeerCertificate> peer_certificate;  // null where none was shown
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_REQUEST_H_
