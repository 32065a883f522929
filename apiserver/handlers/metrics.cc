// The one file that knows prometheus-cpp.
#include "apiserver/handlers/metrics.h"

#include <array>
#include <atomic>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <utility>

#include "base/mutex.h"

namespace asyncops::apiserver {
namespace {

struct Verb {
  std::string_view name;
  std::string_view metric;
};

// kube-apiserver's verbs in metrics. The last one stands for all others.
constexpr std::array<Verb, 9> kVerbs = {{{"get", "GET"},
                                         {"list", "LIST"},
                                         {"watch", "WATCH"},
                                         {"create", "POST"},
                                         {"update", "PUT"},
                                         {"patch", "PATCH"},
                                         {"delete", "DELETE"},
                                         {"deletecollection", "DELETECOLLECTION"},
                                         {"", "other"}}};
constexpr std::array<std::string_view, 3> kScopes = {"resource", "namespace", "cluster"};
constexpr std::array<std::string_view, 4> kSubresources = {"", "status", "history", "other"};
// What the server answers; the last one stands for all others.
constexpr std::array<int, 20> kCodes = {200, 201, 304, 400, 401, 403, 404, 405, 406, 409,
                                        410, 413, 415, 422, 429, 500, 503, 504, 202, 0};
// Resources of this binary, and a slot for what names none.
constexpr std::size_t kMaxResources = 16;
constexpr std::size_t kSeries =
    (kMaxResources + 1) * kVerbs.size() * kSubresources.size() * kScopes.size() * 2;

std::size_t VerbIndex(std::string_view verb) {
  std::size_t i = 0;
  while (i + 1 < kVerbs.size() && kVerbs[i].name != verb) ++i;
  return i;
}

std::size_t SubresourceIndex(std::string_view subresource) {
  std::size_t i = 0;
  while (i + 1 < kSubresources.size() && kSubresources[i] != subresource) ++i;
  return i;
}

std::size_t ScopeIndex(const RequestInfo& info) {
  if (!info.name.empty()) return 0;
  return info.namespace_name.empty() ? 2 : 1;
}

std::size_t CodeIndex(int code) {
  std::size_t i = 0;
  while (i + 1 < kCodes.size() && kCodes[i] != code) ++i;
  return i;
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

// The numbers of one verb on one resource. The pointers are the registry's, set once.
struct Series {
  prometheus::Labels labels;
  prometheus::Histogram* seconds = nullptr;
  prometheus::Histogram* sizes = nullptr;
  std::array<std::atomic<prometheus::Counter*>, kCodes.size()> by_code = {};
};

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
  prometheus::Gauge& mutating = in_flight.Add({{"request_kind", "mutating"}});
  prometheus::Gauge& read_only = in_flight.Add({{"request_kind", "readOnly"}});
  prometheus::Family<prometheus::Gauge>& long_running = prometheus::BuildGauge()
                                                            .Name("apiserver_longrunning_requests")
                                                            .Help("Open watches, by resource.")
                                                            .Register(registry);

  Series& SeriesOf(const RequestSample& sample);
  prometheus::Counter& CounterOf(Series& series, const RequestSample& sample);

 private:
  std::unique_ptr<Series> MakeSeries(const RequestSample& sample);

  // Made when first counted; a reader finds either nothing or a whole one.
  std::array<std::atomic<Series*>, kSeries> series_ = {};
  Mutex mutex_;
  std::vector<std::unique_ptr<Series>> owned_ ASYNCOPS_GUARDED_BY(mutex_);
};

Series& Metrics::Families::SeriesOf(const RequestSample& sample) {
  const RequestInfo& info = *sample.info;
  const bool known =
      sample.resource_index >= 0 && static_cast<std::size_t>(sample.resource_index) < kMaxResources;
  std::size_t slot = known ? static_cast<std::size_t>(sample.resource_index) : kMaxResources;
  slot = slot * kVerbs.size() + VerbIndex(info.verb);
  slot = slot * kSubresources.size() + (known ? SubresourceIndex(info.subresource) : 0);
  slot = slot * kScopes.size() + (known ? ScopeIndex(info) : 0);
  slot = slot * 2 + (sample.dry_run ? 1 : 0);
  if (Series* series = series_[slot].load(std::memory_order_acquire)) return *series;
  const MutexLock lock(mutex_);
  if (Series* series = series_[slot].load(std::memory_order_acquire)) return *series;
  owned_.push_back(MakeSeries(sample));
  series_[slot].store(owned_.back().get(), std::memory_order_release);
  return *owned_.back();
}

std::unique_ptr<Series> Metrics::Families::MakeSeries(const RequestSample& sample) {
  static const RequestInfo kUnknown;
  const bool known = sample.resource_index >= 0;
  const RequestInfo& info = known ? *sample.info : kUnknown;
  auto series = std::make_unique<Series>();
  series->labels = {{"verb", std::string(kVerbs[VerbIndex(sample.info->verb)].metric)},
                    {"group", info.group},
                    {"version", info.version},
                    {"resource", info.resource},
                    {"subresource", std::string(kSubresources[SubresourceIndex(info.subresource)])},
                    {"scope", known ? std::string(kScopes[ScopeIndex(info)]) : ""},
                    {"component", "apiserver"}};
  series->seconds = &seconds.Add(series->labels, SecondsBuckets());
  series->sizes = &sizes.Add(series->labels, BytesBuckets());
  series->labels.emplace("dry_run", sample.dry_run ? "All" : "");
  return series;
}

prometheus::Counter& Metrics::Families::CounterOf(Series& series, const RequestSample& sample) {
  const std::size_t at = CodeIndex(sample.code);
  prometheus::Counter* counter = series.by_code[at].load(std::memory_order_acquire);
  if (counter != nullptr) return *counter;
  prometheus::Labels labels = series.labels;
  labels.emplace("code", kCodes[at] == 0 ? "other" : std::to_string(kCodes[at]));
  // The same counter for the same labels, whoever asks first.
  counter = &requests.Add(labels);
  series.by_code[at].store(counter, std::memory_order_release);
  return *counter;
}

Metrics::Metrics(std::vector<GaugeSource> gauges)
    : families_(std::make_unique<Families>()), gauges_(std::move(gauges)) {}

Metrics::~Metrics() = default;

void Metrics::Observe(const RequestSample& sample) {
  Series& series = families_->SeriesOf(sample);
  series.seconds->Observe(sample.seconds);
  if (sample.response_bytes > 0) series.sizes->Observe(static_cast<double>(sample.response_bytes));
  families_->CounterOf(series, sample).Increment();
}

void Metrics::AddInFlight(bool mutating, int change) {
  (mutating ? families_->mutating : families_->read_only).Increment(change);
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
