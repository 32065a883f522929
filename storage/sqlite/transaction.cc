#include "storage/sqlite/transaction.h"

#include <string>
#include <utility>

namespace asyncops::storage {
namespace {

std::string Describe(const ObjectKey& key) {
  std::string text = key.resource + " \"";
  if (!key.namespace_name.empty()) text += key.namespace_name + "/";
  return text + key.name + "\"";
}

std::string WithRevision(const std::string& text, std::size_t at, Revision revision) {
  const std::string digits = std::to_string(revision);
  std::string out;
  out.reserve(text.size() + digits.size());
  out.append(text, 0, at).append(digits).append(text, at);
  return out;
}

std::shared_ptr<Change> NewChange(ChangeType type, const ObjectKey& key) {
  auto change = std::make_shared<Change>();
  change->type = type;
  change->record.key = key;
  return change;
}

void SetState(const ObjectVersion& version, Revision revision, Record* record) {
  record->uid = version.uid;
  record->json = WithRevision(version.encoded.json, version.encoded.revision_at, revision);
  if (!version.summary.text.empty())
    record->summary = WithRevision(version.summary.text, version.summary.revision_at, revision);
  record->labels = version.labels;
  record->fields = version.fields;
}

}  // namespace

SqliteTransaction::SqliteTransaction(Database& database, Resources& resources, Revision revision)
    : database_(database),
      resources_(resources),
      objects_(database, resources),
      operations_(database),
      mailbox_(database),
      begin_(database, "BEGIN IMMEDIATE"),
      commit_(database, "COMMIT"),
      rollback_(database, "ROLLBACK"),
      savepoint_(database, "SAVEPOINT f"),
      release_(database, "RELEASE f"),
      undo_(database, "ROLLBACK TO f"),
      revision_(revision) {}

Status SqliteTransaction::Begin() {
  broken_ = Status::Ok();
  changes_.clear();
  database_.ClearFault();
  return Check(Cursor(begin_).Run());
}

Status SqliteTransaction::Run(const WriteFunction& write) {
  if (!broken_.ok()) return broken_;
  staged_.reset();
  in_savepoint_ = false;
  changes_before_ = changes_.size();
  resources_before_ = resources_.added();
  return EndFunction(write(*this));
}

Status SqliteTransaction::EndFunction(Status status) {
  // Failures of operations() and mailbox() are seen here only.
  status = Check(std::move(status));
  if (!broken_.ok()) return broken_;
  if (status.ok() && staged_) {
    if (const Status applied = Apply(*std::exchange(staged_, std::nullopt)); !applied.ok())
      return applied;
  }
  if (status.ok()) {
    if (in_savepoint_) ASYNCOPS_RETURN_IF_ERROR(Check(Cursor(release_).Run()));
    return status;
  }
  if (in_savepoint_) {
    ASYNCOPS_RETURN_IF_ERROR(Check(Cursor(undo_).Run()));
    ASYNCOPS_RETURN_IF_ERROR(Check(Cursor(release_).Run()));
  }
  changes_.resize(changes_before_);
  resources_.Forget(resources_before_);
  return status;
}

Status SqliteTransaction::Commit() {
  const Status committed = broken_.ok() ? Check(Cursor(commit_).Run()) : broken_;
  if (!committed.ok()) {
    Rollback();
    return committed;
  }
  resources_.Publish();
  return Status::Ok();
}

void SqliteTransaction::Rollback() {
  if (database_.in_transaction()) {
    // Where even this fails the connection stays in its transaction and the next Begin is refused.
    if (const Status undone = Cursor(rollback_).Run(); broken_.ok()) broken_ = undone;
  }
  resources_.Forget(0);
  changes_.clear();
}

Status SqliteTransaction::Check(Status status) {
  // A function might not pass on that a statement failed; what it wrote must not be committed in
  // part.
  if (broken_.ok() && database_.fault() != Fault::kNone) broken_ = FaultStatus(database_.fault());
  return status;
}

Result<Record> SqliteTransaction::Get(const ObjectKey& key) {
  ASYNCOPS_RETURN_IF_ERROR(Settle());
  auto found = objects_.Find(key);
  ASYNCOPS_RETURN_IF_ERROR(Check(found.status()));
  if (!found->has_value()) return Status(Reason::kNotFound, Describe(key) + " not found");
  return std::move(**found);
}

Result<Record> SqliteTransaction::FindExpected(const ObjectKey& key, Revision expected) {
  ASYNCOPS_RETURN_IF_ERROR(Settle());
  auto found = objects_.FindReplaced(key);
  ASYNCOPS_RETURN_IF_ERROR(Check(found.status()));
  if (!found->has_value()) return Status(Reason::kNotFound, Describe(key) + " not found");
  if (expected != 0 && (*found)->revision != expected) {
    return Status(Reason::kConflict, Describe(key) + " is at revision " +
                                         std::to_string((*found)->revision) + ", not " +
                                         std::to_string(expected));
  }
  return std::move(**found);
}

Result<Revision> SqliteTransaction::Create(const ObjectKey& key, const ObjectVersion& version) {
  const Result<Record> existing = FindExpected(key, 0);
  if (existing.ok()) return Status(Reason::kAlreadyExists, Describe(key) + " already exists");
  if (existing.status().reason() != Reason::kNotFound) return existing.status();
  auto change = NewChange(ChangeType::kAdded, key);
  SetState(version, revision_ + 1, &change->record);
  return Stage(std::move(change), 0);
}

Result<Revision> SqliteTransaction::Update(const ObjectKey& key, Revision expected,
                                           const ObjectVersion& version) {
  Result<Record> present = FindExpected(key, expected);
  if (!present.ok()) return present.status();
  auto change = NewChange(ChangeType::kModified, key);
  SetState(version, revision_ + 1, &change->record);
  change->previous_labels = std::move(present->labels);
  change->previous_fields = std::move(present->fields);
  return Stage(std::move(change), present->revision);
}

Result<Revision> SqliteTransaction::Delete(const ObjectKey& key, Revision expected,
                                           const EncodedObject& last_state) {
  Result<Record> present = FindExpected(key, expected);
  if (!present.ok()) return present.status();
  auto change = NewChange(ChangeType::kDeleted, key);
  change->record.uid = present->uid;
  change->record.json = WithRevision(last_state.json, last_state.revision_at, revision_ + 1);
  change->record.labels = present->labels;
  change->record.fields = present->fields;
  change->previous_labels = std::move(present->labels);
  change->previous_fields = std::move(present->fields);
  return Stage(std::move(change), present->revision);
}

Result<Revision> SqliteTransaction::Stage(std::shared_ptr<Change> change, Revision previous) {
  const Revision revision = ++revision_;
  change->record.revision = revision;
  Staged staged{std::move(change), previous};
  if (in_savepoint_) {
    ASYNCOPS_RETURN_IF_ERROR(Apply(staged));
  } else {
    staged_ = std::move(staged);
  }
  return revision;
}

Status SqliteTransaction::Apply(const Staged& staged) {
  ASYNCOPS_RETURN_IF_ERROR(Check(objects_.Apply(*staged.change, staged.previous)));
  changes_.push_back(staged.change);
  return Status::Ok();
}

Status SqliteTransaction::Settle() { return staged_ ? EnterSavepoint() : broken_; }

Status SqliteTransaction::EnterSavepoint() {
  if (!broken_.ok()) return broken_;
  if (in_savepoint_) return Status::Ok();
  ASYNCOPS_RETURN_IF_ERROR(Check(Cursor(savepoint_).Run()));
  in_savepoint_ = true;
  return staged_ ? Apply(*std::exchange(staged_, std::nullopt)) : Status::Ok();
}

OperationRows& SqliteTransaction::operations() {
  // A failure is kept and fails the function at its end.
  broken_ = EnterSavepoint();
  return operations_;
}

Mailbox& SqliteTransaction::mailbox() {
  broken_ = EnterSavepoint();
  return mailbox_;
}

}  // namespace asyncops::storage
