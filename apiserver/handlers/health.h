// /healthz, /livez and /readyz with their sub-checks (apiserver pkg/server/healthz).
#ifndef ASYNCOPS_APISERVER_HANDLERS_HEALTH_H_
#define ASYNCOPS_APISERVER_HANDLERS_HEALTH_H_

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "apiserver/handlers/path_handler.h"
#include "base/status.h"

namespace asyncops::apiserver {

struct HealthCheck {
  std::string name;
  std::function<Status()> check;  // quick; from any thread
  bool readiness_only = false;    // asked by /readyz alone
};

// Plain text: "ok", or with ?verbose (and always on failure) a line per check. ?exclude=NAME leaves
// a check out; /readyz/NAME asks one. Why a check fails is logged, not told: probes need no
// credential.
class Health final : public PathHandler {
 public:
  explicit Health(std::vector<HealthCheck> checks);
  std::optional<http::Response> Serve(const http::Request& request) override;

  // /readyz fails until this was called with true, and after it was called with false.
  void SetReady(bool ready) { ready_ = ready; }

 private:
  std::optional<http::Response> ServeEndpoint(const std::string& endpoint,
                                              const http::Request& request,
                                              std::string_view sub_path);

  std::vector<HealthCheck> checks_;
  std::atomic<bool> ready_{false};
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_HEALTH_H_
