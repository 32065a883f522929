#include "storage/sqlite/object_table.h"

#include "storage/sqlite/pairs.h"

namespace asyncops::storage {

ObjectTable::ObjectTable(Database& database, Resources& resources)
    : database_(database),
      resources_(resources),
      find_(database,
            "SELECT v.rev, v.uid, v.labels, v.fields, v.json FROM current c JOIN versions v ON "
            "v.rev = c.rev WHERE c.resource = ? AND c.namespace = ? AND c.name = ?"),
      find_meta_(database,
                 "SELECT v.rev, v.uid, v.labels, v.fields FROM current c JOIN versions v ON "
                 "v.rev = c.rev WHERE c.resource = ? AND c.namespace = ? AND c.name = ?"),
      append_(database,
              "INSERT INTO versions(rev, prev, deleted, resource, namespace, name, uid, labels, "
              "fields, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_current_(database,
                      "INSERT INTO current(resource, namespace, name, rev, created) VALUES (?1, "
                      "?2, ?3, ?4, ?4)"),
      move_current_(database,
                    "UPDATE current SET rev = ? WHERE resource = ? AND namespace = ? AND name = ?"),
      delete_current_(database,
                      "DELETE FROM current WHERE resource = ? AND namespace = ? AND name = ?"),
      insert_past_(database,
                   "INSERT INTO past(resource, namespace, name, rev, rev_to) "
                   "VALUES (?, ?, ?, ?, ?)"),
      find_created_(database,
                    "SELECT created FROM current WHERE resource = ? AND namespace = ? AND "
                    "name = ?"),
      insert_entry_(database,
                    "INSERT INTO selectable(resource, key, value, created, namespace, name) "
                    "VALUES (?, ?, ?, ?, ?, ?)"),
      delete_entry_(database,
                    "DELETE FROM selectable WHERE resource = ? AND key = ? AND value = ? AND "
                    "created = ?") {}

Result<std::optional<Record>> ObjectTable::Find(const ObjectKey& key, bool with_json) {
  const auto resource = resources_.FindWritten(key.resource);
  if (!resource) return std::optional<Record>();
  Cursor cursor(with_json ? find_ : find_meta_);
  const Result<bool> row = cursor.Bind(*resource).Bind(key.namespace_name).Bind(key.name).Step();
  if (!row.ok()) return row.status();
  if (!*row) return std::optional<Record>();
  Record record;
  record.key = key;
  record.revision = cursor.Int(0);
  record.uid = cursor.Text(1);
  record.labels = DecodePairs(cursor.View(2));
  record.fields = DecodePairs(cursor.View(3));
  if (with_json) record.json = cursor.Text(4);
  return std::optional<Record>(std::move(record));
}

Status ObjectTable::Apply(const Change& change, Revision previous) {
  const Result<std::int64_t> resource = resources_.FindOrAdd(database_, change.record.key.resource);
  if (!resource.ok()) return resource.status();
  ASYNCOPS_RETURN_IF_ERROR(AppendVersion(change, *resource, previous));
  const Result<Revision> created = FindCreated(change, *resource);
  if (!created.ok()) return created.status();
  ASYNCOPS_RETURN_IF_ERROR(SetCurrent(change, *resource, previous));
  const bool gone = change.type == ChangeType::kDeleted;
  const Record& record = change.record;
  const Entry entry{record.key, *resource, *created};
  ASYNCOPS_RETURN_IF_ERROR(UpdateSelectable(entry, "l:", change.previous_labels.value_or(Labels()),
                                            gone ? Labels() : record.labels));
  return UpdateSelectable(entry, "f:", change.previous_fields.value_or(Fields()),
                          gone ? Fields() : record.fields);
}

Result<Revision> ObjectTable::FindCreated(const Change& change, std::int64_t resource) {
  if (change.type == ChangeType::kAdded) return change.record.revision;
  const ObjectKey& key = change.record.key;
  Cursor cursor(find_created_);
  const Result<bool> row = cursor.Bind(resource).Bind(key.namespace_name).Bind(key.name).Step();
  if (!row.ok()) return row.status();
  if (!*row) return FaultStatus(Fault::kDamaged);
  return cursor.Int(0);
}

Status ObjectTable::AppendVersion(const Change& change, std::int64_t resource, Revision previous) {
  const Record& record = change.record;
  const std::string labels = EncodePairs(record.labels);
  const std::string fields = EncodePairs(record.fields);
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
      .Bind(labels)
      .Bind(fields)
      .Bind(record.json)
      .Run();
}

Status ObjectTable::SetCurrent(const Change& change, std::int64_t resource, Revision previous) {
  const ObjectKey& key = change.record.key;
  const Revision revision = change.record.revision;
  if (change.type == ChangeType::kAdded) {
    return Cursor(insert_current_)
        .Bind(resource)
        .Bind(key.namespace_name)
        .Bind(key.name)
        .Bind(revision)
        .Run();
  }
  if (change.type == ChangeType::kModified) {
    ASYNCOPS_RETURN_IF_ERROR(Cursor(move_current_)
                                 .Bind(revision)
                                 .Bind(resource)
                                 .Bind(key.namespace_name)
                                 .Bind(key.name)
                                 .Run());
  } else {
    ASYNCOPS_RETURN_IF_ERROR(
        Cursor(delete_current_).Bind(resource).Bind(key.namespace_name).Bind(key.name).Run());
  }
  return Cursor(insert_past_)
      .Bind(resource)
      .Bind(key.namespace_name)
      .Bind(key.name)
      .Bind(previous)
      .Bind(revision)
      .Run();
}

Status ObjectTable::UpdateSelectable(const Entry& entry, const char* kind, const Labels& before,
                                     const Labels& after) {
  // A field that is not there reads as "", so an empty one needs no entry; an empty label does.
  const auto indexed = [kind](const std::string& value) {
    return kind[0] == 'l' || !value.empty();
  };
  for (const auto& [name, value] : before) {
    const auto kept = after.find(name);
    if (!indexed(value) || (kept != after.end() && kept->second == value)) continue;
    ASYNCOPS_RETURN_IF_ERROR(ChangeEntry(delete_entry_, entry, kind + name, value));
  }
  for (const auto& [name, value] : after) {
    const auto had = before.find(name);
    if (!indexed(value) || (had != before.end() && had->second == value)) continue;
    ASYNCOPS_RETURN_IF_ERROR(ChangeEntry(insert_entry_, entry, kind + name, value));
  }
  return Status::Ok();
}

Status ObjectTable::ChangeEntry(Statement& statement, const Entry& entry, const std::string& key,
                                const std::string& value) {
  Cursor cursor(statement);
  cursor.Bind(entry.resource).Bind(key).Bind(value).Bind(entry.created);
  // A deletion knows its entry by these four.
  if (&statement == &insert_entry_) cursor.Bind(entry.key.namespace_name).Bind(entry.key.name);
  return cursor.Run();
}

}  // namespace asyncops::storage
