#include "apiserver/handlers/request_info.h"

#include <vector>

#include "api/subresources.h"
#include "base/ascii.h"

namespace asyncops::apiserver {
namespace {

// The segments of a path; one slash at its end does not count. An empty one in between stays: it
// names nothing, and taking it away would make another path of it.
std::vector<std::string_view> Segments(std::string_view path) {
  std::vector<std::string_view> out;
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    out.push_back(path.substr(0, slash));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return out;
}

std::string VerbOf(const http::Request& request, bool named) {
  const std::string& method = request.method;
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return named ? "delete" : "deletecollection";
  if (method != "GET" && method != "HEAD") return LowerCase(method);
  if (named) return "get";
  return QueryFlag(request.query, "watch") ? "watch" : "list";
}

// Whether an object may have this name (apimachinery's IsValidPathSegmentName).
bool IsPathSegmentName(std::string_view name) {
  return name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
}

// The X of `metadata.name=X` in a field selector; "" where there is none, or where no object could
// have the name.
std::string NameOfFieldSelector(const http::Request& request) {
  const std::string_view text = request.query.Get("fieldSelector");
  constexpr std::string_view kTerm = "metadata.name=";
  if (text.find(kTerm) == std::string_view::npos) return "";
  // Only this field matters here; unknown ones are refused by the handler, with all that are known.
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view term = rest.substr(0, comma);
    if (term.starts_with(kTerm)) {
      std::string_view value = term.substr(kTerm.size());
      if (!value.empty() && value.front() == '=') value.remove_prefix(1);
      return IsPathSegmentName(value) ? std::string(value) : "";
    }
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return "";
}

bool Streams(const http::Request& request, const RequestInfo& info) {
  if (info.verb == "watch") return true;
  if (info.verb != "get" || info.subresource.empty()) return false;
  const ResourceInfo& owners = OperationOwners();
  if (info.group != owners.group || info.resource != owners.plural) return false;
  const SubresourceInfo* subresource = FindSubresource(owners, info.subresource);
  return subresource != nullptr && subresource->lists_operations &&
         QueryFlag(request.query, "watch");
}

}  // namespace

std::string RequestInfo::GroupVersion() const {
  return group.empty() ? version : group + "/" + version;
}

bool QueryFlag(const http::Query& query, std::string_view name) {
  if (!query.Has(name)) return false;
  const std::string value = LowerCase(query.Get(name));
  return value != "0" && value != "false";
}

RequestInfo ParseRequestInfo(const http::Request& request) {
  RequestInfo info;
  info.path = request.path;
  info.verb = LowerCase(request.method);
  const std::vector<std::string_view> parts = Segments(request.path);
  const bool core = !parts.empty() && parts[0] == "api";
  const std::size_t prefix = core ? 2 : 3;  // api/VERSION or apis/GROUP/VERSION
  if (!core && (parts.empty() || parts[0] != "apis")) return info;
  if (parts.size() <= prefix) return info;
  for (const std::string_view part : parts) {
    if (part.empty()) return info;
  }

  info.resource_request = true;
  info.api_prefix = parts[0];
  info.group = core ? "" : parts[1];
  info.version = parts[prefix - 1];
  // /namespaces/NS/RESOURCE...; /namespaces and /namespaces/NS[/status] name the namespace itself.
  std::size_t at = prefix;
  if (parts[at] == "namespaces" && parts.size() > at + 1) {
    info.namespace_name = parts[at + 1];
    info.in_namespace =
        parts.size() > at + 2 && parts[at + 2] != "status" && parts[at + 2] != "finalize";
    if (info.in_namespace) at += 2;
  }
  info.resource = parts[at];
  if (parts.size() > at + 1) info.name = parts[at + 1];
  for (std::size_t i = at + 2; i < parts.size(); ++i)
    info.subresource.append(i == at + 2 ? "" : "/").append(parts[i]);
  info.verb = VerbOf(request, !info.name.empty());
  if (info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection") {
    info.name = NameOfFieldSelector(request);
    info.field_selector = request.query.Get("fieldSelector");
    info.label_selector = request.query.Get("labelSelector");
  }
  info.streams = Streams(request, info);
  return info;
}

}  // namespace asyncops::apiserver
