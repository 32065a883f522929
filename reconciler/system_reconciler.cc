#include "reconciler/system_reconciler.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "api/schema/binding.h"
#include "api/scheme.h"
#include "reconciler/credentials.h"
#include "reconciler/events.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/system_status.h"

namespace asyncops::reconciler {
namespace {

// Calls come and go all the time: inFlight is a sample.
constexpr Duration kSampleEvery = std::chrono::seconds(10);

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
    storage::OutboxMessage message = MakeEventMessage(
        ReferenceTo(system), event, "at-" + system.metadata.resource_version, parts_.clock.Now());
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

Result<std::optional<Time>> SystemReconciler::Reconcile(const ObjectName& name) {
  // The status goes through the resources' own API, which may know of no owner.
  ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(parts_.store, epoch_));
  const Result<ExternalSystem> read = parts_.resources.GetSystem(name);
  if (!read.ok()) {
    if (read.status().reason() != Reason::kNotFound) return read.status();
    use_.NoteSecrets(name, {});
    if (use_.TakeChange(name, "")) changed_(name);
    return std::optional<Time>();
  }
  const ExternalSystem& system = *read;
  use_.NoteSecrets(name, SecretsOf(system.spec));
  if (use_.TakeChange(name, VersionOf(system))) changed_(name);
  const Result<Credentials> credentials = ReadCredentials(system, {}, true, parts_.resources);
  const Status check = credentials.ok() ? Status::Ok() : credentials.status();
  if (!check.ok() && check.reason() != Reason::kNotFound && check.reason() != Reason::kInvalid)
    return check;
  const GateState gate = parts_.external.gate().StateOf(GateNameOf(system));
  const ExternalSystemStatus status = ProjectSystemStatus(system, gate, check, parts_.clock.Now());
  const bool busy = status.in_flight > 0 || gate.in_flight > 0;
  const std::optional<Time> again =
      busy ? std::optional<Time>(parts_.clock.Now() + kSampleEvery) : std::nullopt;
  if (status == system.status) return again;
  // First the Event: delivered twice it is one, lost it would be none.
  ASYNCOPS_RETURN_IF_ERROR(Tell(system, status));
  const Status written = parts_.resources.UpdateSystemStatus(
      name, [&status](ExternalSystemStatus* present) { *present = status; });
  if (!written.ok() && written.reason() != Reason::kNotFound) return written;
  return again;
}

}  // namespace asyncops::reconciler
