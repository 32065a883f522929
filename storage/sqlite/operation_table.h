// Operation rows and their history: written on the writer's connection, read on any.
#ifndef ASYNCOPS_STORAGE_SQLITE_OPERATION_TABLE_H_
#define ASYNCOPS_STORAGE_SQLITE_OPERATION_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "storage/operation_row.h"
#include "storage/sqlite/database.h"

namespace asyncops::storage {

// For one thread at a time; the connection outlives it.
class OperationTable final : public OperationRows {
 public:
  explicit OperationTable(Database& database);

  Status Insert(const OperationRow& row) override;
  Status Update(const OperationRow& row, std::string_view expected_state) override;
  Result<OperationRow> Latest(std::string_view uid) override;
  Status Hint(std::string_view uid, int submission, Time now) override;
  Result<std::vector<OperationRow>> FindByOperationId(std::string_view namespace_name,
                                                      std::string_view operation_id,
                                                      int limit) override;
  Status AppendAttempt(const Attempt& attempt) override;
  Status Purge(std::string_view uid) override;

  // As EngineReader::History.
  Result<std::vector<Attempt>> History(std::string_view uid, std::int64_t after, int limit);

 private:
  Database& database_;
  Statement insert_;
  Statement update_;
  Statement exists_;
  Statement latest_;
  Statement hint_;
  Statement find_;
  Statement append_;
  Statement history_;
  Statement purge_rows_;
  Statement purge_history_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_OPERATION_TABLE_H_
