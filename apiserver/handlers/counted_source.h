// A streamed body that the metrics count while it is open.
#ifndef ASYNCOPS_APISERVER_HANDLERS_COUNTED_SOURCE_H_
#define ASYNCOPS_APISERVER_HANDLERS_COUNTED_SOURCE_H_

#include <memory>
#include <string>
#include <utility>

#include "apiserver/handlers/metrics.h"
#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// Forwards everything to the source that it owns. The metrics outlive it.
class CountedSource final : public http::BodySource {
 public:
  CountedSource(std::unique_ptr<http::BodySource> source, Metrics& metrics, std::string resource)
      : source_(std::move(source)), metrics_(metrics), resource_(std::move(resource)) {
    metrics_.AddLongRunning(resource_, 1);
  }
  ~CountedSource() override { metrics_.AddLongRunning(resource_, -1); }
  CountedSource(const CountedSource&) = delete;
  CountedSource& operator=(const CountedSource&) = delete;

  State Read(std::string* out) override { return source_->Read(out); }
  void SetWake(std::function<void()> wake) override { source_->SetWake(std::move(wake)); }
  std::optional<SteadyTime> WakeAt() const override { return source_->WakeAt(); }
  void Stop() override { source_->Stop(); }

 private:
  const std::unique_ptr<http::BodySource> source_;
  Metrics& metrics_;
  const std::string resource_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_COUNTED_SOURCE_H_
