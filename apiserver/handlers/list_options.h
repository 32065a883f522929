// The query of a list or watch, checked (apimachinery pkg/apis/meta/internalversion/validation).
#ifndef ASYNCOPS_APISERVER_HANDLERS_LIST_OPTIONS_H_
#define ASYNCOPS_APISERVER_HANDLERS_LIST_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "api/meta/field_selector.h"
#include "api/meta/label_selector.h"
#include "api/scheme.h"
#include "apiserver/http/request.h"
#include "base/clock.h"
#include "storage/record.h"

namespace asyncops::apiserver {

// Where the next page of a list goes on, and at which revision.
struct ContinueToken {
  storage::Revision revision = 0;
  std::string namespace_name;
  std::string name;

  // base64url of {"v":"meta.k8s.io/v1","rv":N,"start":"ns/name\u0000"}.
  std::string Encode() const;
  // BadRequest `invalid continue token: ...`.
  static Result<ContinueToken> Decode(std::string_view text);
};

struct ListOptions {
  LabelSelector labels;
  FieldSelector fields;
  std::int64_t limit = 0;  // 0: all
  std::optional<ContinueToken> continue_token;
  // Nothing where none was given; 0 is any version.
  std::optional<storage::Revision> resource_version;
  bool exact = false;  // resourceVersionMatch=Exact, or a limit with a version and no match
  // Of a watch.
  std::optional<std::int64_t> timeout_seconds;
  bool allow_bookmarks = false;
  // WatchList: true asks for the present state first, closed by a bookmark that says so; false for
  // no state at all. Nothing: the state where no version, or 0, is given.
  std::optional<bool> send_initial_events;
};

// The resourceVersion of a read: nothing where there is none, 0 for any. Invalid where it is no
// number.
Result<std::optional<storage::Revision>> ParseResourceVersion(const http::Query& query);

// The limit of a list or of pages: 0 for all, as of one that is absent or negative. BadRequest
// where it is no integer.
Result<std::int64_t> ParseLimit(const http::Query& query);

// BadRequest for what does not parse; Invalid for what does not go together. Times of
// AsyncOperations (createdAfter, createdBefore, completedAfter, completedBefore: RFC 3339) become
// ranges of `fields`; `now` bounds those that are open.
Result<ListOptions> ParseListOptions(const ResourceInfo& resource, const http::Request& request,
                                     bool is_watch, Time now);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_LIST_OPTIONS_H_
