// What differs between resources when they are written; all else is the verb engine's.
#ifndef ASYNCOPS_APISERVER_REGISTRY_STRATEGY_H_
#define ASYNCOPS_APISERVER_REGISTRY_STRATEGY_H_

#include "api/scheme.h"
#include "base/json.h"

namespace asyncops::apiserver {

// Pure hooks over an object's JSON, run before defaults and validation.
struct Strategy {
  // Whether a PUT without a resourceVersion replaces whatever is there.
  bool allow_unconditional_update = false;
  void (*prepare_for_create)(Json* object) = nullptr;
  void (*prepare_for_update)(Json* object) = nullptr;
};

const Strategy& StrategyFor(const ResourceInfo& resource);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_REGISTRY_STRATEGY_H_
