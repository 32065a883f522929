#include "tests/unit/storage/store_files.h"

#include <fstream>
#include <iterator>
#include <sys/stat.h>

#include "storage/sqlite/database.h"

namespace asyncops::storage {
namespace {

ObjectVersion ThingVersion(const std::string& name, const std::string& text) {
  ObjectVersion version;
  version.uid = "uid-" + name;
  version.encoded.json = R"({"metadata":{"resourceVersion":""},"text":")" + text + "\"}";
  version.encoded.revision_at = version.encoded.json.find("\"\"") + 1;
  version.labels = EncodedPairs(Labels{{"app", "test"}});
  return version;
}

}  // namespace

ObjectKey ThingKey(const std::string& name) { return {"things", "default", name}; }

Status CreateThing(Store& store, const std::string& name, const std::string& text) {
  return WriteAndWait(store, [&name, &text](Transaction& transaction) {
    return transaction.Create(ThingKey(name), ThingVersion(name, text)).status();
  });
}

Status UpdateThing(Store& store, const std::string& name, const std::string& text) {
  return WriteAndWait(store, [&name, &text](Transaction& transaction) {
    return transaction.Update(ThingKey(name), 0, ThingVersion(name, text)).status();
  });
}

Status DeleteThing(Store& store, const std::string& name) {
  return WriteAndWait(store, [&name](Transaction& transaction) {
    return transaction.Delete(ThingKey(name), 0, ThingVersion(name, "last").encoded).status();
  });
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
}

bool FileExists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

std::string RunSql(const std::string& path, const std::string& sql) {
  auto database = Database::Open({.path = path, .vfs = "", .read_only = false});
  if (!database.ok()) return database.status().ToString();
  (*database)->RemoveWalOnClose(true);
  const auto value = (*database)->QueryText(sql);
  return value.ok() ? *value : value.status().ToString();
}

}  // namespace asyncops::storage
