// The body of a watch, piece by piece: one JSON event a line.
#ifndef ASYNCOPS_KUBE_WATCH_DECODER_H_
#define ASYNCOPS_KUBE_WATCH_DECODER_H_

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "kube/api_client.h"

namespace asyncops::kube {

// Objects of others may nest deeper than ours, and one of them must not spoil a list or a watch.
inline constexpr int kMaxApiJsonDepth = 1000;

// Used by one thread.
class WatchDecoder {
 public:
  // `event` outlives the decoder; false ends it.
  explicit WatchDecoder(const std::function<bool(WatchEvent)>& event) : event_(event) {}

  // Takes the next bytes, however they are cut; false once nothing more is wanted.
  bool Feed(std::string_view bytes);
  // After the last byte.
  void Finish();

  // Whether `event` ended it.
  bool stopped() const { return stopped_; }
  // Of an ERROR event, the Status that it carries; ServiceUnavailable where a line is no event or
  // beyond 16 MiB. OK otherwise.
  const Status& error() const { return error_; }

 private:
  bool Line(std::string_view line);
  bool Fail(std::string_view why);

  const std::function<bool(WatchEvent)>& event_;
  std::string partial_;  // the start of a line whose end has not come
  bool stopped_ = false;
  Status error_;
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_WATCH_DECODER_H_
