// Big data sets, without their network: `fill_store DIRECTORY OBJECT-FILE COUNT` writes COUNT
// copies of an AsyncOperation into the database of a data directory that no server has open. They
// differ in the digits that end their names and UIDs, from 0 on; each hundredth has the label
// "one-in: 100". The object is stored as it stands in the file, status included. With a fourth
// argument each one runs outside: the engine polls it at that URL and its number.
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
#include "storage/operation_row.h"
#include "storage/sqlite_store.h"

namespace asyncops {
namespace {

constexpr int kRowsPerTransaction = 500;
constexpr int kLabelled = 100;
constexpr std::size_t kNameDigits = 7;
constexpr std::size_t kUidDigits = 12;

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

// The text with its last digits replaced.
std::string Numbered(std::string_view text, int number, std::size_t digits) {
  return std::string(text.substr(0, text.size() - std::min(text.size(), digits))) +
         Padded(number, digits);
}

Json ObjectNumber(const Json& like, int number) {
  Json object = like;
  JsonObject& metadata = object.ObjectAt("metadata");
  metadata.Set("name", Numbered(like.StringAt({"metadata", "name"}), number, kNameDigits));
  metadata.Set("uid", Numbered(like.StringAt({"metadata", "uid"}), number, kUidDigits));
  if (number % kLabelled == 0) metadata["labels"].Set("one-in", std::to_string(kLabelled));
  return object;
}

struct Filled {
  storage::ObjectKey key;
  storage::ObjectVersion version;
  std::optional<storage::OperationRow> row;
};

storage::OperationRow RunningRow(const storage::ObjectKey& key, std::string_view uid,
                                 std::string poll_url, Time now) {
  storage::OperationRow row;
  row.uid = uid;
  row.namespace_name = key.namespace_name;
  row.name = key.name;
  row.state = "Running";
  row.method = "POST";
  row.url = poll_url;
  row.headers = "[]";
  row.correlation_id = row.uid + "-1";
  row.operation_id = "op-" + key.name;
  row.poll_url = std::move(poll_url);
  row.intent_at = now;
  row.submitted_at = now;
  row.attempt = 1;
  row.memo = R"({"startTime":)" + std::to_string(now.time_since_epoch().count()) + "}";
  return row;
}

// What is written again and again.
struct Filling {
  const ResourceInfo& resource;
  const Json& like;
  std::string poll_url;  // "" where nothing runs
  Time now{};
};

Status WriteSome(storage::Store& store, const Filling& filling, int first, int count) {
  std::vector<Filled> objects;
  objects.reserve(static_cast<std::size_t>(count));
  const std::string_view in_namespace = filling.like.StringAt({"metadata", "namespace"});
  for (int i = first; i < first + count; ++i) {
    const Json object = ObjectNumber(filling.like, i);
    storage::ObjectKey key =
        storage::KeyOf(filling.resource, in_namespace, object.StringAt({"metadata", "name"}));
    std::optional<storage::OperationRow> row;
    if (!filling.poll_url.empty()) {
      row = RunningRow(key, object.StringAt({"metadata", "uid"}),
                       filling.poll_url + std::to_string(i), filling.now);
    }
    objects.push_back({.key = std::move(key),
                       .version = storage::MakeObjectVersion(filling.resource, object),
                       .row = std::move(row)});
  }
  return storage::WriteAndWait(store, [&objects](storage::Transaction& transaction) {
    for (const Filled& object : objects) {
      const Result<storage::Revision> written = transaction.Create(object.key, object.version);
      if (!written.ok()) return written.status();
      if (object.row) ASYNCOPS_RETURN_IF_ERROR(transaction.operations().Insert(*object.row));
    }
    return Status::Ok();
  });
}

Status Fill(const std::string& directory, const std::string& object_file, int count,
            std::string poll_url) {
  std::ifstream file(object_file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Result<Json> like = ParseJson(text);
  if (!like.ok()) return like.status();
  const ResourceInfo* resource = FindResource("operations.asyncops.dev", "asyncoperations");
  const SystemClock clock;
  const Result<std::unique_ptr<storage::Store>> store =
      storage::OpenSqliteStore({.path = directory + "/asyncops.db", .vfs = ""}, clock);
  if (!store.ok()) return store.status();
  const Filling filling{
      .resource = *resource, .like = *like, .poll_url = std::move(poll_url), .now = clock.Now()};
  for (int first = 0; first < count; first += kRowsPerTransaction) {
    ASYNCOPS_RETURN_IF_ERROR(
        WriteSome(**store, filling, first, std::min(kRowsPerTransaction, count - first)));
  }
  return Status::Ok();
}

int Main(int count, char** arguments) {
  const auto objects = count == 4 || count == 5 ? ParseCount(arguments[3]) : std::nullopt;
  if (!objects) {
    std::cerr << "usage: fill_store DIRECTORY OBJECT-FILE COUNT [POLL-URL]\n";
    return 2;
  }
  const Status filled =
      Fill(arguments[1], arguments[2], *objects, count == 5 ? arguments[4] : std::string());
  if (filled.ok()) return 0;
  std::cerr << "fill_store: " << filled.ToString() << "\n";
  return 1;
}

}  // namespace
}  // namespace asyncops

int main(int count, char** arguments) { return asyncops::Main(count, arguments); }
