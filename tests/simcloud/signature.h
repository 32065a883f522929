// Whether a request has the signature of AWS's Signature Version 4.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_SIGNATURE_H_
#define ASYNCOPS_TESTS_SIMCLOUD_SIGNATURE_H_

#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "tests/simcloud/message.h"

namespace asyncops::simcloud {

struct AwsKey {
  std::string_view access_key_id;
  std::string_view secret_access_key;
};

// OK, or what is wrong with it, as the service would say. The time must be within 15 minutes of
// `now`, and host, x-amz-date and x-amz-target must be signed.
Status CheckSignature(const Request& request, const AwsKey& key, Time now);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_SIGNATURE_H_
