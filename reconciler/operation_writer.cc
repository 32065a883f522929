#include "reconciler/operation_writer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/schema/binding.h"
#include "base/rfc3339.h"
#include "reconciler/annotations.h"
#include "reconciler/callback_steps.h"
#include "reconciler/events.h"
#include "reconciler/operation_object.h"
#include "reconciler/operation_states.h"
#include "reconciler/operation_status.h"
#include "reconciler/owner_epoch.h"
#include "storage/object_version.h"

namespace asyncops::reconciler {
namespace {

ObjectName NameOf(const AsyncOperation& operation) {
  return {.namespace_name = operation.metadata.namespace_name, .name = operation.metadata.name};
}

// The rows of one step; shared with the writer's thread.
struct Rows {
  storage::OperationRow row;
  std::string expected_state;
  std::optional<storage::Attempt> attempt;
  std::vector<storage::OutboxMessage> messages;
  std::string callback_source;  // of its system
  bool hinted = false;          // callbacks that came early ask for a poll
  Time now{};
};

Status WriteMessages(const std::vector<storage::OutboxMessage>& messages,
                     storage::Transaction& transaction) {
  for (const storage::OutboxMessage& message : messages)
    ASYNCOPS_RETURN_IF_ERROR(transaction.mailbox().Send(message));
  return Status::Ok();
}

// Callbacks that came before it was known that they are for this operation.
Status MatchCallbacks(Rows& rows, storage::Transaction& transaction) {
  const std::string& before = rows.expected_state;
  const bool learnt =
      before == state::kIntent || before == state::kRecovering || before == state::kOutcomeUnknown;
  const storage::OperationRow& row = rows.row;
  if (!learnt || row.operation_id.empty() || state::IsFinal(row.state)) return Status::Ok();
  const Result<int> matched =
      transaction.mailbox().Match(rows.callback_source, row.operation_id, row.uid, row.submission);
  if (!matched.ok()) return matched.status();
  if (*matched == 0) return Status::Ok();
  rows.hinted = true;
  return transaction.operations().Hint(row.uid, row.submission, rows.now);
}

Status WriteRows(Rows& rows, storage::Transaction& transaction) {
  storage::OperationRows& table = transaction.operations();
  ASYNCOPS_RETURN_IF_ERROR(rows.expected_state.empty()
                               ? table.Insert(rows.row)
                               : table.Update(rows.row, rows.expected_state));
  if (rows.attempt) ASYNCOPS_RETURN_IF_ERROR(table.AppendAttempt(*rows.attempt));
  ASYNCOPS_RETURN_IF_ERROR(MatchCallbacks(rows, transaction));
  return WriteMessages(rows.messages, transaction);
}

std::vector<storage::OutboxMessage> MessagesFor(const AsyncOperation& operation,
                                                const EventDraft& draft,
                                                const std::string& sequence, Time now) {
  std::vector<storage::OutboxMessage> messages;
  for (const core::ObjectReference& subject : EventSubjects(operation)) {
    EventDraft told = draft;
    // The resource hears of several operations.
    if (subject.uid != operation.metadata.uid)
      told.message = operation.metadata.name + ": " + told.message;
    messages.push_back(
        MakeEventMessage(subject, told, operation.metadata.uid + "/" + sequence, now));
  }
  return messages;
}

template <class T>
void Append(std::vector<T> from, std::vector<T>* to) {
  for (T& item : from) to->push_back(std::move(item));
}

// Asks for the deletion, if nobody has.
void MarkDeleted(Time now, Json* object) {
  if (object->FindPath({"metadata", "deletionTimestamp"}) != nullptr) return;
  JsonObject& metadata = object->ObjectAt("metadata");
  metadata.Set("deletionTimestamp", Json(FormatTime(now)));
  metadata.Set("deletionGracePeriodSeconds", Json(0));
}

// Who asked for what is written into the annotations with it.
void SetRequester(std::string_view user, Json* object) {
  if (user.empty()) return DropAnnotation(kRequestedBy, object);
  SetAnnotation(kRequestedBy, user, object);
}

// The deletion of an object at the revision at which it was read.
struct Removal {
  storage::ObjectKey key;
  storage::Revision revision = 0;
  std::string uid;
  storage::ObjectVersion version;
  std::vector<storage::OutboxMessage> messages;
};

Status WriteRemoval(const Removal& removal, storage::Transaction& transaction) {
  const Result<storage::Revision> written =
      transaction.Delete(removal.key, removal.revision, removal.version.encoded);
  if (!written.ok()) return written.status();
  ASYNCOPS_RETURN_IF_ERROR(WriteMessages(removal.messages, transaction));
  return transaction.operations().Purge(removal.uid);
}

}  // namespace

Result<StoredOperation> LoadOperation(const storage::Store& store, const ObjectName& name) {
  const Result<storage::Record> record = store.Get(OperationKey(name));
  if (!record.ok()) return record.status();
  Result<Json> object = ParseJson(record->json);
  if (!object.ok()) return object.status();
  StoredOperation stored;
  ASYNCOPS_RETURN_IF_ERROR(AsyncOperation::Binding().Decode(*object, &stored.operation));
  stored.object = {.revision = record->revision, .object = *std::move(object)};
  Result<storage::OperationRow> row = store.engine().LatestOperation(stored.operation.metadata.uid);
  if (!row.ok()) {
    if (row.status().reason() == Reason::kNotFound) return stored;
    return row.status();
  }
  Result<OperationMemo> memo = DecodeMemo(row->memo);
  if (!memo.ok()) return memo.status();
  row->memo.clear();
  stored.state = OperationState{.row = std::move(*row), .memo = std::move(*memo)};
  return stored;
}

Result<OperationState> OperationWriter::Commit(const AsyncOperation& operation,
                                               Transition transition) {
  AsyncOperationStatus shown;
  return CommitOn(operation, std::move(transition), nullptr, &shown);
}

Result<OperationState> OperationWriter::Commit(StoredOperation* stored, Transition transition) {
  const std::string dropped = transition.drop_annotation;
  AsyncOperationStatus shown;
  Result<OperationState> written =
      CommitOn(stored->operation, std::move(transition), &stored->object, &shown);
  if (!written.ok() || stored->object.revision == 0) return written;
  stored->operation.status = std::move(shown);
  ObjectMeta& meta = stored->operation.metadata;
  meta.resource_version = std::to_string(stored->object.revision);
  if (!dropped.empty()) meta.annotations.erase(dropped);
  if (std::ranges::find(meta.finalizers, kOperationFinalizer) == meta.finalizers.end())
    meta.finalizers.emplace_back(kOperationFinalizer);
  return written;
}

Result<OperationState> OperationWriter::CommitOn(const AsyncOperation& operation,
                                                 Transition transition, KnownObject* known,
                                                 AsyncOperationStatus* shown) {
  const Time now = clock_.Now();
  OperationState& next = transition.next;
  const auto rows = std::make_shared<Rows>();
  for (const EventDraft& draft : transition.events) {
    ++next.memo.events;
    Append(MessagesFor(operation, draft, std::to_string(next.memo.events), now), &rows->messages);
  }
  rows->row = next.row;
  rows->row.memo = EncodeMemo(next.memo);
  rows->expected_state = transition.expected_state;
  rows->attempt = transition.attempt;
  rows->now = now;
  if (const auto& system = operation.spec.external_system_ref)
    rows->callback_source = SystemSource(operation.metadata.namespace_name, system->name);
  const auto edit = [&transition, now, shown](const AsyncOperation& newest, Json* object) {
    *shown = ProjectStatus(newest, &transition.next, std::nullopt, now);
    SetStatus(*shown, object);
    AddFinalizer(kOperationFinalizer, object);
    if (!transition.drop_annotation.empty()) DropAnnotation(transition.drop_annotation, object);
  };
  ASYNCOPS_RETURN_IF_ERROR(
      EditOperation(store_, now, NameOf(operation), operation.metadata.uid, edit,
                    Fence([rows](storage::Transaction& tx) { return WriteRows(*rows, tx); }), true,
                    known, &operation));
  // The row is not what the step made of it.
  if (known != nullptr && rows->hinted) *known = KnownObject();
  return std::move(next);
}

Status OperationWriter::Show(const AsyncOperation& operation, const OperationState* state,
                             const std::optional<Blocked>& blocked,
                             const std::vector<EventDraft>& events) {
  const Time now = clock_.Now();
  const auto rows = std::make_shared<Rows>();
  for (const EventDraft& draft : events) {
    Append(MessagesFor(operation, draft, "at-" + operation.metadata.resource_version, now),
           &rows->messages);
  }
  const auto edit = [state, &blocked, now](const AsyncOperation& newest, Json* object) {
    SetStatus(ProjectStatus(newest, state, blocked, now), object);
  };
  return EditOperation(
      store_, now, NameOf(operation), operation.metadata.uid, edit,
      Fence([rows](storage::Transaction& tx) { return WriteMessages(rows->messages, tx); }), false);
}

Status OperationWriter::RefuseAnnotation(const AsyncOperation& operation,
                                         std::string_view annotation, const EventDraft& event) {
  const auto rows = std::make_shared<Rows>();
  rows->messages =
      MessagesFor(operation, event, "at-" + operation.metadata.resource_version, clock_.Now());
  const auto edit = [annotation](const AsyncOperation& /*newest*/, Json* object) {
    DropAnnotation(annotation, object);
  };
  return EditOperation(
      store_, clock_.Now(), NameOf(operation), operation.metadata.uid, edit,
      Fence([rows](storage::Transaction& tx) { return WriteMessages(rows->messages, tx); }), false);
}

storage::WriteFunction OperationWriter::Fence(storage::WriteFunction write) const {
  return [write = std::move(write), epoch = epoch_](storage::Transaction& tx) -> Status {
    ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(tx, epoch));
    return write ? write(tx) : Status::Ok();
  };
}

Status OperationWriter::Remove(const AsyncOperation& operation,
                               const std::vector<EventDraft>& events) {
  const auto removal = std::make_shared<Removal>();
  removal->key = OperationKey(NameOf(operation));
  const Result<storage::Record> record = store_.Get(removal->key);
  if (!record.ok()) return record.status();
  if (record->uid != operation.metadata.uid)
    return NotFound(kOperationsGroup, kAsyncOperations, operation.metadata.name);
  Result<Json> object = ParseJson(record->json);
  if (!object.ok()) return object.status();
  RemoveFinalizer(kOperationFinalizer, &*object);
  MarkDeleted(clock_.Now(), &*object);
  if (HasFinalizers(*object)) return RequestDeletion(operation);
  removal->revision = record->revision;
  removal->uid = record->uid;
  removal->version = storage::MakeObjectVersion(OperationResource(), *object);
  for (const EventDraft& draft : events)
    Append(MessagesFor(operation, draft, "remove", clock_.Now()), &removal->messages);
  return storage::WriteAndWait(
      store_, Fence([removal](storage::Transaction& tx) { return WriteRemoval(*removal, tx); }));
}

Result<bool> OperationWriter::Create(const AsyncOperation& operation,
                                     const std::vector<EventDraft>& events) {
  Json object = AsyncOperation::Binding().Encode(operation);
  TrackOwnWrite(OperationResource(), clock_.Now(), nullptr, &object);
  const auto version = std::make_shared<storage::ObjectVersion>(
      storage::MakeObjectVersion(OperationResource(), object));
  const auto rows = std::make_shared<Rows>();
  for (const EventDraft& draft : events)
    Append(MessagesFor(operation, draft, "create", clock_.Now()), &rows->messages);
  const storage::ObjectKey key = OperationKey(NameOf(operation));
  const Status written = storage::WriteAndWait(
      store_, Fence([version, rows, key](storage::Transaction& tx) -> Status {
        const Result<storage::Revision> created = tx.Create(key, *version);
        return created.ok() ? WriteMessages(rows->messages, tx) : created.status();
      }));
  if (written.ok()) return true;
  if (written.reason() == Reason::kAlreadyExists) return false;
  return written;
}

Status OperationWriter::Annotate(const ObjectName& name, std::string_view annotation,
                                 std::string_view value, std::string_view user) {
  const Result<storage::Record> record = store_.Get(OperationKey(name));
  if (!record.ok()) return record.status();
  const auto edit = [annotation, value, user](const AsyncOperation& newest, Json* object) {
    if (AnnotationOf(newest.metadata, annotation) == value) return;
    SetAnnotation(annotation, value, object);
    SetRequester(user, object);
  };
  return EditOperation(store_, clock_.Now(), name, record->uid, edit, Fence(), false);
}

Status OperationWriter::DropFinalizer(const AsyncOperation& operation, std::string_view finalizer) {
  const auto edit = [finalizer](const AsyncOperation& /*newest*/, Json* object) {
    RemoveFinalizer(finalizer, object);
  };
  return EditOperation(store_, clock_.Now(), NameOf(operation), operation.metadata.uid, edit,
                       Fence(), false);
}

Status OperationWriter::Suspend(const AsyncOperation& operation, bool suspend,
                                std::string_view user) {
  const auto edit = [suspend, user](const AsyncOperation& newest, Json* object) {
    if (newest.spec.suspend == suspend) return;
    SetRequester(user, object);
    object->ObjectAt("spec").Set("suspend", suspend);
    object->ObjectAt("metadata").Set("generation", newest.metadata.generation + 1);
  };
  return EditOperation(store_, clock_.Now(), NameOf(operation), operation.metadata.uid, edit,
                       Fence(), false);
}

Status OperationWriter::RequestDeletion(const AsyncOperation& operation) {
  const Time now = clock_.Now();
  const auto edit = [now](const AsyncOperation& /*newest*/, Json* object) {
    MarkDeleted(now, object);
  };
  return EditOperation(store_, clock_.Now(), NameOf(operation), operation.metadata.uid, edit,
                       Fence(), false);
}

}  // namespace asyncops::reconciler
