#include "callbacks/source_limiter.h"

#include <algorithm>

namespace asyncops::callbacks {
namespace {

// Of an IPv6 address its first four groups: whoever has one address there has all of them.
std::string SourceOf(std::string_view address) {
  const std::size_t port = address.rfind(':');
  std::string_view host = address.substr(0, port);
  if (host.starts_with('[')) host.remove_prefix(1);
  if (host.ends_with(']')) host.remove_suffix(1);
  if (host.find(':') == std::string_view::npos) return std::string(host);
  std::size_t end = 0;
  for (int group = 0; group < 4 && end != std::string_view::npos; ++group)
    end = host.find(':', group == 0 ? 0 : end + 1);
  return std::string(host.substr(0, end));
}

}  // namespace

SteadyTime& SourceLimiter::BucketOf(const std::string& source, SteadyTime now) {
  const auto found = buckets_.find(source);
  if (found != buckets_.end()) return found->second;
  if (buckets_.size() >= kMaxSources)
    std::erase_if(buckets_, [now](const auto& bucket) { return bucket.second <= now; });
  if (buckets_.size() >= kMaxSources) return buckets_[""];
  return buckets_[source];
}

std::optional<Duration> SourceLimiter::Blocked(std::string_view address, SteadyTime now) {
  const MutexLock lock(mutex_);
  auto found = buckets_.find(SourceOf(address));
  if (found == buckets_.end() && buckets_.size() >= kMaxSources) found = buckets_.find("");
  if (found == buckets_.end()) return std::nullopt;
  const auto over = found->second - now - kForgiven * (kBurst - 1);
  if (over <= std::chrono::nanoseconds::zero()) return std::nullopt;
  return std::chrono::duration_cast<Duration>(over);
}

void SourceLimiter::CountRefusal(std::string_view address, SteadyTime now) {
  const MutexLock lock(mutex_);
  SteadyTime& forgiven = BucketOf(SourceOf(address), now);
  // What comes all at once when the bucket was empty does not add up for ever.
  forgiven = std::min(std::max(forgiven, now) + kForgiven, now + kForgiven * (kBurst + 1));
}

}  // namespace asyncops::callbacks
