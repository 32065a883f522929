#include "apiserver/handlers/request_info.h"

#include <vector>

namespace asyncops::apiserver {
namespace {

std::vector<std::string> Segments(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash != 0) out.emplace_back(path.substr(0, slash));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return out;
}

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
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

// The X of `metadata.name=X` in a field selector; "" where there is none.
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
      return std::string(value);
    }
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return "";
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
  const std::vector<std::string> parts = Segments(request.path);
  const bool core = !parts.empty() && parts[0] == "api";
  const std::size_t prefix = core ? 2 : 3;  // api/VERSION or apis/GROUP/VERSION
  if (!core && (parts.empty() || parts[0] != "apis")) return info;
  if (parts.size() <= prefix) return info;

  info.resource_request = true;
  info.api_prefix = parts[0];
  info.group = core ? "" : parts[1];
  info.version = parts[prefix - 1];
  std::vector<std::string> rest(parts.begin() + static_cast<std::ptrdiff_t>(prefix), parts.end());
  // /namespaces/NS/RESOURCE...; /namespaces and /namespaces/NS[/status] name the namespace itself.
  const bool scoped =
      rest[0] == "namespaces" && rest.size() > 2 && rest[2] != "status" && rest[2] != "finalize";
  if (rest[0] == "namespaces" && rest.size() > 1) info.namespace_name = rest[1];
  if (scoped) rest.erase(rest.begin(), rest.begin() + 2);
  info.resource = rest[0];
  if (rest.size() > 1) info.name = rest[1];
  for (std::size_t i = 2; i < rest.size(); ++i) info.subresource += (i == 2 ? "" : "/") + rest[i];
  info.verb = VerbOf(request, !info.name.empty());
  if (info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection")
    info.name = NameOfFieldSelector(request);
  return info;
}

}  // namespace asyncops::apiserver
