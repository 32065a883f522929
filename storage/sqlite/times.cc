#include "storage/sqlite/times.h"

namespace asyncops::storage {

void BindTime(Cursor& cursor, Time time) { cursor.Bind(time.time_since_epoch().count()); }

void BindTime(Cursor& cursor, const std::optional<Time>& time) {
  if (time) {
    BindTime(cursor, *time);
  } else {
    cursor.BindNull();
  }
}

Time TimeAt(const Cursor& cursor, int column) { return Time(Duration(cursor.Int(column))); }

std::optional<Time> OptionalTimeAt(const Cursor& cursor, int column) {
  if (cursor.IsNull(column)) return std::nullopt;
  return TimeAt(cursor, column);
}

}  // namespace asyncops::storage
