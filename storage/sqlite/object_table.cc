#include "storage/sqlite/object_table.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "storage/sqlite/selector_index.h"

namespace asyncops::storage {
namespace {

// Runs a statement that returns one number.
Result<std::int64_t> RunForNumber(Cursor* cursor) {
  const Result<bool> row = cursor->Step();
  if (!row.ok()) return row.status();
  if (!*row) return FaultStatus(Fault::kDamaged);
  const std::int64_t number = cursor->Int(0);
  ASYNCOPS_RETURN_IF_ERROR(cursor->Run());
  return number;
}

}  // namespace

ObjectTable::ObjectTable(Database& database, Resources& resources)
    : database_(database),
      resources_(resources),
      find_(database,
            "SELECT v.rev, v.uid, v.json FROM current c JOIN versions v ON "
            "v.rev = c.rev WHERE c.resource = ? AND c.namespace = ? AND c.name = ?"),
      find_replaced_(database,
                     "SELECT v.rev, v.uid, v.labels, v.fields FROM current c JOIN versions v ON "
                     "v.rev = c.rev WHERE c.resource = ? AND c.namespace = ? AND c.name = ?"),
      append_(database,
              "INSERT INTO versions(rev, prev, deleted, resource, namespace, name, uid, labels, "
              "fields, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_object_(database, "INSERT INTO objects(namespace, name, summary) VALUES (?, ?, ?)"),
      update_object_(database, "UPDATE objects SET summary = ? WHERE id = ?"),
      delete_object_(database, "DELETE FROM objects WHERE id = ?"),
      insert_current_(database,
                      "INSERT INTO current(resource, namespace, name, rev, object) "
                      "VALUES (?, ?, ?, ?, ?)"),
      move_current_(database,
                    "UPDATE current SET rev = ? WHERE resource = ? AND namespace = ? AND name = ? "
                    "RETURNING object"),
      delete_current_(database,
                      "DELETE FROM current WHERE resource = ? AND namespace = ? AND name = ? "
                      "RETURNING object"),
      insert_past_(database,
                   "INSERT INTO past(resource, namespace, name, rev, rev_to) "
                   "VALUES (?, ?, ?, ?, ?)"),
      insert_entry_(database, "INSERT INTO selectable(entry) VALUES (?)"),
      delete_entry_(database, "DELETE FROM selectable WHERE entry = ?") {}

Result<std::optional<Record>> ObjectTable::Find(const ObjectKey& key) {
  return Read(find_, key, true);
}

Result<std::optional<Record>> ObjectTable::FindReplaced(const ObjectKey& key) {
  return Read(find_replaced_, key, false);
}

Result<std::optional<Record>> ObjectTable::Read(Statement& statement, const ObjectKey& key,
                                                bool with_json) {
  const auto resource = resources_.FindWritten(key.resource);
  if (!resource) return std::optional<Record>();
  Cursor cursor(statement);
  const Result<bool> row = cursor.Bind(*resource).Bind(key.namespace_name).Bind(key.name).Step();
  if (!row.ok()) return row.status();
  if (!*row) return std::optional<Record>();
  Record record;
  record.key = key;
  record.revision = cursor.Int(0);
  record.uid = cursor.Text(1);
  if (with_json) {
    record.json = cursor.Text(2);
  } else {
    record.labels = EncodedPairs::OfText(cursor.View(2));
    record.fields = EncodedPairs::OfText(cursor.View(3));
  }
  return std::optional<Record>(std::move(record));
}

Status ObjectTable::Apply(const Change& change, Revision previous) {
  const Result<std::int64_t> resource = resources_.FindOrAdd(database_, change.record.key.resource);
  if (!resource.ok()) return resource.status();
  ASYNCOPS_RETURN_IF_ERROR(AppendVersion(change, *resource, previous));
  Result<std::int64_t> object = 0;
  switch (change.type) {
    case ChangeType::kAdded: object = AddCurrent(change, *resource); break;
    case ChangeType::kModified: object = MoveCurrent(change, *resource); break;
    case ChangeType::kDeleted: object = DeleteCurrent(change, *resource); break;
  }
  if (!object.ok()) return object.status();
  if (change.type != ChangeType::kAdded)
    ASYNCOPS_RETURN_IF_ERROR(AddPast(change, *resource, previous));
  return UpdateEntries(change, *resource, *object);
}

Status ObjectTable::AppendVersion(const Change& change, std::int64_t resource, Revision previous) {
  const Record& record = change.record;
  Cursor cursor(append_);
  cursor.Bind(record.revision);
  if (previous == 0) {
    cursor.BindNull();
  } else {
    cursor.Bind(previous);
  }
  return cursor.Bind(change.type == ChangeType::kDeleted ? 1 : 0)
      .Bind(resource)
      .Bind(record.key.namespace_name)
      .Bind(record.key.name)
      .Bind(record.uid)
      .Bind(record.labels.text())
      .Bind(record.fields.text())
      .Bind(record.json)
      .Run();
}

Result<std::int64_t> ObjectTable::AddCurrent(const Change& change, std::int64_t resource) {
  const ObjectKey& key = change.record.key;
  ASYNCOPS_RETURN_IF_ERROR(Cursor(insert_object_)
                               .Bind(key.namespace_name)
                               .Bind(key.name)
                               .Bind(change.record.summary)
                               .Run());
  const std::int64_t object = database_.last_row_id();
  ASYNCOPS_RETURN_IF_ERROR(Cursor(insert_current_)
                               .Bind(resource)
                               .Bind(key.namespace_name)
                               .Bind(key.name)
                               .Bind(change.record.revision)
                               .Bind(object)
                               .Run());
  return object;
}

Result<std::int64_t> ObjectTable::MoveCurrent(const Change& change, std::int64_t resource) {
  const ObjectKey& key = change.record.key;
  Cursor cursor(move_current_);
  cursor.Bind(change.record.revision).Bind(resource).Bind(key.namespace_name).Bind(key.name);
  Result<std::int64_t> object = RunForNumber(&cursor);
  if (object.ok()) {
    ASYNCOPS_RETURN_IF_ERROR(
        Cursor(update_object_).Bind(change.record.summary).Bind(*object).Run());
  }
  return object;
}

Result<std::int64_t> ObjectTable::DeleteCurrent(const Change& change, std::int64_t resource) {
  const ObjectKey& key = change.record.key;
  Cursor cursor(delete_current_);
  cursor.Bind(resource).Bind(key.namespace_name).Bind(key.name);
  Result<std::int64_t> object = RunForNumber(&cursor);
  if (object.ok()) ASYNCOPS_RETURN_IF_ERROR(Cursor(delete_object_).Bind(*object).Run());
  return object;
}

Status ObjectTable::AddPast(const Change& change, std::int64_t resource, Revision previous) {
  const ObjectKey& key = change.record.key;
  return Cursor(insert_past_)
      .Bind(resource)
      .Bind(key.namespace_name)
      .Bind(key.name)
      .Bind(previous)
      .Bind(change.record.revision)
      .Run();
}

Status ObjectTable::UpdateEntries(const Change& change, std::int64_t resource,
                                  std::int64_t object) {
  const Record& record = change.record;
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
  if (change.previous_labels && change.previous_fields)
    before = MarksOf(resource, *change.previous_labels, *change.previous_fields);
  if (change.type != ChangeType::kDeleted) after = MarksOf(resource, record.labels, record.fields);
  // Sets of marks, not pairs: a mark that two pairs share stays while one of them does.
  std::vector<std::int64_t> left;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(left));
  std::vector<std::int64_t> came;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(came));
  for (const std::int64_t mark : left)
    ASYNCOPS_RETURN_IF_ERROR(Cursor(delete_entry_).Bind(EntryOf(object, mark)).Run());
  for (const std::int64_t mark : came)
    ASYNCOPS_RETURN_IF_ERROR(Cursor(insert_entry_).Bind(EntryOf(object, mark)).Run());
  return Status::Ok();
}

}  // namespace asyncops::storage
