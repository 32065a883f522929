#include "storage/sqlite/resources.h"

#include <utility>

namespace asyncops::storage {

Status Resources::Load(Database& database) {
  Statement statement(database, "SELECT id, name FROM resources");
  Cursor cursor(statement);
  const MutexLock lock(mutex_);
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) return Status::Ok();
    ids_.emplace(cursor.Text(1), cursor.Int(0));
    names_.emplace(cursor.Int(0), cursor.Text(1));
  }
}

std::optional<std::int64_t> Resources::Find(std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::string Resources::Name(std::int64_t id) const {
  const MutexLock lock(mutex_);
  const auto found = names_.find(id);
  return found == names_.end() ? std::string() : found->second;
}

std::optional<std::int64_t> Resources::FindWritten(std::string_view name) const {
  for (const Entry& entry : added_)
    if (entry.name == name) return entry.id;
  return Find(name);
}

Result<std::int64_t> Resources::FindOrAdd(Database& database, const std::string& name) {
  if (const auto known = FindWritten(name)) return *known;
  Statement statement(database, "INSERT INTO resources(name) VALUES (?) RETURNING id");
  Cursor cursor(statement);
  const Result<bool> row = cursor.Bind(name).Step();
  if (!row.ok()) return row.status();
  added_.push_back({name, cursor.Int(0)});
  ASYNCOPS_RETURN_IF_ERROR(cursor.Run());
  return added_.back().id;
}

void Resources::Forget(std::size_t count) {
  if (added_.size() > count) added_.resize(count);
}

void Resources::Publish() {
  if (added_.empty()) return;
  const MutexLock lock(mutex_);
  for (Entry& entry : added_) {
    ids_.emplace(entry.name, entry.id);
    names_.emplace(entry.id, std::move(entry.name));
  }
  added_.clear();
}

}  // namespace asyncops::storage
