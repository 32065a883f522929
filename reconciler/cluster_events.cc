#include "reconciler/cluster_events.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/log.h"
#include "reconciler/cluster_calls.h"
#include "reconciler/operation_object.h"

namespace asyncops::reconciler {
namespace {

constexpr std::chrono::milliseconds kTimeout{2000};

bool IsTerminating(const Status& status) {
  const std::vector<StatusCause>& causes = status.details().causes;
  return std::any_of(causes.begin(), causes.end(), [](const StatusCause& cause) {
    return cause.reason == "NamespaceTerminating";
  });
}

bool IsForGood(const Status& status) {
  switch (status.reason()) {
    case Reason::kNotFound:
    case Reason::kInvalid:
    case Reason::kBadRequest:
    case Reason::kRequestEntityTooLarge: return true;
    case Reason::kForbidden: return IsTerminating(status);
    default: return false;
  }
}

class ClusterEventSink final : public EventSink {
 public:
  explicit ClusterEventSink(kube::ApiClient& client) : client_(client) {}

  Result<bool> Deliver(const Json& event) override {
    const std::string in(event.StringAt({"metadata", "namespace"}));
    if (!IsObjectName(in)) return false;
    Json sent = event;
    // The server's to set.
    sent.ObjectAt("metadata").Erase("uid");
    sent.ObjectAt("metadata").Erase("creationTimestamp");
    const std::string path =
        ClusterPath("", "events", in, "") + "?fieldManager=" + std::string(kReconcilerManager);
    const Status made =
        client_
            .Call({.method = "POST", .target = path, .body = EncodeJson(sent), .timeout = kTimeout})
            .status();
    if (made.ok() || made.reason() == Reason::kAlreadyExists) return true;
    if (IsForGood(made)) {
      Log(LogLevel::kDebug, "dropped an event",
          {{"namespace", in},
           {"name", event.StringAt({"metadata", "name"})},
           {"error", made.ToString()}});
      return false;
    }
    if (made.reason() != Reason::kForbidden) return made;
    return made.WithContext("asyncops needs the verb \"create\" on events (RBAC)");
  }

 private:
  kube::ApiClient& client_;
};

}  // namespace

std::unique_ptr<EventSink> MakeClusterEventSink(kube::ApiClient& client) {
  return std::make_unique<ClusterEventSink>(client);
}

}  // namespace asyncops::reconciler
