#include "apiserver/handlers/discovery.h"

#include <array>
#include <utility>

#include "api/subresources.h"
#include "apiserver/handlers/media_type.h"
#include "apiserver/handlers/respond.h"
#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kAggregatedGroup = "apidiscovery.k8s.io";
constexpr std::string_view kAggregatedKind = "APIGroupDiscoveryList";
constexpr std::array<std::string_view, 2> kAggregatedVersions = {"v2", "v2beta1"};

Json Strings(const std::vector<std::string>& strings) {
  return JsonArray(strings.begin(), strings.end());
}

// What the handlers serve: a verb is advertised only where it is.
Json MainVerbs(const ResourceInfo& resource) {
  // Namespaces go one by one, as in Kubernetes.
  if (!resource.namespaced)
    return JsonArray{"create", "delete", "get", "list", "patch", "update", "watch"};
  return JsonArray{"create", "delete", "deletecollection", "get",
                   "list",   "patch",  "update",           "watch"};
}

const std::string& KindOf(const ResourceInfo& resource, const SubresourceInfo& subresource) {
  return subresource.kind.empty() ? resource.kind : subresource.kind;
}

// base64 of the first 8 bytes of a SHA-256 over "GROUP/VERSION/KIND".
std::string StorageVersionHash(const ResourceInfo& resource) {
  return Base64Encode(
      Sha256(resource.group + "/" + resource.version + "/" + resource.kind).substr(0, 8));
}

Json LegacyEntry(const ResourceInfo& resource) {
  JsonObject entry;
  entry.Set("name", resource.plural);
  entry.Set("singularName", resource.singular);
  entry.Set("namespaced", resource.namespaced);
  entry.Set("kind", resource.kind);
  entry.Set("verbs", MainVerbs(resource));
  if (!resource.short_names.empty()) entry.Set("shortNames", Strings(resource.short_names));
  if (!resource.categories.empty()) entry.Set("categories", Strings(resource.categories));
  entry.Set("storageVersionHash", StorageVersionHash(resource));
  return entry;
}

// The resource, where it has objects here, and its subresources.
JsonArray LegacyEntries(const ResourceInfo& resource) {
  JsonArray entries;
  if (!HasOnlySubresources(resource)) entries.push_back(LegacyEntry(resource));
  for (const SubresourceInfo& subresource : SubresourcesOf(resource)) {
    entries.push_back(Json::Of({{"name", resource.plural + "/" + subresource.name},
                                {"singularName", ""},
                                {"namespaced", resource.namespaced},
                                {"kind", KindOf(resource, subresource)},
                                {"verbs", Strings(subresource.verbs)}}));
  }
  return entries;
}

Json ResponseKind(const ResourceInfo& resource, std::string_view kind) {
  return Json::Of({{"group", resource.group}, {"version", resource.version}, {"kind", kind}});
}

Json AggregatedSubresources(const ResourceInfo& resource) {
  JsonArray out;
  for (const SubresourceInfo& subresource : SubresourcesOf(resource)) {
    out.push_back(Json::Of({{"subresource", subresource.name},
                            {"responseKind", ResponseKind(resource, KindOf(resource, subresource))},
                            {"verbs", Strings(subresource.verbs)}}));
  }
  return out;
}

// As apiserver writes the parent of subresources that has no objects: clients pass over it for its
// empty kind, and keep what is below.
Json AggregatedParent(const ResourceInfo& resource) {
  return Json::Of({{"resource", resource.plural},
                   {"responseKind", Json::Of({{"group", ""}, {"version", ""}, {"kind", ""}})},
                   {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                   {"singularResource", ""},
                   {"verbs", JsonArray()},
                   {"subresources", AggregatedSubresources(resource)}});
}

Json AggregatedEntry(const ResourceInfo& resource) {
  if (HasOnlySubresources(resource)) return AggregatedParent(resource);
  JsonObject entry;
  entry.Set("resource", resource.plural);
  entry.Set("responseKind", ResponseKind(resource, resource.kind));
  entry.Set("scope", resource.namespaced ? "Namespaced" : "Cluster");
  entry.Set("singularResource", resource.singular);
  entry.Set("verbs", MainVerbs(resource));
  if (!resource.short_names.empty()) entry.Set("shortNames", Strings(resource.short_names));
  if (!resource.categories.empty()) entry.Set("categories", Strings(resource.categories));
  if (Json below = AggregatedSubresources(resource); !below.as_array().empty())
    entry.Set("subresources", std::move(below));
  return entry;
}

Json GroupVersionEntry(const ResourceInfo& resource) {
  return Json::Of({{"groupVersion", resource.GroupVersion()}, {"version", resource.version}});
}

Json GroupEntry(const ResourceInfo& resource) {
  return Json::Of({{"name", resource.group},
                   {"versions", JsonArray{GroupVersionEntry(resource)}},
                   {"preferredVersion", GroupVersionEntry(resource)}});
}

Json WithKind(std::string_view kind, Json value) {
  value.Set("kind", kind);
  value.Set("apiVersion", "v1");
  return value;
}

Json CoreVersions() {
  return Json::Of({{"kind", "APIVersions"},
                   {"versions", JsonArray{"v1"}},
                   {"serverAddressByClientCIDRs", JsonArray()}});
}

// Resources by group, in the order in which groups first appear.
using Groups = std::vector<std::pair<std::string, std::vector<const ResourceInfo*>>>;

Groups GroupResources(const std::vector<ResourceInfo>& resources) {
  Groups groups;
  for (const ResourceInfo& resource : resources) {
    auto at = groups.begin();
    while (at != groups.end() && at->first != resource.group) ++at;
    if (at == groups.end()) at = groups.insert(at, {resource.group, {}});
    at->second.push_back(&resource);
  }
  return groups;
}

Json AggregatedGroup(const std::string& group, const std::vector<const ResourceInfo*>& members) {
  JsonArray entries;
  for (const ResourceInfo* resource : members) entries.push_back(AggregatedEntry(*resource));
  JsonObject metadata;
  if (!group.empty()) metadata.Set("name", group);
  return Json::Of({{"metadata", std::move(metadata)},
                   {"versions", JsonArray{Json::Of({{"version", members.front()->version},
                                                    {"freshness", "Current"},
                                                    {"resources", std::move(entries)}})}}});
}

std::string AggregatedContentType(std::string_view version) {
  return "application/json;g=" + std::string(kAggregatedGroup) + ";v=" + std::string(version) +
         ";as=" + std::string(kAggregatedKind);
}

// The version of the aggregated form that the clause asks for; "" where it asks for another thing.
std::string_view AggregatedVersion(const MediaType& clause) {
  if (clause.type != "application/json" || clause.Parameter("as") != kAggregatedKind ||
      clause.Parameter("g") != kAggregatedGroup) {
    return {};
  }
  for (const std::string_view version : kAggregatedVersions) {
    if (clause.Parameter("v") == version) return version;
  }
  return {};
}

std::string_view WithoutFinalSlash(std::string_view path) {
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

}  // namespace

Discovery::Discovery(const std::vector<ResourceInfo>& resources) {
  JsonArray named_groups;
  JsonArray core_items;
  JsonArray group_items;
  const auto add_legacy = [this](const std::string& path, const Json& body) {
    legacy_.try_emplace(path, "application/json", EncodeJson(body));
  };
  for (const auto& [group, members] : GroupResources(resources)) {
    const ResourceInfo& first = *members.front();
    JsonArray entries;
    for (const ResourceInfo* resource : members) {
      for (Json& entry : LegacyEntries(*resource)) entries.push_back(std::move(entry));
    }
    const std::string path = (group.empty() ? "/api/" : "/apis/") + first.GroupVersion();
    add_legacy(path, WithKind("APIResourceList", Json::Of({{"groupVersion", first.GroupVersion()},
                                                           {"resources", std::move(entries)}})));
    (group.empty() ? core_items : group_items).push_back(AggregatedGroup(group, members));
    if (group.empty()) {
      add_legacy("/api", CoreVersions());
    } else {
      add_legacy("/apis/" + group, WithKind("APIGroup", GroupEntry(first)));
      named_groups.push_back(GroupEntry(first));
    }
  }
  add_legacy("/apis", WithKind("APIGroupList", Json::Of({{"groups", std::move(named_groups)}})));
  for (const std::string_view version : kAggregatedVersions) {
    const auto add = [this, version](const std::string& path, const JsonArray& items) {
      const std::string api_version = std::string(kAggregatedGroup) + "/" + std::string(version);
      const Json body = Json::Of({{"kind", kAggregatedKind},
                                  {"apiVersion", api_version},
                                  {"metadata", JsonObject()},
                                  {"items", items}});
      aggregated_[path].try_emplace(std::string(version), AggregatedContentType(version),
                                    EncodeJson(body));
    };
    add("/apis", group_items);
    if (!core_items.empty()) add("/api", core_items);
  }
}

std::optional<http::Response> Discovery::Serve(const http::Request& request) {
  const std::string_view path = WithoutFinalSlash(request.path);
  const auto legacy = legacy_.find(path);
  if (legacy == legacy_.end()) return std::nullopt;
  const auto aggregated = aggregated_.find(path);
  for (const MediaType& clause : ParseAccept(request.headers.Get("Accept"))) {
    if (aggregated != aggregated_.end()) {
      const auto document = aggregated->second.find(AggregatedVersion(clause));
      if (document != aggregated->second.end()) return document->second.Serve(request);
    }
    if (clause.Includes("application/json") && clause.Parameter("as").empty())
      return legacy->second.Serve(request);
  }
  return ErrorResponse(Status(Reason::kNotAcceptable,
                              "only the following media types are accepted: application/json"));
}

}  // namespace asyncops::apiserver
