// The one file that knows prometheus-cpp.
#include "apiserver/handlers/metrics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <set>
#include <utility>

#include "api/subresources.h"
#include "apiserver/handlers/process_metrics.h"
#include "base/metric_text.h"
#include "base/mutex.h"

namespace asyncops::apiserver {
namespace {

struct Verb {
  std::string_view name;
  std::string_view metric;
};

// kube-apiserver's verbs in metrics. The last one stands for all others.
constexpr std::array<Verb, 10> kVerbs = {{{"get", "GET"},
                                          {"list", "LIST"},
                                          {"watch", "WATCH"},
                                          {"create", "POST"},
                                          {"update", "PUT"},
                                          {"patch", "PATCH"},
                                          {"apply", "APPLY"},
                                          {"delete", "DELETE"},
                                          {"deletecollection", "DELETECOLLECTION"},
                                          {"", "other"}}};
constexpr std::array<std::string_view, 3> kScopes = {"resource", "namespace", "cluster"};
// Places for subresources: none, those of this binary, and a last one for all others.
constexpr std::size_t kMaxSubresources = 16;
// What the server answers; the last one stands for all others.
constexpr std::array<int, 20> kCodes = {200, 201, 304, 400, 401, 403, 404, 405, 406, 409,
                                        410, 413, 415, 422, 429, 500, 503, 504, 202, 0};
// Resources of this binary, and a slot for what names none.
constexpr std::size_t kMaxResources = 16;
// A resource's lists and watches, in a namespace or not, of it or of a subresource.
constexpr std::size_t kStreamKinds = 2 * kScopes.size() * kMaxSubresources;
constexpr std::size_t kSeries =
    (kMaxResources + 1) * kVerbs.size() * kMaxSubresources * kScopes.size() * 2;

std::size_t VerbIndex(std::string_view verb) {
  std::size_t i = 0;
  while (i + 1 < kVerbs.size() && kVerbs[i].name != verb) ++i;
  return i;
}

// "", what has a path in this binary, and "other"; at most kMaxSubresources.
const std::vector<std::string>& SubresourceNames() {
  static const std::vector<std::string> kNames = [] {
    std::set<std::string> names;
    for (const ResourceInfo& resource : ServedResources())
      for (const SubresourceInfo& subresource : SubresourcesOf(resource))
        names.insert(subresource.name);
    std::vector<std::string> out(names.begin(), names.end());
    out.insert(out.begin(), "");
    out.resize(std::min(out.size(), kMaxSubresources - 1));
    out.emplace_back("other");
    return out;
  }();
  return kNames;
}

std::size_t SubresourceIndex(std::string_view subresource) {
  const std::vector<std::string>& names = SubresourceNames();
  std::size_t i = 0;
  while (i + 1 < names.size() && names[i] != subresource) ++i;
  return i;
}

std::size_t ScopeIndex(const RequestInfo& info) {
  if (!info.name.empty()) return 0;
  return info.namespace_name.empty() ? 2 : 1;
}

// Whether it is the index of a resource that has series of its own.
bool IsKnown(int resource_index) {
  return resource_index >= 0 && static_cast<std::size_t>(resource_index) < kMaxResources;
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

// kube-apiserver's: of the service levels that people are told of, nothing below 50 ms counts.
const prometheus::Histogram::BucketBoundaries& SliBuckets() {
  static const prometheus::Histogram::BucketBoundaries kBuckets(SecondsBuckets().begin() + 2,
                                                                SecondsBuckets().end());
  return kBuckets;
}

// 1 ms, doubled up to 16 s; of authorizations, too.
const prometheus::Histogram::BucketBoundaries& AuthenticationBuckets() {
  static const prometheus::Histogram::BucketBoundaries kBuckets = {
      0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128,
      0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384};
  return kBuckets;
}

// 1 KiB, doubled up to 128 KiB.
const prometheus::Histogram::BucketBoundaries& EventBuckets() {
  static const prometheus::Histogram::BucketBoundaries kBuckets = {1024,  2048,  4096,  8192,
                                                                   16384, 32768, 65536, 131072};
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
  prometheus::Histogram* sli_seconds = nullptr;  // null for streams
  prometheus::Histogram* sizes = nullptr;
  std::array<std::atomic<prometheus::Counter*>, kCodes.size()> by_code = {};
};

std::string CodeName(std::size_t at) {
  return kCodes[at] == 0 ? "other" : std::to_string(kCodes[at]);
}

// The labels of a request without its code and dry run. Of what names no resource of ours nothing
// but the verb: a client could make up the rest.
prometheus::Labels LabelsOf(const RequestInfo& asked, bool known, std::string_view verb) {
  static const RequestInfo kUnknown;
  const RequestInfo& info = known ? asked : kUnknown;
  return {{"verb", std::string(verb)},
          {"group", info.group},
          {"version", info.version},
          {"resource", info.resource},
          {"subresource", SubresourceNames()[SubresourceIndex(info.subresource)]},
          {"scope", known ? std::string(kScopes[ScopeIndex(info)]) : ""},
          {"component", "apiserver"}};
}

std::string_view MetricVerb(const RequestSample& sample) {
  return kVerbs[VerbIndex(sample.apply ? "apply" : sample.info->verb)].metric;
}

// The streams of one resource; of lists the aborts alone.
struct StreamSeries final : public StreamCounts {
  prometheus::Gauge* open = nullptr;
  prometheus::Counter* events = nullptr;
  prometheus::Histogram* sizes = nullptr;
  prometheus::Counter* aborts = nullptr;

  void AddOpen(int change) override { open->Increment(change); }
  void AddEvent(std::size_t bytes) override {
    events->Increment();
    sizes->Observe(static_cast<double>(bytes));
  }
  void AddAbort() override { aborts->Increment(); }
};

void AppendSource(const GaugeSource& source, bool begins, std::string* out) {
  if (begins) AppendMetricHead(source.name, source.counter ? "counter" : "gauge", source.help, out);
  AppendMetricSample(source.name, source.labels, source.value(), out);
}

}  // namespace

class Metrics::Families {
 public:
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      Counters("apiserver_request_total", "Requests by verb, dry run, resource, scope and code.");
  prometheus::Family<prometheus::Histogram>& seconds =
      Histograms("apiserver_request_duration_seconds", "Time to the answer.");
  prometheus::Family<prometheus::Histogram>& sli_seconds =
      Histograms("apiserver_request_sli_duration_seconds",
                 "Time to the answer, of all but streams; nothing of ours waits for others.");
  prometheus::Family<prometheus::Histogram>& sizes =
      Histograms("apiserver_response_sizes", "Bytes of whole response bodies.");
  prometheus::Family<prometheus::Counter>& terminations =
      Counters("apiserver_request_terminations_total",
               "Requests that were ended in self-defence: too many at once, or out of time.");
  prometheus::Family<prometheus::Counter>& aborts =
      Counters("apiserver_request_aborts_total", "Answers that broke off.");
  prometheus::Family<prometheus::Gauge>& in_flight =
      Gauges("apiserver_current_inflight_requests", "Requests under way, by kind.");
  prometheus::Gauge& mutating = in_flight.Add({{"request_kind", "mutating"}});
  prometheus::Gauge& read_only = in_flight.Add({{"request_kind", "readOnly"}});
  prometheus::Family<prometheus::Gauge>& long_running =
      Gauges("apiserver_longrunning_requests", "Open watches.");
  prometheus::Family<prometheus::Counter>& watch_events =
      Counters("apiserver_watch_events_total", "Events sent to watches.");
  prometheus::Family<prometheus::Histogram>& watch_sizes =
      Histograms("apiserver_watch_events_sizes", "Bytes of events sent to watches.");
  prometheus::Counter& tls_errors =
      Counters("apiserver_tls_handshake_errors_total", "TLS handshakes that failed.").Add({});
  prometheus::Counter& audit_events =
      Counters("apiserver_audit_event_total", "Audit lines that were made.").Add({});
  // Names of users are nobody's business here.
  prometheus::Counter& user_requests =
      Counters("authenticated_user_requests", "Requests of users that were recognised.")
          .Add({{"username", "other"}});
  prometheus::Family<prometheus::Counter>& authentications =
      Counters("authentication_attempts", "Requests by what their credentials came to.");
  prometheus::Counter& known_users = authentications.Add({{"result", "success"}});
  prometheus::Counter& unknown_users = authentications.Add({{"result", "failure"}});
  prometheus::Counter& wrong_users = authentications.Add({{"result", "error"}});
  prometheus::Family<prometheus::Histogram>& authentication_seconds =
      Histograms("authentication_duration_seconds", "Time of authentication, by result.");
  prometheus::Histogram& known_seconds =
      authentication_seconds.Add({{"result", "success"}}, AuthenticationBuckets());
  prometheus::Histogram& unknown_seconds =
      authentication_seconds.Add({{"result", "failure"}}, AuthenticationBuckets());
  prometheus::Histogram& wrong_seconds =
      authentication_seconds.Add({{"result", "error"}}, AuthenticationBuckets());
  prometheus::Family<prometheus::Counter>& authorizations =
      Counters("authorization_attempts_total", "Requests by what the authorizer said.");
  prometheus::Counter& allowed = authorizations.Add({{"result", "allowed"}});
  prometheus::Counter& denied = authorizations.Add({{"result", "denied"}});
  prometheus::Family<prometheus::Histogram>& authorization_seconds =
      Histograms("authorization_duration_seconds", "Time of authorization, by result.");
  prometheus::Histogram& allowed_seconds =
      authorization_seconds.Add({{"result", "allowed"}}, AuthenticationBuckets());
  prometheus::Histogram& denied_seconds =
      authorization_seconds.Add({{"result", "denied"}}, AuthenticationBuckets());

  Series& SeriesOf(const RequestSample& sample);
  prometheus::Counter& CounterOf(Series& series, const RequestSample& sample);
  StreamSeries& StreamOf(const RequestInfo& info, int resource_index);

 private:
  prometheus::Family<prometheus::Counter>& Counters(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }
  prometheus::Family<prometheus::Gauge>& Gauges(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }
  prometheus::Family<prometheus::Histogram>& Histograms(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  }
  std::unique_ptr<Series> MakeSeries(const RequestSample& sample);
  std::unique_ptr<StreamSeries> MakeStream(const RequestInfo& info, bool known);

  // Made when first counted; a reader finds either nothing or a whole one.
  std::array<std::atomic<Series*>, kSeries> series_ = {};
  std::array<std::atomic<StreamSeries*>, (kMaxResources + 1)* kStreamKinds> streams_ = {};
  Mutex mutex_;
  std::vector<std::unique_ptr<Series>> owned_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<StreamSeries>> owned_streams_ ASYNCOPS_GUARDED_BY(mutex_);
};

Series& Metrics::Families::SeriesOf(const RequestSample& sample) {
  const RequestInfo& info = *sample.info;
  const bool known = IsKnown(sample.resource_index);
  std::size_t slot = known ? static_cast<std::size_t>(sample.resource_index) : kMaxResources;
  slot = slot * kVerbs.size() + VerbIndex(sample.apply ? "apply" : info.verb);
  slot = slot * kMaxSubresources + (known ? SubresourceIndex(info.subresource) : 0);
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
  auto series = std::make_unique<Series>();
  series->labels = LabelsOf(*sample.info, IsKnown(sample.resource_index), MetricVerb(sample));
  if (!sample.info->streams) series->sli_seconds = &sli_seconds.Add(series->labels, SliBuckets());
  series->sizes = &sizes.Add(series->labels, BytesBuckets());
  series->labels.emplace("dry_run", sample.dry_run ? "All" : "");
  series->seconds = &seconds.Add(series->labels, SecondsBuckets());
  return series;
}

StreamSeries& Metrics::Families::StreamOf(const RequestInfo& info, int resource_index) {
  const bool known = IsKnown(resource_index);
  std::size_t slot = known ? static_cast<std::size_t>(resource_index) : kMaxResources;
  slot = slot * 2 + (info.streams ? 1 : 0);
  slot = slot * kMaxSubresources + (known ? SubresourceIndex(info.subresource) : 0);
  slot = slot * kScopes.size() + (known ? ScopeIndex(info) : 0);
  if (StreamSeries* stream = streams_[slot].load(std::memory_order_acquire)) return *stream;
  const MutexLock lock(mutex_);
  if (StreamSeries* stream = streams_[slot].load(std::memory_order_acquire)) return *stream;
  owned_streams_.push_back(MakeStream(info, known));
  streams_[slot].store(owned_streams_.back().get(), std::memory_order_release);
  return *owned_streams_.back();
}

std::unique_ptr<StreamSeries> Metrics::Families::MakeStream(const RequestInfo& info, bool known) {
  prometheus::Labels labels = LabelsOf(info, known, info.streams ? "WATCH" : "LIST");
  const prometheus::Labels resource = {
      {"group", labels["group"]}, {"version", labels["version"]}, {"resource", labels["resource"]}};
  auto stream = std::make_unique<StreamSeries>();
  if (info.streams) {
    stream->open = &long_running.Add(labels);
    stream->events = &watch_events.Add(resource);
    stream->sizes = &watch_sizes.Add(resource, EventBuckets());
  }
  labels.erase("component");
  stream->aborts = &aborts.Add(labels);
  return stream;
}

prometheus::Counter& Metrics::Families::CounterOf(Series& series, const RequestSample& sample) {
  const std::size_t at = CodeIndex(sample.code);
  prometheus::Counter* counter = series.by_code[at].load(std::memory_order_acquire);
  if (counter != nullptr) return *counter;
  prometheus::Labels labels = series.labels;
  labels.emplace("code", CodeName(at));
  // The same counter for the same labels, whoever asks first.
  counter = &requests.Add(labels);
  series.by_code[at].store(counter, std::memory_order_release);
  return *counter;
}

Metrics::Metrics(std::vector<GaugeSource> gauges, std::vector<TextSource> texts)
    : families_(std::make_unique<Families>()),
      gauges_(std::move(gauges)),
      texts_(std::move(texts)) {}

Metrics::~Metrics() = default;

void Metrics::Observe(const RequestSample& sample) {
  Series& series = families_->SeriesOf(sample);
  series.seconds->Observe(sample.seconds);
  if (series.sli_seconds != nullptr) series.sli_seconds->Observe(sample.seconds);
  if (sample.response_bytes > 0) series.sizes->Observe(static_cast<double>(sample.response_bytes));
  families_->CounterOf(series, sample).Increment();
  if (!sample.terminated) return;
  prometheus::Labels labels = series.labels;
  labels.erase("dry_run");
  labels.emplace("code", CodeName(CodeIndex(sample.code)));
  families_->terminations.Add(labels).Increment();
}

void Metrics::AddInFlight(bool mutating, int change) {
  (mutating ? families_->mutating : families_->read_only).Increment(change);
}

void Metrics::CountAuthentication(bool valid, bool known, double seconds) {
  Families& all = *families_;
  if (!valid) {
    all.wrong_users.Increment();
    all.wrong_seconds.Observe(seconds);
  } else if (!known) {
    all.unknown_users.Increment();
    all.unknown_seconds.Observe(seconds);
  } else {
    all.known_users.Increment();
    all.known_seconds.Observe(seconds);
    all.user_requests.Increment();
  }
}

void Metrics::CountAuthorization(bool allowed, double seconds) {
  Families& all = *families_;
  (allowed ? all.allowed : all.denied).Increment();
  (allowed ? all.allowed_seconds : all.denied_seconds).Observe(seconds);
}

void Metrics::CountAuditEvent() { families_->audit_events.Increment(); }

void Metrics::CountTlsHandshakeError() { families_->tls_errors.Increment(); }

StreamCounts& Metrics::StreamOf(const RequestInfo& info, int resource_index) {
  return families_->StreamOf(info, resource_index);
}

std::optional<http::Response> Metrics::Serve(const http::Request& request) {
  if (request.path != "/metrics") return std::nullopt;
  std::string body = prometheus::TextSerializer().Serialize(families_->registry.Collect());
  for (std::size_t i = 0; i < gauges_.size(); ++i)
    AppendSource(gauges_[i], i == 0 || gauges_[i - 1].name != gauges_[i].name, &body);
  for (const TextSource& text : texts_) body += text();
  body += ProcessMetrics();
  http::Response response;
  response.headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.headers.Add("Cache-Control", "no-cache, private");
  response.body = std::move(body);
  return response;
}

}  // namespace asyncops::apiserver
