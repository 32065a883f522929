// watch.
#include <algorithm>
#include <utility>

#include "apiserver/handlers/list_options.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/watch_source.h"
#include "base/limits.h"

namespace asyncops::apiserver {
namespace {

// apiserver's MinRequestTimeout: a watch without timeoutSeconds ends after one to two times this.
constexpr std::chrono::seconds kMinWatchTimeout{1800};

Duration WatchTimeout(const ListOptions& options, IdGenerator& ids) {
  const std::int64_t seconds = options.timeout_seconds.value_or(0);
  if (seconds > 0)
    return std::chrono::seconds(std::min(seconds, std::int64_t{kMaxWatchTimeout.count()}));
  return std::chrono::duration_cast<Duration>(kMinWatchTimeout * (1 + ids.Fraction()));
}

}  // namespace

void ResourceHandler::Watch(const ResourceInfo& resource, const ApiContext& context) const {
  Result<ListOptions> options = ParseListOptions(resource, context.request, true, clock_.Now());
  const bool streams_list = options.ok() && options->send_initial_events.value_or(false);
  const Result<Representation> representation =
      Negotiate(context.request, streams_list ? Answer::kWatchList : Answer::kWatch);
  for (const Status& status : {representation.status(), options.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }
  // Nobody can have seen such a version: the client's state is of another database, and it is to
  // list again, as for a list.
  if (const Status status = CheckReached(options->resource_version); !status.ok())
    return context.respond(ErrorResponse(status));
  WatchQuery query;
  query.representation = *representation;
  query.options = std::move(*options);
  query.namespace_name = resource.namespaced ? context.info->namespace_name : "";
  query.timeout = WatchTimeout(query.options, ids_);
  http::Response response = JsonResponse(200, "");
  response.source =
      std::make_unique<WatchSource>(registry_.store(), resource, std::move(query), clock_);
  context.respond(std::move(response));
}

}  // namespace asyncops::apiserver
