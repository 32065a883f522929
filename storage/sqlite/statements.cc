#include "storage/sqlite/statements.h"

namespace asyncops::storage {
namespace {

constexpr std::size_t kMaxStatements = 64;

}  // namespace

Statement& Statements::Of(const std::string& sql) {
  if (const auto found = kept_.find(sql); found != kept_.end()) return *found->second;
  if (kept_.size() >= kMaxStatements) kept_.clear();
  return *kept_.emplace(sql, std::make_unique<Statement>(database_, sql)).first->second;
}

void BindAll(const std::vector<std::variant<std::int64_t, std::string>>& values, Cursor* cursor) {
  for (const auto& value : values) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      cursor->Bind(*number);
    } else {
      cursor->Bind(std::get<std::string>(value));
    }
  }
}

}  // namespace asyncops::storage
