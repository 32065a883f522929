// What /admin shows.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_ADMIN_H_
#define ASYNCOPS_TESTS_SIMCLOUD_ADMIN_H_

#include <cstdint>

#include "base/json.h"
#include "tests/simcloud/cloud.h"

namespace asyncops::simcloud {

// Requests by what became of them; all but those under /admin.
struct Counters {
  std::int64_t requests = 0;
  std::int64_t submits = 0;
  std::int64_t replays = 0;
  std::int64_t polls = 0;
  std::int64_t lookups = 0;
  std::int64_t dropped = 0;
  std::int64_t delayed = 0;
  std::int64_t unauthorized = 0;
};

Json StatsJson(Cloud* cloud, const Counters& counters);
// {"items": [...]}: every volume and operation ever made, with who asked for it.
Json AllVolumesJson(Cloud* cloud);
Json AllOperationsJson(Cloud* cloud);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_ADMIN_H_
