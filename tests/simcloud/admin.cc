#include "tests/simcloud/admin.h"

#include <algorithm>
#include <utility>

#include "tests/simcloud/protocol.h"

namespace asyncops::simcloud {
namespace {

Json WithOrigin(Json json, const Origin& origin) {
  json.Set("protocol", ProtocolName(origin.protocol));
  json.Set("correlationId", origin.correlation_id);
  json.Set("idempotencyKey", origin.idempotency_key);
  json.Set("authorizationSHA256", origin.authorization_sha256);
  return json;
}

}  // namespace

Json StatsJson(Cloud* cloud, const Counters& counters) {
  const auto& volumes = cloud->AllVolumes();
  const auto existing = std::count_if(volumes.begin(), volumes.end(),
                                      [](const Volume& volume) { return Exists(volume.status); });
  return Json::Of({{"created", cloud->created()},
                   {"deleted", cloud->deleted()},
                   {"updated", cloud->updated()},
                   {"existing", existing},
                   {"operations", cloud->AllOperations().size()},
                   {"running", cloud->RunningCount()},
                   {"duplicatesByCorrelation", cloud->DuplicatesByCorrelation()},
                   {"duplicatesByName", cloud->DuplicatesByName()},
                   {"requests", counters.requests},
                   {"submits", counters.submits},
                   {"replays", counters.replays},
                   {"polls", counters.polls},
                   {"lookups", counters.lookups},
                   {"dropped", counters.dropped},
                   {"delayed", counters.delayed},
                   {"unauthorized", counters.unauthorized}});
}

Json AllVolumesJson(Cloud* cloud) {
  JsonArray items;
  for (const Volume& volume : cloud->AllVolumes()) {
    Json item = WithOrigin(VolumeJson(volume), volume.origin);
    item.Set("operationId", volume.operation_id);
    items.push_back(std::move(item));
  }
  return Json::Of({{"items", std::move(items)}});
}

Json AllOperationsJson(Cloud* cloud) {
  JsonArray items;
  for (const Operation& operation : cloud->AllOperations()) {
    const Volume& volume = *cloud->FindAnyVolume(operation.volume_id);
    Json item = WithOrigin(OperationSummaryJson(operation, volume), operation.origin);
    item.Set("polls", operation.polls);
    items.push_back(std::move(item));
  }
  return Json::Of({{"items", std::move(items)}});
}

}  // namespace asyncops::simcloud
