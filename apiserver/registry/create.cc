#include <memory>
#include <utility>

#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/registry.h"
#include "apiserver/registry/strategy.h"
#include "base/json_raw.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

// apiserver pkg/storage/names: 63 less the five that are appended.
constexpr std::size_t kMaxGeneratedBase = 58;
// Names that are tried before a collision is the client's to retry.
constexpr int kGenerateNameTries = 8;

// One create on its way into the store.
struct PendingCreate {
  const ResourceInfo& resource;
  std::string generate_base;  // "" where the name is given
  PreparedObject prepared;
  WriteResult result;
};

Status CheckNamespaceOpen(const Result<storage::Record>& record, const ResourceInfo& resource,
                          const std::string& namespace_name, const std::string& name) {
  if (!record.ok()) {
    if (record.status().reason() != Reason::kNotFound) return record.status();
    return NotFound("", "namespaces", namespace_name);
  }
  if (RawAt(record->json, {"metadata", "deletionTimestamp"}).empty()) return Status::Ok();
  StatusDetails details;
  details.group = resource.group;
  details.kind = resource.plural;
  details.name = name;
  const std::string because = "namespace " + namespace_name + " is being terminated";
  details.causes.push_back({"NamespaceTerminating", because, "metadata.namespace"});
  return Status(Reason::kForbidden, resource.GroupResource() + " \"" + name +
                                        "\" is forbidden: unable to create new content in "
                                        "namespace " +
                                        namespace_name + " because it is being terminated")
      .WithDetails(std::move(details));
}

storage::ObjectKey NamespaceKey(const std::string& name) {
  return storage::KeyOf(*FindResource("", "namespaces"), "", name);
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
Status Insert(PendingCreate* create, IdGenerator& ids, const std::string& namespace_name,
              storage::Transaction& transaction) {
  const ResourceInfo& resource = create->resource;
  Json& object = create->prepared.object;
  std::string name(object.StringAt({"metadata", "name"}));
  if (resource.namespaced) {
    ASYNCOPS_RETURN_IF_ERROR(CheckNamespaceOpen(transaction.Get(NamespaceKey(namespace_name)),
                                                resource, namespace_name, name));
  }
  for (int tries = 1;; ++tries) {
    storage::ObjectVersion& version = create->prepared.version;
    const Result<storage::Revision> revision =
        transaction.Create(storage::KeyOf(resource, namespace_name, name), version);
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
  auto create = std::make_shared<PendingCreate>(
      PendingCreate{.resource = resource, .generate_base = "", .prepared = {}, .result = {}});
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
  if (options.dry_run) {
    const std::string name(prepared.object.StringAt({"metadata", "name"}));
    if (resource.namespaced) {
      status = CheckNamespaceOpen(store_.Get(NamespaceKey(namespace_name)), resource,
                                  namespace_name, name);
      if (!status.ok()) return done(status);
    }
    if (Get(resource, namespace_name, name).ok())
      return done(AlreadyExists(resource.group, resource.plural, name));
    create->result.json = EncodeJson(prepared.object);
    return done(std::move(create->result));
  }
  store_.Write(
      [this, create, namespace_name](storage::Transaction& transaction) {
        return Insert(create.get(), ids_, namespace_name, transaction);
      },
      [create, done = std::move(done)](const Status& written) {
        if (!written.ok()) return done(written);
        done(std::move(create->result));
      });
}

}  // namespace asyncops::apiserver
