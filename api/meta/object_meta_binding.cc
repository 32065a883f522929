// The documentation and the JSON form of ObjectMeta.
#include "api/meta/object_meta.h"
#include "api/schema/binding.h"

namespace asyncops {
namespace {

// managedFields stays JSON in ObjectMeta: only server-side apply looks inside.
SchemaRef ManagedFieldsSchema() {
  const SchemaRef text = MakeScalarSchema(SchemaType::kString);
  Schema entry;
  entry.type = SchemaType::kObject;
  entry.name = "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry";
  entry.description = "Which fields one manager owns, as of its last write.";
  entry.fields = {
      {.name = "apiVersion",
       .description = "The version of the resource in which the field names are written.",
       .schema = text},
      {.name = "fieldsType",
       .description = "The format of the field set; FieldsV1 is the only one.",
       .schema = text},
      {.name = "fieldsV1",
       .description = "The owned fields, as nested objects whose members are field names.",
       .schema = MakeScalarSchema(SchemaType::kFreeForm)},
      {.name = "manager",
       .description = "Who owns the fields: the fieldManager of the request.",
       .schema = text},
      {.name = "operation",
       .description = "How the fields came to be owned: Apply or Update.",
       .schema = text},
      {.name = "subresource",
       .description = "The subresource through which the object was written, or empty.",
       .schema = text},
      {.name = "time",
       .description = "When the entry last changed.",
       .schema = MakeScalarSchema(SchemaType::kString, StringFormat::kTime)},
  };
  return MakeListSchema(SchemaType::kArray, std::make_shared<const Schema>(std::move(entry)));
}

}  // namespace

const ObjectBinding<OwnerReference>& OwnerReference::Binding() {
  static const auto kBinding =
      ObjectBinding<OwnerReference>(
          "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference",
          "An object that this one belongs to. When all owners are gone, the garbage collector "
          "deletes the dependent. The owner is in the same namespace or has none.")
          .Field("apiVersion", &OwnerReference::api_version, "The owner's group and version.",
                 {.required = true})
          .Field("kind", &OwnerReference::kind, "The owner's kind.", {.required = true})
          .Field("name", &OwnerReference::name, "The owner's name.", {.required = true})
          .Field("uid", &OwnerReference::uid,
                 "The owner's UID, which tells it from a later object of the same name.",
                 {.required = true})
          .Field("controller", &OwnerReference::controller,
                 "Whether this owner manages the object. At most one owner does.")
          .Field("blockOwnerDeletion", &OwnerReference::block_owner_deletion,
                 "Whether a foreground deletion of the owner waits until this object is gone.");
  return kBinding;
}

const ObjectBinding<ObjectMeta>& ObjectMeta::Binding() {
  static const auto kBinding =
      ObjectBinding<ObjectMeta>("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
                                "What every stored object has: its name, identity, labels, owners "
                                "and the state of its deletion.")
          .Field("name", &ObjectMeta::name,
                 "Name of the object, unique in its namespace for its kind. It cannot be changed. "
                 "Lower case letters, digits, '-' and '.', at most 253 characters.")
          .Field("generateName", &ObjectMeta::generate_name,
                 "Prefix from which the server makes a unique name where name is empty.")
          .Field("namespace", &ObjectMeta::namespace_name,
                 "Namespace in which the name is unique. It cannot be changed.")
          .Field("uid", &ObjectMeta::uid,
                 "Identity of the object in time and space, set by the server: a deleted and "
                 "recreated object has another one.")
          .Field("resourceVersion", &ObjectMeta::resource_version,
                 "Version of the object as stored, set by the server. Opaque: send it back "
                 "unchanged to update only if nobody else has written since.")
          .Field("generation", &ObjectMeta::generation,
                 "Number of the desired state, raised by the server each time the spec changes.")
          .Field("creationTimestamp", &ObjectMeta::creation_timestamp,
                 "When the object was created, set by the server.")
          .Field("deletionTimestamp", &ObjectMeta::deletion_timestamp,
                 "When deletion was asked for, set by the server. The object goes once its "
                 "finalizers are gone.")
          .Field("deletionGracePeriodSeconds", &ObjectMeta::deletion_grace_period_seconds,
                 "Seconds that were granted for a graceful deletion, set with deletionTimestamp.")
          .Field("labels", &ObjectMeta::labels,
                 "Keys and values for sorting and selecting objects, such as with -l.")
          .Field("annotations", &ObjectMeta::annotations,
                 "Keys and values that tools keep with the object. They cannot be selected by.")
          .Field("ownerReferences", &ObjectMeta::owner_references,
                 "Objects that this one depends on.", {.list_map_keys = {"uid"}})
          .Field("finalizers", &ObjectMeta::finalizers,
                 "Names of the controllers that must clean up before the object may go. Each "
                 "removes its own name; removing another's may leave things behind.",
                 {.list_set = true})
          .Field("managedFields", &ObjectMeta::managed_fields,
                 "Which manager owns which fields, kept by the server for server-side apply.",
                 {.schema = ManagedFieldsSchema()})
          .IgnoredField("selfLink", "Not used any more; old clients send it.",
                        MakeScalarSchema(SchemaType::kString));
  return kBinding;
}

}  // namespace asyncops
