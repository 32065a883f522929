// /metrics in Prometheus text, under the names that Kubernetes dashboards know; the adapter of
// prometheus-cpp is metrics.cc.
#ifndef ASYNCOPS_APISERVER_HANDLERS_METRICS_H_
#define ASYNCOPS_APISERVER_HANDLERS_METRICS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/handlers/path_handler.h"
#include "apiserver/handlers/request_info.h"

namespace asyncops::apiserver {

// A number that is read when it is asked for.
struct GaugeSource {
  std::string name;
  std::string help;
  std::function<double()> value;  // quick; from any thread
};

// One finished request, or a stream that has begun.
struct RequestSample {
  const RequestInfo* info = nullptr;
  // The index of its resource among those that are served; -1 where it names none: then nothing of
  // what the client wrote becomes a label, so that series stay few.
  int resource_index = -1;
  int code = 0;
  double seconds = 0;
  std::size_t response_bytes = 0;
  bool dry_run = false;
};

// Safe for use from several threads; counting takes no lock of ours.
class Metrics final : public PathHandler {
 public:
  explicit Metrics(std::vector<GaugeSource> gauges);
  ~Metrics() override;
  std::optional<http::Response> Serve(const http::Request& request) override;

  void Observe(const RequestSample& sample);
  // +1 when a request starts, -1 when it ends.
  void AddInFlight(bool mutating, int change);
  // The same for streams ("WATCH").
  void AddLongRunning(const std::string& resource, int change);

 private:
  class Families;
  const std::unique_ptr<Families> families_;
  const std::vector<GaugeSource> gauges_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_METRICS_H_
