// The one file that knows prometheus-cpp.
#include "apiserver/handlers/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <utility>

namespace asyncops::apiserver {
namespace {

// kube-apiserver's verbs in metrics.
std::string MetricVerb(const RequestInfo& info) {
  static const std::map<std::string, std::string, std::less<>> kVerbs = {
      {"get", "GET"},       {"list", "LIST"},  {"watch", "WATCH"},
      {"create", "POST"},   {"update", "PUT"}, {"patch", "PATCH"},
      {"delete", "DELETE"}, {"post", "POST"},  {"deletecollection", "DELETECOLLECTION"}};
  const auto found = kVerbs.find(info.verb);
  return found == kVerbs.end() ? "other" : found->second;
}

std::string Scope(const RequestInfo& info) {
  if (!info.resource_request) return "";
  if (!info.name.empty()) return "resource";
  return info.namespace_name.empty() ? "cluster" : "namespace";
}

const prometheus::Histogram::BucketBoundaries& SecondsBuckets() {
  static const prometheus::Histogram::BucketBoundaries kBuckets = {
      0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2,
      3,     4,     5,    6,   8,   10,  15,  20,  30, 45,   60};
  return kBuckets;
}

const prometheus::Histogram::BucketBoundaries& BytesBuckets() {
  static const prometheus::Histogram::BucketBoundaries kBuckets = {1e3, 1e4, 1e5, 1e6,
                                                                   1e7, 1e8, 1e9};
  return kBuckets;
}

}  // namespace

class Metrics::Families {
 public:
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("apiserver_request_total")
          .Help("Requests by verb, dry run, resource, scope and code.")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& seconds =
      prometheus::BuildHistogram()
          .Name("apiserver_request_duration_seconds")
          .Help("Time to the answer, by verb, resource and scope.")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& sizes =
      prometheus::BuildHistogram()
          .Name("apiserver_response_sizes")
          .Help("Bytes of whole response bodies, by verb, resource and scope.")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& in_flight =
      prometheus::BuildGauge()
          .Name("apiserver_current_inflight_requests")
          .Help("Requests under way, by kind.")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& long_running = prometheus::BuildGauge()
                                                            .Name("apiserver_longrunning_requests")
                                                            .Help("Open watches, by resource.")
                                                            .Register(registry);
};

Metrics::Metrics(std::vector<GaugeSource> gauges)
    : families_(std::make_unique<Families>()), gauges_(std::move(gauges)) {}

Metrics::~Metrics() = default;

void Metrics::Observe(const RequestSample& sample) {
  const RequestInfo& info = *sample.info;
  prometheus::Labels labels = {{"verb", MetricVerb(info)},        {"group", info.group},
                               {"version", info.version},         {"resource", info.resource},
                               {"subresource", info.subresource}, {"scope", Scope(info)},
                               {"component", "apiserver"}};
  families_->seconds.Add(labels, SecondsBuckets()).Observe(sample.seconds);
  if (sample.response_bytes > 0) {
    families_->sizes.Add(labels, BytesBuckets())
        .Observe(static_cast<double>(sample.response_bytes));
  }
  labels.emplace("code", std::to_string(sample.code));
  labels.emplace("dry_run", sample.dry_run ? "All" : "");
  families_->requests.Add(labels).Increment();
}

void Metrics::AddInFlight(const std::string& kind, int change) {
  families_->in_flight.Add({{"request_kind", kind}}).Increment(change);
}

void Metrics::AddLongRunning(const std::string& resource, int change) {
  families_->long_running.Add({{"verb", "WATCH"}, {"resource", resource}}).Increment(change);
}

std::optional<http::Response> Metrics::Serve(const http::Request& request) {
  if (request.path != "/metrics") return std::nullopt;
  std::string body = prometheus::TextSerializer().Serialize(families_->registry.Collect());
  for (const GaugeSource& gauge : gauges_) {
    body += "# HELP " + gauge.name + " " + gauge.help + "\n# TYPE " + gauge.name + " gauge\n" +
            gauge.name + " " + std::to_string(gauge.value()) + "\n";
  }
  http::Response response;
  response.headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.headers.Add("Cache-Control", "no-cache, private");
  response.body = std::move(body);
  return response;
}

}  // namespace asyncops::apiserver
