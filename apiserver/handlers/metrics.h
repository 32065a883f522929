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

// A number that is read when it is asked for. Those of one name stand together.
struct GaugeSource {
  std::string name;
  std::string help;
  std::function<double()> value;  // quick; from any thread
  std::string labels = {};        // `controller="asyncoperation"`
  bool counter = false;           // it only grows
};

// Prometheus text that is made when it is asked for, quickly; from any thread.
using TextSource = std::function<std::string()>;

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
  bool apply = false;       // a patch that is a server-side apply
  bool terminated = false;  // ended by us in self-defence: too many requests, or out of time
};

// The numbers of the streams of one resource. Owned by Metrics; safe for use from several threads.
class StreamCounts {
 public:
  virtual ~StreamCounts() = default;
  // +1 when a watch begins, -1 when it ends.
  virtual void AddOpen(int change) = 0;
  virtual void AddEvent(std::size_t bytes) = 0;
  // A body that broke off.
  virtual void AddAbort() = 0;
};

// Safe for use from several threads; counting takes no lock of ours.
class Metrics final : public PathHandler {
 public:
  explicit Metrics(std::vector<GaugeSource> gauges, std::vector<TextSource> texts = {});
  ~Metrics() override;
  std::optional<http::Response> Serve(const http::Request& request) override;

  void Observe(const RequestSample& sample);
  // +1 when a request starts, -1 when it ends.
  void AddInFlight(bool mutating, int change);
  // `valid` is false for credentials that do not hold, `known` for a request without any.
  void CountAuthentication(bool valid, bool known, double seconds);
  void CountAuthorization(bool allowed, double seconds);
  void CountAuditEvent();
  void CountTlsHandshakeError();
  // Of a list or watch; lives as long as the metrics.
  StreamCounts& StreamOf(const RequestInfo& info, int resource_index);

 private:
  class Families;
  const std::unique_ptr<Families> families_;
  const std::vector<GaugeSource> gauges_;
  const std::vector<TextSource> texts_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_METRICS_H_
