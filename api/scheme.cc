#include "api/scheme.h"

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/asyncops/v1alpha1/external_system.h"
#include "api/core/v1/event.h"
#include "api/core/v1/namespace.h"
#include "api/core/v1/secret.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "api/schema/binding.h"

namespace asyncops {
namespace {

using Source = TableColumn::Source;
using Path = std::vector<std::string>;

TableColumn Name() {
  return {.name = "Name",
          .type = "string",
          .format = "name",
          .description = "Name of the object, unique in its namespace.",
          .path = {"metadata", "name"}};
}

TableColumn Text(std::string name, std::string description, Path path) {
  return {.name = std::move(name),
          .type = "string",
          .description = std::move(description),
          .path = std::move(path)};
}

TableColumn Integer(std::string name, std::string description, Path path) {
  TableColumn column = Text(std::move(name), std::move(description), std::move(path));
  column.type = "integer";
  return column;
}

TableColumn From(Source source, TableColumn column) {
  column.source = source;
  return column;
}

// Shown with -o wide alone.
TableColumn Wide(TableColumn column) {
  column.priority = 1;
  return column;
}

TableColumn Age() {
  return From(Source::kAge,
              Text("Age", "How long ago the object was made.", {"metadata", "creationTimestamp"}));
}

TableColumn ReadyReason() {
  return Wide(From(Source::kConditionReason,
                   Text("Reason", "Why it is ready or not, in one word.", {"Ready"})));
}

TableColumn ReadyStatus() {
  return From(Source::kConditionStatus, Text("Ready", "Whether it is ready.", {"Ready"}));
}

ResourceInfo AsyncOperations() {
  ResourceInfo info{.group = std::string(kOperationsGroup),
                    .version = std::string(kVersion),
                    .kind = "AsyncOperation",
                    .plural = std::string(kAsyncOperations),
                    .singular = "asyncoperation",
                    .short_names = {"aop"},
                    .categories = {"asyncops"},
                    .has_status = true,
                    .has_history = true,
                    .schema = AsyncOperation::Binding().schema()};
  info.columns = {
      Name(),
      Text("Type", "What the operation does to the thing outside.", {"spec", "type"}),
      From(Source::kReference,
           Text("Resource", "The object that it is for.", {"spec", "resourceRef"})),
      Text("Phase", "The summary of where it stands.", {"status", "phase"}),
      Text("State", "Where exactly it stands.", {"status", "state"}),
      Text("Operation-ID", "The external system's ID of it.", {"status", "operationID"}),
      Integer("Retries", "Failures since the last success.", {"status", "retryCount"}),
      Age(),
      Wide(From(Source::kUntil,
                Text("Next", "How long until the next call.", {"status", "nextAttemptTime"}))),
      Wide(Text("External-System", "The system that carries it out.",
                {"spec", "externalSystemRef", "name"})),
      ReadyReason(),
      Wide(Text("URL", "Where a person sees it outside.", {"status", "externalSystemURL"})),
  };
  info.selectable_fields = {"metadata.uid",
                            "spec.type",
                            "spec.externalSystemRef.name",
                            "spec.resourceRef.apiVersion",
                            "spec.resourceRef.kind",
                            "spec.resourceRef.name",
                            "spec.resourceRef.uid",
                            "status.phase",
                            "status.state",
                            "status.operationID",
                            "status.failureCode"};
  return info;
}

ResourceInfo AsyncResources() {
  ResourceInfo info{.group = std::string(kAsyncopsGroup),
                    .version = std::string(kVersion),
                    .kind = "AsyncResource",
                    .plural = "asyncresources",
                    .singular = "asyncresource",
                    .short_names = {"ares"},
                    .categories = {"asyncops"},
                    .has_status = true,
                    .standalone_only = true,
                    .schema = AsyncResource::Binding().schema()};
  info.columns = {
      Name(),
      Text("Phase", "The summary of where it stands.", {"status", "phase"}),
      ReadyStatus(),
      Text("Operation-ID", "The external system's ID of the last operation.",
           {"status", "lastAsyncOperationID"}),
      Integer("Retries", "Failures since the last success.", {"status", "retryCount"}),
      Age(),
      ReadyReason(),
      Wide(Text("URL", "Where a person sees the operation outside.",
                {"status", "externalSystemURL"})),
  };
  return info;
}

ResourceInfo ExternalSystems() {
  ResourceInfo info{.group = std::string(kAsyncopsGroup),
                    .version = std::string(kVersion),
                    .kind = "ExternalSystem",
                    .plural = "externalsystems",
                    .singular = "externalsystem",
                    .short_names = {"xsys"},
                    .categories = {"asyncops"},
                    .has_status = true,
                    .standalone_only = true,
                    .schema = ExternalSystem::Binding().schema()};
  info.columns = {
      Name(),
      Text("Preset", "The protocol of its operations.", {"spec", "preset"}),
      Text("Endpoint", "Base URL of the API.", {"spec", "endpoint"}),
      Age(),
  };
  return info;
}

ResourceInfo Events() {
  ResourceInfo info{.version = "v1",
                    .kind = "Event",
                    .plural = "events",
                    .singular = "event",
                    .short_names = {"ev"},
                    .standalone_only = true,
                    .schema = core::Event::Binding().schema()};
  TableColumn last_seen =
      From(Source::kAge, Text("Last Seen", "How long ago it happened last.", {"lastTimestamp"}));
  last_seen.fallback_path = {"eventTime"};
  TableColumn first_seen =
      From(Source::kAge, Text("First Seen", "How long ago it happened first.", {"firstTimestamp"}));
  first_seen.fallback_path = {"eventTime"};
  info.columns = {
      std::move(last_seen),
      Text("Type", "Normal or Warning.", {"type"}),
      Text("Reason", "What happened, in one word.", {"reason"}),
      From(Source::kReference,
           Text("Object", "The object that it happened to.", {"involvedObject"})),
      Wide(Text("Subobject", "The part of the object.", {"involvedObject", "fieldPath"})),
      Wide(Text("Source", "Who reports it.", {"source", "component"})),
      Text("Message", "What happened.", {"message"}),
      Wide(std::move(first_seen)),
      Wide(Integer("Count", "How many times it happened.", {"count"})),
      Wide(Name()),
  };
  info.selectable_fields = {"involvedObject.kind",
                            "involvedObject.namespace",
                            "involvedObject.name",
                            "involvedObject.uid",
                            "involvedObject.apiVersion",
                            "involvedObject.resourceVersion",
                            "involvedObject.fieldPath",
                            "reason",
                            "reportingComponent",
                            "source",
                            "type"};
  return info;
}

ResourceInfo Namespaces() {
  ResourceInfo info{.version = "v1",
                    .kind = "Namespace",
                    .plural = "namespaces",
                    .singular = "namespace",
                    .short_names = {"ns"},
                    .namespaced = false,
                    .has_status = true,
                    .standalone_only = true,
                    .schema = core::Namespace::Binding().schema()};
  info.columns = {Name(), Text("Status", "Where it is in its life.", {"status", "phase"}), Age()};
  info.selectable_fields = {"status.phase"};
  return info;
}

ResourceInfo Secrets() {
  ResourceInfo info{.version = "v1",
                    .kind = "Secret",
                    .plural = "secrets",
                    .singular = "secret",
                    .standalone_only = true,
                    .schema = core::Secret::Binding().schema()};
  TableColumn data = From(Source::kCount, Integer("Data", "How many values it holds.", {"data"}));
  info.columns = {Name(), Text("Type", "What kind of data it holds.", {"type"}), std::move(data),
                  Age()};
  info.selectable_fields = {"type"};
  return info;
}

}  // namespace

std::string ResourceInfo::GroupVersion() const {
  return group.empty() ? version : group + "/" + version;
}

std::string ResourceInfo::GroupResource() const {
  return group.empty() ? plural : plural + "." + group;
}

const std::vector<ResourceInfo>& AllResources() {
  static const std::vector<ResourceInfo> kResources = {
      AsyncOperations(), AsyncResources(), ExternalSystems(), Events(), Namespaces(), Secrets()};
  return kResources;
}

const ResourceInfo* FindResource(std::string_view group, std::string_view plural) {
  for (const ResourceInfo& resource : AllResources()) {
    if (resource.group == group && resource.plural == plural) return &resource;
  }
  return nullptr;
}

}  // namespace asyncops
