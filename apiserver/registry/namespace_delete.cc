// Deletion of namespaces (docs/decisions/0009-namespaces.md).
#include <utility>

#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/registry.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kDefaultNamespace = "default";

Status Protected(const std::string& name) {
  StatusDetails details;
  details.kind = "namespaces";
  details.name = name;
  return Status(Reason::kForbidden,
                "namespaces \"" + name + "\" is forbidden: this namespace may not be deleted")
      .WithDetails(std::move(details));
}

// Conflict that names what is still there.
Status CheckEmpty(const storage::Store& store, const std::string& name) {
  for (const ResourceInfo& resource : AllResources()) {
    // Events say what happened; nothing is lost with them.
    if (!resource.namespaced || resource.plural == "events") continue;
    storage::ListQuery query;
    query.resource = resource.GroupResource();
    query.namespace_name = name;
    query.limit = 1;
    const Result<storage::ListPage> page = store.List(query);
    if (!page.ok()) return page.status();
    if (page->rows.empty()) continue;
    return Conflict("", "namespaces", name,
                    "the namespace still holds " + resource.plural + ", \"" +
                        page->rows.front().key.name + "\" among them; delete what is in it first");
  }
  return Status::Ok();
}

bool IsClosed(const Json& object) {
  return !object.StringAt({"metadata", "deletionTimestamp"}).empty();
}

Json Closed(const ResourceInfo& resource, Json object, Time now) {
  if (IsClosed(object)) return object;
  MarkDeletion(resource, now, &object);
  object.ObjectAt("status").Set("phase", "Terminating");
  return object;
}

Result<Json> Reopened(Json object) {
  JsonObject& meta = object.ObjectAt("metadata");
  meta.Erase("deletionTimestamp");
  meta.Erase("deletionGracePeriodSeconds");
  object.ObjectAt("status").Set("phase", "Active");
  return object;
}

}  // namespace

void Registry::ChangeNamespace(const ResourceInfo& resource, const std::string& name,
                               const ChangeFunction& change, WriteCallback done) {
  auto modify = [&resource, change](const Json& present) -> Result<Modification> {
    Result<Json> changed = change(present);
    if (!changed.ok()) return changed.status();
    Modification modification;
    if (!(*changed == present)) modification.kind = Modification::Kind::kUpdate;
    modification.version = storage::MakeObjectVersion(resource, *changed);
    modification.object = std::move(*changed);
    return modification;
  };
  Modify(resource, storage::KeyOf(resource, "", name), false, std::move(modify), std::move(done));
}

// What is in the namespace is found by reads, which no transaction covers. So it is closed first:
// from then on nothing can be created in it, and the look after that finds all there will be.
void Registry::DeleteNamespace(const ResourceInfo& resource, const std::string& name,
                               DeleteOptions options, WriteCallback done) {
  if (name == kDefaultNamespace) return done(Protected(name));
  if (const Status status = CheckEmpty(store_, name); !status.ok()) return done(status);
  const storage::ObjectKey key = storage::KeyOf(resource, "", name);
  if (options.dry_run) return DeleteObject(resource, key, std::move(options), std::move(done));
  const auto close = [&resource, &clock = clock_, options](const Json& present) -> Result<Json> {
    ASYNCOPS_RETURN_IF_ERROR(CheckDeletePreconditions(resource, present, options));
    return Closed(resource, present, clock.Now());
  };
  auto look = [this, &resource, key, done = std::move(done)](const Result<WriteResult>& closed) {
    if (!closed.ok()) return done(closed.status());
    const Status empty = CheckEmpty(store_, key.name);
    if (empty.ok()) return DeleteObject(resource, key, {}, done);
    ChangeNamespace(resource, key.name, Reopened,
                    [empty, done](const Result<WriteResult>& /*reopened*/) { done(empty); });
  };
  ChangeNamespace(resource, name, close, std::move(look));
}

}  // namespace asyncops::apiserver
