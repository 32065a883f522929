#include "apiserver/http/request_target.h"

#include <algorithm>

#include "base/encoding.h"

namespace asyncops::http {
namespace {

// The part of an absolute-form target from its path on ("/" where it has none); "" for another
// scheme.
std::string_view WithoutAuthority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t end = target.find_first_of("/?");
    if (end == 0) return "";
    if (end == std::string_view::npos) return "/";
    // "http://host?query" has an empty path; a client that means "/" writes it.
    return target[end] == '/' ? target.substr(end) : "";
  }
  return "";
}

}  // namespace

Status ReadRequestTarget(std::string_view target, Request* request) {
  if (!target.starts_with('/')) target = WithoutAuthority(target);
  if (target.empty()) return BadRequest("the request target must be a path or an http(s) URL");
  if (target.find('#') != std::string_view::npos) {
    return BadRequest("the request target must not have a fragment");
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  std::optional<std::string> path = PercentDecode(target.substr(0, question), false);
  if (!path) return BadRequest("the path has a malformed percent-escape");
  if (path->find('\0') != std::string::npos) return BadRequest("the path has a NUL character");
  std::optional<Query> query = Query::Parse(target.substr(std::min(question + 1, target.size())));
  if (!query) return BadRequest("the query has a malformed percent-escape");
  request->path = *std::move(path);
  request->query = *std::move(query);
  return Status::Ok();
}

}  // namespace asyncops::http
