// Times in columns: microseconds since 1970, NULL for none.
#ifndef ASYNCOPS_STORAGE_SQLITE_TIMES_H_
#define ASYNCOPS_STORAGE_SQLITE_TIMES_H_

#include <optional>

#include "base/clock.h"
#include "storage/sqlite/database.h"

namespace asyncops::storage {

void BindTime(Cursor& cursor, Time time);
void BindTime(Cursor& cursor, const std::optional<Time>& time);
Time TimeAt(const Cursor& cursor, int column);
std::optional<Time> OptionalTimeAt(const Cursor& cursor, int column);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_TIMES_H_
