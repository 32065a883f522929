#include "reconciler/rejected_callbacks.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/rfc3339.h"
#include "reconciler/events.h"

namespace asyncops::reconciler {
namespace {

constexpr std::chrono::minutes kSilence{1};

std::string MessageOf(std::int64_t count, std::string_view why) {
  std::string message = count == 1 ? std::string("a callback was refused")
                                   : std::to_string(count) + " callbacks were refused";
  return message.append("; the last one: ").append(why);
}

core::ObjectReference Subject(const ExternalSystem& system) {
  return {.api_version = std::string(kAsyncopsGroup) + "/" + std::string(kVersion),
          .kind = "ExternalSystem",
          .namespace_name = system.metadata.namespace_name,
          .name = system.metadata.name,
          .uid = system.metadata.uid,
          .resource_version = "",
          .field_path = ""};
}

}  // namespace

void RejectedCallbacks::Add(const ExternalSystem& system, std::string_view why) {
  const ObjectName name{.namespace_name = system.metadata.namespace_name,
                        .name = system.metadata.name};
  const SteadyTime now = clock_.SteadyNow();
  std::int64_t count = 0;
  {
    const MutexLock lock(mutex_);
    if (systems_.size() >= kMaxSystems)
      std::erase_if(systems_, [now](const auto& item) { return item.second.until <= now; });
    if (systems_.size() >= kMaxSystems && !systems_.contains(name)) return;
    Silence& silence = systems_[name];
    count = ++silence.untold;
    if (silence.until > now) return;
    silence = {.until = now + kSilence, .untold = 0};
  }
  const Time time = clock_.Now();
  storage::OutboxMessage message = MakeEventMessage(
      Subject(system),
      {.warning = true, .reason = "CallbackRejected", .message = MessageOf(count, why)},
      FormatTime(time), time);
  store_.Write([message = std::move(message)](
                   storage::Transaction& tx) { return tx.mailbox().Send(message); },
               [](const Status& written) {
                 if (!written.ok())
                   Log(LogLevel::kWarning, "an Event was lost", {{"error", written.ToString()}});
               });
}

}  // namespace asyncops::reconciler
