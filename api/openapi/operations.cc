#include "api/openapi/operations.h"

#include <utility>

#include "api/openapi/meta_schemas.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "api/subresources.h"
#include "base/ascii.h"

namespace asyncops::openapi {
namespace {

using Parameters = std::vector<Parameter>;

constexpr const char* kJson = "application/json";
constexpr const char* kYaml = "application/yaml";
constexpr const char* kWatchJson = "application/json;stream=watch";

Parameter Query(std::string name, std::string description, std::string type = "string") {
  return {std::move(name), "query", std::move(type), std::move(description)};
}
Parameter InPath(std::string name, std::string description) {
  return {std::move(name), "path", "string", std::move(description)};
}

Parameter DryRun() {
  return Query("dryRun", "All: check everything, answer as if it were done, and keep nothing.");
}

Parameters WriteParameters() {
  return {DryRun(),
          Query("fieldManager",
                "Who makes the change, at most 128 printable characters; the first part of the "
                "User-Agent where absent."),
          Query("fieldValidation",
                "What becomes of unknown and duplicate fields: Ignore drops them, Warn drops them "
                "with a warning, Strict refuses the request. Warn where absent.")};
}

Parameter Limit() { return Query("limit", "At most so many items in one answer.", "integer"); }
Parameter Continue() {
  return Query("continue", "The token of the answer before, to go on behind it.");
}

// Of operations, whose history is asked for by time.
void AddTimes(const ResourceInfo& listed, Parameters* out) {
  if (listed.plural != kAsyncOperations) return;
  for (const char* event : {"created", "completed"}) {
    const std::string name = event;
    out->push_back(Query(name + "After", "Only operations " + name +
                                             " at this time or later, such as "
                                             "2026-11-29T16:47:53Z."));
    out->push_back(Query(name + "Before", "Only operations " + name + " before this time."));
  }
}

Parameters SelectParameters(const ResourceInfo& listed) {
  Parameters out = {
      Query("labelSelector", "Only objects whose labels match, such as app=web,tier!=test."),
      Query("fieldSelector",
            "Only objects whose fields match, such as metadata.name=x; the fields that can be "
            "named depend on the resource."),
      Limit(),
      Continue(),
      Query("resourceVersion", "How fresh the answer must be, or where a watch begins."),
      Query("resourceVersionMatch", "How resourceVersion is meant: Exact or NotOlderThan."),
      Query("timeoutSeconds", "How long a watch lasts at most.", "integer")};
  AddTimes(listed, &out);
  return out;
}

Parameters ListParameters(const ResourceInfo& listed) {
  Parameters out = SelectParameters(listed);
  out.push_back(Query("watch", "Stream changes instead of a list.", "boolean"));
  out.push_back(Query("allowWatchBookmarks",
                      "A watch may also send BOOKMARK events, which carry a version alone.",
                      "boolean"));
  out.push_back(
      Query("sendInitialEvents", "A watch begins with all objects as they are.", "boolean"));
  return out;
}

Parameters DeleteParameters() {
  return {DryRun(), Query("gracePeriodSeconds", "Seconds to wait before it goes.", "integer"),
          Query("orphanDependents", "The old form of propagationPolicy Orphan.", "boolean"),
          Query("propagationPolicy",
                "What happens to objects that it owns: Orphan, Background or Foreground.")};
}

// "asyncops.dev" -> "AsyncopsDev"; the core group is "Core".
std::string GroupWord(std::string_view group) {
  if (group.empty()) return "Core";
  std::string out;
  bool upper = true;
  for (const char c : group) {
    if (c == '.' || c == '-') {
      upper = true;
      continue;
    }
    out.push_back(upper ? ToUpper(c) : c);
    upper = false;
  }
  return out;
}

std::string Capitalized(std::string text) {
  if (!text.empty()) text[0] = ToUpper(text[0]);
  return text;
}

// Makes the operations of one resource.
class Operations {
 public:
  explicit Operations(const ResourceInfo& resource) : resource_(resource) {}

  Operation List(bool all_namespaces) const {
    Operation out = Make(
        "get", "list",
        all_namespaces ? "list or watch objects of kind " + resource_.kind + " in all namespaces"
                       : "list or watch objects of kind " + resource_.kind);
    out.id = all_namespaces ? "list" + Group() + resource_.kind + "ForAllNamespaces" : Id("list");
    out.parameters = ListParameters(resource_);
    out.produces.emplace_back(kWatchJson);
    out.responses = Responses({"200"}, ListName(resource_));
    return out;
  }

  Operation Create() const {
    Operation out = Make("post", "post", "create " + Article() + " " + resource_.kind);
    out.id = Id("create");
    out.parameters = WriteParameters();
    SetBody(resource_.schema->name, &out);
    out.responses = Responses({"200", "201", "202"}, resource_.schema->name);
    return out;
  }

  Operation DeleteCollection() const {
    Operation out =
        Make("delete", "deletecollection", "delete the selected objects of kind " + resource_.kind);
    out.id = Id("deleteCollection");
    out.parameters = SelectParameters(resource_);
    for (Parameter& parameter : DeleteParameters()) out.parameters.push_back(std::move(parameter));
    SetBody(std::string(kDeleteOptionsName), &out);
    out.body_required = false;
    out.responses = Responses({"200"}, std::string(kStatusName));
    return out;
  }

  Operation Read(std::string_view suffix) const {
    Operation out = Make("get", "get", "read " + Object(suffix));
    out.id = Id("read") + Capitalized(std::string(suffix));
    out.responses = Responses({"200"}, resource_.schema->name);
    return out;
  }

  Operation Replace(std::string_view suffix) const {
    Operation out = Make("put", "put", "replace " + Object(suffix));
    out.id = Id("replace") + Capitalized(std::string(suffix));
    out.parameters = WriteParameters();
    SetBody(resource_.schema->name, &out);
    out.responses = Responses({"200", "201"}, resource_.schema->name);
    return out;
  }

  Operation Patch(std::string_view suffix) const {
    Operation out = Make("patch", "patch", "change part of " + Object(suffix));
    out.id = Id("patch") + Capitalized(std::string(suffix));
    out.parameters = WriteParameters();
    out.parameters.push_back(
        Query("force", "Take over fields that others own; with apply patches alone.", "boolean"));
    out.body = kPatchName;
    out.consumes = {"application/json-patch+json", "application/merge-patch+json",
                    "application/apply-patch+yaml"};
    // For kubectl's sake, of the kinds that it knows: what core kinds hold merges as a merge patch.
    if (resource_.group.empty())
      out.consumes.emplace_back("application/strategic-merge-patch+json");
    out.responses = Responses({"200", "201"}, resource_.schema->name);
    return out;
  }

  // A GET of what is of another kind.
  Operation ReadOther(const SubresourceInfo& subresource) const {
    Operation out = Make("get", "get", subresource.description);
    out.id = Id("read") + Capitalized(subresource.name);
    out.kind = subresource.kind;
    if (subresource.lists_operations) {
      out.parameters = ListParameters(*FindResource(resource_.group, kAsyncOperations));
      out.produces.emplace_back(kWatchJson);
    } else if (subresource.pages) {
      out.parameters = {Limit(), Continue()};
    }
    out.responses = Responses({"200"}, OtherName(subresource));
    return out;
  }

  // A POST that asks something of the object, and answers it.
  Operation Ask(const SubresourceInfo& subresource) const {
    Operation out = Make("post", "post", subresource.description);
    out.id = Id("create") + Capitalized(subresource.name);
    out.kind = subresource.kind;
    out.parameters = WriteParameters();
    SetBody(subresource.schema->name, &out);
    out.body_required = subresource.body_required;
    out.responses = Responses({"200", "201", "202"}, resource_.schema->name);
    return out;
  }

  Operation Delete() const {
    Operation out = Make("delete", "delete", "delete " + Article() + " " + resource_.kind);
    out.id = Id("delete");
    out.parameters = DeleteParameters();
    SetBody(std::string(kDeleteOptionsName), &out);
    out.body_required = false;
    out.responses = Responses({"200", "202"}, std::string(kStatusName));
    return out;
  }

  std::vector<Operation> OfSubresource(const SubresourceInfo& subresource) const {
    const std::string& name = subresource.name;
    // Of the resource's own kind: the status.
    if (subresource.kind.empty()) return {Read(name), Replace(name), Patch(name)};
    if (subresource.acts) return {Ask(subresource)};
    return {ReadOther(subresource)};
  }

 private:
  Operation Make(std::string method, std::string action, std::string description) const {
    Operation out;
    out.method = std::move(method);
    out.action = std::move(action);
    out.description = std::move(description);
    out.kind = resource_.kind;
    out.produces = {kJson, kYaml};
    return out;
  }

  static void SetBody(std::string definition, Operation* out) {
    out->body = std::move(definition);
    out->consumes = {kJson, kYaml};
  }

  static std::vector<Response> Responses(const std::vector<std::string>& codes,
                                         const std::string& definition) {
    std::vector<Response> out;
    for (const std::string& code : codes) {
      const char* text = code == "200" ? "OK" : code == "201" ? "Created" : "Accepted";
      out.push_back({code, text, definition});
    }
    out.push_back({"401", "Unauthorized", ""});
    out.push_back({"default", "A failure, and why", std::string(kStatusName)});
    return out;
  }

  // The definition of what a GET answers.
  static std::string OtherName(const SubresourceInfo& subresource) {
    if (!subresource.lists_operations) return subresource.schema->name;
    return ListName(*FindResource(OperationOwners().group, kAsyncOperations));
  }

  std::string Group() const { return GroupWord(resource_.group) + Capitalized(resource_.version); }
  std::string Id(const std::string& verb) const {
    return verb + Group() + (resource_.namespaced ? "Namespaced" : "") + resource_.kind;
  }
  std::string Article() const {
    return std::string_view("AEIOU").find(resource_.kind.front()) != std::string_view::npos ? "an"
                                                                                            : "a";
  }
  std::string Object(std::string_view suffix) const {
    const std::string object = Article() + " " + resource_.kind;
    return suffix.empty() ? object : "the " + std::string(suffix) + " of " + object;
  }

  const ResourceInfo& resource_;
};

}  // namespace

std::string GroupVersionPath(const ResourceInfo& resource) {
  return (resource.group.empty() ? "api/" : "apis/") + resource.GroupVersion();
}

std::string OperationTag(const ResourceInfo& resource) {
  std::string group = GroupWord(resource.group);
  group[0] = static_cast<char>(group[0] - 'A' + 'a');
  return group + "_" + resource.version;
}

Json GroupVersionKind(const ResourceInfo& resource, const std::string& kind) {
  return Json::Of({{"group", resource.group}, {"kind", kind}, {"version", resource.version}});
}

std::vector<PathItem> ResourcePaths(const ResourceInfo& resource) {
  const Operations operations(resource);
  const std::string root = "/" + GroupVersionPath(resource);
  const std::string scope = resource.namespaced ? "/namespaces/{namespace}" : "";
  const std::string collection = root + scope + "/" + resource.plural;
  const Parameter pretty = Query("pretty", "true: the answer is indented for people.");
  Parameters of_collection = {pretty};
  if (resource.namespaced)
    of_collection.push_back(InPath("namespace", "The namespace of the objects."));
  Parameters of_object = of_collection;
  of_object.push_back(InPath("name", "The name of the object."));

  std::vector<PathItem> out;
  if (!HasOnlySubresources(resource)) {
    std::vector<Operation> of_all = {operations.List(false), operations.Create()};
    // Namespaces go one by one.
    if (resource.namespaced) of_all.push_back(operations.DeleteCollection());
    out.push_back({collection, of_collection, std::move(of_all)});
    out.push_back(
        {collection + "/{name}",
         of_object,
         {operations.Read(""), operations.Replace(""), operations.Patch(""), operations.Delete()}});
  }
  for (const SubresourceInfo& subresource : SubresourcesOf(resource)) {
    out.push_back({collection + "/{name}/" + subresource.name, of_object,
                   operations.OfSubresource(subresource)});
  }
  if (resource.namespaced && !HasOnlySubresources(resource))
    out.push_back({root + "/" + resource.plural, {pretty}, {operations.List(true)}});
  return out;
}

}  // namespace asyncops::openapi
