// The faces of the cloud: which paths they have and how they tell of operations and volumes.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_PROTOCOL_H_
#define ASYNCOPS_TESTS_SIMCLOUD_PROTOCOL_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "tests/simcloud/cloud.h"
#include "tests/simcloud/message.h"

namespace asyncops::simcloud {

// What a path names.
struct Route {
  enum class Target { kVolumes, kVolume, kOperations, kOperation, kCancel, kResult, kCall };
  Protocol protocol = Protocol::kAcceptedLocation;
  Target target = Target::kVolumes;
  std::string id;       // of kVolume (under /arm its name), kOperation, kCancel and kResult
  bool embeds = false;  // of an OData 4.0 path: monitors answer with a message within the body
};

// Nothing where no face has such a path.
std::optional<Route> ParseRoute(std::string_view path);

// What a reply about an operation needs to know.
struct OperationView {
  const Operation& operation;
  const Volume& volume;
  std::optional<int> progress;  // not told where empty
  std::string retry_after;      // "" for none
  // What only some faces ask for.
  Time now = {};
  std::string base_url = {};
  std::string via = {};  // Azure: which header names what to poll
  bool responds_async = false;
  bool embeds = false;
};

// The answer to the POST or DELETE that started the operation; `protocol` is the caller's.
Reply StartedReply(Protocol protocol, const OperationView& view);
// The answer to a GET of the operation.
Reply OperationReply(Protocol protocol, const OperationView& view);
// The answer to a successful request to cancel.
Reply CanceledReply(Protocol protocol, const OperationView& view);

// A volume as callers see it.
Json VolumeJson(const Volume& volume);
// An operation in lists: of its kind, status and volume.
Json OperationSummaryJson(const Operation& operation, const Volume& volume);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_PROTOCOL_H_
