#include "reconciler/cluster_calls.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/ascii.h"
#include "base/log.h"
#include "reconciler/operation_object.h"

namespace asyncops::reconciler {
namespace {

// Shorter than a request of kubectl's: a worker waits meanwhile.
constexpr std::chrono::milliseconds kTimeout{5000};
constexpr std::chrono::seconds kFirstPause{1};
constexpr int kMostDoublings = 3;
constexpr int kTimeoutsOfAway = 2;
constexpr std::size_t kMaxNameBytes = 253;

bool IsAway(const Status& status) {
  return status.reason() == Reason::kServiceUnavailable || status.reason() == Reason::kTimeout ||
         status.reason() == Reason::kServerTimeout;
}

std::string AsOurs(const std::string& path) {
  return path + "?fieldManager=" + std::string(kReconcilerManager);
}

bool ParseVersion(std::string_view text, std::uint64_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string ClusterPath(std::string_view group, std::string_view plural,
                        std::string_view namespace_name, std::string_view name) {
  std::string path =
      group.empty() ? std::string("/api/v1") : "/apis/" + std::string(group) + "/v1alpha1";
  path.append("/namespaces/").append(namespace_name).append("/").append(plural);
  if (!name.empty()) path.append("/").append(name);
  return path;
}

bool IsObjectName(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes || name.front() == '.') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
  });
}

bool IsObjectMissing(const Status& status, std::string_view name) {
  return status.reason() == Reason::kNotFound && status.details().name == name;
}

bool IsLaterVersion(std::string_view version, std::string_view than) {
  std::uint64_t one = 0;
  std::uint64_t other = 0;
  if (!ParseVersion(version, &one) || !ParseVersion(than, &other)) return true;
  return one > other;
}

Result<Json> ClusterCalls::Get(const std::string& path) {
  return Call({.target = path, .timeout = kTimeout});
}

Result<Json> ClusterCalls::Create(const std::string& path, const Json& object) {
  return Call(
      {.method = "POST", .target = AsOurs(path), .body = EncodeJson(object), .timeout = kTimeout});
}

Result<Json> ClusterCalls::Patch(const std::string& path, const Json& patch) {
  return Call({.method = "PATCH",
               .target = AsOurs(path),
               .body = EncodeJson(patch),
               .content_type = "application/merge-patch+json",
               .timeout = kTimeout});
}

Result<Json> ClusterCalls::Call(const kube::ApiRequest& request) {
  ASYNCOPS_RETURN_IF_ERROR(Enter());
  Result<Json> answer = client_.Call(request);
  Leave(answer.status());
  return answer;
}

Status ClusterCalls::Enter() {
  const MutexLock lock(mutex_);
  if (away_.ok()) return Status::Ok();
  if (trying_ || clock_.SteadyNow() < next_) return away_;
  trying_ = true;
  return Status::Ok();
}

void ClusterCalls::Leave(const Status& status) {
  bool went = false;
  bool came = false;
  {
    const MutexLock lock(mutex_);
    const bool was_away = !away_.ok();
    if (IsAway(status)) {
      // One that is slow may be slow for its own sake, such as an admission webhook.
      const bool slow = status.reason() != Reason::kServiceUnavailable;
      if (slow && !was_away && ++timeouts_ < kTimeoutsOfAway) return;
      // Of calls that were under way together the first says it.
      if (was_away && !trying_) return;
      const auto pause = kFirstPause * (1 << std::min(failures_++, kMostDoublings));
      const std::chrono::seconds asked(std::min(status.details().retry_after_seconds, 30));
      next_ = clock_.SteadyNow() + std::max(pause, asked);
      away_ = {Reason::kServiceUnavailable, "kube-apiserver is away: " + status.message()};
    } else {
      away_ = Status::Ok();
      failures_ = 0;
      timeouts_ = 0;
    }
    trying_ = false;
    went = !was_away && !away_.ok();
    came = was_away && away_.ok();
  }
  if (went) {
    Log(LogLevel::kWarning, "kube-apiserver is away", {{"error", status.ToString()}});
  } else if (came) {
    Log(LogLevel::kInfo, "kube-apiserver is back");
  }
}

}  // namespace asyncops::reconciler
