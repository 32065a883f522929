// Replies as bytes, for those that do not leave the ordinary way: late, or cut in half.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_WIRE_H_
#define ASYNCOPS_TESTS_SIMCLOUD_WIRE_H_

#include <string>

#include "tests/simcloud/message.h"

namespace asyncops::simcloud {

// The reply as HTTP/1.1, the last of its connection. One that is to be truncated ends in the middle
// of its body, whose whole length it promises; one without a body ends within its head.
std::string EncodeReply(const Reply& reply);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_WIRE_H_
