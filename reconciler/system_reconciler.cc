#include "reconciler/system_reconciler.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "api/schema/binding.h"
#include "api/scheme.h"
#include "reconciler/annotations.h"
#include "reconciler/credentials.h"
#include "reconciler/events.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/system_status.h"
#include "reconciler/system_users.h"

namespace asyncops::reconciler {
namespace {

// Calls come and go all the time: inFlight is a sample.
constexpr Duration kSampleEvery = std::chrono::seconds(10);
// Nobody tells when the last user of a system goes.
constexpr Duration kLookForUsers = std::chrono::seconds(2);
// More often than a client forgets a Secret that nobody asks for (cluster_secrets.h).
constexpr Duration kKnowSecrets = std::chrono::hours(1);

void AddInUse(std::vector<std::string>* finalizers) {
  if (std::find(finalizers->begin(), finalizers->end(), kSystemFinalizer) == finalizers->end())
    finalizers->emplace_back(kSystemFinalizer);
}

void DropInUse(std::vector<std::string>* finalizers) { std::erase(*finalizers, kSystemFinalizer); }

bool IsHeld(const ExternalSystem& system) {
  const std::vector<std::string>& finalizers = system.metadata.finalizers;
  return std::find(finalizers.begin(), finalizers.end(), kSystemFinalizer) != finalizers.end();
}

core::ObjectReference ReferenceTo(const ExternalSystem& system) {
  core::ObjectReference reference;
  if (const ResourceInfo* info = FindResource(kAsyncopsGroup, "externalsystems"))
    reference.api_version = info->GroupVersion();
  reference.kind = "ExternalSystem";
  reference.namespace_name = system.metadata.namespace_name;
  reference.name = system.metadata.name;
  reference.uid = system.metadata.uid;
  return reference;
}

}  // namespace

Status SystemReconciler::Tell(const ExternalSystem& system, const ExternalSystemStatus& status) {
  const std::vector<EventDraft> events = SystemEvents(system.status, status);
  if (events.empty()) return Status::Ok();
  const auto messages = std::make_shared<std::vector<storage::OutboxMessage>>();
  for (const EventDraft& event : events) {
    // It is deleted once, and other reasons come again.
    const std::string sequence =
        event.reason == kInUse ? "deletion" : "at-" + system.metadata.resource_version;
    storage::OutboxMessage message =
        MakeEventMessage(ReferenceTo(system), event, sequence, parts_.clock.Now());
    if (!told_.Has(message.dedup_name)) messages->push_back(std::move(message));
  }
  if (messages->empty()) return Status::Ok();
  const std::int64_t epoch = epoch_;
  const Status sent =
      storage::WriteAndWait(parts_.store, [messages, epoch](storage::Transaction& transaction) {
        ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(transaction, epoch));
        for (const storage::OutboxMessage& message : *messages)
          ASYNCOPS_RETURN_IF_ERROR(transaction.mailbox().Send(message));
        return Status::Ok();
      });
  if (!sent.ok()) return sent;
  for (const storage::OutboxMessage& message : *messages) told_.Add(message.dedup_name);
  return Status::Ok();
}

Result<std::optional<std::string>> SystemReconciler::Hold(const ExternalSystem& system,
                                                          const Status& check) {
  const ObjectName name{.namespace_name = system.metadata.namespace_name,
                        .name = system.metadata.name};
  const std::string& uid = system.metadata.uid;
  const bool held = IsHeld(system);
  if (!system.metadata.deletion_timestamp) {
    if (held) return std::optional<std::string>("");
    const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite, "HoldSystem");
    ASYNCOPS_RETURN_IF_ERROR(parts_.resources.UpdateSystemFinalizers(name, uid, AddInUse));
    // What is told from here on is told of the object as it is now.
    return Status(Reason::kConflict, "it has another version now");
  }
  // Others hold it, or it would be gone: our part of its deletion is over.
  if (!held) return std::optional<std::string>();
  const Result<SystemUsers> users = FindSystemUsers(name, parts_.store, parts_.resources);
  if (!users.ok()) return users.status();
  if (!users->empty()) return std::optional<std::string>(ExplainUsers(name, *users, check));
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite, "LetSystemGo");
  ASYNCOPS_RETURN_IF_ERROR(parts_.resources.UpdateSystemFinalizers(name, uid, DropInUse));
  return std::optional<std::string>();
}

Result<std::optional<Time>> SystemReconciler::Reconcile(const ObjectName& name) {
  // The status goes through the resources' own API, which may know of no owner.
  ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(parts_.store, epoch_));
  const Result<SharedSystem> read = parts_.resources.GetSystem(name);
  if (!read.ok()) {
    if (read.status().reason() != Reason::kNotFound) return read.status();
    use_.NoteSecrets(name, {});
    if (use_.TakeChange(name, "")) changed_(name);
    return std::optional<Time>();
  }
  const ExternalSystem& system = **read;
  use_.NoteSecrets(name, SecretsOf(system.spec));
  if (use_.TakeChange(name, VersionOf(system))) changed_(name);
  const Result<Credentials> credentials = ReadCredentials(system, {}, true, parts_.resources);
  const Status check = credentials.ok() ? Status::Ok() : credentials.status();
  const Result<std::optional<std::string>> waits = Hold(system, check);
  // It went, or changed, meanwhile.
  if (waits.status().reason() == Reason::kNotFound) return std::optional<Time>();
  if (waits.status().reason() == Reason::kConflict) return std::optional<Time>(Time::min());
  if (!waits.ok()) return waits.status();
  if (!*waits) return std::optional<Time>();
  if (!check.ok() && check.reason() != Reason::kNotFound && check.reason() != Reason::kInvalid)
    return check;
  const GateState gate = parts_.external.gate().StateOf(GateNameOf(system));
  const Time now = parts_.clock.Now();
  ExternalSystemStatus status = ProjectSystemStatus(system, gate, check, now);
  ShowInUse(system, **waits, now, &status);
  const bool busy = status.in_flight > 0 || gate.in_flight > 0;
  std::optional<Time> again;
  if (!SecretsOf(system.spec).empty()) again = now + kKnowSecrets;
  if (busy) again = now + kSampleEvery;
  if (!(*waits)->empty()) again = now + kLookForUsers;
  if (status == system.status) return again;
  // First the Event: delivered twice it is one, lost it would be none.
  ASYNCOPS_RETURN_IF_ERROR(Tell(system, status));
  const Status written = parts_.resources.UpdateSystemStatus(
      name, [&status](ExternalSystemStatus* present) { *present = status; });
  if (!written.ok() && written.reason() != Reason::kNotFound) return written;
  return again;
}

}  // namespace asyncops::reconciler
