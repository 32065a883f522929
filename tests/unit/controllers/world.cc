#include "tests/unit/controllers/world.h"

#include <gtest/gtest.h>
#include <utility>

#include "api/scheme.h"
#include "base/rfc3339.h"
#include "controllers/object_edit.h"
#include "storage/object_version.h"
#include "storage/sqlite_store.h"

namespace asyncops::controllers {
namespace {

constexpr std::string_view kNamespace = "team";
// A test fails, rather than hangs, after this many steps.
constexpr int kManySteps = 10000;

const ResourceInfo& ResourceNamed(std::string_view plural) {
  for (const ResourceInfo& resource : AllResources())
    if (resource.plural == plural) return resource;
  ADD_FAILURE() << plural;
  return AllResources().front();
}

storage::ObjectKey KeyFor(std::string_view plural, std::string_view name) {
  const ResourceInfo& resource = ResourceNamed(plural);
  return storage::KeyOf(resource, resource.namespaced ? kNamespace : "", name);
}

Json Texts(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

Json SecretOf(std::string_view name, const std::vector<std::string>& owners) {
  Json object = Make("secrets", name);
  JsonArray references;
  for (std::string owner : owners) {
    const bool blocks = owner.ends_with('!');
    if (blocks) owner.pop_back();
    references.push_back(Reference("secrets", owner, blocks));
  }
  if (!references.empty()) object.ObjectAt("metadata").Set("ownerReferences", references);
  return object;
}

}  // namespace

Json Parsed(std::string_view text) {
  const Result<Json> parsed = ParseJson(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : Json();
}

std::string UidOf(std::string_view name) { return "uid-of-" + std::string(name); }

Json Make(std::string_view plural, std::string_view name) {
  const ResourceInfo& resource = ResourceNamed(plural);
  JsonObject metadata;
  metadata.Set("name", name);
  metadata.Set("uid", UidOf(name));
  if (resource.namespaced) metadata.Set("namespace", kNamespace);
  return Json::Of({{"apiVersion", resource.GroupVersion()},
                   {"kind", resource.kind},
                   {"metadata", std::move(metadata)}});
}

Json Reference(std::string_view plural, std::string_view name, bool blocks) {
  const ResourceInfo& resource = ResourceNamed(plural);
  return Json::Of({{"apiVersion", resource.GroupVersion()},
                   {"kind", resource.kind},
                   {"name", name},
                   {"uid", UidOf(name)},
                   {"blockOwnerDeletion", blocks}});
}

World::World() {
  storage::SqliteStoreOptions options;
  options.path = dir_.File("store.db");
  Result<std::unique_ptr<storage::Store>> opened = storage::OpenSqliteStore(options, clock_);
  EXPECT_TRUE(opened.ok()) << opened.status().ToString();
  store_ = std::move(*opened);
  Restart();
}

void World::Create(const storage::ObjectKey& key, const storage::ObjectVersion& version) {
  const Status written =
      storage::WriteAndWait(*store_, [key, version](storage::Transaction& transaction) {
        return transaction.Create(key, version).status();
      });
  EXPECT_TRUE(written.ok()) << written.ToString();
}

void World::PutObject(std::string_view plural, const Json& object) {
  const ResourceInfo& resource = ResourceNamed(plural);
  Create(storage::KeyOf(resource, object.StringAt({"metadata", "namespace"}),
                        object.StringAt({"metadata", "name"})),
         storage::MakeObjectVersion(resource, object));
}

void World::Put(std::string_view name, const std::vector<std::string>& owners,
                const std::vector<std::string>& finalizers) {
  Json object = SecretOf(name, owners);
  if (!finalizers.empty()) object.ObjectAt("metadata").Set("finalizers", Texts(finalizers));
  PutObject("secrets", object);
}

void World::PutDamaged(std::string_view name, const std::vector<std::string>& owners) {
  const ResourceInfo& resource = ResourceNamed("secrets");
  storage::ObjectVersion version = storage::MakeObjectVersion(resource, SecretOf(name, owners));
  version.encoded.json.front() = '[';
  Create(storage::KeyOf(resource, kNamespace, std::string(name)), version);
}

void World::Delete(std::string_view plural, std::string_view name,
                   std::optional<Propagation> policy) {
  const Time now = clock_.Now();
  const auto remove = [policy, now](const storage::ObjectKey& /*key*/, Json* object) {
    return EditOf(BeginDeletion(policy, now, object));
  };
  EXPECT_TRUE(EditObject(*store_, clock_.Now(), KeyFor(plural, name), remove).ok());
}

void World::Release(std::string_view plural, std::string_view name, std::string_view finalizer) {
  const auto release = [finalizer](const storage::ObjectKey& /*key*/, Json* object) {
    DropFinalizer(finalizer, object);
    return IsUnderDeletion(*object) && !IsHeld(*object) ? Edit::kRemove : Edit::kUpdate;
  };
  EXPECT_TRUE(EditObject(*store_, clock_.Now(), KeyFor(plural, name), release).ok());
}

Json World::Get(std::string_view plural, std::string_view name) const {
  const Result<storage::Record> record = store_->Get(KeyFor(plural, name));
  return record.ok() ? Parsed(record->json) : Json();
}

std::vector<std::string> World::Names(std::string_view plural) const {
  const ResourceInfo& resource = ResourceNamed(plural);
  storage::ListQuery query;
  query.resource = resource.GroupResource();
  if (resource.namespaced) query.namespace_name = kNamespace;
  std::vector<std::string> names;
  const Status read = ForEachPage(
      *store_, query, [&names](const std::vector<storage::Record>& rows) -> Result<bool> {
        for (const storage::Record& row : rows) names.push_back(row.key.name);
        return true;
      });
  EXPECT_TRUE(read.ok()) << read.ToString();
  return names;
}

void World::Run() {
  for (int i = 0; i < kManySteps; ++i) {
    const Result<bool> more = controllers_->Step(stop_.get_token());
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) return;
  }
  FAIL() << "the controllers do not come to an end";
}

void World::Step(int count) {
  for (int i = 0; i < count; ++i) ASSERT_TRUE(controllers_->Step(stop_.get_token()).ok());
}

void World::Restart(ControllerOptions options) {
  controllers_ = std::make_unique<Controllers>(options, *store_, clock_);
}

}  // namespace asyncops::controllers
