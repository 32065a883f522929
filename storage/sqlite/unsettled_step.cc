#include "storage/sqlite/unsettled_step.h"

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "storage/control_fields.h"
#include "storage/encoded_pairs.h"
#include "storage/record.h"
#include "storage/sqlite/selector_index.h"

namespace asyncops::storage {
namespace {

struct Found {
  std::int64_t resource = 0;
  std::int64_t object = 0;
  Revision revision = 0;
  std::string fields;
};

Result<std::vector<Found>> FindUnsettled(Database& database) {
  Statement statement(database,
                      "SELECT c.resource, c.object, c.rev, v.fields, v.json FROM resources r "
                      "JOIN current c ON c.resource = r.id JOIN versions v ON v.rev = c.rev "
                      "WHERE r.name = 'asyncoperations.operations.asyncops.dev'");
  Cursor cursor(statement);
  std::vector<Found> found;
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return found;
    const Result<Json> object = ParseJson(cursor.View(4));
    if (object.ok() && !IsUnsettled(*object)) continue;
    found.push_back({.resource = cursor.Int(0),
                     .object = cursor.Int(1),
                     .revision = cursor.Int(2),
                     .fields = cursor.Text(3)});
  }
}

}  // namespace

Status MarkUnsettled(Database& database) {
  const Result<std::vector<Found>> found = FindUnsettled(database);
  if (!found.ok()) return found.status();
  const FieldSelector selector = Unsettled();
  const FieldRequirement& wanted = selector.requirements.front();
  Statement update(database, "UPDATE versions SET fields = ? WHERE rev = ?");
  // Another field may have the same mark.
  Statement insert(database, "INSERT OR IGNORE INTO selectable(entry) VALUES (?)");
  for (const Found& one : *found) {
    Pairs fields = DecodePairs(one.fields);
    fields.insert_or_assign(wanted.field, wanted.value);
    const std::string text = EncodedPairs(fields).text();
    ASYNCOPS_RETURN_IF_ERROR(Cursor(update).Bind(text).Bind(one.revision).Run());
    const std::int64_t mark = MarkOf(one.resource, PairKind::kField, wanted.field, wanted.value);
    ASYNCOPS_RETURN_IF_ERROR(Cursor(insert).Bind(EntryOf(one.object, mark)).Run());
  }
  return Status::Ok();
}

}  // namespace asyncops::storage
