#include "apiserver/handlers/list_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/meta/field_error.h"
#include "api/meta/object_meta.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "apiserver/handlers/request_info.h"
#include "base/ascii.h"
#include "base/encoding.h"
#include "base/json.h"
#include "base/rfc3339.h"
#include "storage/control_fields.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kTokenVersion = "meta.k8s.io/v1";
constexpr std::string_view kMatch = "resourceVersionMatch";
constexpr std::string_view kNotOlderThan = "NotOlderThan";

Status InvalidListOption(FieldError error) {
  return InvalidObject("meta.k8s.io", "ListOptions", "", {std::move(error)});
}

Status BadToken(std::string_view why) {
  return BadRequest("invalid continue token: " + std::string(why));
}

// A name or namespace in a token may be any object's, never a path out of the resource.
bool IsSafeName(std::string_view name) { return !CheckDnsSubdomain(name).has_value(); }

Status ParseNumbers(const http::Query& query, ListOptions* options) {
  const Result<std::int64_t> limit = ParseLimit(query);
  if (!limit.ok()) return limit.status();
  options->limit = *limit;
  if (const std::string_view text = query.Get("timeoutSeconds"); !text.empty()) {
    const std::optional<std::int64_t> seconds = ParseInt64(text);
    if (!seconds || *seconds < 0) return BadRequest("timeoutSeconds must be a positive integer");
    options->timeout_seconds = *seconds;
  }
  const Result<std::optional<storage::Revision>> version = ParseResourceVersion(query);
  if (!version.ok()) return version.status();
  options->resource_version = *version;
  return Status::Ok();
}

// resourceVersionMatch with what it may stand beside.
Status ParseMatch(const http::Query& query, ListOptions* options) {
  const std::string_view match = query.Get("resourceVersionMatch");
  const bool has_version = options->resource_version.has_value();
  if (match.empty()) {
    options->exact = has_version && *options->resource_version > 0 && options->limit > 0;
    return Status::Ok();
  }
  if (!has_version) {
    return InvalidListOption(
        ForbiddenField(std::string(kMatch),
                       "resourceVersionMatch is forbidden unless resourceVersion is "
                       "provided"));
  }
  if (options->continue_token) {
    return InvalidListOption(ForbiddenField(std::string(kMatch),
                                            "resourceVersionMatch is forbidden when continue is "
                                            "provided"));
  }
  if (match != "Exact" && match != kNotOlderThan) {
    return InvalidListOption(
        UnsupportedValue(std::string(kMatch), match, {"Exact", std::string(kNotOlderThan)}));
  }
  options->exact = match == "Exact";
  if (options->exact && *options->resource_version == 0) {
    return InvalidListOption(
        ForbiddenField(std::string(kMatch),
                       "resourceVersionMatch \"Exact\" is forbidden for resourceVersion "
                       "\"0\""));
  }
  return Status::Ok();
}

Status ParseContinue(const http::Query& query, ListOptions* options) {
  const std::string_view text = query.Get("continue");
  if (text.empty()) return Status::Ok();
  if (options->resource_version && *options->resource_version != 0)
    return BadRequest("specifying resource version is not allowed when using continue");
  options->resource_version.reset();
  Result<ContinueToken> token = ContinueToken::Decode(text);
  if (!token.ok()) return token.status();
  options->continue_token = std::move(*token);
  return Status::Ok();
}

// sendInitialEvents and resourceVersionMatch of a watch belong together.
Status ParseInitialEvents(const http::Query& query, ListOptions* options) {
  const std::string_view match = query.Get("resourceVersionMatch");
  const bool given = !query.Get("sendInitialEvents").empty();
  if (given) options->send_initial_events = QueryFlag(query, "sendInitialEvents");
  if (given && match != kNotOlderThan) {
    return InvalidListOption(ForbiddenField(
        std::string(kMatch), "sendInitialEvents requires setting resourceVersionMatch to " +
                                 std::string(kNotOlderThan)));
  }
  if (given || match.empty()) return Status::Ok();
  return InvalidListOption(ForbiddenField(std::string(kMatch),
                                          "resourceVersionMatch is forbidden for watch unless "
                                          "sendInitialEvents is provided"));
}

// The time of a parameter; "" where it is not given.
Result<std::string> ReadTime(const http::Query& query, const std::string& name) {
  const std::string_view text = query.Get(name);
  if (text.empty()) return std::string();
  const std::optional<Time> time = ParseTime(text);
  if (time) return FormatTime(*time);
  return BadRequest(name + " must be a time of RFC 3339, such as 2026-11-29T16:47:53Z");
}

Status ParseTimes(const ResourceInfo& resource, const http::Query& query, Time now,
                  ListOptions* options) {
  constexpr std::array<std::pair<const char*, std::string_view>, 2> kTimes = {
      {{"created", storage::kCreatedTime}, {"completed", storage::kCompletedTime}}};
  for (const auto& [prefix, field] : kTimes) {
    const std::string after = std::string(prefix) + "After";
    const std::string before = std::string(prefix) + "Before";
    const Result<std::string> from = ReadTime(query, after);
    const Result<std::string> end = ReadTime(query, before);
    for (const Status& status : {from.status(), end.status()})
      if (!status.ok()) return status;
    if (from->empty() && end->empty()) continue;
    if (resource.plural != kAsyncOperations) {
      return BadRequest((from->empty() ? before : after) + " selects asyncoperations, not " +
                        resource.plural);
    }
    options->fields.ranges.push_back(
        {.field = std::string(field), .from = *from, .before = *end, .latest = FormatTime(now)});
  }
  return Status::Ok();
}

}  // namespace

std::string ContinueToken::Encode() const {
  const std::string start = namespace_name + "/" + name + std::string(1, '\0');
  return Base64UrlEncode(
      EncodeJson(Json::Of({{"v", kTokenVersion}, {"rv", revision}, {"start", start}})));
}

Result<ContinueToken> ContinueToken::Decode(std::string_view text) {
  const std::optional<std::string> bytes = Base64UrlDecode(text);
  if (!bytes) return BadToken("it is not base64url");
  const Result<Json> json = ParseJson(*bytes);
  if (!json.ok() || !json->is_object()) return BadToken("it does not hold a JSON object");
  if (json->StringAt({"v"}) != kTokenVersion) return BadToken("it has another version");
  std::string_view start = json->StringAt({"start"});
  if (!start.empty() && start.back() == '\0') start.remove_suffix(1);
  const std::size_t slash = start.find('/');
  ContinueToken token;
  token.revision = json->IntAt({"rv"}, 0);
  if (token.revision == 0 || token.revision < -1) return BadToken("it has no resource version");
  if (slash == std::string_view::npos) return BadToken("it has no start");
  token.namespace_name = start.substr(0, slash);
  token.name = start.substr(slash + 1);
  const bool safe =
      IsSafeName(token.name) && (token.namespace_name.empty() || IsSafeName(token.namespace_name));
  if (!safe) return BadToken("it does not start at a name");
  return token;
}

Result<std::optional<storage::Revision>> ParseResourceVersion(const http::Query& query) {
  const std::string_view text = query.Get("resourceVersion");
  if (text.empty()) return std::optional<storage::Revision>();
  const auto version = ParseInt64(text);
  if (version && *version >= 0) return version;
  return InvalidListOption(
      InvalidField("resourceVersion", text, "must be a number that a read gave"));
}

Result<std::int64_t> ParseLimit(const http::Query& query) {
  const std::string_view text = query.Get("limit");
  if (text.empty()) return std::int64_t{0};
  const std::optional<std::int64_t> limit = ParseInt64(text);
  if (!limit) return BadRequest("limit must be an integer");
  return std::max<std::int64_t>(*limit, 0);
}

Result<ListOptions> ParseListOptions(const ResourceInfo& resource, const http::Request& request,
                                     bool is_watch, Time now) {
  ListOptions options;
  const http::Query& query = request.query;
  if (!is_watch && !query.Get("sendInitialEvents").empty()) {
    return InvalidListOption(
        ForbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  ASYNCOPS_RETURN_IF_ERROR(ParseNumbers(query, &options));
  ASYNCOPS_RETURN_IF_ERROR(ParseContinue(query, &options));
  ASYNCOPS_RETURN_IF_ERROR(is_watch ? ParseInitialEvents(query, &options)
                                    : ParseMatch(query, &options));
  options.allow_bookmarks = QueryFlag(query, "allowWatchBookmarks");
  Result<LabelSelector> labels = ParseLabelSelector(query.Get("labelSelector"));
  if (!labels.ok()) return labels.status();
  options.labels = std::move(*labels);
  std::vector<std::string> known = resource.selectable_fields;
  known.emplace_back("metadata.name");
  known.emplace_back("metadata.namespace");
  Result<FieldSelector> fields = ParseFieldSelector(query.Get("fieldSelector"), known);
  if (!fields.ok()) return fields.status();
  options.fields = std::move(*fields);
  ASYNCOPS_RETURN_IF_ERROR(ParseTimes(resource, query, now, &options));
  return options;
}

}  // namespace asyncops::apiserver
