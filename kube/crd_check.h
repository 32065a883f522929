// Whether the cluster has the CustomResourceDefinitions that this binary was built with.
#ifndef ASYNCOPS_KUBE_CRD_CHECK_H_
#define ASYNCOPS_KUBE_CRD_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "kube/api_client.h"

namespace asyncops::kube {

struct WantedCrds {
  std::vector<std::string> names;  // "asyncresources.asyncops.dev"
  std::string_view annotation;     // where the revision stands
  int revision = 0;                // the one that this binary knows
};

enum class CrdState {
  kUnknown,  // kube-apiserver did not say
  kMissing,  // at least one is not there, or not served yet
  kOlder,    // at least one lacks what this binary writes
  kNewer,    // made for a later version; what this binary does not know, it leaves alone
  kEqual,
};

struct CrdReport {
  CrdState state = CrdState::kUnknown;
  std::string message;  // which one, what it is, and what to apply; "" where all are equal
};

// One GET for each. Of several states the first in the order above is told. Blocks.
CrdReport CheckCrds(ApiClient& client, const WantedCrds& wanted);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_CRD_CHECK_H_
