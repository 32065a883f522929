// A streamed body that the metrics count: its being open, its events, its breaking off.
#ifndef ASYNCOPS_APISERVER_HANDLERS_COUNTED_SOURCE_H_
#define ASYNCOPS_APISERVER_HANDLERS_COUNTED_SOURCE_H_

#include <memory>
#include <string>

#include "apiserver/handlers/metrics.h"
#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// Forwards everything to the source that it owns. The counts are the metrics', which outlive it.
class CountedSource final : public http::BodySource {
 public:
  // Of a watch, whose events are lines; else of a list, of which only a break is counted.
  CountedSource(std::unique_ptr<http::BodySource> source, StreamCounts& counts, bool watch);
  ~CountedSource() override;
  CountedSource(const CountedSource&) = delete;
  CountedSource& operator=(const CountedSource&) = delete;

  State Read(std::string* out) override;
  void SetWake(std::function<void()> wake) override { source_->SetWake(std::move(wake)); }
  std::optional<SteadyTime> WakeAt() const override { return source_->WakeAt(); }
  void Stop() override { source_->Stop(); }

 private:
  const std::unique_ptr<http::BodySource> source_;
  StreamCounts& counts_;
  const bool watch_;
  std::size_t unfinished_ = 0;  // bytes of an event whose end is still to come
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_COUNTED_SOURCE_H_
