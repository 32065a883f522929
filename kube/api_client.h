// Calls to kube-apiserver: JSON in, JSON out, a Status where it refuses.
#ifndef ASYNCOPS_KUBE_API_CLIENT_H_
#define ASYNCOPS_KUBE_API_CLIENT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"
#include "kube/cluster_config.h"
#include "kube/http_transport.h"

namespace asyncops::kube {

struct ApiRequest {
  std::string method = "GET";
  std::string target;             // path and query: "/api/v1/namespaces/default?..."
  std::string body = {};          // JSON; "" for none
  std::string content_type = {};  // of the body; "" for application/json
  std::string accept = {};        // "" for application/json
  std::chrono::milliseconds timeout{10000};
};

// One event of a watch, as it came.
struct WatchEvent {
  std::string type;  // ADDED, MODIFIED, DELETED, BOOKMARK; never ERROR
  Json object;
};

// Safe for use from several threads; each call blocks its thread. Credentials that lie in files are
// read again when they change, at most once a second; a file that cannot be read or does not hold
// what it should leaves the last good one in use and is logged once.
class ApiClient {
 public:
  virtual ~ApiClient() = default;

  // The object of a 2xx answer (an empty one where the body is). Otherwise the Status that the
  // server sent, with its reason, message, details and retryAfterSeconds; ServiceUnavailable where
  // the server cannot be reached or its answer is none, Timeout where it took too long. After
  // Unauthorized the credential files are read again at the next call.
  virtual Result<Json> Call(const ApiRequest& request) = 0;

  // A watch: calls `event` for each, on this thread, until the server ends it (OK), `event` is
  // false (OK), or it breaks. Expired or Gone where the server says that the version is too old,
  // whether by status code or by an ERROR event. `request.timeout` bounds all of it.
  virtual Status Watch(const ApiRequest& request, const std::function<bool(WatchEvent)>& event) = 0;

  // Cuts every call under way and refuses later ones as ServiceUnavailable. Returns at once.
  virtual void Cancel() = 0;
};

// BadRequest where a credential of the config is missing, unreadable or no PEM. `transport` and
// `clock` outlive the client; the transport's policy must let the server's address through.
Result<std::unique_ptr<ApiClient>> MakeApiClient(const ClusterConfig& config,
                                                 HttpTransport& transport, const Clock& clock);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_API_CLIENT_H_
