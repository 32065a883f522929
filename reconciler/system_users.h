// Who uses an ExternalSystem: it does not go before them.
#ifndef ASYNCOPS_RECONCILER_SYSTEM_USERS_H_
#define ASYNCOPS_RECONCILER_SYSTEM_USERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/object_meta.h"
#include "base/json.h"
#include "base/status.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// How many there are of one kind, with the names of the first few.
struct SystemUserList {
  std::int64_t count = 0;
  std::vector<std::string> first;
  std::string staying;  // one that is not under deletion; "" where there is none

  void Add(const ObjectMeta& user);
  bool operator==(const SystemUserList&) const = default;
};

struct SystemUsers {
  SystemUserList resources;   // AsyncResources for which something may exist outside
  SystemUserList operations;  // AsyncOperations that may yet call, of other AsyncResources or none

  bool empty() const { return resources.count == 0 && operations.count == 0; }
  bool operator==(const SystemUsers&) const = default;
};

// The metadata of an AsyncResource, where it refers to this ExternalSystem.
Result<std::optional<ObjectMeta>> UserOf(const Json& resource, const std::string& system);

// Those in the store, and those that the client knows.
Result<SystemUsers> FindSystemUsers(const ObjectName& system, const storage::Store& store,
                                    ResourceClient& resources);

// What a system under deletion waits for, and the ways out. `check` is what ReadCredentials says.
std::string ExplainUsers(const ObjectName& system, const SystemUsers& users, const Status& check);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SYSTEM_USERS_H_
