// Statements whose SQL depends on what is asked.
#ifndef ASYNCOPS_STORAGE_SQLITE_STATEMENTS_H_
#define ASYNCOPS_STORAGE_SQLITE_STATEMENTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "storage/sqlite/database.h"

namespace asyncops::storage {

// Keeps the statements of one connection, which outlives it, by their SQL. For one thread at a
// time.
class Statements {
 public:
  explicit Statements(Database& database) : database_(database) {}
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;

  // The statement of that SQL, until the next call.
  Statement& Of(const std::string& sql);

 private:
  Database& database_;
  // A few shapes are all that clients use, and it is emptied where there are many.
  std::map<std::string, std::unique_ptr<Statement>> kept_;
};

// Binds the values in order.
void BindAll(const std::vector<std::variant<std::int64_t, std::string>>& values, Cursor* cursor);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_STATEMENTS_H_
