// Big data sets, without their network: `fill_store DIRECTORY OBJECT-FILE COUNT` writes COUNT
// copies of an AsyncOperation into the database of a data directory that no server has open. They
// differ in their names, object-0000000 and on, and in their UIDs; each hundredth has the label
// "one-in: 100". The object is stored as it stands in the file, status included.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/scheme.h"
#include "base/clock.h"
#include "base/json.h"
#include "storage/object_version.h"
#include "storage/sqlite_store.h"

namespace asyncops {
namespace {

constexpr int kRowsPerTransaction = 500;
constexpr int kLabelled = 100;
constexpr std::size_t kDigits = 7;

std::optional<int> ParseCount(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

std::string Padded(int number, std::size_t digits) {
  const std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

Json ObjectNumber(const Json& like, int number) {
  Json object = like;
  JsonObject& metadata = object.ObjectAt("metadata");
  metadata.Set("name", "object-" + Padded(number, kDigits));
  metadata.Set("uid", "00000000-0000-4000-8000-" + Padded(number, 12));
  if (number % kLabelled == 0) metadata["labels"].Set("one-in", std::to_string(kLabelled));
  return object;
}

Status WriteSome(storage::Store& store, const ResourceInfo& resource, const Json& like, int first,
                 int count) {
  std::vector<std::pair<storage::ObjectKey, storage::ObjectVersion>> rows;
  rows.reserve(static_cast<std::size_t>(count));
  const std::string_view in_namespace = like.StringAt({"metadata", "namespace"});
  for (int i = 0; i < count; ++i) {
    const Json object = ObjectNumber(like, first + i);
    rows.emplace_back(storage::KeyOf(resource, in_namespace, object.StringAt({"metadata", "name"})),
                      storage::MakeObjectVersion(resource, object));
  }
  return storage::WriteAndWait(store, [&rows](storage::Transaction& transaction) {
    for (const auto& [key, version] : rows) {
      const Result<storage::Revision> written = transaction.Create(key, version);
      if (!written.ok()) return written.status();
    }
    return Status::Ok();
  });
}

Status Fill(const std::string& directory, const std::string& object_file, int count) {
  std::ifstream file(object_file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Result<Json> like = ParseJson(text);
  if (!like.ok()) return like.status();
  const ResourceInfo* resource = FindResource("operations.asyncops.dev", "asyncoperations");
  const SystemClock clock;
  const Result<std::unique_ptr<storage::Store>> store =
      storage::OpenSqliteStore({.path = directory + "/asyncops.db", .vfs = ""}, clock);
  if (!store.ok()) return store.status();
  for (int first = 0; first < count; first += kRowsPerTransaction) {
    ASYNCOPS_RETURN_IF_ERROR(
        WriteSome(**store, *resource, *like, first, std::min(kRowsPerTransaction, count - first)));
  }
  return Status::Ok();
}

int Main(int count, char** arguments) {
  const auto objects = count == 4 ? ParseCount(arguments[3]) : std::nullopt;
  if (!objects) {
    std::cerr << "usage: fill_store DIRECTORY OBJECT-FILE COUNT\n";
    return 2;
  }
  const Status filled = Fill(arguments[1], arguments[2], *objects);
  if (filled.ok()) return 0;
  std::cerr << "fill_store: " << filled.ToString() << "\n";
  return 1;
}

}  // namespace
}  // namespace asyncops

int main(int count, char** arguments) { return asyncops::Main(count, arguments); }
