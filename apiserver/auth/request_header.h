// Users that a front proxy names in headers: kube-apiserver's aggregation layer.
#ifndef ASYNCOPS_APISERVER_AUTH_REQUEST_HEADER_H_
#define ASYNCOPS_APISERVER_AUTH_REQUEST_HEADER_H_

#include <memory>
#include <string>
#include <vector>

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/verified_peers.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// As the --requestheader flags of kube-apiserver. A value.
struct RequestHeaderConfig {
  std::string ca_pem;                      // of the proxy's client certificate; "" for no proxy
  std::vector<std::string> allowed_names;  // CNs of it; none means any
  std::vector<std::string> username_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_header_prefixes;
  std::vector<std::string> uid_headers;

  bool operator==(const RequestHeaderConfig&) const = default;
};

// The headers count only of whoever shows, on this connection, a client certificate of the proxy's
// CA that holds now and has an allowed CN; nobody else's are looked at. Names of headers are
// compared as a whole and without regard to case: X_Remote_User is another header than
// X-Remote-User.
class RequestHeaderAuthenticator final : public ImmediateAuthenticator {
 public:
  // `client_ca_pem` is the CA of ordinary clients, or "". BadRequest begins with the flag, without
  // dashes, that is wrong: a CA that is none, no header for the name, a name that is no header's;
  // or one certificate in both CAs while every name is allowed, for then any client could name
  // anybody.
  static Result<std::unique_ptr<RequestHeaderAuthenticator>> Make(RequestHeaderConfig config,
                                                                  const std::string& client_ca_pem,
                                                                  const Clock& clock);

  // The proxy's user. Null for everybody else, and where the proxy names nobody. Unauthorized where
  // a header for the name or the UID comes twice, or Connection names one of the headers.
  Authentication Identify(const http::Request& request) const override;

 private:
  RequestHeaderAuthenticator(RequestHeaderConfig config, std::unique_ptr<VerifiedPeers> proxies)
      : config_(std::move(config)), proxies_(std::move(proxies)) {}

  bool IsProxy(const http::Request& request) const;
  // Whether the header carries a part of an identity.
  bool IsOurs(std::string_view header) const;
  bool HopsAway(const http::Headers& headers) const;

  const RequestHeaderConfig config_;
  const std::unique_ptr<VerifiedPeers> proxies_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_REQUEST_HEADER_H_
