#include "reconciler/events.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/schema/binding.h"
#include "api/scheme.h"
#include "base/crypto.h"
#include "base/encoding.h"
#include "base/json.h"
#include "base/log.h"
#include "reconciler/operation_object.h"
#include "storage/object_version.h"

namespace asyncops::reconciler {
namespace {

constexpr std::string_view kEventKind = "event";
constexpr int kDeliverBatch = 100;
// The hash in an event's name: 64 bits, as kubelet's.
constexpr std::size_t kNameHashBytes = 8;
// DNS-1123 subdomains end at 253.
constexpr std::size_t kMaxNameBase = 253 - 1 - 2 * kNameHashBytes;

std::string EventName(const core::ObjectReference& object, const std::string& reason,
                      std::string_view sequence) {
  const std::string identity = object.uid + "/" + reason + "/" + std::string(sequence);
  return object.name.substr(0, kMaxNameBase) + "." +
         HexEncode(Sha256(identity).substr(0, kNameHashBytes));
}

struct Delivery {
  std::int64_t id = 0;
  storage::ObjectKey key;
  storage::ObjectVersion version;
  Json event;
};

// What happened, for whoever reads the log alone.
void LogEvent(const Json& event) {
  const bool warning = event.StringAt({"type"}) == "Warning";
  Log(warning ? LogLevel::kWarning : LogLevel::kInfo, "event",
      {{"reason", event.StringAt({"reason"})},
       {"kind", event.StringAt({"involvedObject", "kind"})},
       {"namespace", event.StringAt({"involvedObject", "namespace"})},
       {"name", event.StringAt({"involvedObject", "name"})},
       {"message", event.StringAt({"message"})}});
}

// Nothing where the message is no event that can be stored: it is dropped, or it would block all
// that follow.
Result<Delivery> Prepare(const ResourceInfo& resource, const storage::OutboxMessage& message) {
  Result<Json> object = ParseJson(message.payload);
  if (!object.ok()) return object.status();
  Delivery delivery{.id = message.id, .key = {}, .version = {}, .event = {}};
  delivery.key = storage::KeyOf(resource, object->StringAt({"metadata", "namespace"}),
                                object->StringAt({"metadata", "name"}));
  TrackOwnWrite(resource, message.created_at, nullptr, &*object);
  delivery.version = storage::MakeObjectVersion(resource, *object);
  delivery.event = std::move(*object);
  return delivery;
}

Status Store(storage::Transaction& transaction, const Delivery& delivery) {
  const Result<storage::Revision> created = transaction.Create(delivery.key, delivery.version);
  if (!created.ok() && created.status().reason() != Reason::kAlreadyExists) return created.status();
  return transaction.mailbox().Delivered(delivery.id);
}

}  // namespace

storage::OutboxMessage MakeEventMessage(const core::ObjectReference& object,
                                        const EventDraft& draft, std::string_view sequence,
                                        Time now) {
  core::Event event;
  event.metadata.name = EventName(object, draft.reason, sequence);
  event.metadata.namespace_name = object.namespace_name;
  // A uid of the event's own would differ from one delivery to the next.
  const std::string digest = HexEncode(Sha256(event.metadata.name + "/" + object.uid));
  event.metadata.uid = digest.substr(0, 8) + "-" + digest.substr(8, 4) + "-8" +
                       digest.substr(13, 3) + "-8" + digest.substr(17, 3) + "-" +
                       digest.substr(20, 12);
  event.metadata.creation_timestamp = now;
  event.involved_object = object;
  event.reason = draft.reason;
  event.message = BoundMessage(draft.message);
  event.type = draft.warning ? "Warning" : "Normal";
  event.count = 1;
  event.first_timestamp = now;
  event.last_timestamp = now;
  event.source.component = "asyncops";
  event.reporting_component = "asyncops";
  return {.id = 0,
          .kind = std::string(kEventKind),
          .dedup_name = event.metadata.namespace_name + "/" + event.metadata.name,
          .payload = EncodeJson(core::Event::Binding().Encode(event)),
          .created_at = now};
}

Result<int> DeliverEvents(storage::Store& store, FaultPoints& faults) {
  const ResourceInfo* resource = FindResource("", "events");
  if (resource == nullptr) return InternalError("no resource of events");
  Result<std::vector<storage::OutboxMessage>> messages = store.engine().Outbox(kDeliverBatch);
  if (!messages.ok()) return messages.status();
  // Shared with the writer's thread, which may run after a failed wait.
  auto deliveries = std::make_shared<std::vector<Delivery>>();
  auto dropped = std::make_shared<std::vector<std::int64_t>>();
  for (const storage::OutboxMessage& message : *messages) {
    if (message.kind != kEventKind) continue;
    Result<Delivery> delivery = Prepare(*resource, message);
    if (delivery.ok()) {
      deliveries->push_back(std::move(*delivery));
    } else {
      Log(LogLevel::kError, "dropped a damaged event", {{"error", delivery.status().message()}});
      dropped->push_back(message.id);
    }
  }
  if (deliveries->empty() && dropped->empty()) return 0;
  const FaultScope scope(faults, FaultPoint::Kind::kWrite, "Events");
  const Status written = storage::WriteAndWait(
      store, [deliveries, dropped](storage::Transaction& transaction) -> Status {
        for (const Delivery& delivery : *deliveries)
          ASYNCOPS_RETURN_IF_ERROR(Store(transaction, delivery));
        for (const std::int64_t id : *dropped)
          ASYNCOPS_RETURN_IF_ERROR(transaction.mailbox().Delivered(id));
        return Status::Ok();
      });
  if (!written.ok()) return written;
  for (const Delivery& delivery : *deliveries) LogEvent(delivery.event);
  return static_cast<int>(deliveries->size() + dropped->size());
}

EventRound DeliverEventsTo(EventSink& sink, storage::Store& store, FaultPoints& faults, int limit) {
  EventRound round;
  const Result<std::vector<storage::OutboxMessage>> messages = store.engine().Outbox(limit);
  if (!messages.ok()) return {.done = 0, .failed = messages.status()};
  // Shared with the writer's thread, which may run after a failed wait.
  auto done = std::make_shared<std::vector<std::int64_t>>();
  for (const storage::OutboxMessage& message : *messages) {
    if (message.kind != kEventKind) continue;
    const Result<Json> event = ParseJson(message.payload);
    Result<bool> delivered = false;
    if (event.ok()) {
      delivered = sink.Deliver(*event);
    } else {
      Log(LogLevel::kError, "dropped a damaged event", {{"error", event.status().message()}});
    }
    round.failed = delivered.status();
    if (!delivered.ok()) break;
    if (*delivered) LogEvent(*event);
    done->push_back(message.id);
  }
  if (done->empty()) return round;
  const FaultScope scope(faults, FaultPoint::Kind::kWrite, "Events");
  const Status written =
      storage::WriteAndWait(store, [done](storage::Transaction& transaction) -> Status {
        for (const std::int64_t id : *done)
          ASYNCOPS_RETURN_IF_ERROR(transaction.mailbox().Delivered(id));
        return Status::Ok();
      });
  if (!written.ok()) return {.done = 0, .failed = written};
  round.done = static_cast<int>(done->size());
  return round;
}

}  // namespace asyncops::reconciler
