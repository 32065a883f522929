#include <memory>
#include <utility>

#include "api/meta/deletion.h"
#include "apiserver/registry/cluster_objects.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/registry.h"
#include "apiserver/registry/strategy.h"
#include "base/json_raw.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {

// One create on its way into the store.
struct PendingCreate {
  const ResourceInfo& resource;
  std::string namespace_name;
  std::string generate_base;  // "" where the name is given
  PreparedObject prepared;
  WriteResult result;

  std::string_view name() const { return prepared.object.StringAt({"metadata", "name"}); }
};

namespace {

// apiserver pkg/storage/names: 63 less the five that are appended.
constexpr std::size_t kMaxGeneratedBase = 58;
// Names that are tried before a collision is the client's to retry.
constexpr int kGenerateNameTries = 8;

Status NoNamespace(const Status& status, const std::string& namespace_name) {
  if (status.reason() != Reason::kNotFound) return status;
  return NotFound("", "namespaces", namespace_name);
}

Status Terminating(const PendingCreate& create) {
  const std::string name(create.name());
  StatusDetails details;
  details.group = create.resource.group;
  details.kind = create.resource.plural;
  details.name = name;
  const std::string because = "namespace " + create.namespace_name + " is being terminated";
  details.causes.push_back({"NamespaceTerminating", because, "metadata.namespace"});
  return Status(Reason::kForbidden, create.resource.GroupResource() + " \"" + name +
                                        "\" is forbidden: unable to create new content in "
                                        "namespace " +
                                        create.namespace_name + " because it is being terminated")
      .WithDetails(std::move(details));
}

// Whether the store's own namespace takes new objects. `reader` is the store or a transaction.
template <class Reader>
Status CheckStoredNamespace(Reader& reader, const PendingCreate& create) {
  if (!create.resource.namespaced) return Status::Ok();
  const Result<storage::Record> record =
      reader.Get(storage::KeyOf(*FindResource("", "namespaces"), "", create.namespace_name));
  if (!record.ok()) return NoNamespace(record.status(), create.namespace_name);
  const bool open = RawAt(record->json, {"metadata", "deletionTimestamp"}).empty();
  return open ? Status::Ok() : Terminating(create);
}

// kube-apiserver's NewGenerateNameConflict.
Status NoNameLeft(const Status& exists) {
  return Status(exists.reason(), exists.message() +
                                     ", the server was not able to generate a "
                                     "unique name for the object")
      .WithDetails(exists.details())
      .WithRetryAfter(1);
}

// Inserts under the given name, or under generated ones until one is free.
Status Insert(PendingCreate* create, IdGenerator& ids, storage::Transaction& transaction) {
  const ResourceInfo& resource = create->resource;
  Json& object = create->prepared.object;
  std::string name(create->name());
  for (int tries = 1;; ++tries) {
    storage::ObjectVersion& version = create->prepared.version;
    const Result<storage::Revision> revision =
        transaction.Create(storage::KeyOf(resource, create->namespace_name, name), version);
    if (revision.ok()) {
      create->result.json = std::move(version.encoded.json);
      create->result.json.insert(version.encoded.revision_at, std::to_string(*revision));
      return Status::Ok();
    }
    if (revision.status().reason() != Reason::kAlreadyExists) return revision.status();
    const Status exists = AlreadyExists(resource.group, resource.plural, name);
    if (create->generate_base.empty()) return exists;
    if (tries == kGenerateNameTries) return NoNameLeft(exists);
    name = create->generate_base + ids.NameSuffix();
    object.ObjectAt("metadata").Set("name", name);
    version = storage::MakeObjectVersion(resource, object);
  }
}

}  // namespace

void Registry::Create(const ResourceInfo& resource, const std::string& namespace_name,
                      DecodedBody body, WriteOptions options, WriteCallback done) {
  CreateObject(resource, namespace_name, std::move(body), options, false, std::move(done));
}

void Registry::CreateObject(const ResourceInfo& resource, const std::string& namespace_name,
                            DecodedBody body, const WriteOptions& options, bool by_apply,
                            WriteCallback done) {
  auto create = std::make_shared<PendingCreate>(PendingCreate{.resource = resource,
                                                              .namespace_name = namespace_name,
                                                              .generate_base = "",
                                                              .prepared = {},
                                                              .result = {}});
  PreparedObject& prepared = create->prepared;
  prepared.object = std::move(body.value);
  Status status = CheckBody(resource, {.namespace_name = namespace_name}, &prepared.object);
  if (status.ok() && !prepared.object.StringAt({"metadata", "resourceVersion"}).empty())
    status = BadRequest("resourceVersion should not be set on objects to be created");
  if (status.ok()) {
    status = CheckFields(resource, options.field_validation, &prepared.object,
                         body.duplicate_fields, &prepared.warnings);
  }
  if (!status.ok()) return done(status);

  const std::string base(prepared.object.StringAt({"metadata", "generateName"}));
  if (prepared.object.StringAt({"metadata", "name"}).empty() && !base.empty()) {
    create->generate_base = base.substr(0, kMaxGeneratedBase);
    prepared.object.ObjectAt("metadata").Set("name", create->generate_base + ids_.NameSuffix());
  }
  SetNewMetadata(resource, ids_.Uuid(), clock_.Now(), &prepared.object);
  const Strategy& strategy = StrategyFor(resource);
  prepared.writer = FieldManagerOf(resource, "", options, clock_.Now());
  prepared.writer->is_apply = by_apply;
  prepared.user = options.user;
  if (by_apply) {
    // What the server adds to a new object is not applied.
    if (strategy.prepare_for_update != nullptr) strategy.prepare_for_update(&prepared.object);
    Result<Json> applied =
        ApplyConfiguration(resource, *prepared.writer, options, nullptr, prepared.object);
    if (!applied.ok()) return done(applied.status());
    prepared.object = *std::move(applied);
  }
  if (strategy.prepare_for_create != nullptr) strategy.prepare_for_create(&prepared.object);
  if (status = FinishObject(resource, nullptr, &prepared); !status.ok()) return done(status);

  create->result.created = true;
  create->result.uid = prepared.object.StringAt({"metadata", "uid"});
  create->result.warnings = prepared.warnings;
  if (cluster_ == nullptr || !resource.namespaced)
    return Commit(std::move(create), options.dry_run, std::move(done));
  cluster_->GetNamespace(namespace_name, [this, create, dry_run = options.dry_run,
                                          done = std::move(done)](const Result<Json>& found) {
    if (!found.ok()) return done(NoNamespace(found.status(), create->namespace_name));
    if (IsUnderDeletion(*found)) return done(Terminating(*create));
    Commit(create, dry_run, done);
  });
}

void Registry::Commit(std::shared_ptr<PendingCreate> create, bool dry_run, WriteCallback done) {
  const bool stored_namespaces = cluster_ == nullptr;
  if (dry_run) {
    const Status open = stored_namespaces ? CheckStoredNamespace(store_, *create) : Status::Ok();
    if (!open.ok()) return done(open);
    const std::string name(create->name());
    if (Get(create->resource, create->namespace_name, name).ok())
      return done(AlreadyExists(create->resource.group, create->resource.plural, name));
    create->result.json = EncodeJson(create->prepared.object);
    return done(std::move(create->result));
  }
  store_.Write(
      [this, create, stored_namespaces](storage::Transaction& transaction) -> Status {
        if (stored_namespaces) ASYNCOPS_RETURN_IF_ERROR(CheckStoredNamespace(transaction, *create));
        return Insert(create.get(), ids_, transaction);
      },
      [create, done = std::move(done)](const Status& written) {
        if (!written.ok()) return done(written);
        done(std::move(create->result));
      });
}

}  // namespace asyncops::apiserver
