#include "apiserver/handlers/request_filters.h"

#include <algorithm>

#include "api/meta/quote.h"
#include "base/duration.h"
#include "base/limits.h"

namespace asyncops::apiserver {
namespace {

// A change of one object. A deletion of many takes as long as any other request.
bool ChangesOne(const RequestInfo& info) {
  return info.resource_request && IsMutating(info) && info.verb != "deletecollection";
}

}  // namespace

bool IsMutating(const RequestInfo& info) {
  return info.verb != "get" && info.verb != "list" && info.verb != "watch" && info.verb != "head";
}

Attributes AttributesOf(const RequestInfo& info, const UserInfo& user) {
  return {.user = &user,
          .verb = info.verb,
          .resource_request = info.resource_request,
          .group = info.group,
          .version = info.version,
          .resource = info.resource,
          .subresource = info.subresource,
          .namespace_name = info.namespace_name,
          .name = info.name,
          .path = info.path,
          .field_selector = info.field_selector,
          .label_selector = info.label_selector};
}

Answer AnswerTo(const RequestInfo& info) {
  if (info.streams) return Answer::kWatch;
  return info.verb == "list" ? Answer::kList : Answer::kObject;
}

Result<std::optional<Duration>> TimeoutOf(const http::Request& request, const RequestInfo& info) {
  if (info.streams) return std::optional<Duration>();
  const Duration longest = ChangesOne(info) ? kMutatingRequestTimeout : kRequestTimeout;
  const std::string_view text = request.query.Get("timeout");
  if (text.empty()) return std::optional(longest);
  const std::optional<Duration> asked = ParseDuration(text);
  if (!asked) {
    return BadRequest("invalid timeout specified in the request URL - time: invalid duration " +
                      Quote(text));
  }
  // A client that says 0 (or less) has no limit of its own; one that says less than is counted
  // here has nearly no time.
  const bool is_nothing = text.starts_with('-') || text.find_first_of("123456789") == text.npos;
  if (is_nothing) return std::optional(longest);
  return std::optional(std::min(*asked, longest));
}

Status TimedOut(const RequestInfo& info) {
  if (!ChangesOne(info))
    return {Reason::kTimeout, "Timeout: request did not complete within the allotted timeout"};
  return {Reason::kTimeout,
          "Timeout: request did not complete within requested timeout - context deadline exceeded; "
          "what it asked for may still be done"};
}

}  // namespace asyncops::apiserver
