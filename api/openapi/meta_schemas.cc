#include "api/openapi/meta_schemas.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/schema/codec.h"

namespace asyncops::openapi {
namespace {

SchemaRef Text() { return MakeScalarSchema(SchemaType::kString); }
SchemaRef Integer() { return MakeScalarSchema(SchemaType::kInteger); }
SchemaRef Boolean() { return MakeScalarSchema(SchemaType::kBoolean); }
SchemaRef List(SchemaRef items) { return MakeListSchema(SchemaType::kArray, std::move(items)); }

SchemaField Field(std::string name, SchemaRef schema, std::string description) {
  return {
      .name = std::move(name), .description = std::move(description), .schema = std::move(schema)};
}

SchemaRef Object(std::string name, std::string description, std::vector<SchemaField> fields) {
  Schema schema;
  schema.type = SchemaType::kObject;
  schema.name = std::move(name);
  schema.description = std::move(description);
  schema.fields = std::move(fields);
  return std::make_shared<const Schema>(std::move(schema));
}

SchemaField ApiVersion() {
  return Field("apiVersion", Text(), "Group and version of this document, such as v1.");
}
SchemaField Kind() { return Field("kind", Text(), "What this document is, in CamelCase."); }

SchemaRef ListMeta() {
  return Object(
      "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta", "What a list says about itself.",
      {Field(
           "continue", Text(),
           "A token for the next part of the list, where it was cut by a limit. It is valid for a "
           "few minutes; an expired one is answered with 410."),
       Field("remainingItemCount", Integer(),
             "How many objects come after this part, where that is known."),
       Field("resourceVersion", Text(), "The version of the list, from which a watch can go on."),
       Field("selfLink", Text(), "Not used any more.")});
}

SchemaRef StatusCause() {
  return Object("io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause", "One reason of a failure.",
                {Field("field", Text(), "The field that caused it, as a path in the object."),
                 Field("message", Text(), "The cause for people."),
                 Field("reason", Text(), "The cause as one word for programs.")});
}

SchemaRef StatusDetails() {
  return Object("io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails", "What a failure is about.",
                {Field("causes", List(StatusCause()), "All reasons of the failure."),
                 Field("group", Text(), "The group of the resource."),
                 Field("kind", Text(), "The resource, or the kind of an object that is invalid."),
                 Field("name", Text(), "The name of the object."),
                 Field("retryAfterSeconds", Integer(), "Seconds to wait before another try."),
                 Field("uid", Text(), "The UID of the object, where there is one.")});
}

}  // namespace

SchemaRef StatusSchema() {
  return Object(std::string(kStatusName), "The outcome of a call that returns no object.",
                {ApiVersion(), Kind(), Field("code", Integer(), "The HTTP status code."),
                 Field("details", StatusDetails(), "What the failure is about."),
                 Field("message", Text(), "What happened, for people."),
                 Field("metadata", ListMeta(), "Always empty here."),
                 Field("reason", Text(), "Why it failed, as one word for programs."),
                 Field("status", Text(), "Success or Failure.")});
}

SchemaRef DeleteOptionsSchema() {
  const SchemaRef preconditions =
      Object("io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions",
             "What must hold for the object to be deleted; otherwise the answer is 409.",
             {Field("resourceVersion", Text(), "The version that the object must have."),
              Field("uid", Text(), "The UID that the object must have.")});
  return Object(
      std::string(kDeleteOptionsName), "How an object is to be deleted.",
      {ApiVersion(), Kind(),
       Field("dryRun", List(Text()), "All: check everything and delete nothing."),
       Field("gracePeriodSeconds", Integer(), "Seconds to wait before the object goes."),
       Field("orphanDependents", Boolean(), "The old form of propagationPolicy Orphan."),
       Field("preconditions", preconditions, "What must hold for the object to be deleted."),
       Field("propagationPolicy", Text(),
             "What happens to objects that this one owns: Orphan, Background or Foreground.")});
}

SchemaRef PatchSchema() {
  return Object(std::string(kPatchName),
                "A change of an object, in the format that the request's Content-Type names.", {});
}

std::string ListName(const ResourceInfo& resource) { return resource.schema->name + "List"; }

SchemaRef ListSchema(const ResourceInfo& resource) {
  SchemaField items = Field("items", List(resource.schema), "The objects.");
  items.required = true;
  return Object(ListName(resource), "A list of objects of kind " + resource.kind + ".",
                {ApiVersion(), Kind(), std::move(items),
                 Field("metadata", ListMeta(), "The version of the list and how to go on.")});
}

}  // namespace asyncops::openapi
